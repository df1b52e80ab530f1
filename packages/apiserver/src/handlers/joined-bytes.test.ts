import { expect, test } from "vitest";
import { joinedBytes } from "./joined-bytes.ts";

test.each([
  { title: "nothing", texts: [] },
  { title: "one text", texts: ['{"a":1}'] },
  { title: "a few", texts: ["1", "2", "3"] },
  { title: "more than one piece", texts: Array.from({ length: 50_000 }, (_, index) => `"${index}"`) },
  { title: "texts longer than a piece", texts: ["x".repeat(70_000), "y".repeat(200_000), "z"] },
  { title: "characters of two to four bytes", texts: Array.from({ length: 30_000 }, () => '"é€😀"') },
])("$title", ({ texts }) => {
  const expected = `{"items":[${texts.join(",")}]}\n`;
  expect(new TextDecoder().decode(joinedBytes('{"items":[', texts, "]}\n"))).toBe(expected);
});
