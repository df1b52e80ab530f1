import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatJson,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  jsonEquals,
  setMember,
  sortMembers,
} from "./json.ts";

describe("members", () => {
  test("only own members are there, whatever they are called", () => {
    expect(getMember({}, "constructor")).toBeUndefined();
    expect(getMember({}, "__proto__")).toBeUndefined();
    const object = {};
    setMember(object, "__proto__", 1);
    setMember(object, "constructor", 2);
    expect([getMember(object, "__proto__"), getMember(object, "constructor")]).toEqual([1, 2]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  test("an object is neither null nor a list", () => {
    const values = [{}, [], null, "x", 1n, undefined];
    expect(values.map(isJsonObject)).toEqual([true, false, false, false, false, false]);
    expect(values.map(isJsonArray)).toEqual([false, true, false, false, false, false]);
  });
});

test.for<{ rule: string; a: JsonValue | undefined; b: JsonValue | undefined; equal: boolean }>([
  { rule: "the order of members does not count", a: { a: 1, b: [2] }, b: { b: [2], a: 1 }, equal: true },
  { rule: "the order of items does", a: [1, 2], b: [2, 1], equal: false },
  { rule: "a member that is undefined is absent", a: { a: undefined }, b: {}, equal: true },
  { rule: "a member that is null is not", a: { a: null }, b: {}, equal: false },
  { rule: "a list is no object with the same members", a: [], b: {}, equal: false },
  { rule: "null is not absent", a: null, b: undefined, equal: false },
  { rule: "big integers compare by value", a: [2n ** 60n], b: [2n ** 60n], equal: true },
  { rule: "an inherited member does not count", a: { toString: 1 }, b: {}, equal: false },
])("equality: $rule", ({ a, b, equal }) => {
  expect([jsonEquals(a, b), jsonEquals(b, a)]).toEqual([equal, equal]);
});

describe("text", () => {
  test("big integers print their digits, and absent members nothing", () => {
    const value = { b: [12_345_678_901_234_567_890n, "x\n"], a: undefined, c: { d: null } };
    expect(formatJson(value)).toBe('{"b":[12345678901234567890,"x\\n"],"c":{"d":null}}');
    expect(formatJson(5n)).toBe("5");
  });

  test("without big integers it is what JSON.stringify gives, with one it differs in nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<JsonValue>, (value) => {
        expect(formatJson(value)).toBe(JSON.stringify(value));
        expect(formatJson([value, 1n])).toBe(`[${JSON.stringify(value)},1]`);
      }),
    );
  });

  test("members are sorted by code unit, at every depth, and lists are not", () => {
    expect(formatJson(sortMembers({ b: [{ d: 1, c: 2 }, 1], a: null, B: 0, é: 1, z: undefined }))).toBe(
      '{"B":0,"a":null,"b":[{"c":2,"d":1},1],"é":1}',
    );
  });
});
