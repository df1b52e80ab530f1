export interface TimeConversionOptions {
  /**
   * Throw when the result is not whole.
   * @default true
   */
  readonly integral?: boolean | undefined;
}

interface TimeUnit {
  readonly label: string;
  readonly inMillis: number;
}

const MILLIS: TimeUnit = { label: "millis", inMillis: 1 };
const SECONDS: TimeUnit = { label: "seconds", inMillis: 1_000 };
const MINUTES: TimeUnit = { label: "minutes", inMillis: 60_000 };
const HOURS: TimeUnit = { label: "hours", inMillis: 3_600_000 };
const DAYS: TimeUnit = { label: "days", inMillis: 86_400_000 };

/** The fields of an ISO duration below the day, smallest first, and how many of each make one of the next. */
const isoFields = [
  { unit: SECONDS, symbol: "S", modulus: 60 },
  { unit: MINUTES, symbol: "M", modulus: 60 },
  { unit: HOURS, symbol: "H", modulus: 24 },
];

const isoPattern = /^PT(?:(?<days>\d+)D)?(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?$/;

/**
 * A length of time.
 *
 * The amount keeps the unit it was given in. The factories throw on a negative amount; conversions throw when `integral`
 * is true and the result is not whole. Results are exact, or the double nearest to the exact one.
 */
export class Duration {
  static millis(amount: number): Duration {
    return new Duration(amount, MILLIS);
  }

  static seconds(amount: number): Duration {
    return new Duration(amount, SECONDS);
  }

  static minutes(amount: number): Duration {
    return new Duration(amount, MINUTES);
  }

  static hours(amount: number): Duration {
    return new Duration(amount, HOURS);
  }

  static days(amount: number): Duration {
    return new Duration(amount, DAYS);
  }

  /**
   * The duration that `PT[nD][nH][nM][nS]` stands for, in milliseconds. Fields are whole numbers and at least one is there.
   *
   * The days stand behind the T, where `toIsoString` writes them; ISO 8601 has them in front.
   *
   * @throws {Error} for any other text.
   */
  static parse(duration: string): Duration {
    const fields = isoPattern.exec(duration)?.groups;
    const { days, hours, minutes, seconds } = fields ?? {};
    if ((days ?? hours ?? minutes ?? seconds) === undefined) throw new Error(`Not a valid ISO duration: ${duration}`);
    return Duration.millis(
      Number(seconds ?? 0) * SECONDS.inMillis +
        Number(minutes ?? 0) * MINUTES.inMillis +
        Number(hours ?? 0) * HOURS.inMillis +
        Number(days ?? 0) * DAYS.inMillis,
    );
  }

  private readonly amount: number;
  private readonly unit: TimeUnit;

  private constructor(amount: number, unit: TimeUnit) {
    if (amount < 0) throw new Error(`Duration amounts cannot be negative. Received: ${amount}`);
    this.amount = amount;
    this.unit = unit;
  }

  toMilliseconds(opts: TimeConversionOptions = {}): number {
    return convert(this.amount, this.unit, MILLIS, opts);
  }

  toSeconds(opts: TimeConversionOptions = {}): number {
    return convert(this.amount, this.unit, SECONDS, opts);
  }

  toMinutes(opts: TimeConversionOptions = {}): number {
    return convert(this.amount, this.unit, MINUTES, opts);
  }

  toHours(opts: TimeConversionOptions = {}): number {
    return convert(this.amount, this.unit, HOURS, opts);
  }

  toDays(opts: TimeConversionOptions = {}): number {
    return convert(this.amount, this.unit, DAYS, opts);
  }

  /**
   * `PT[nD][nH][nM][nS]`, which `parse` reads when the seconds are whole.
   *
   * What fills a larger unit is carried over, up to days: 90 seconds are `PT1M30S`. Fractions stay with their unit:
   * `PT1.5H`; milliseconds are written as seconds.
   */
  toIsoString(): string {
    if (this.amount === 0) return "PT0S";
    if (this.unit === MILLIS) return formatIsoMillis(this.amount);
    return `PT${formatIsoFields(this.amount, this.unit)}`;
  }

  /** The two largest parts, for people: `1 day 2 hours`, `1 minute`, `250 millis`. */
  toHumanString(): string {
    if (this.amount === 0) return formatCount(0, this.unit);
    const parts: string[] = [];
    let rest = convert(this.amount, this.unit, MILLIS, { integral: false });
    for (const unit of [DAYS, HOURS, MINUTES, SECONDS]) {
      const count = wholeCount(rest, unit);
      if (count > 0) {
        parts.push(formatCount(count, unit));
        rest %= unit.inMillis;
      }
    }
    if (rest > 0) parts.push(formatCount(rest, MILLIS));
    return parts.slice(0, 2).join(" ");
  }

  /** `millis`, `seconds`, `minutes`, `hours` or `days`. */
  unitLabel(): string {
    return this.unit.label;
  }
}

function convert(amount: number, from: TimeUnit, to: TimeUnit, { integral = true }: TimeConversionOptions): number {
  if (from === to) {
    if (integral && !Number.isInteger(amount)) throw new Error(`${amount} must be a whole number of ${to.label}.`);
    return amount;
  }
  // One of the two quotients is whole. By that one the result is rounded once; multiplying by 1/60 rounds twice.
  const value =
    from.inMillis > to.inMillis ? amount * (from.inMillis / to.inMillis) : amount / (to.inMillis / from.inMillis);
  if (integral && !Number.isInteger(value)) {
    throw new Error(`'${amount} ${from.label}' cannot be converted into a whole number of ${to.label}.`);
  }
  return value;
}

/** How many whole `unit`s are in `millis`. The remainder is exact in doubles; the quotient is rounded to what it is near. */
function wholeCount(millis: number, unit: TimeUnit): number {
  if (millis === Number.POSITIVE_INFINITY) return millis;
  return Math.round((millis - (millis % unit.inMillis)) / unit.inMillis);
}

function formatCount(count: number, { label }: TimeUnit): string {
  return `${count} ${count === 1 ? label.slice(0, -1) : label}`;
}

/** Cut into minutes and a rest while the numbers are whole: 61.001 seconds have no exact remainder. */
function formatIsoMillis(millis: number): string {
  const rest = millis % MINUTES.inMillis;
  const minutes = (millis - rest) / MINUTES.inMillis;
  const seconds = rest > 0 ? `${rest / SECONDS.inMillis}S` : "";
  return `PT${minutes === 0 ? "" : formatIsoFields(minutes, MINUTES)}${seconds}`;
}

function formatIsoFields(amount: number, from: TimeUnit): string {
  let count = amount;
  let smaller = "";
  for (const { unit, symbol, modulus } of isoFields) {
    if (unit.inMillis < from.inMillis) continue;
    if (count < modulus) return `${count}${symbol}${smaller}`;
    const rest = count % modulus;
    if (rest > 0) smaller = `${rest}${symbol}${smaller}`;
    count = (count - rest) / modulus;
  }
  return `${count}D${smaller}`;
}
