import { SlipwayError } from "./errors.ts";

/** How a quantity was written, and is printed. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An amount of a resource: `unscaled` × 10 ** `exponent`. */
export interface Quantity {
  readonly unscaled: bigint;
  /** At least -9: Kubernetes rounds what is finer up, away from zero. */
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The text itself, where Kubernetes prints that again. */
  readonly text?: string | undefined;
}

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

/** Powers of two. */
const binarySuffixes: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);

const syntax = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$/;

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = "unable to parse numeric part of quantity";
const WRONG_SUFFIX = "unable to parse quantity's suffix";

/** Finer parts are not kept. */
const NANO = -9;
/** Quantities with a binary suffix end here. */
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * A quantity as Kubernetes reads it: `100m`, `1.5Gi`, `12e6`.
 * @throws {SlipwayError} `INVALID_QUANTITY`, in Kubernetes' words.
 */
export function parseQuantity(text: string): Quantity {
  const [, sign, whole, fraction = "", suffix] = text === "" ? [] : (syntax.exec(text) ?? []);
  if (sign === undefined || whole === undefined || suffix === undefined) throw invalidQuantity(WRONG_FORMAT);
  const digits = BigInt(whole + fraction);
  const unscaled = sign === "-" ? -digits : digits;
  const power = binarySuffixes.get(suffix);
  // No digits at all are zero to Kubernetes, where it computes with 64 bits; where it does not, they are an error.
  const isMissing = !/[0-9]/.test(text.slice(0, text.length - suffix.length));
  if (power !== undefined) {
    if (isMissing && power >= 50) throw invalidQuantity(WRONG_NUMBER);
    const isAsPrinted = fraction === "" && isBinaryAsPrinted(whole, power);
    return toBinary(unscaled << BigInt(power), -fraction.length, isAsPrinted ? text : undefined);
  }
  const decimal = decimalSuffixes.get(suffix);
  const exponent = (decimal ?? readExponent(suffix)) - fraction.length;
  if (isMissing && exponent < NANO) throw invalidQuantity(WRONG_NUMBER);
  const isAsPrinted = exponent >= NANO && isDecimalAsPrinted((whole || "0") + fraction, exponent);
  const format = decimal === undefined ? "DecimalExponent" : "DecimalSI";
  return { ...roundUp(unscaled, exponent), format, text: isAsPrinted ? text : undefined };
}

/** `e6`, `E-3`. */
function readExponent(suffix: string): number {
  const exponent = /^[eE]([+-]?[0-9]+)$/.exec(suffix)?.[1];
  const number = Number(exponent);
  if (exponent === undefined || number !== (number | 0)) throw invalidQuantity(WRONG_SUFFIX);
  return number;
}

/** What is below one is decimal from then on: it could not be printed otherwise. */
function toBinary(unscaled: bigint, exponent: number, text: string | undefined): Quantity {
  const rounded = roundUp(unscaled, exponent);
  const magnitude = abs(rounded.unscaled);
  const one = 10n ** BigInt(-rounded.exponent);
  if (magnitude > 0n && magnitude < one) return { ...rounded, format: "DecimalSI", text };
  if (magnitude <= MAX_INT64 * one) return { ...rounded, format: "BinarySI", text };
  return { unscaled: rounded.unscaled < 0n ? -MAX_INT64 : MAX_INT64, exponent: 0, format: "BinarySI", text };
}

/** To a billionth, away from zero: who asks for something gets something. */
function roundUp(unscaled: bigint, exponent: number): { readonly unscaled: bigint; readonly exponent: number } {
  if (exponent >= NANO) return { unscaled, exponent };
  const magnitude = abs(unscaled);
  const dropped = NANO - exponent;
  const isAllDropped = dropped > magnitude.toString().length; // and the divisor might be endless
  const divisor = isAllDropped ? 0n : 10n ** BigInt(dropped);
  const rounded = magnitude === 0n ? 0n : isAllDropped ? 1n : (magnitude + divisor - 1n) / divisor;
  return { unscaled: unscaled < 0n ? -rounded : rounded, exponent: NANO };
}

/** Kubernetes holds small numbers in 64 bits, and prints the text of one again that it takes for canonical. */
function isDecimalAsPrinted(digits: string, exponent: number): boolean {
  return digits.length <= 18 && exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

function isBinaryAsPrinted(whole: string, power: number): boolean {
  const digits = whole || "0";
  if (digits.length > 14 - Math.trunc((power * 3) / 10)) return false;
  return BigInt(digits) % 8n !== 0n && BigInt(digits) << BigInt(power) <= MAX_INT64;
}

/**
 * As Kubernetes prints it: without needless zeros, with the largest suffix that leaves a whole number, decimal where
 * binary would not be exact or is small. Beyond `E`, where Kubernetes prints no suffix and another value with it, an
 * exponent stands.
 */
export function formatQuantity({ unscaled, exponent, format, text }: Quantity): string {
  if (text !== undefined) return text;
  if (unscaled === 0n) return "0";
  if (format === "BinarySI") {
    const whole = wholeNumber(unscaled, exponent);
    if (whole !== undefined && abs(whole) >= 1024n) return formatBinary(whole);
  }
  return formatDecimal(unscaled, exponent, format);
}

/** `undefined` when there is a fraction. */
function wholeNumber(unscaled: bigint, exponent: number): bigint | undefined {
  if (exponent >= 0) return unscaled * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function formatBinary(whole: bigint): string {
  let number = whole;
  let steps = 0;
  for (; number % 1024n === 0n && steps < 6; steps += 1) number /= 1024n;
  return `${number}${["", ...binarySuffixes.keys()][steps]}`;
}

function formatDecimal(unscaled: bigint, exponent: number, format: QuantityFormat): string {
  const digits = unscaled.toString();
  const significant = digits.replace(/0+$/, "");
  const scale = exponent + digits.length - significant.length;
  const power = Math.floor(scale / 3) * 3;
  const number = significant + "0".repeat(scale - power);
  if (format !== "DecimalExponent") {
    for (const [suffix, value] of decimalSuffixes) if (value === power) return number + suffix;
  }
  return power === 0 ? number : `${number}e${power}`;
}

/** Negative when `a` is less than `b`, 0 when they are the same amount: `1000m` is `1`. For `sort`. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const signs = [signOf(a), signOf(b)] as const;
  if (signs[0] !== signs[1]) return signs[0] < signs[1] ? -1 : 1;
  if (signs[0] === 0) return 0;
  // The exponents may be huge: only numbers of one length are written out.
  const lengths = [lengthOf(a), lengthOf(b)] as const;
  if (lengths[0] !== lengths[1]) return lengths[0] < lengths[1] === signs[0] > 0 ? -1 : 1;
  const exponent = Math.min(a.exponent, b.exponent);
  const [left, right] = [a, b].map((each) => each.unscaled * 10n ** BigInt(each.exponent - exponent)) as [
    bigint,
    bigint,
  ];
  return left < right ? -1 : left > right ? 1 : 0;
}

function signOf({ unscaled }: Quantity): number {
  return unscaled < 0n ? -1 : unscaled > 0n ? 1 : 0;
}

/** Digits before the decimal point; negative when zeros follow it. */
function lengthOf({ unscaled, exponent }: Quantity): number {
  return abs(unscaled).toString().length + exponent;
}

function abs(integer: bigint): bigint {
  return integer < 0n ? -integer : integer;
}

function invalidQuantity(fact: string): SlipwayError {
  return new SlipwayError(fact, { code: "INVALID_QUANTITY" });
}
