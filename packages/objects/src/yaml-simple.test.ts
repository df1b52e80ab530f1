import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJson } from "./json.ts";
import { readYamlDocuments } from "./yaml.ts";
import { readSimpleYaml } from "./yaml-simple.ts";

test.for([
  {
    rule: "what kubectl prints",
    text: "a:\n  b: 1\n  c:\n  - d: x\n    e: \"y\"\n  - - f\n    - ''\n  g: []\n  h: {}\n",
  },
  { rule: "what people write", text: "# c\na: b # d\n\ne:\n  - 1\n  # f\n  -\n    g: h\n  -\ni:\n" },
  { rule: "lists in brackets", text: 'a: [b, yes]\nc: [["d"], ["e", "f, [g]"]]\n' },
  { rule: "blocks", text: "a: |\n  x\n\n    y\n\nb: |-\n  z\nc:\n- |\n  w\n- v\n" },
])("it reads $rule", ({ text }) => {
  expect(readSimpleYaml(text)).toBeDefined();
});

test.for(
  [
    "a: [b: c]\n",
    "a: [1]\n",
    'a: ["b",]\n',
    "a: b\n  c\n",
    "a: &b c\n",
    "a: 1\na: 2\n",
    "y: 1\n",
    "a: >\n  b\n",
    "a: |+\n  b\n",
    "a: |2\n  b\n",
    "a\n",
    "- a\n",
    " a: b\n",
    "a: b: c\n",
    "a: .inf\n",
    "a:\tb\n",
    '"a\\n": b\n',
    "__proto__: 1\n",
    "...\n",
    "",
  ].map((text) => ({ text })),
)("it leaves $text to the parser", ({ text }) => {
  expect(readSimpleYaml(text)).toBeUndefined();
});

describe("whatever it reads, the parser reads it as the same", () => {
  /** A tab in a comment of its own is not simple, and changes nothing. */
  const byParser = (text: string): string =>
    formatJson(readYamlDocuments(`#\t\n${text}`, { source: "f" }).map(({ value }) => value));

  const start = fc.constantFrom("", "", "", "  ", "  ", "    ", " ", "- ", "- - ", "  - ", "-   ", "    - ", "# ", "-");
  const key = fc.constantFrom(
    "a: ",
    "b:",
    "c: ",
    "k:  ",
    "a/b.c: ",
    '"q r": ',
    '"": ',
    "e5: ",
    "d:x",
    "_: ",
    "",
    "on: ",
  );
  const end = fc.constantFrom(
    ...[
      "",
      "",
      "1",
      "x",
      "x y",
      "-1",
      "--p=1",
      "-",
      "- x",
      "|",
      "|-",
      "[]",
      "{}",
      "''",
      "'it''s'",
      '"a\\nb"',
      '"a\\\\"',
    ],
    ...[
      ' "',
      "x # c",
      "x #c",
      "x#c",
      "# c",
      "a: b",
      "a:b",
      "a:",
      ":a",
      "~",
      "null",
      "yes",
      "0777",
      "1e3",
      ".5",
      "<<",
      "=",
    ],
    ...[
      "'x' # c",
      "'x",
      "x'",
      "[a]",
      "*a",
      "&a",
      "!a",
      "%a",
      "@a",
      "?",
      "? a",
      "é",
      "x  ",
      "|  ",
      "---",
      "...",
      "| # c",
    ],
  );
  const line = fc.tuple(start, key, end).map((parts) => parts.join(""));
  const blockLine = fc.tuple(fc.constantFrom("  ", "    ", " ", ""), fc.constantFrom("x", "", "# c", "- y", "a: b"));
  const lines = fc.array(
    fc.oneof(
      { arbitrary: line, weight: 4 },
      blockLine.map((parts) => parts.join("")),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  );

  test("random lines", () => {
    let simple = 0;
    fc.assert(
      fc.property(lines, (texts) => {
        const text = `a: 0\n${texts.join("\n")}\n`.replace(/^---/gm, "x");
        const read = readSimpleYaml(text);
        if (read === undefined) return;
        simple += 1;
        expect(byParser(text)).toBe(formatJson([read.value]));
      }),
      { numRuns: 20_000 },
    );
    expect(simple).toBeGreaterThan(200);
  });
});
