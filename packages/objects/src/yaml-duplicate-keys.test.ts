import { expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { readYaml } from "./yaml.ts";

/** The lines are those that go-yaml names: where the second value begins. */
test.for<{ text: string; value: JsonValue; duplicates: string[] }>([
  { text: "a: 1\na: 2\n", value: { a: 2 }, duplicates: ["a 2"] },
  { text: "a: 1\na: 2\na: 3\n", value: { a: 3 }, duplicates: ["a 2", "a 3"] },
  { text: "a:\n  b: 1\n  b: 2\na: x\n", value: { a: "x" }, duplicates: ["b 3", "a 4"] },
  { text: "a: 1\n# c\n\na:\n  - 1\n", value: { a: [1] }, duplicates: ["a 5"] },
  { text: "a: 1\na:\n", value: { a: null }, duplicates: ["a 2"] },
  { text: "---\na: |\n  x\na: |\n  y\n", value: { a: "y\n" }, duplicates: ["a 4"] },
  { text: '{"a": 1, "a": 2}', value: { a: 2 }, duplicates: ["a 1"] },
  { text: '{"a": 1,\n "a": 12345678901234567890}', value: { a: 12_345_678_901_234_567_890n }, duplicates: ["a 2"] },
  { text: "x: 1\nz: 2\n", value: { x: 1, z: 2 }, duplicates: [] },
  { text: "<<: {a: 1}\na: 2\n", value: { a: 2 }, duplicates: [] },
])("$text", ({ text, value, duplicates }) => {
  const found: string[] = [];
  const read = readYaml(text, { source: "body", onDuplicateKey: (key, line) => found.push(`${key} ${line}`) });
  expect(read).toEqual(value);
  expect(found).toEqual(duplicates);
});

test("without anybody to tell they are refused", () => {
  expect(() => readYaml("a: 1\na: 2\n", { source: "body" })).toThrow("stands twice");
});
