import type { JsonValue } from "@slipway/objects";
import { expect, test } from "vitest";
import { wireJson } from "./wire-json.ts";

test.for<{ rule: string; value: JsonValue; text: string }>([
  {
    rule: "what means something to HTML is escaped, in keys too",
    value: { "<a>": "b & c" },
    text: '{"\\u003ca\\u003e":"b \\u0026 c"}',
  },
  { rule: "so are line separators", value: "\u2028\u2029\n", text: '"\\u2028\\u2029\\n"' },
  {
    rule: "keys that look like numbers stand where they are sorted as text",
    value: { data: { "9": 1, "10": [{ "2": 1n, "1": undefined, "-": "x" }], a: "<", "-": null } },
    text: '{"data":{"-":null,"10":[{"-":"x","2":1}],"9":1,"a":"\\u003c"}}',
  },
  {
    rule: "all other objects keep their order, and strings that look like such keys are none",
    value: { kind: "X", apiVersion: "v1", text: '"5":' },
    text: '{"kind":"X","apiVersion":"v1","text":"\\"5\\":"}',
  },
])("$rule", ({ value, text }) => {
  expect(wireJson(value)).toBe(text);
});
