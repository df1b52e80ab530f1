import { future, slow } from "./refusals.ts";
import { type Following, StorageError, type StorageEvent, type StorageWatchOptions } from "./storage.ts";

/** What happened before a watch begins. Both members are synchronous, so nothing is written between two looks. */
export interface EventHistory {
  /** The newest revision. Throws when the storage is closed. */
  newest(): number;
  /**
   * The first `limit` changes below `prefix` after a revision.
   *
   * @throws {StorageError} `compacted` when changes after `after` are no longer kept.
   */
  read(prefix: string, after: number, limit: number): HistoryPage;
}

export interface HistoryPage {
  readonly events: readonly StorageEvent[];
  /** Up to here, itself included, nothing below the prefix is missing from `events`. */
  readonly through: number;
}

export interface EventHubOptions {
  /**
   * How many events may wait for the consumer of one watch.
   * @default 10_000
   */
  readonly watchBufferSize?: number | undefined;
}

const hubDefaults = { watchBufferSize: 10_000 } as const satisfies EventHubOptions;

/** Small, because it is held for every watch that catches up; large enough to make few queries. */
const historyPageSize = 100;

/** Whoever gets the changes below a prefix, one by one, as they happen. */
interface Receiver {
  readonly prefix: string;
  push(event: StorageEvent): void;
  end(): void;
}

/**
 * Brings each change to those who watch for it, within one process.
 *
 * Costs nothing for watches of other prefixes, and nothing before a watch is iterated.
 */
export class EventHub {
  readonly history: EventHistory;
  readonly bufferSize: number;
  /** Watches that wait for changes, by the length of their prefix and then by the prefix. */
  readonly #live = new Map<number, Map<string, Set<Receiver>>>();
  readonly #started = new Set<Receiver>();

  constructor(history: EventHistory, options: EventHubOptions = {}) {
    this.history = history;
    this.bufferSize = options.watchBufferSize ?? hubDefaults.watchBufferSize;
  }

  /** Call once for each change, in the order of revisions, when it is durable and `history` knows it. */
  publish(event: StorageEvent): void {
    for (const [length, byPrefix] of this.#live) {
      if (length > event.key.length) continue;
      for (const receiver of byPrefix.get(event.key.slice(0, length)) ?? []) receiver.push(event);
    }
  }

  /** As {@link ObjectStorage.watch}. Holds nothing until it is iterated; can be iterated more than once. */
  watch(prefix: string, options: StorageWatchOptions): AsyncIterable<StorageEvent> {
    return { [Symbol.asyncIterator]: () => new Watch(this, prefix, options) };
  }

  /** As {@link ObjectStorage.follow}. */
  follow(prefix: string, listener: (event: StorageEvent) => void): Following {
    const { history } = this;
    history.newest(); // throws when the storage is closed
    const receiver: Receiver = { prefix, push: listener, end: () => this.leave(receiver) };
    this.start(receiver);
    this.goLive(receiver);
    return {
      get revision() {
        return history.newest();
      },
      end: receiver.end,
    };
  }

