import type { KubernetesObject } from "@slipway/objects";

/** A change with both states decoded, once for all who watch. */
export interface CacheEvent {
  readonly key: string;
  readonly revision: number;
  /** `undefined`: deleted. */
  readonly object: KubernetesObject | undefined;
  /** The state before, at the revision of the change: what a watcher gets for whom the object is gone. */
  readonly before: KubernetesObject | undefined;
}

export interface ChangeLogLimits {
  /** How many changes are kept at least, and twice as many at most. @default 2_000 */
  readonly windowSize?: number | undefined;
  /** Fewer are kept when their objects take more room than this. @default 32 MiB */
  readonly windowBytes?: number | undefined;
}

const defaults = { windowSize: 2_000, windowBytes: 32 * 1024 * 1024 } as const satisfies ChangeLogLimits;

/**
 * The last changes to a kind, each under a number of its own, counted without a gap. All watchers read from it, each at
 * its place: it is the only memory that they need, however many they are and however slowly they read.
 */
export class ChangeLog {
  readonly #windowSize: number;
  readonly #windowBytes: number;
  readonly #changes: CacheEvent[] = [];
  /** Bytes of the stored objects of `#changes`, one by one and together. */
  readonly #sizes: number[] = [];
  #bytes = 0;
  /** How many changes were before the first of `#changes`. */
  #dropped = 0;
  /** Who has seen everything up to here finds the rest in the log. */
  #start = 0;

  constructor(limits: ChangeLogLimits) {
    this.#windowSize = limits.windowSize ?? defaults.windowSize;
    this.#windowBytes = limits.windowBytes ?? defaults.windowBytes;
  }

  /** The number that the next change gets. */
  get end(): number {
    return this.#dropped + this.#changes.length;
  }

  /** The change with this number; `undefined` when it is no longer kept, or has not happened. */
  at(number: number): CacheEvent | undefined {
    return this.#changes[number - this.#dropped];
  }

  /** The number of the first change after `revision`; `undefined` when they are no longer all there. */
  firstAfter(revision: number): number | undefined {
    if (revision < this.#start) return undefined;
    let index = this.#changes.length;
    while (index > 0 && (this.#changes[index - 1]?.revision ?? 0) > revision) index--;
    return this.#dropped + index;
  }

  /** @param bytes what the object takes in the storage */
  add(change: CacheEvent, bytes: number): void {
    this.#changes.push(change);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    // Cut by half now and then: over time that is one move per change.
    if (this.#changes.length > this.#windowSize * 2) this.#drop(this.#windowSize);
    if (this.#bytes > this.#windowBytes) this.#drop(this.#beyond(this.#windowBytes / 2));
  }

  /** Nobody starts before `revision` any more. Those who are reading go on. */
  startAt(revision: number): void {
    this.#start = revision;
  }

  /** Nothing is kept; the next change is one after `revision`. */
  clear(revision: number): void {
    this.#drop(this.#changes.length);
    this.#start = revision;
  }

  /** How many of the oldest changes have to go for the others to fit into `bytes`. The newest one stays. */
  #beyond(bytes: number): number {
    let rest = this.#bytes;
    let count = 0;
    while (rest > bytes && count < this.#changes.length - 1) rest -= this.#sizes[count++] ?? 0;
    return count;
  }

  #drop(count: number): void {
    const last = this.#changes.splice(0, count).at(-1);
    for (const bytes of this.#sizes.splice(0, count)) this.#bytes -= bytes;
    this.#dropped += count;
    this.#start = Math.max(this.#start, last?.revision ?? 0);
  }
}
