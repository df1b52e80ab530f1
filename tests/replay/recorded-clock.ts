import { isJsonArray, isJsonObject, type JsonValue } from "@slipway/objects";
import type { HttpStep } from "./recording.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Tells when a step was recorded, by the newest time that the server wrote into its answer. */
export class RecordedClock {
  #now: number | undefined;

  /** `undefined` as long as no answer has told a time. Never before that of the step before. */
  timeOf(step: HttpStep): Date | undefined {
    const values = [step.body.form === "json" ? step.body.value : null, ...(step.watch?.events ?? [])];
    for (const time of values.flatMap(timesIn)) {
      const start = this.#now ?? time;
      // Times far away are those of requests.
      if (time >= start && time - start < DAY_MS) this.#now = time;
    }
    return this.#now === undefined ? undefined : new Date(this.#now);
  }
}

const written: ReadonlySet<string> = new Set(["creationTimestamp", "deletionTimestamp", "time"]);

function timesIn(value: JsonValue): number[] {
  if (isJsonArray(value)) return value.flatMap(timesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (written.has(name) && typeof member === "string")
      return [Date.parse(member)].filter((time) => !Number.isNaN(time));
    return member === undefined ? [] : timesIn(member);
  });
}
