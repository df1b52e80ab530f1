import { expect, test } from "vitest";
import { Size, SizeRoundingBehavior } from "./size.ts";

const { FLOOR, NONE } = SizeRoundingBehavior;

test.for([
  ["to a smaller unit", () => Size.mebibytes(2).toKibibytes(), 2048],
  ["across units", () => Size.pebibyte(1).toMebibytes(), 1024 ** 3],
  ["to a larger unit, whole", () => Size.kibibytes(3 * 1024 ** 2).toGibibytes(), 3],
  ["to a larger unit, rounded down", () => Size.mebibytes(1500).toGibibytes({ rounding: FLOOR }), 1],
  ["to a larger unit, as a fraction", () => Size.mebibytes(1536).toGibibytes({ rounding: NONE }), 1.5],
  ["every unit", () => Size.tebibytes(1024).toPebibytes(), 1],
  ["every unit, down", () => Size.gibibytes(1).toTebibytes({ rounding: NONE }), 1 / 1024],
  ["the own unit, as it is", () => Size.mebibytes(1.5).toMebibytes(), 1.5],
  ["the own unit is not rounded", () => Size.mebibytes(1.5).toMebibytes({ rounding: FLOOR }), 1.5],
  ["a fraction that becomes whole", () => Size.gibibytes(0.5).toMebibytes(), 512],
] as const)("a size %s", ([, convert, result]) => {
  expect(convert()).toBe(result);
});

test.for([
  ["kibibytes", Size.kibibytes(1), "1Ki"],
  ["mebibytes", Size.mebibytes(1.5), "1.5Mi"],
  ["gibibytes", Size.gibibytes(2048), "2048Gi"],
  ["tebibytes", Size.tebibytes(0), "0Ti"],
  ["pebibytes", Size.pebibyte(3), "3Pi"],
] as const)("%s as a quantity, in the unit they were given in", ([, size, text]) => {
  expect(size.asString()).toBe(text);
});

test.for([
  ["a negative amount", () => Size.kibibytes(-1), "Storage amounts cannot be negative. Received: -1"],
  [
    "a result that is not whole",
    () => Size.mebibytes(1).toGibibytes(),
    "'1 mebibytes' cannot be converted into a whole number of gibibytes.",
  ],
  [
    "no number",
    () => Size.kibibytes(Number.NaN).toMebibytes(),
    "'NaN kibibytes' cannot be converted into a whole number of mebibytes.",
  ],
] as const)("%s is refused", ([, convert, message]) => {
  expect(convert).toThrow(new Error(message));
});

test("the rounding behaviours have names and numbers", () => {
  expect(SizeRoundingBehavior).toEqual({ 0: "FAIL", 1: "FLOOR", 2: "NONE", FAIL: 0, FLOOR: 1, NONE: 2 });
  expect(SizeRoundingBehavior[SizeRoundingBehavior.NONE]).toBe("NONE");
});
