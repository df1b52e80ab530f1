import { expect, test } from "vitest";
import { goQuote } from "./go-quote.ts";

test.for([
  { rule: "quotes and backslashes are escaped", text: 'a"b\\c', go: '"a\\"b\\\\c"' },
  { rule: "the seven controls that C names have their names", text: "\x07\b\t\n\v\f\r", go: '"\\a\\b\\t\\n\\v\\f\\r"' },
  { rule: "other ASCII controls are \\x", text: "\0\x1b\x7f", go: '"\\x00\\x1b\\x7f"' },
  { rule: "letters, marks and symbols of all scripts stay", text: "é Ж 世 😀", go: '"é Ж 世 😀"' },
  { rule: "blanks other than the space are \\u", text: "\u00a0\u2028\u3000", go: '"\\u00a0\\u2028\\u3000"' },
  { rule: "what Unicode has not assigned is \\U", text: "\u{e0001}", go: '"\\U000e0001"' },
  { rule: "half a character becomes the replacement character", text: "a\ud800b", go: '"a\ufffdb"' },
])("$rule", ({ text, go }) => {
  expect(goQuote(text)).toBe(go);
});
