import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonProblem } from "./json-problem.ts";

const circle: { self?: unknown } = {};
circle.self = [circle];

test.for<{ rule: string; value: unknown; path: string; fact: string }>([
  { rule: "NaN", value: { a: [1, { b: Number.NaN }] }, path: "a[1].b", fact: "NaN is no number in JSON" },
  { rule: "an infinity", value: [-Infinity], path: "[0]", fact: "-Infinity is no number in JSON" },
  { rule: "undefined in a list", value: { a: [undefined] }, path: "a[0]", fact: "undefined is no value in JSON" },
  { rule: "a hole in a list", value: new Array(1), path: "[0]", fact: "undefined is no value in JSON" },
  { rule: "undefined alone", value: undefined, path: "", fact: "undefined is no value in JSON" },
  { rule: "a function", value: { f: () => 1 }, path: "f", fact: "a function is no value in JSON" },
  { rule: "a symbol", value: [Symbol("x")], path: "[0]", fact: "a symbol is no value in JSON" },
  {
    rule: "a map, which has no members",
    value: { m: new Map([[1, 2]]) },
    path: "m",
    fact: "a Map is no value in JSON",
  },
  { rule: "a date", value: new Date(0), path: "", fact: "a Date is no value in JSON" },
  { rule: "half of a pair", value: { a: "x\ud800" }, path: "a", fact: "it has half of a surrogate pair" },
  { rule: "half of a pair in a key", value: { "\udc00": 1 }, path: "", fact: "a key has half of a surrogate pair" },
  { rule: "what contains itself", value: circle, path: "self[0]", fact: "it contains itself" },
])("$rule is found", ({ value, path, fact }) => {
  expect(findJsonProblem(value)).toEqual({ path, fact });
});

test.for<{ rule: string; value: unknown }>([
  { rule: "an absent member", value: { a: undefined } },
  { rule: "a big integer", value: 2n ** 70n },
  { rule: "an object without a prototype", value: Object.create(null) },
  {
    rule: "an object of a class, by its members",
    value: new (class {
      readonly a = 1;
    })(),
  },
  {
    rule: "one object in two places",
    value: (() => {
      const shared = {};
      return [shared, shared];
    })(),
  },
  { rule: "surrogates in pairs", value: "😀" },
])("$rule is none", ({ value }) => {
  expect(findJsonProblem(value)).toBeUndefined();
});

test("what nests too deep is found where it does", () => {
  expect(findJsonProblem([[[]]], { maxDepth: 2 })).toEqual({ path: "[0][0]", fact: "it nests deeper than 2 levels" });
  expect(findJsonProblem([[[]]], { maxDepth: 3 })).toBeUndefined();
});

test("a JSON value has none", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => findJsonProblem(value) === undefined));
});
