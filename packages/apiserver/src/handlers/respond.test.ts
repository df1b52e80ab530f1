import fc from "fast-check";
import { expect, test } from "vitest";
import { indentJson, toStatus } from "./respond.ts";

test("indenting text gives what JSON.stringify gives, without reading numbers", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
  expect(indentJson('{"a":12345678901234567890,"b":[1.0]}')).toBe(
    '{\n  "a": 12345678901234567890,\n  "b": [\n    1.0\n  ]\n}',
  );
});

test("an error from inside says nothing of the inside", () => {
  const status = toStatus(new Error("password is hunter2"), "req-1");
  expect(status).toMatchObject({ code: 500, reason: "InternalError" });
  expect(JSON.stringify(status)).not.toContain("hunter2");
  expect(status.message).toContain("req-1");
});
