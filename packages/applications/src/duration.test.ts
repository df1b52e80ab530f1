import { expect, test } from "vitest";
import { fluxDuration, formatDuration, parseDuration } from "./duration.ts";

test.for([
  ["15m", "15m0s"],
  ["1h", "1h0m0s"],
  ["45s", "45s"],
  ["500ms", "500ms"],
  ["2h30m", "2h30m0s"],
  ["1.5m", "1m30s"],
  ["90s", "1m30s"],
  ["1.0005s", "1.0005s"],
  ["1.5ms", "1.5ms"],
  ["0.25ms", "250µs"],
  ["0.0005ms", "500ns"],
  ["0s", "0s"],
  ["0m", "0s"],
  ["100h", "100h0m0s"],
] as const)("%s is printed as %s", ([text, printed]) => {
  expect(fluxDuration.test(text)).toBe(true);
  expect(formatDuration(parseDuration(text) ?? -1n)).toBe(printed);
});

test.for(["500ns", "500us", "15", "abc", "-15m", "", "1m "])("%s is no duration that Flux accepts", (text) => {
  expect(fluxDuration.test(text)).toBe(false);
});

test("what Go cannot hold is undefined", () => {
  expect(parseDuration("2562048h")).toBeUndefined();
  expect(parseDuration("2562047h")).toBeDefined();
});
