import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as library from "yaml";
import type { JsonValue } from "./json.ts";
import { readYaml } from "./yaml.ts";
import { nestsFarBeyond } from "./yaml-nesting.ts";

const limit = 20;
const within = (depth: number, open: string, close: string): string => `${open.repeat(depth)}x${close.repeat(depth)}`;
const indented = (depth: number, line: string, by: string): string =>
  Array.from({ length: depth }, (_, level) => `${by.repeat(level)}${line}\n`).join("");

const nested: readonly { readonly what: string; readonly text: (depth: number) => string }[] = [
  { what: "lists in brackets", text: (depth) => within(depth, "[", "]") },
  { what: "lists in brackets, never closed", text: (depth) => "[".repeat(depth) },
  { what: "mappings in braces", text: (depth) => within(depth, "{a: ", "}") },
  { what: "pairs in brackets", text: (depth) => `[${"a: ".repeat(depth)}` },
  { what: "lists in one line", text: (depth) => `${"- ".repeat(depth)}x` },
  { what: "keys in one line", text: (depth) => `${"? ".repeat(depth)}x` },
  { what: "mappings in one line", text: (depth) => `${"a: ".repeat(depth)}x` },
  { what: "mappings, by one column", text: (depth) => `${indented(depth, "a:", " ")}` },
  { what: "mappings, by eight columns", text: (depth) => `${indented(depth, "a:", "        ")}` },
  { what: "lists, line by line", text: (depth) => `${indented(depth, "-", " ")}` },
  { what: "mappings of lists at the same column", text: (depth) => `${indented(depth / 2, "- a:", "  ")}` },
  { what: "two in each line", text: (depth) => `${indented(depth / 2, "- - x: y", "    ").replaceAll("x: y", "")}` },
];

describe.for(nested)("$what", ({ text }) => {
  test("up to the limit pass, far beyond it they do not", () => {
    expect(nestsFarBeyond(text(limit), limit, library)).toBe(false);
    expect(nestsFarBeyond(text(3 * limit), limit, library)).toBe(true);
  });

  test("are refused however many they are, and the process lives", () => {
    // Where each level is a line of its own, more would not go into the body of a request.
    for (const depth of text(100).includes("\n") ? [800] : [2_000, 12_000, 50_000]) {
      expect(() => readYaml(text(depth), { source: "body", maxDepth: 511 })).toThrow(
        /^body:\d+:\d+: it nests (too deep|deeper than 511 levels)\. Make it flatter/,
      );
    }
  });
});

test.for([
  { what: "many brackets in a text", text: `a: "${"[{".repeat(200)}"` },
  { what: "many brackets in a block", text: `a: |\n${"  \\033[31m - {\n".repeat(200)}b: 1` },
  { what: "many items", text: "- a: [b, {c: d}]\n".repeat(200) },
  { what: "many pairs in braces", text: `{${"a: b, ".repeat(200)}}` },
  { what: "many lists in a list", text: `[${"[], ".repeat(200)}]` },
  { what: "a long comment", text: `# ${"- [ {a: ".repeat(200)}\na: 1` },
  { what: "many tags", text: `${"- !t ".repeat(10)}a` },
  { what: "lines that end with CR LF", text: "- a:\r\n  - b: {c: d}\r\n".repeat(200) },
])("not nested at all: $what", ({ text }) => {
  expect(nestsFarBeyond(text, limit, library)).toBe(false);
});

const depthOf = (value: JsonValue): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member ?? null)))
    : 0;

test("what keeps to the limit passes, however it is written", () => {
  const value = fc.jsonValue({ maxDepth: 12, depthSize: "max" }) as fc.Arbitrary<JsonValue>;
  const style = fc.record({
    indent: fc.constantFrom(1, 2, 4, 8),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom("any", "block", "flow") as fc.Arbitrary<"any" | "block" | "flow">,
    lineWidth: fc.constantFrom(0, 30, 80),
  });
  fc.assert(
    fc.property(value, style, (json, options) => {
      const text = library.stringify(json, options);
      expect(nestsFarBeyond(text, Math.max(1, depthOf(json)), library)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
