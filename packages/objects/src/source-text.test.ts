import { expect, test } from "vitest";
import { SourceText } from "./source-text.ts";

test.for([
  { text: "", offset: 0, line: 1, column: 1 },
  { text: "ab\ncd", offset: 1, line: 1, column: 2 },
  { text: "ab\ncd", offset: 2, line: 1, column: 3 },
  { text: "ab\ncd", offset: 3, line: 2, column: 1 },
  { text: "ab\r\ncd\rx", offset: 4, line: 2, column: 1 },
  { text: "ab\r\ncd\rx", offset: 7, line: 3, column: 1 },
  { text: "\n\n", offset: 2, line: 3, column: 1 },
])("offset $offset of $text is line $line, column $column", ({ text, offset, line, column }) => {
  expect(new SourceText(text).position(offset)).toEqual({ line, column });
});

test("the caret stands under the place, also behind tabs and in a long line", () => {
  const describe = (text: string, offset: number): string[] =>
    new SourceText(text).describe("f", { offset, message: "wrong." }).split("\n");
  expect(describe("a\n\tb: c\r\n", 5)).toEqual(["f:2:4: wrong.", "  2 | \tb: c", "    | \t  ^"]);
  const [place, line, caret] = describe(`${"x".repeat(500)}!${"y".repeat(500)}`, 500);
  expect(place).toBe("f:1:501: wrong.");
  expect(line?.charAt(caret?.indexOf("^") ?? 0)).toBe("!");
  expect(line?.length).toBe(126);
});
