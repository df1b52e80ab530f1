import { describe, expect, test } from "vitest";
import { formatYamlKey, formatYamlString } from "./yaml-string.ts";

/** Each in a mapping, where the lines of a text stand two blanks in. */
const value = (text: string): string => formatYamlString(text, "  ");
const key = (text: string): string => formatYamlKey(text, "");

describe("quoted, since it would be read as something else:", () => {
  test.for([
    { rule: "A-01 words of YAML 1.1", texts: "y Y n N yes Yes YES no No NO on On ON off Off OFF true True TRUE" },
    { rule: "false and null", texts: "false False FALSE null Null NULL ~" },
    { rule: "A-03 what looks like a float", texts: "25921e05 1e3 20190612073634 1E400 e5 1e400 .5 1. 5.e1 -.5 +1.5" },
    {
      rule: "A-07 times of day and dates",
      texts: "10:00 12:30:45 1:2 -1:30.5 2001-01-01 2001-1-1 2001-12-14t21:59:43.1Z",
    },
    { rule: "integers of any base", texts: "0 -0 +1 0777 089 0x1F 0xdead_beef 0b101 1_000 00 -0x1" },
    { rule: "infinities and no number", texts: ".inf -.inf +.inf .Inf .INF .nan .NaN .NAN" },
    { rule: "what only kubectl takes for a number", texts: "0o17 -0o17 0O17 0b-101 0X1F 0B11 +1_0.5_0 1_0e1_0" },
    { rule: "indicators", texts: "- ? & * ! | > % @ ` # , [ ] { } {} [] &a *a !a" },
  ])("$rule", ({ texts }) => {
    for (const text of texts.split(" ")) {
      expect(value(text)).toBe(JSON.stringify(text));
      expect(key(text)).toBe(JSON.stringify(text));
    }
  });
});

describe("bare, since every reader takes it for text:", () => {
  test.for([
    {
      rule: "ordinary values",
      texts: "web Deployment apps/v1 nginx:1.25 10.0.0.1 1.2.3 100m 128Mi 25% --port=8080 /healthz",
    },
    { rule: "words in other cases", texts: "nO yEs tRUE nULL oN" },
    { rule: "nearly numbers", texts: "1e 0x 0b2 1.5.2 NaN Infinity 1h 1,000 _1 +a 0xg" },
    { rule: "indicators inside", texts: "a:b a#b -a ?a :a a'b a\"b http://x.y/z?a=b#c a,b =" },
    { rule: "other scripts", texts: "é 日本 😀" },
  ])("$rule", ({ texts }) => {
    for (const text of texts.split(" ")) {
      expect(value(text)).toBe(text);
      expect(key(text)).toBe(text);
    }
  });
});

