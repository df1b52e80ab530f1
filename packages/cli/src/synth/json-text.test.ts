import { expect, test } from "vitest";
import { formatList } from "./json-text.ts";

test("a list is as JSON.stringify writes it", () => {
  const items = [{ a: [1, [], {}, { b: null, c: "x\n" }], d: undefined, e: {} }, { "f g": true }];
  expect(formatList(items)).toBe(`${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2)}\n`);
});

test("nothing is an empty list", () => {
  expect(JSON.parse(formatList([undefined]))).toEqual({ apiVersion: "v1", kind: "List", items: [] });
});

test("integers keep their digits", () => {
  expect(formatList([{ id: 9007199254740993n }])).toContain('"id": 9007199254740993\n');
});

test.for([
  [{ kind: "Job", metadata: { name: "x" }, n: Number.NaN }, "Job/x: n: "],
  [{ kind: "Job", metadata: { name: "x" }, list: [undefined] }, "Job/x: list[0]: "],
])("what JSON has no word for is refused: %j", ([item, message]) => {
  expect(() => formatList([item])).toThrow(message as string);
});
