/** What a conversion does with a result that is not whole. */
export const SizeRoundingBehavior: {
  readonly 0: "FAIL";
  readonly 1: "FLOOR";
  readonly 2: "NONE";
  /** Throw. */
  readonly FAIL: 0;
  /** Round down. */
  readonly FLOOR: 1;
  /** Return the fraction. */
  readonly NONE: 2;
} = Object.freeze({ 0: "FAIL", 1: "FLOOR", 2: "NONE", FAIL: 0, FLOOR: 1, NONE: 2 });
export type SizeRoundingBehavior = 0 | 1 | 2;

export interface SizeConversionOptions {
  /**
   * What to do when the result is not whole. A size that already has the unit is returned as it is.
   * @default SizeRoundingBehavior.FAIL
   */
  readonly rounding?: SizeRoundingBehavior | undefined;
}

interface StorageUnit {
  readonly label: string;
  readonly inKibiBytes: number;
  /** The suffix of a Kubernetes quantity. */
  readonly abbr: string;
}

// The factors are powers of two, so a conversion is exact unless it leaves the range of doubles.
const KIBIBYTES: StorageUnit = { label: "kibibytes", inKibiBytes: 1, abbr: "Ki" };
const MEBIBYTES: StorageUnit = { label: "mebibytes", inKibiBytes: 1024, abbr: "Mi" };
const GIBIBYTES: StorageUnit = { label: "gibibytes", inKibiBytes: 1024 ** 2, abbr: "Gi" };
const TEBIBYTES: StorageUnit = { label: "tebibytes", inKibiBytes: 1024 ** 3, abbr: "Ti" };
const PEBIBYTES: StorageUnit = { label: "pebibytes", inKibiBytes: 1024 ** 4, abbr: "Pi" };

/**
 * An amount of storage.
 *
 * The amount keeps the unit it was given in, which `asString` prints. The factories throw on a negative amount;
 * conversions throw when `rounding` is FAIL and the result is not whole.
 */
export class Size {
  /** 1 KiB is 1024 bytes. */
  static kibibytes(amount: number): Size {
    return new Size(amount, KIBIBYTES);
  }

  /** 1 MiB is 1024 KiB. */
  static mebibytes(amount: number): Size {
    return new Size(amount, MEBIBYTES);
  }

  /** 1 GiB is 1024 MiB. */
  static gibibytes(amount: number): Size {
    return new Size(amount, GIBIBYTES);
  }

  /** 1 TiB is 1024 GiB. */
  static tebibytes(amount: number): Size {
    return new Size(amount, TEBIBYTES);
  }

  /** 1 PiB is 1024 TiB. */
  static pebibyte(amount: number): Size {
    return new Size(amount, PEBIBYTES);
  }

  private readonly amount: number;
  private readonly unit: StorageUnit;

  private constructor(amount: number, unit: StorageUnit) {
    if (amount < 0) throw new Error(`Storage amounts cannot be negative. Received: ${amount}`);
    this.amount = amount;
    this.unit = unit;
  }

  /** A Kubernetes quantity in the unit that the size was given in: `512Mi`. */
  asString(): string {
    return `${this.amount}${this.unit.abbr}`;
  }

  toKibibytes(opts: SizeConversionOptions = {}): number {
    return convert(this.amount, this.unit, KIBIBYTES, opts);
  }

  toMebibytes(opts: SizeConversionOptions = {}): number {
    return convert(this.amount, this.unit, MEBIBYTES, opts);
  }

  toGibibytes(opts: SizeConversionOptions = {}): number {
    return convert(this.amount, this.unit, GIBIBYTES, opts);
  }

  toTebibytes(opts: SizeConversionOptions = {}): number {
    return convert(this.amount, this.unit, TEBIBYTES, opts);
  }

  toPebibytes(opts: SizeConversionOptions = {}): number {
    return convert(this.amount, this.unit, PEBIBYTES, opts);
  }
}

function convert(amount: number, from: StorageUnit, to: StorageUnit, { rounding }: SizeConversionOptions): number {
  if (from === to) return amount;
  const value = amount * (from.inKibiBytes / to.inKibiBytes);
  if (rounding === SizeRoundingBehavior.NONE) return value;
  if (rounding === SizeRoundingBehavior.FLOOR) return Math.floor(value);
  if (Number.isInteger(value)) return value;
  throw new Error(`'${amount} ${from.label}' cannot be converted into a whole number of ${to.label}.`);
}
