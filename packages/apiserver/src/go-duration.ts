/** Nanoseconds of the units that Go knows. Both ways of writing the micro sign are one. */
const units: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["µs", 1e3],
  ["μs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

/** Go counts nanoseconds in 64 bits. */
const maxNanoseconds = 2 ** 63;

const step = /(\d*)(?:\.(\d*))?([^\d.]*)/uy;

/**
 * A duration as Go writes it, in milliseconds: `32s`, `1m30s`, `-1.5h`, `0`.
 *
 * @throws {RangeError} in the words of Go's time.ParseDuration.
 */
export function parseGoDuration(text: string): number {
  const invalid = (): RangeError => new RangeError(`time: invalid duration ${quote(text)}`);
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0;
  if (unsigned === "") throw invalid();
  let nanoseconds = 0;
  for (let at = 0; at < unsigned.length; at = step.lastIndex) {
    step.lastIndex = at;
    const [, whole = "", fraction = "", unit = ""] = step.exec(unsigned) ?? [];
    if (whole === "" && fraction === "") throw invalid();
    if (unit === "") throw new RangeError(`time: missing unit in duration ${quote(text)}`);
    const factor = units.get(unit);
    if (factor === undefined) throw new RangeError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    nanoseconds += Number(whole) * factor + fractionOf(fraction, factor);
    if (nanoseconds >= maxNanoseconds) throw invalid();
  }
  return (text.startsWith("-") ? -1 : 1) * (nanoseconds / 1e6);
}

/** Go takes no more digits of a fraction than its integers have room for. */
const MAX_FRACTION_DIGITS = 18;

/** The nanoseconds of the `digits` behind a point: whole ones, the rest is cut off. */
function fractionOf(digits: string, factor: number): number {
  const counted = digits.slice(0, MAX_FRACTION_DIGITS);
  return Math.trunc(Number(counted) * (factor / 10 ** counted.length));
}

/** As Go prints a duration: `1.5s`, `12.345ms`, `1m0.25s`, `0s`. To the nanosecond. */
export function formatGoDuration(ms: number): string {
  const nanoseconds = Math.round(Math.abs(ms) * 1e6);
  const sign = ms < 0 && nanoseconds > 0 ? "-" : "";
  if (nanoseconds === 0) return "0s";
  if (nanoseconds < 1e3) return `${sign}${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${sign}${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < 1e9) return `${sign}${decimal(nanoseconds, 6)}ms`;
  const minutes = Math.floor(nanoseconds / 60e9);
  const seconds = `${decimal(nanoseconds - minutes * 60e9, 9)}s`;
  if (minutes === 0) return sign + seconds;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours === 0 ? "" : `${hours}h`}${minutes % 60}m${seconds}`;
}

/** `value` with its point `digits` places to the left, and no zeros at the end. */
function decimal(value: number, digits: number): string {
  const text = String(value).padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  return text.slice(0, -digits) + (fraction === "" ? "" : `.${fraction}`);
}

/** Bytes outside printable ASCII are written in hex, as Go's time package quotes them. */
function quote(text: string): string {
  let quoted = "";
  for (const byte of new TextEncoder().encode(text)) {
    const char = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x7f) quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    else quoted += char === '"' || char === "\\" ? `\\${char}` : char;
  }
  return `"${quoted}"`;
}
