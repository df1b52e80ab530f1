import fc from "fast-check";
import { expect, test } from "vitest";
import { formatContinue, parseContinue, parseRevision, requireRevision } from "./resource-version.ts";

test.for([
  ["0", 0],
  ["42", 42],
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["", undefined],
  ["abc", undefined],
] as const)("the version %j reads as %s", ([text, revision]) => {
  expect(parseRevision(text)).toBe(revision);
});

test("a version that is no number is refused in Kubernetes' words", () => {
  expect(() => requireRevision("abc")).toThrow(
    'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  );
});

test("a continue token comes back as it was, whatever the names are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.string({ unit: "grapheme", minLength: 1 }), (revision, name) => {
      const after = `/shop/${name.replaceAll("/", "-").replaceAll("\0", "-")}`;
      fc.pre(!/\/\.\.?$/.test(after));
      const text = formatContinue({ revision, after });
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(parseContinue(text)).toEqual({ revision, after });
    }),
  );
});

test.for(["", "x", "!!!", "bnVsbA"])("the token %j is refused", (text) => {
  expect(() => parseContinue(text)).toThrow("invalid continue token: continue key is not valid");
});
