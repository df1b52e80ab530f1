import * as ours from "@slipway/core";
import * as theirs from "cdk8s";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

/** The value, or the text of the error: what two libraries must agree on. */
function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return `throws ${error}`;
  }
}

const timeUnits = {
  millis: { inMillis: 1, read: "toMilliseconds" },
  seconds: { inMillis: 1000, read: "toSeconds" },
  minutes: { inMillis: 60_000, read: "toMinutes" },
  hours: { inMillis: 3_600_000, read: "toHours" },
  days: { inMillis: 86_400_000, read: "toDays" },
} as const;
type TimeUnit = keyof typeof timeUnits;
const timeUnit = fc.constantFrom(...(Object.keys(timeUnits) as TimeUnit[]));

/** Whole numbers of each unit, numbers near them, and what people should not pass. */
const amount = fc.oneof(
  fc.nat(100_000),
  fc.tuple(fc.nat(10_000), fc.constantFrom(24, 60, 1000, 3600, 60_000, 3_600_000, 86_400_000)).map(([a, b]) => a * b),
  fc.tuple(fc.nat(10_000), fc.constantFrom(0.5, 0.25, 0.1, 1 / 3, 0.001, 1.5)).map(([a, b]) => a * b),
  fc.double({ min: 1e-6, max: 1e15, noNaN: true }),
  fc.maxSafeNat(),
  fc.constantFrom(0, -0, -1, 1e21, Number.NaN, Number.POSITIVE_INFINITY),
);

