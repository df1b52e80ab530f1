import fc from "fast-check";
import { expect, test } from "vitest";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";

test.for([
  ["0", 0],
  ["+0", 0],
  ["32s", 32_000],
  ["1m30s", 90_000],
  ["1.5h", 5_400_000],
  [".5s", 500],
  ["1.s", 1_000],
  ["-2ms", -2],
  ["100us", 0.1],
  ["100µs", 0.1],
  ["100μs", 0.1],
  ["1h2m3s4ms", 3_723_004],
  ["16.027s", 16_027],
  ["1.9ns", 0.000001],
  ["0.000000000000000000000001s", 0],
] as const)("%s is %d ms", ([text, ms]) => {
  expect(parseGoDuration(text)).toBeCloseTo(ms, 9);
});

test.for([
  ["", 'time: invalid duration ""'],
  ["soon", 'time: invalid duration "soon"'],
  ["-", 'time: invalid duration "-"'],
  ["--1s", 'time: invalid duration "--1s"'],
  [".s", 'time: invalid duration ".s"'],
  ["1s.", 'time: invalid duration "1s."'],
  ["5", 'time: missing unit in duration "5"'],
  ["1m5", 'time: missing unit in duration "1m5"'],
  ["5x", 'time: unknown unit "x" in duration "5x"'],
  ["5 s", 'time: unknown unit " s" in duration "5 s"'],
  ["5µ", 'time: unknown unit "\\xc2\\xb5" in duration "5\\xc2\\xb5"'],
  ['"1', 'time: invalid duration "\\"1"'],
  ["9999999h", 'time: invalid duration "9999999h"'],
] as const)("%s is refused as Go refuses it", ([text, message]) => {
  expect(() => parseGoDuration(text)).toThrow(message);
});

test.for([
  [0, "0s"],
  [0.000001, "1ns"],
  [0.0015, "1.5µs"],
  [12.345, "12.345ms"],
  [1_000, "1s"],
  [60_250, "1m0.25s"],
  [3_600_000, "1h0m0s"],
  [-1_500, "-1.5s"],
] as const)("%d ms prints as %s", ([ms, text]) => {
  expect(formatGoDuration(ms)).toBe(text);
});

test("what is printed is read back as the same time", () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), (ms) => {
      expect(parseGoDuration(formatGoDuration(ms))).toBe(ms);
    }),
    { numRuns: 10_000 },
  );
});
