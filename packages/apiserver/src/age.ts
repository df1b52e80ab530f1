import { humanDuration } from "./table.ts";

/** Time since `time` as tables show it; `<unknown>` when there is none, `<invalid>` for a time of the future. */
export function ageOf(time: string | undefined, now: Date): string {
  const since = time === undefined || time === "" ? Number.NaN : Date.parse(time);
  return Number.isNaN(since) ? "<unknown>" : humanDuration((now.getTime() - since) / 1000);
}
