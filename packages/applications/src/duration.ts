/** A length of time in whole nanoseconds, as Go's `time.Duration` has it. */
export type Nanoseconds = bigint;

const perUnit: Readonly<Record<string, bigint>> = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const longest = 2n ** 63n - 1n;

/** The durations that Flux's CustomResourceDefinitions let through. */
export const fluxDuration: RegExp = /^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/;

/**
 * Reads a duration such as `2h30m` or `1.5m`; `undefined` when it does not fit in 292 years.
 *
 * `text` must match {@link fluxDuration}. A fraction of a nanosecond is cut off.
 */
export function parseDuration(text: string): Nanoseconds | undefined {
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(/([0-9]+)(?:\.([0-9]+))?(ms|s|m|h)/g)) {
    const scale = perUnit[unit] ?? 0n;
    total += BigInt(whole) * scale + (BigInt(fraction || "0") * scale) / 10n ** BigInt(fraction.length);
    if (total > longest) return undefined;
  }
  return total;
}

/** As Go prints it: `5m0s`, `1h0m0s`, `1.5s`, `500ms`, `0s`. */
export function formatDuration(duration: Nanoseconds): string {
  if (duration === 0n) return "0s";
  if (duration < 1_000n) return `${duration}ns`;
  if (duration < 1_000_000n) return `${decimal(duration, 1_000n)}µs`;
  if (duration < 1_000_000_000n) return `${decimal(duration, 1_000_000n)}ms`;
  const minutes = duration / 60_000_000_000n;
  const seconds = `${decimal(duration % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

/** `amount / unit` with as many decimals as it takes. */
function decimal(amount: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (amount % unit).toString().padStart(digits, "0").replace(/0+$/, "");
  const whole = (amount / unit).toString();
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
