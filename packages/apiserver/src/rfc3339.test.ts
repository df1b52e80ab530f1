import { expect, test } from "vitest";
import { parseTimestamp } from "./rfc3339.ts";

test.for([
  { text: "2020-01-01T00:00:00Z", iso: "2020-01-01T00:00:00.000Z" },
  { text: "2020-01-01T00:00:00.25Z", iso: "2020-01-01T00:00:00.250Z" },
  { text: "2020-01-01T00:00:00+02:30", iso: "2019-12-31T21:30:00.000Z" },
  { text: "2020-01-01T00:00:00-01:00", iso: "2020-01-01T01:00:00.000Z" },
  { text: "0050-03-01T00:00:00Z", iso: "0050-03-01T00:00:00.000Z" },
])("$text", ({ iso, text }) => {
  expect(new Date(parseTimestamp(text) ?? Number.NaN).toISOString()).toBe(iso);
});

test.for([
  "",
  "2020-01-01",
  "2020-01-01T00:00:00",
  "2020-01-01 00:00:00Z",
  "2020-02-30T00:00:00Z",
  "2020-01-01T24:00:00Z",
  "2020-01-01T00:60:00Z",
  "2020-01-01T00:00:60Z",
  "2020-01-01T00:00:00+24:00",
  "2020-1-1T00:00:00Z",
])("%j is no timestamp", (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});
