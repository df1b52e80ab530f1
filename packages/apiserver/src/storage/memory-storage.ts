import { SlipwayError } from "@slipway/objects";
import { EventHub, type EventHubOptions, type HistoryPage, toEvent } from "./event-hub.ts";
import { assertStorableKey, compareKeys } from "./keys.ts";
import { compacted, future, refusalOf, type Write } from "./refusals.ts";
import type {
  Following,
  ObjectStorage,
  StorageEvent,
  StorageList,
  StorageListOptions,
  StorageWatchOptions,
  StoredValue,
} from "./storage.ts";

export interface MemoryStorageOptions extends EventHubOptions {
  /**
   * How many revisions can be read and watched from, counted from the newest.
   * @default 10_000
   */
  readonly historySize?: number | undefined;
}

const memoryDefaults = { historySize: 10_000 } as const satisfies MemoryStorageOptions;

/** Keeps everything in the memory of this process, and loses it with the process. */
export function createMemoryStorage(options: MemoryStorageOptions = {}): ObjectStorage {
  return new MemoryStorage(options);
}

interface Version {
  readonly revision: number;
  /** `undefined`: the key was deleted at this revision. */
  readonly value: Uint8Array | undefined;
}

class MemoryStorage implements ObjectStorage {
  readonly #historySize: number;
  readonly #hub: EventHub;
  /** What is kept of each key, oldest first. Never an empty array. */
  readonly #versions = new Map<string, Version[]>();
  /** The keys of `#versions`, sorted. */
  readonly #keys: string[] = [];
  /** Every change after `#oldest`, by its revision. */
  readonly #changes = new Map<number, StorageEvent>();
  #newest = 0;
  /** The oldest revision that can be asked for. */
  #oldest = 0;
  #isClosed = false;

  constructor(options: MemoryStorageOptions) {
    this.#historySize = options.historySize ?? memoryDefaults.historySize;
    const newest = (): number => {
      this.#assertOpen();
      return this.#newest;
    };
    this.#hub = new EventHub({ newest, read: (...args) => this.#readHistory(...args) }, options);
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return this.#newest;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertOpen();
    return this.#valueAt(key, this.#newest);
  }

  async list(prefix: string, options: StorageListOptions = {}): Promise<StorageList> {
    this.#assertOpen();
    const revision = options.revision ?? this.#newest;
    if (revision < this.#oldest) throw compacted(revision, this.#oldest);
    if (revision > this.#newest) throw future(revision, this.#newest);
    const { after, limit = Number.POSITIVE_INFINITY } = options;
    const items: StoredValue[] = [];
    let remaining = 0;
    const isAfter = after !== undefined && compareKeys(after, prefix) >= 0;
    for (let i = this.#indexOf(isAfter ? after : prefix); i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (isAfter && key === after) continue;
      if (!key.startsWith(prefix)) break;
      const item = this.#valueAt(key, revision);
      if (item === undefined) continue;
      if (items.length < limit) items.push(item);
      else remaining++;
    }
    return { items, revision, more: remaining > 0, remaining };
  }

  async create(key: string, value: Uint8Array): Promise<StoredValue> {
    assertStorableKey(key);
    const revision = this.#write({ action: "create", key, value });
    return { key, revision, value };
  }

  async update(key: string, value: Uint8Array, expected: number): Promise<StoredValue> {
    const revision = this.#write({ action: "update", key, value, expected });
    return { key, revision, value };
  }

  async delete(key: string, expected: number): Promise<number> {
    return this.#write({ action: "delete", key, expected });
  }

  watch(prefix: string, options: StorageWatchOptions): AsyncIterable<StorageEvent> {
    return this.#hub.watch(prefix, options);
  }

  follow(prefix: string, listener: (event: StorageEvent) => void): Following {
    return this.#hub.follow(prefix, listener);
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    if (revision > this.#newest) throw future(revision, this.#newest);
    this.#forget(revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#hub.close();
  }

  #write(write: Write): number {
    this.#assertOpen();
    const { key } = write;
    const present = this.#valueAt(key, this.#newest);
    const refusal = refusalOf(write, present?.revision, this.#newest);
    if (refusal !== undefined) throw refusal;

    const revision = ++this.#newest;
    const value = write.action === "delete" ? undefined : write.value;
    const versions = this.#versions.get(key);
    if (versions === undefined) {
      this.#versions.set(key, [{ revision, value }]);
      this.#keys.splice(this.#indexOf(key), 0, key);
    } else {
      versions.push({ revision, value });
    }
    const event = toEvent(key, revision, value, present?.value);
    this.#changes.set(revision, event);
    this.#forget(revision - this.#historySize);
    this.#hub.publish(event);
    return revision;
  }

  #valueAt(key: string, revision: number): StoredValue | undefined {
    const version = this.#versions.get(key)?.findLast((candidate) => candidate.revision <= revision);
    return version?.value === undefined ? undefined : { key, revision: version.revision, value: version.value };
  }

  #readHistory(prefix: string, after: number, limit: number): HistoryPage {
    if (after < this.#oldest) throw compacted(after, this.#oldest);
    const events: StorageEvent[] = [];
    let through = after;
    while (through < this.#newest && events.length < limit) {
      const event = this.#changes.get(++through);
      if (event?.key.startsWith(prefix)) events.push(event);
    }
    return { events, through };
  }

  #forget(upTo: number): void {
    while (this.#oldest < upTo) {
      this.#oldest++;
      const event = this.#changes.get(this.#oldest);
      this.#changes.delete(this.#oldest);
      if (event !== undefined) this.#forgetBefore(event.key, this.#oldest);
    }
  }

  /** Drops what `key` was before the change at `revision`, and that change as well when it was a deletion. */
  #forgetBefore(key: string, revision: number): void {
    const versions = this.#versions.get(key);
    if (versions === undefined) return;
    const kept = versions.findIndex((version) => version.revision === revision);
    versions.splice(0, versions[kept]?.value === undefined ? kept + 1 : kept);
    if (versions.length > 0) return;
    this.#versions.delete(key);
    this.#keys.splice(this.#indexOf(key), 1);
  }

  /** Where `key` is in `#keys`, or belongs. */
  #indexOf(key: string): number {
    let from = 0;
    let to = this.#keys.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareKeys(this.#keys[middle] as string, key) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new SlipwayError("storage in memory: closed. Open another.", { code: "STORAGE_FAILED" });
  }
}
