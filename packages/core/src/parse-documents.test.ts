import { writeFileSync } from "node:fs";
import * as cdk8s from "cdk8s";
import { describe, expect, test } from "vitest";
import { withTemporaryFolder } from "./node/temporary-folder.ts";
import { parseDocuments } from "./parse-documents.ts";

const source = "f.yaml";

/** What cdk8s reads from a file with `text`. */
function theirs(text: string): unknown[] {
  return withTemporaryFolder("slipway-parse-", (folder) => {
    writeFileSync(`${folder}/${source}`, text);
    return cdk8s.Yaml.load(`${folder}/${source}`);
  });
}

const same: readonly { readonly text: string; readonly value: unknown }[] = [
  { text: "a: [y, N, on, off, yes, No, true]", value: { a: [true, false, true, false, true, false, true] } },
  { text: "y: 1", value: { true: 1 } },
  { text: "a: [0755, 0o755, 0x1F, 0b11, 1_000]", value: { a: [493, "0o755", 31, 3, 1000] } },
  { text: "a: [12:30, 12:30:45, 80:80]", value: { a: [750, 45045, "80:80"] } },
  { text: "a: 2001-12-14", value: { a: "2001-12-14T00:00:00.000Z" } },
  { text: "x: &x {a: 1}\nz: {<<: *x, b: 2}", value: { x: { a: 1 }, z: { a: 1, b: 2 } } },
  { text: "a: !!binary aGk=", value: { a: { type: "Buffer", data: [104, 105] } } },
  { text: "a: !unknown b", value: { a: "b" } },
  { text: "a: 9007199254740993", value: { a: 9007199254740992 } },
  { text: "a: 1e400", value: { a: Number.POSITIVE_INFINITY } },
  { text: "hello", value: "hello" },
  { text: "''", value: "" },
  { text: "0", value: 0 },
  { text: "false", value: false },
  { text: "- {}", value: [{}] },
  { text: "# comment\n\r\na:\r\n  - b\r\n", value: { a: ["b"] } },
];

test("values are those of cdk8s", () => {
  const text = same.map((row) => row.text).join("\n---\n");
  const values = same.map((row) => row.value);
  expect(theirs(text)).toEqual(values);
  expect(parseDocuments(text, { source })).toEqual(values);
});

test("documents that are null, [] or {} are left out, and a byte order mark is nothing", () => {
  const text = "\ufeff---\n{}\n---\n[]\n---\nnull\n---\n---\na: 1\n...\n---\n# end\n";
  expect(theirs(text)).toEqual([{ a: 1 }]);
  expect(parseDocuments(text, { source })).toEqual([{ a: 1 }]);
  expect(parseDocuments("", { source })).toEqual(theirs(""));
});

test("a directive switches its document to another version", () => {
  const text = "%YAML 1.2\n---\na: [0755, yes]\n...\n---\na: [0755, yes]\n";
  expect(theirs(text)).toEqual([{ a: [755, "yes"] }, { a: [493, true] }]);
  expect(parseDocuments(text, { source })).toEqual(theirs(text));
});

describe("what cdk8s reads without a word and in part is an error:", () => {
  test.for([
    {
      rule: "A-15 a quote that is not closed",
      text: 'kind: ConfigMap\ndata:\n  s: "a\nb"\n  t: c\n',
      problem: "f.yaml:3:6: this quote is not closed. Close it, and indent all its lines.",
    },
    { rule: "a bracket that is not closed", text: "a: [1,2\nb: 3\n", problem: "f.yaml:2:1: " },
    { rule: "a tab", text: "a:\n\tb: 1\n", problem: "f.yaml:2:1: tabs are not allowed as indentation. Use blanks." },
    { rule: "a key that stands twice", text: "a: 1\na: 2\n", problem: "f.yaml:2:1: map keys must be unique." },
    {
      rule: "the second document counts from the start of the file",
      text: "a: 1\n---\nb: 1\nb: 2\n",
      problem: "f.yaml:4:1: ",
    },
  ])("$rule", ({ text, problem }) => {
    const known = theirs(text);
    expect(known.length).toBeGreaterThan(0);
    const read = (): unknown => parseDocuments(text, { source });
    expect(read).toThrow(expect.objectContaining({ code: "INVALID_YAML" }));
    expect(read).toThrow(problem);
    expect(read).toThrow(/\nYaml\.load\(file, \{ lenient: true \}\) makes what it can of it, as cdk8s does\.$/);
    expect(parseDocuments(text, { source, lenient: true })).toEqual(known);
  });
});

describe("what cdk8s refuses keeps its words:", () => {
  const bomb = ["a0: &a0 [x, x]", ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)];
  test.for([
    { text: "a: *b", words: "Unresolved alias (the anchor must be set before the alias): b" },
    { text: bomb.join("\n"), words: "Excessive alias count indicates a resource exhaustion attack" },
    { text: "a: {<<: 1}", words: "Merge sources must be maps or map aliases" },
  ])("$words", ({ text, words }) => {
    expect(() => theirs(text)).toThrow(words);
    expect(() => parseDocuments(text, { source })).toThrow(
      expect.objectContaining({ code: "INVALID_YAML", message: `f.yaml: ${words}.` }),
    );
  });
});

test("a text that nests without end is refused, also when anything goes", () => {
  for (const lenient of [false, true]) {
    const read = (): unknown => parseDocuments("[".repeat(25_000), { source: "deep.yaml", lenient });
    expect(read).toThrow("deep.yaml: it nests too deep. Make it flatter.");
  }
});
