import type { JsonValue } from "@slipway/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { carryOver, carryOverShown } from "./carry-over.ts";

interface Row {
  readonly rule: string;
  readonly stored: JsonValue | undefined;
  readonly shown: JsonValue;
  readonly changed: JsonValue;
  readonly result: JsonValue | undefined;
}

const rows: readonly Row[] = [
  {
    rule: "nothing changed: nothing is stored that was only shown",
    stored: { a: 1 },
    shown: { a: 1, d: 2 },
    changed: { d: 2, a: 1 },
    result: { a: 1 },
  },
  { rule: "absent stays absent", stored: undefined, shown: { d: 2 }, changed: { d: 2 }, result: undefined },
  {
    rule: "one member changes, the defaults beside it stay out",
    stored: { a: 1 },
    shown: { a: 1, d: 2, e: { f: 3, g: 4 } },
    changed: { a: 5, d: 2, e: { f: 6, g: 4 } },
    result: { a: 5, e: { f: 6 } },
  },
  {
    rule: "a default that is changed becomes a value",
    stored: undefined,
    shown: { d: 2 },
    changed: { d: 3 },
    result: { d: 3 },
  },
  {
    rule: "hidden members stay",
    stored: { _cluster: { x: 1 }, a: 1 },
    shown: { a: 1 },
    changed: { a: 2 },
    result: { _cluster: { x: 1 }, a: 2 },
  },
  { rule: "a removed member goes", stored: { a: 1, b: 2 }, shown: { a: 1, b: 2 }, changed: { a: 1 }, result: { a: 1 } },
  { rule: "a removed default was never there", stored: {}, shown: { d: 1 }, changed: {}, result: {} },
  {
    rule: "a value that was masked stays when it is not touched",
    stored: { resources: "x", n: 1 },
    shown: { resources: {}, n: 1 },
    changed: { resources: {}, n: 2 },
    result: { resources: "x", n: 2 },
  },
  {
    rule: "and is replaced when it is",
    stored: { resources: "x" },
    shown: { resources: {} },
    changed: { resources: { cpu: 1 } },
    result: { resources: { cpu: 1 } },
  },
  {
    rule: "an explicit null stays",
    stored: { a: null, b: 1 },
    shown: { a: 7, b: 1 },
    changed: { a: 7, b: 2 },
    result: { a: null, b: 2 },
  },
  {
    rule: "digits of big integers stay",
    stored: { big: 9007199254740993n, a: 1 },
    shown: { big: 9007199254740993n, a: 1 },
    changed: { big: 9007199254740993n, a: 2 },
    result: { big: 9007199254740993n, a: 2 },
  },
  {
    rule: "an item appended to a list leaves the others as stored",
    stored: [{ n: 1 }],
    shown: [{ n: 1, d: 2 }],
    changed: [{ n: 1, d: 2 }, { n: 3 }],
    result: [{ n: 1 }, { n: 3 }],
  },
  {
    rule: "an item changed in a list",
    stored: [{ n: 1 }, { n: 2 }, null],
    shown: [{ n: 1, d: 0 }, { n: 2, d: 0 }, { d: 0 }],
    changed: [{ n: 1, d: 0 }, { n: 9, d: 0 }, { d: 0 }],
    result: [{ n: 1 }, { n: 9 }, null],
  },
  {
    rule: "an item removed from a list",
    stored: [{ n: 1 }, { n: 2 }, { n: 3 }],
    shown: [
      { n: 1, d: 0 },
      { n: 2, d: 0 },
      { n: 3, d: 0 },
    ],
    changed: [
      { n: 1, d: 0 },
      { n: 3, d: 0 },
    ],
    result: [{ n: 1 }, { n: 3 }],
  },
  {
    rule: "items swapped and one added",
    stored: [{ n: 1 }, { n: 2 }],
    shown: [
      { n: 1, d: 0 },
      { n: 2, d: 0 },
    ],
    changed: [{ n: 2, d: 0 }, { n: 5 }, { n: 1, d: 0 }],
    result: [{ n: 2 }, { n: 5 }, { n: 1 }],
  },
  { rule: "a list that was only shown", stored: undefined, shown: [22], changed: [22, 80], result: [22, 80] },
  { rule: "another type", stored: { a: 1 }, shown: { a: 1 }, changed: [1], result: [1] },
];

test.for(rows)("$rule", ({ stored, shown, changed, result }) => {
  expect(carryOver(stored, shown, changed)).toEqual(result);
});

test("__proto__ is an ordinary member", () => {
  const changed = JSON.parse('{"__proto__":{"x":1}}');
  const result = carryOver({}, {}, changed);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1}}');
});

test("without defaults the result is what the client asked for, whatever was stored", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (stored, changed) => {
      expect(carryOver(stored as JsonValue, stored as JsonValue, changed as JsonValue)).toEqual(changed);
    }),
  );
});

test("a key added to a map that was only a default keeps the default's own keys", () => {
  const show = (values: JsonValue | undefined): JsonValue => {
    const given = (values ?? {}) as { parameters?: JsonValue };
    return { size: "1Gi", ...given, parameters: given.parameters ?? { max_connections: "100" } };
  };
  const changed = { size: "1Gi", parameters: { max_connections: "100", work_mem: "4MB" } };
  const result = carryOverShown({}, changed, show);
  expect(result).toEqual({ parameters: { max_connections: "100", work_mem: "4MB" } });
  expect(show(result)).toEqual(changed);
});

test("a removed default cannot be had, and ends the passes", () => {
  const show = (values: JsonValue | undefined): JsonValue => ({ d: 1, ...(values as { a?: number }) });
  expect(carryOverShown({ a: 1 }, { a: 1 }, show)).toEqual({ a: 1 });
  expect(carryOverShown(undefined, {}, show)).toEqual({});
});
