import { expect, test } from "vitest";
import { warningHeaders } from "./warnings.ts";

test("texts are quoted, and nothing can end the line", () => {
  expect(warningHeaders(['unknown field "spec.a"', "back\\slash", "two\r\nlines"]).warning).toEqual([
    '299 - "unknown field \\"spec.a\\""',
    '299 - "back\\\\slash"',
    '299 - "two  lines"',
  ]);
  expect(warningHeaders([])).toEqual({});
});

test("texts that are too long together are cut each", () => {
  const long = "x".repeat(3000);
  expect(warningHeaders([long]).warning?.[0]).toHaveLength(3000 + 8);
  expect(warningHeaders([long, long]).warning?.map((line) => line.length)).toEqual([256 + 8, 256 + 8]);
});