test.for([
  { rule: "the empty text", text: "", yaml: '""' },
  { rule: "blanks at the ends", text: " a ", yaml: '" a "' },
  { rule: "a colon before a blank", text: "a: b", yaml: '"a: b"' },
  { rule: "a colon at the end", text: "a:", yaml: '"a:"' },
  { rule: "a comment", text: "a #b", yaml: '"a #b"' },
  { rule: "double quotes inside take single ones", text: '{"a": 1}', yaml: `'{"a": 1}'` },
  { rule: "both inside take double ones", text: `{"a": 'b'}`, yaml: String.raw`"{\"a\": 'b'}"` },
  { rule: "a tab at the start", text: "\ta", yaml: String.raw`"\ta"` },
  { rule: "NUL and other controls", text: "\0\x07\b\v\f\r\x1b\x01", yaml: String.raw`"\0\a\b\v\f\r\e\x01"` },
  // cdk8s leaves these as they are, and kubectl refuses or changes them.
  { rule: "DEL and the controls above it", text: "\x7f\x80\x9f", yaml: String.raw`"\x7f\x80\x9f"` },
  { rule: "U+0085", text: "a\x85b", yaml: String.raw`"a\Nb"` },
  { rule: "U+2028 and U+2029", text: "a\u2028b\u2029c", yaml: '"a\u2028b\u2029c"' },
  { rule: "U+2028 beside a blank", text: "a \u2028b", yaml: String.raw`"a \Lb"` },
  { rule: "U+2029 before what ends a document", text: "a\u2029--- b", yaml: String.raw`"a\P--- b"` },
  { rule: "U+2028 in lines, which would be a block", text: "a\u2028\nb", yaml: '"a\u2028\\nb"' },
  { rule: "U+FFFE and U+FFFF", text: "\ufffe\uffff", yaml: String.raw`"\ufffe\uffff"` },
  { rule: "a byte order mark", text: "\ufeffa", yaml: String.raw`"\ufeffa"` },
  { rule: "U+00A0 is an ordinary character", text: "a\xa0", yaml: "a\xa0" },
  { rule: "a document marker is none behind the margin", text: "---", yaml: "---" },
  //
  { rule: "lines", text: "l1\nl2", yaml: "|-\n  l1\n  l2" },
  { rule: "lines with a newline at the end", text: "l1\nl2\n", yaml: "|\n  l1\n  l2" },
  { rule: "lines with more at the end", text: "l1\nl2\n\n", yaml: "|+\n  l1\n  l2\n" },
  { rule: "lines of which the first is indented", text: "  lead\nx", yaml: "|2-\n    lead\n  x" },
  { rule: "lines with tabs", text: "tab\there\nx", yaml: "|-\n  tab\there\n  x" },
  { rule: "carriage returns", text: "a\r\nb", yaml: String.raw`"a\r\nb"` },
  { rule: "long text is not folded", text: `${"a".repeat(300)} b`, yaml: `${"a".repeat(300)} b` },
  { rule: "empty lines stay empty", text: "a\n\nb", yaml: "|-\n  a\n\n  b" },
  { rule: "only a newline", text: "\n", yaml: "|+\n  " },
  { rule: "lines that look like documents", text: "---\n...", yaml: "|-\n  ---\n  ..." },
  { rule: "blanks in the last line", text: "a\n ", yaml: String.raw`"a\n "` },
  // cdk8s writes these two as blocks; kubectl refuses the first, and loses the blank of the second.
  { rule: "a tab where a block begins", text: "\n\ta", yaml: String.raw`"\n\ta"` },
  { rule: "lines of nothing but blanks", text: " \n", yaml: String.raw`"\ \n"` },
  {
    rule: "lines in double quotes, when they are long",
    text: `\r${"a".repeat(40)}\n\n b \nc\n`,
    yaml: `"\\r${"a".repeat(40)}\n\n\n  \\ b\\ \n\n  c\\n"`,
  },
])("$rule", ({ text, yaml }) => {
  expect(value(text)).toBe(yaml);
});

describe("a key", () => {
  test.for([
    { rule: "is in one line", text: "a\nb", yaml: String.raw`"a\nb"` },
    { rule: "stays so when it is long", text: `${"a".repeat(60)}\n `, yaml: String.raw`"${"a".repeat(60)}\n "` },
    { rule: "is quoted when it would merge", text: "<<", yaml: '"<<"' },
    { rule: "is quoted when it looks like a document at the margin", text: "---a", yaml: '"---a"' },
    { rule: "has no U+2028", text: "a\u2028b", yaml: String.raw`"a\Lb"` },
    { rule: "is quoted when kubectl would read JSON", text: "\xa0{", yaml: '"\xa0{"' },
  ])("$rule", ({ text, yaml }) => {
    expect(key(text)).toBe(yaml);
  });

  test("behind the margin may look like a document", () => {
    expect(formatYamlKey("---a", "  ")).toBe("---a");
  });
});

describe("a text that is the whole document", () => {
  test.for([
    { rule: "is no block at the margin", text: "a\nb", yaml: String.raw`"a\nb"` },
    { rule: "is an indented block when it looks like documents", text: "---\na", yaml: "|-\n  ---\n  a" },
    { rule: "so is one line", text: "---", yaml: "|-\n  ---" },
    { rule: "is quoted when kubectl would read JSON", text: "\u3000{a", yaml: '"\u3000{a"' },
    {
      rule: "is indented in quotes as well",
      text: `\r${"a".repeat(40)}\n---`,
      yaml: `"\\r${"a".repeat(40)}\n\n  ---"`,
    },
  ])("$rule", ({ text, yaml }) => {
    expect(formatYamlString(text, "")).toBe(yaml);
  });
});
