import { goQuote } from "@slipway/objects";
import { parseTimestamp } from "./rfc3339.ts";

/** Of a MicroTime: six digits, no more and no less. */
const microseconds = /(\.\d{6})(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * A time as Go reads it into meta/v1 Time or MicroTime and prints it again: in UTC, with whole seconds or six digits of
 * them.
 *
 * @param refuse is told why `text` is none, in Go's words
 */
export function readTime(text: string, type: "Time" | "MicroTime", refuse: (why: string) => never): string {
  const isMicro = type === "MicroTime";
  const milliseconds = isMicro && !microseconds.test(text) ? undefined : parseTimestamp(text);
  if (milliseconds === undefined) {
    const layout = `2006-01-02T15:04:05${isMicro ? ".000000" : ""}Z07:00`;
    const year = /^\d{4}/.test(text) ? "" : ' as "2006"';
    return refuse(`parsing time ${goQuote(text)} as "${layout}": cannot parse ${goQuote(text)}${year}`);
  }
  const seconds = new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().slice(0, 19);
  return `${seconds}${isMicro ? microseconds.exec(text)?.[1] : ""}Z`;
}