  /** Ends every watch, without an error. */
  close(): void {
    for (const receiver of [...this.#started]) receiver.end();
  }

  /** @internal */
  start(receiver: Receiver): void {
    this.#started.add(receiver);
  }

  /** @internal */
  goLive(receiver: Receiver): void {
    const { prefix } = receiver;
    const byPrefix = this.#live.get(prefix.length) ?? new Map<string, Set<Receiver>>();
    const receivers = byPrefix.get(prefix) ?? new Set<Receiver>();
    this.#live.set(prefix.length, byPrefix.set(prefix, receivers.add(receiver)));
  }

  /** @internal */
  leave(receiver: Receiver): void {
    this.#started.delete(receiver);
    const { prefix } = receiver;
    const byPrefix = this.#live.get(prefix.length);
    const receivers = byPrefix?.get(prefix);
    if (receivers?.delete(receiver) && receivers.size === 0) byPrefix?.delete(prefix);
    if (byPrefix?.size === 0) this.#live.delete(prefix.length);
  }
}

/** @param value absent in a deletion */
export function toEvent(
  key: string,
  revision: number,
  value: Uint8Array | undefined,
  previous: Uint8Array | undefined,
): StorageEvent {
  if (value === undefined) return { type: "delete", key, revision, previous: previous as Uint8Array };
  return { type: "put", key, revision, value, ...(previous !== undefined && { previous }) };
}

interface Waiter {
  resolve(result: IteratorResult<StorageEvent, undefined>): void;
  reject(error: unknown): void;
}

/**
 * One iteration of a watch. It reads the history page by page, as the consumer asks for it, until it has seen the
 * newest change; in that same turn it goes live. So there is neither a gap nor a change seen twice, and a long
 * history never piles up in memory.
 */
class Watch implements AsyncIterator<StorageEvent, undefined>, Receiver {
  readonly prefix: string;
  readonly #hub: EventHub;
  readonly #signal: AbortSignal | undefined;
  /** Nothing after this revision is delivered. */
  readonly #through: number;
  readonly #end = (): void => this.end();
  #state: "new" | "catching up" | "live" | "ended" = "new";
  /** Changes up to here are dealt with. */
  #seen: number;
  #events: StorageEvent[] = [];
  /** Index of the first of `#events` that the consumer does not have. */
  #head = 0;
  #failure: StorageError | undefined;
  readonly #waiters: Waiter[] = [];

  constructor(hub: EventHub, prefix: string, options: StorageWatchOptions) {
    this.#hub = hub;
    this.prefix = prefix;
    this.#seen = options.after;
    this.#through = options.through ?? Number.POSITIVE_INFINITY;
    this.#signal = options.signal;
  }

  async next(): Promise<IteratorResult<StorageEvent, undefined>> {
    if (this.#failure !== undefined) {
      const failure = this.#failure;
      this.#failure = undefined;
      throw failure;
    }
    if (this.#head === this.#events.length && (this.#state === "new" || this.#state === "catching up")) {
      this.#catchUp();
    }
    const event = this.#take();
    if (event !== undefined) return { done: false, value: event };
    if (this.#state === "ended") return { done: true, value: undefined };
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<StorageEvent, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  push(event: StorageEvent): void {
    if (event.revision <= this.#seen) return; // the watch waits for a revision of the future
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: event });
    } else if (this.#events.length - this.#head >= this.#hub.bufferSize) {
      this.end();
      this.#failure = slow(this.prefix, `${this.#hub.bufferSize} changes`, event.revision);
    } else {
      this.#events.push(event);
    }
  }

  end(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#hub.leave(this);
    this.#signal?.removeEventListener("abort", this.#end);
    this.#events = [];
    this.#head = 0;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve({ done: true, value: undefined });
  }

  #take(): StorageEvent | undefined {
    const event = this.#events[this.#head];
    if (event === undefined) return undefined;
    this.#head++;
    // Half of the array is consumed: giving it back then costs, over time, one move per event.
    if (this.#head * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }

  #catchUp(): void {
    const isStart = this.#state === "new";
    try {
      if (isStart) this.#start();
      while (this.#state === "catching up" && this.#events.length === 0) {
        if (this.#seen >= this.#through) {
          this.end();
        } else if (this.#seen >= this.#hub.history.newest()) {
          this.#state = "live";
          this.#hub.goLive(this);
        } else {
          const page = this.#hub.history.read(this.prefix, this.#seen, historyPageSize);
          this.#events = page.events.filter(({ revision }) => revision <= this.#through);
          this.#seen = page.through;
        }
      }
    } catch (error) {
      this.end();
      const fellBehind = !isStart && StorageError.isStorageError(error) && error.reason === "compacted";
      throw fellBehind ? slow(this.prefix, "the history that is kept", error.revision) : error;
    }
  }

  #start(): void {
    if (this.#signal?.aborted === true) {
      this.end();
      return;
    }
    const newest = this.#hub.history.newest(); // throws when the storage is closed
    if (this.#through !== Number.POSITIVE_INFINITY && this.#through > newest) throw future(this.#through, newest);
    this.#state = "catching up";
    this.#hub.start(this);
    this.#signal?.addEventListener("abort", this.#end);
  }
}
