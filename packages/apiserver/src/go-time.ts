import { goQuote } from "@slipway/objects";
import { parseTimestamp } from "./rfc3339.ts";

type TimeType = "Time" | "MicroTime";

/** Of a MicroTime: six digits, no more and no less. */
const microseconds = /(\.\d{6})(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * A time as Go reads it into meta/v1 Time or MicroTime and prints it again: in UTC, with whole seconds or six digits of
 * them.
 *
 * @param refuse is told why `text` is none, in Go's words
 */
export function readTime(text: string, type: TimeType, refuse: (why: string) => never): string {
  const isMicro = type === "MicroTime";
  const milliseconds = isMicro && !microseconds.test(text) ? undefined : parseTimestamp(text);
  if (milliseconds === undefined) return refuse(problemOf(text, type));
  const seconds = new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().slice(0, 19);
  return `${seconds}${isMicro ? microseconds.exec(text)?.[1] : ""}Z`;
}

interface Part {
  /** As the layout has it. */
  readonly shown: string;
  readonly pattern: RegExp;
  /** What is out of range, and beyond which number. */
  readonly range?: readonly [what: string, least: number, most: number];
}

const twoDigits = (shown: string, what: string, least: number, most: number): Part => ({
  shown,
  pattern: /^\d{2}/,
  range: [what, least, most],
});
const literal = (shown: string): Part => ({ shown, pattern: new RegExp(`^${shown}`) });
const upToSeconds: readonly Part[] = [
  { shown: "2006", pattern: /^\d{4}/ },
  literal("-"),
  twoDigits("01", "month", 1, 12),
  literal("-"),
  twoDigits("02", "day", 1, 31),
  literal("T"),
  twoDigits("15", "hour", 0, 23),
  literal(":"),
  twoDigits("04", "minute", 0, 59),
  literal(":"),
];
const zone: Part = { shown: "Z07:00", pattern: /^(?:Z|[+-]\d{2}:\d{2})/ };
const parts: Readonly<Record<TimeType, readonly Part[]>> = {
  Time: [...upToSeconds, { ...twoDigits("05", "second", 0, 59), pattern: /^\d{2}(?:[.,]\d+)?/ }, zone],
  MicroTime: [...upToSeconds, twoDigits("05", "second", 0, 59), { shown: ".000000", pattern: /^\.\d{6}/ }, zone],
};

/** What Go's time.Parse says: the first part of the layout that does not fit, or what is out of range. */
function problemOf(text: string, type: TimeType): string {
  const layout = parts[type].map(({ shown }) => shown).join("");
  let rest = text;
  for (const { shown, pattern, range } of parts[type]) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined) {
      return `parsing time ${goQuote(text)} as "${layout}": cannot parse ${goQuote(rest)} as "${shown}"`;
    }
    const [what, least, most] = range ?? ["", 0, Number.POSITIVE_INFINITY];
    const number = Number.parseInt(found, 10);
    if (number < least || number > most) return `parsing time ${goQuote(text)}: ${what} out of range`;
    rest = rest.slice(found.length);
  }
  return `parsing time ${goQuote(text)}: ${rest === "" ? "day out of range" : `extra text: ${goQuote(rest)}`}`;
}
