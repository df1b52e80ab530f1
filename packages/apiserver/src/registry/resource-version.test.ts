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

test("and so is a number beyond 64 bits", () => {
  const text = "99999999999999999999";
  expect(() => requireRevision(text)).toThrow(`strconv.ParseUint: parsing "${text}": value out of range`);
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

const token = (text: string): string => btoa(text).replaceAll("=", "");

test.for([
  ["", "unexpected end of JSON input"],
  ["x", "illegal base64 data at input byte 0"],
  ["abcdx", "illegal base64 data at input byte 4"],
  ["ab!d", "illegal base64 data at input byte 2"],
  ["ab==", "illegal base64 data at input byte 2"],
  ["bnVsbA", "server does not recognize this encoded version "],
  [token('{"v":"meta.k8s.io/v1","rv":0}'), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
  [token('{"v":"meta.k8s.io/v1","rv":1}'), "encoded start key empty (version meta.k8s.io/v1)"],
] as const)("the token %j is refused: %s", ([text, why]) => {
  expect(() => parseContinue(text)).toThrow(`invalid continue token: continue key is not valid: ${why}`);
});
