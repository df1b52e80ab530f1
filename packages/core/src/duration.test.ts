import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Duration } from "./duration.ts";

const fraction = { integral: false };

describe("conversion", () => {
  test.for([
    ["to a smaller unit", () => Duration.minutes(3).toSeconds(), 180],
    ["to milliseconds", () => Duration.days(1).toMilliseconds(), 86_400_000],
    ["to a larger unit, whole", () => Duration.seconds(7200).toHours(), 2],
    ["to days", () => Duration.hours(48).toDays(), 2],
    ["to minutes", () => Duration.days(1).toMinutes(), 1440],
    ["one hour of milliseconds is one hour", () => Duration.millis(3_600_000).toHours(), 1],
    ["to a larger unit, as a fraction", () => Duration.minutes(90).toHours(fraction), 1.5],
    [
      "a fraction is the double nearest to it",
      () => Duration.millis(7_200_001).toHours(fraction),
      7_200_001 / 3_600_000,
    ],
    ["the own unit, as a fraction", () => Duration.minutes(1.5).toMinutes(fraction), 1.5],
    ["a fraction that becomes whole", () => Duration.minutes(0.5).toSeconds(), 30],
    ["zero", () => Duration.days(0).toMilliseconds(), 0],
    ["`integral: undefined` is the default", () => Duration.minutes(2).toSeconds({ integral: undefined }), 120],
  ] as const)("%s", ([, convert, result]) => {
    expect(convert()).toBe(result);
  });

  test.for([
    ["a negative amount", () => Duration.hours(-1), "Duration amounts cannot be negative. Received: -1"],
    [
      "a result that is not whole",
      () => Duration.seconds(90).toMinutes(),
      "'90 seconds' cannot be converted into a whole number of minutes.",
    ],
    ["a part of the own unit", () => Duration.hours(1.5).toHours(), "1.5 must be a whole number of hours."],
    [
      "no number",
      () => Duration.hours(Number.NaN).toDays(),
      "'NaN hours' cannot be converted into a whole number of days.",
    ],
  ] as const)("%s is refused", ([, convert, message]) => {
    expect(convert).toThrow(new Error(message));
  });

  test("whole days, hours, minutes and seconds survive any way down and up", () => {
    const units = [
      [Duration.seconds, (duration: Duration) => duration.toSeconds()],
      [Duration.minutes, (duration: Duration) => duration.toMinutes()],
      [Duration.hours, (duration: Duration) => duration.toHours()],
      [Duration.days, (duration: Duration) => duration.toDays()],
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...units), fc.nat(100_000_000), ([make, read], amount) => {
        expect(read(Duration.millis(make(amount).toMilliseconds()))).toBe(amount);
      }),
    );
  });
});

describe("as ISO text", () => {
  test.for([
    ["PT0S", Duration.minutes(0)],
    ["PT59S", Duration.seconds(59)],
    ["PT1M30S", Duration.seconds(90)],
    ["PT1H", Duration.seconds(3600)],
    ["PT1D1H", Duration.hours(25)],
    ["PT1D1S", Duration.seconds(86_401)],
    ["PT400D", Duration.days(400)],
    ["PT1.5S", Duration.seconds(1.5)],
    ["PT1M1.5S", Duration.seconds(61.5)],
    ["PT1.5H", Duration.hours(1.5)],
    ["PT0.25S", Duration.millis(250)],
    ["PT1M1.001S", Duration.millis(61_001)],
    ["PT1D", Duration.millis(86_400_000)],
    ["PT1D0.001S", Duration.millis(86_400_001)],
  ] as const)("%s", ([text, duration]) => {
    expect(duration.toIsoString()).toBe(text);
  });

  test.for([
    ["PT30S", 30],
    ["PT5M", 300],
    ["PT2H", 7200],
    ["PT1D", 86_400],
    ["PT1D2H3M4S", 93_784],
    ["PT90S", 90],
    ["PT007M", 420],
    ["PT0S", 0],
  ] as const)("%s is %i seconds", ([text, seconds]) => {
    expect(Duration.parse(text).toSeconds()).toBe(seconds);
    expect(Duration.parse(text).unitLabel()).toBe("millis");
  });

  test.for(["P1D", "PT", "PT1.5S", "pt1s", "PT1S ", "PT1S\n", "PT1M1H", "1", ""])("%j is refused", (text) => {
    expect(() => Duration.parse(text)).toThrow(new Error(`Not a valid ISO duration: ${text}`));
  });

  test("what is parsed prints, and what prints is parsed", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), (seconds) => {
        const text = Duration.seconds(seconds).toIsoString();
        expect(Duration.parse(text).toSeconds()).toBe(seconds);
        expect(Duration.parse(text).toIsoString()).toBe(text);
      }),
    );
  });
});

test.for([
  ["0 minutes", Duration.minutes(0)],
  ["1 minute", Duration.minutes(1)],
  ["1 hour", Duration.hours(1)],
  ["2 hours", Duration.hours(2)],
  ["1 hour", Duration.minutes(60)],
  ["1 day 12 hours", Duration.days(1.5)],
  ["1 day 2 hours", Duration.seconds(93_784)],
  ["1 hour 1 second", Duration.seconds(3601)],
  ["1 milli", Duration.millis(1)],
  ["3.6 millis", Duration.millis(3.6)],
  ["1 second 500 millis", Duration.seconds(1.5)],
  ["Infinity days", Duration.seconds(Number.POSITIVE_INFINITY)],
] as const)("for people: %s", ([text, duration]) => {
  expect(duration.toHumanString()).toBe(text);
});

test.for([
  ["millis", Duration.millis(1)],
  ["seconds", Duration.seconds(1)],
  ["minutes", Duration.minutes(1)],
  ["hours", Duration.hours(1)],
  ["days", Duration.days(1)],
] as const)("the unit is %s", ([label, duration]) => {
  expect(duration.unitLabel()).toBe(label);
});