describe("a Duration is the one of cdk8s", () => {
  test("in its conversions, but for results that cdk8s rounds twice", () => {
    const options = fc.constantFrom(undefined, {}, { integral: true }, { integral: false }, { integral: undefined });
    fc.assert(
      fc.property(timeUnit, amount, timeUnit, options, (from, count, to, conversion) => {
        const { read } = timeUnits[to];
        const mine = outcome(() => ours.Duration[from](count)[read](conversion));
        const other = outcome(() => theirs.Duration[from](count)[read](conversion as theirs.TimeConversionOptions));
        const divisor = timeUnits[to].inMillis / timeUnits[from].inMillis;
        if (divisor <= 1 || Object.is(mine, other)) expect(mine).toBe(other);
        // They differ. Then one of them refuses, and ours is the one that knows; or ours is nearer to the exact result.
        else if (typeof mine === "string" || typeof other === "string")
          expect(isWhole(count, divisor)).toBe(typeof other === "string");
        else expect(distance(mine, divisor, count) < distance(other, divisor, count)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test("as ISO text, but for milliseconds, which cdk8s cannot print", () => {
    fc.assert(
      fc.property(timeUnit, amount, (unit, count) => {
        const mine = outcome(() => ours.Duration[unit](count).toIsoString());
        const other = outcome(() => theirs.Duration[unit](count).toIsoString());
        if (unit !== "millis" || count <= 0) expect(mine).toBe(other);
        else {
          expect(other).toBe("throws Error: Unexpected time unit: millis");
          expect(mine).toMatch(/^PT/);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("read from ISO text", () => {
    const field = (symbol: string) =>
      fc.option(fc.nat(100_000)).map((count) => (count === null ? "" : `${count}${symbol}`));
    const iso = fc.tuple(field("D"), field("H"), field("M"), field("S")).map((fields) => `PT${fields.join("")}`);
    const text = fc.oneof(iso, fc.stringMatching(/^P?T?[0-9]{0,3}[DHMS.]?[0-9]{0,3}[DHMSs ]?$/));
    fc.assert(
      fc.property(text, (duration) => {
        const mine = outcome(() => ours.Duration.parse(duration).toMilliseconds());
        expect(mine).toBe(outcome(() => theirs.Duration.parse(duration).toMilliseconds()));
      }),
      { numRuns: 2000 },
    );
  });

  test("for people, but for counts that cdk8s takes from a rounded quotient", () => {
    fc.assert(
      fc.property(timeUnit, amount, (unit, count) => {
        fc.pre(!(count * timeUnits[unit].inMillis > Number.MAX_SAFE_INTEGER)); // beyond, the days take all digits
        const mine = outcome(() => ours.Duration[unit](count).toHumanString());
        const other = outcome(() => theirs.Duration[unit](count).toHumanString());
        if (mine !== other) expect(mine).toBe(exactHumanString(count * timeUnits[unit].inMillis));
      }),
      { numRuns: 3000 },
    );
  });

  test("in its unit and its fields", () => {
    fc.assert(
      fc.property(timeUnit, fc.nat(), (unit, count) => {
        const [mine, other] = [ours.Duration[unit](count), theirs.Duration[unit](count)];
        expect(mine.unitLabel()).toBe(other.unitLabel());
        expect(JSON.stringify(mine)).toBe(JSON.stringify(other));
      }),
    );
  });
});

type Library = Pick<typeof theirs, "Duration">;
test.for<[reason: string, run: (library: Library) => unknown, ours: unknown, theirs: unknown]>([
  [
    "milliseconds are whole hours when they are",
    ({ Duration }) => Duration.millis(3_600_000).toHours(),
    1,
    "throws Error: '3600000 millis' cannot be converted into a whole number of hours.",
  ],
  ["an hour is not sixty minutes", ({ Duration }) => Duration.hours(1).toHumanString(), "1 hour", "60 minutes"],
  ["nor are two", ({ Duration }) => Duration.hours(2).toHumanString(), "2 hours", "1 hour 60 minutes"],
  [
    "what was parsed can be printed",
    ({ Duration }) => Duration.parse("PT1H30M").toIsoString(),
    "PT1H30M",
    "throws Error: Unexpected time unit: millis",
  ],
  [
    "a fraction is the nearest double",
    ({ Duration }) => Duration.seconds(23).toMinutes({ integral: false }),
    23 / 60,
    23 * (1 / 60),
  ],
])("on purpose: %s", ([, run, mine, other]) => {
  expect(mine).not.toBe(other);
  expect(outcome(() => run(ours as unknown as Library))).toBe(mine);
  expect(outcome(() => run(theirs))).toBe(other);
});

test("a Size is the one of cdk8s", () => {
  const makers = ["kibibytes", "mebibytes", "gibibytes", "tebibytes", "pebibyte"] as const;
  const reads = ["toKibibytes", "toMebibytes", "toGibibytes", "toTebibytes", "toPebibytes"] as const;
  const rounding = fc.constantFrom(undefined, 0, 1, 2, 3);
  fc.assert(
    fc.property(
      fc.constantFrom(...makers),
      amount,
      fc.constantFrom(...reads),
      rounding,
      (make, count, read, behavior) => {
        const options = behavior === undefined ? undefined : { rounding: behavior as never };
        expect(outcome(() => ours.Size[make](count)[read](options))).toBe(
          outcome(() => theirs.Size[make](count)[read](options)),
        );
        expect(outcome(() => ours.Size[make](count).asString())).toBe(
          outcome(() => theirs.Size[make](count).asString()),
        );
        expect(outcome(() => JSON.stringify(ours.Size[make](count)))).toBe(
          outcome(() => JSON.stringify(theirs.Size[make](count))),
        );
      },
    ),
    { numRuns: 3000 },
  );
  expect(ours.SizeRoundingBehavior).toEqual(theirs.SizeRoundingBehavior);
});

test("a Cron is the one of cdk8s", () => {
  const field = fc.option(fc.constantFrom("*", "0", "1-5", "*/15", ""), { nil: undefined });
  const options = fc.record(
    { minute: field, hour: field, day: field, month: field, weekDay: field },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.option(options, { nil: undefined }), (fields) => {
      const mine = [new ours.Cron(fields), ours.Cron.schedule(fields ?? {})];
      const other = [
        new theirs.Cron(fields as theirs.CronOptions),
        theirs.Cron.schedule((fields ?? {}) as theirs.CronOptions),
      ];
      expect(mine.map((cron) => ({ ...cron }))).toEqual(other.map((cron) => ({ ...cron })));
    }),
  );
  for (const preset of ["everyMinute", "hourly", "daily", "weekly", "monthly", "annually"] as const) {
    expect(ours.Cron[preset]().expressionString).toBe(theirs.Cron[preset]().expressionString);
  }
});

/** A double as a whole number of 2^-shift, with no rounding. */
function scaled(value: number, shift: number): bigint {
  let rest = shift;
  let number = value;
  while (!Number.isInteger(number)) {
    number *= 2;
    rest -= 1;
  }
  return BigInt(number) << BigInt(rest);
}

const shift = 200; // amounts and quotients here have no smaller part

function isWhole(count: number, divisor: number): boolean {
  return scaled(count, shift) % (BigInt(divisor) << BigInt(shift)) === 0n;
}

/** How far `result` is from `count / divisor`, times divisor. */
function distance(result: unknown, divisor: number, count: number): bigint {
  const difference = scaled(Number(result), shift) * BigInt(divisor) - scaled(count, shift);
  return difference < 0n ? -difference : difference;
}

function exactHumanString(millis: number): string {
  let rest = scaled(millis, shift);
  const parts: string[] = [];
  for (const unit of ["days", "hours", "minutes", "seconds"] as const) {
    const size = BigInt(timeUnits[unit].inMillis) << BigInt(shift);
    if (rest >= size) parts.push(counted(Number(rest / size), unit));
    rest %= size;
  }
  if (rest > 0n) parts.push(counted(Number(rest) / 2 ** shift, "millis"));
  return parts.slice(0, 2).join(" ");
}

function counted(count: number, unit: TimeUnit): string {
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}
