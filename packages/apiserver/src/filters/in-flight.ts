import type { ApiResponse } from "../request.ts";

export type RequestKind = "readOnly" | "mutating";

/** How many requests of each kind are being answered. */
export type InFlightCounts = Readonly<Record<RequestKind, number>>;

/** Nothing is remembered of the time before. */
const windowMs = 1_000;

/** How many requests of one kind are in flight, and how many there were at most of late. */
class Level {
  present = 0;
  /** The highest of this second, and of the one before it. */
  #peak = 0;
  #earlierPeak = 0;
  #window = 0;

  change(by: 1 | -1, nowMs: number): void {
    this.#roll(nowMs);
    this.present += by;
    if (this.present > this.#peak) this.#peak = this.present;
  }

  peak(nowMs: number): number {
    this.#roll(nowMs);
    return Math.max(this.#peak, this.#earlierPeak);
  }

  #roll(nowMs: number): void {
    const window = Math.floor(nowMs / windowMs);
    if (window === this.#window) return;
    this.#earlierPeak = window === this.#window + 1 ? this.#peak : this.present;
    this.#peak = this.present;
    this.#window = window;
  }
}

/**
 * The places for requests that are answered at the same time. Requests that are long by nature, watches, take none.
 * @see Kubernetes, apiserver's WithMaxInFlightLimit
 */
export class InFlight {
  readonly #limits: InFlightCounts;
  readonly #levels: Readonly<Record<RequestKind, Level>> = { readOnly: new Level(), mutating: new Level() };

  /** @param limits 0 or less: none. */
  constructor(limits: InFlightCounts) {
    this.#limits = limits;
  }

  /** Takes a place; `false` when there is none. The privileged always get one: without them nobody could help. */
  enter(kind: RequestKind, options: { readonly isPrivileged: boolean; readonly nowMs: number }): boolean {
    const level = this.#levels[kind];
    const limit = this.#limits[kind];
    if (limit > 0 && level.present >= limit && !options.isPrivileged) return false;
    level.change(1, options.nowMs);
    return true;
  }

  leave(kind: RequestKind, nowMs: number): void {
    this.#levels[kind].change(-1, nowMs);
  }

  present(): InFlightCounts {
    return { readOnly: this.#levels.readOnly.present, mutating: this.#levels.mutating.present };
  }

  /** The most there were at once within the last second or two. */
  peak(nowMs: number): InFlightCounts {
    return { readOnly: this.#levels.readOnly.peak(nowMs), mutating: this.#levels.mutating.peak(nowMs) };
  }
}

/** Clients of Kubernetes come back by themselves after the time that it names. */
export function tooManyRequests(): ApiResponse {
  return {
    status: 429,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", "retry-after": "1" },
    body: "Too many requests, please try again later.\n",
  };
}
