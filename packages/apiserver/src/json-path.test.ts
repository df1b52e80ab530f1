import type { JsonArray, JsonValue } from "@slipway/objects";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonPath } from "./json-path.ts";

const data: JsonValue = {
  metadata: { name: "a", annotations: { "a.b/c": "dotted", a: { b: "nested" } } },
  spec: { size: 1, note: null, tags: ["x", "y", "z"], ports: [{ name: "p", port: 1 }, { name: "q" }] },
  status: {
    conditions: [
      { type: "Other", status: "False", n: 1 },
      { type: "Ready", status: "True", n: 2, ok: true },
    ],
  },
};

describe("what a path finds", () => {
  test.for<{ path: string; found: JsonArray }>([
    { path: ".spec.size", found: [1] },
    { path: "$.spec.size", found: [1] },
    { path: "", found: [data] },
    { path: ".spec.none.deeper", found: [] },
    { path: ".spec.size.deeper", found: [] },
    { path: ".spec.note", found: [null] },
    { path: ".spec.note.deeper", found: [] },
    { path: ".spec.tags", found: [["x", "y", "z"]] },
    { path: ".spec.tags[0]", found: ["x"] },
    { path: ".spec.tags[-1]", found: ["z"] },
    { path: ".spec.tags[3]", found: [] },
    { path: ".spec.tags[1:]", found: ["y", "z"] },
    { path: ".spec.tags[0:2]", found: ["x", "y"] },
    { path: ".spec.tags[:-1]", found: ["x", "y"] },
    { path: ".spec.tags[2:9]", found: [] },
    { path: ".spec.tags[1:1]", found: [] },
    { path: ".spec.tags[*]", found: ["x", "y", "z"] },
    { path: ".spec.ports[*].name", found: ["p", "q"] },
    { path: ".spec.ports[*].port", found: [1] },
    { path: ".spec.size[0]", found: [] },
    { path: ".spec.note[0]", found: [] },
    { path: ".spec.ports[0].*", found: ["p", 1] },
    { path: ".metadata.annotations.a\\.b/c", found: ["dotted"] },
    { path: ".metadata.annotations['a.b/c']", found: ["dotted"] },
    { path: ".metadata.annotations['a\\.b/c']", found: ["dotted"] },
    { path: ".metadata.annotations['a.b']", found: ["nested"] },
    { path: "['spec']['size']", found: [1] },
    { path: '.status.conditions[?(@.type=="Ready")].status', found: ["True"] },
    { path: ".status.conditions[?(@.type=='Ready')].status", found: ["True"] },
    { path: '.status.conditions[?(@.type == "None")].status', found: [] },
    { path: '.status.conditions[?(@.type!="Ready")].type', found: ["Other"] },
    { path: ".status.conditions[?(@.n>1)].type", found: ["Ready"] },
    { path: ".status.conditions[?(@.n<=1)].type", found: ["Other"] },
    { path: ".status.conditions[?(@.n>=@.n)].type", found: ["Other", "Ready"] },
    { path: ".status.conditions[?(@.ok)].type", found: ["Ready"] },
    { path: '.status.conditions[?(@.type==")]")].type', found: [] },
    // The first condition has nothing to compare: Kubernetes gives up.
    { path: ".status.conditions[?(@.ok==true)].type", found: [] },
    { path: '.status.conditions[?(@.n=="1")].type', found: [] },
    { path: '.spec.size[?(@.a=="b")]', found: [] },
    { path: '.spec.note[?(@.a=="b")]', found: [] },
  ])("$path", ({ found, path }) => {
    expect(parseJsonPath(path)?.find(data)).toEqual(found);
  });

  test("a name of object prototypes is an ordinary name", () => {
    expect(parseJsonPath(".constructor")?.find({})).toEqual([]);
    expect(parseJsonPath(".__proto__.a")?.find(JSON.parse('{"__proto__":{"a":1}}'))).toEqual([1]);
  });
});

test.for([
  "spec.a",
  ".",
  "..a",
  ".a..b",
  ".a[",
  ".a[]",
  ".a[x]",
  ".a[1,2]",
  ".a[1:2:3]",
  ".a[?(]",
  ".a[?()]",
  ".a[?(@.b=)]",
  ".a[?(@.b==c)]",
  ".a b",
  "{.a}",
  ".a[99999999999]",
  `.${"a".repeat(1_000)}`,
])("%j is no path", (text) => {
  expect(parseJsonPath(text)).toBeUndefined();
});

describe("laws", () => {
  const step = fc.constantFrom(
    ".a",
    ".b",
    "[*]",
    "[0]",
    "[-1]",
    "[1:]",
    ".*",
    "['a.b']",
    '[?(@.a=="x")]',
    "[?(@.b)]",
    "[?(@.a>1)]",
  );
  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
  const named = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, "x", 1, true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.record({ a: tie("value"), b: tie("value") }, { requiredKeys: [] }),
    ),
  })).value;

  test("paths never throw on data", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), fc.oneof(value, named), (steps, given) => {
        expect(Array.isArray(parseJsonPath(steps.join(""))?.find(given))).toBe(true);
      }),
    );
  });

  test("no text makes the parser throw", () => {
    const piece = fc.constantFrom(".", "a", "[", "]", "'", '"', "\\", "?(", ")", "@", "=", "*", ":", "-", "1", " ");
    fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => void parseJsonPath(pieces.join(""))));
  });

  test("no text makes the parser take long", { timeout: 1_000 }, () => {
    for (const part of ["\\", "'", '"', ".a", "[?(", "=", "\\a"]) parseJsonPath(`.a[?(${part.repeat(400)}`);
  });
});
