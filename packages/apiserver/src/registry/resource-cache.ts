import type { KubernetesObject } from "@slipway/objects";
import { compareKeys } from "../storage/keys.ts";
import type { Following, ObjectStorage, StorageEvent } from "../storage/storage.ts";
import { type CacheEvent, ChangeLog, type ChangeLogLimits } from "./change-log.ts";

/** An object as everybody shares it: one value per revision, so that what is derived from it can be kept beside it. */
export interface CachedObject {
  readonly key: string;
  readonly revision: number;
  readonly object: KubernetesObject;
}

export interface ResourceCacheOptions extends ChangeLogLimits {
  readonly storage: ObjectStorage;
  /** What all keys of the kind start with. */
  readonly prefix: string;
  readonly decode: (value: Uint8Array, revision: number) => KubernetesObject;
}

/** Watches of one namespace have a prefix of their own; a change forgets all. */
const maxSnapshots = 100;

/**
 * The present objects of one kind, decoded, and the last changes to them. It follows the storage synchronously, so a
 * read after a write sees it, and costs no query.
 *
 * Fills itself at the first use.
 */
export class ResourceCache {
  readonly #options: ResourceCacheOptions;
  readonly #objects = new Map<string, CachedObject>();
  /** The keys of `#objects`, sorted. */
  #keys: string[] = [];
  readonly #log: ChangeLog;
  /** Lists of the present, by their prefix: those who begin to watch at the same state share one. */
  readonly #snapshots = new Map<string, readonly CachedObject[]>();
  /** The last change of the kind. */
  #changed = 0;
  readonly #listeners = new Set<(event: CacheEvent) => void>();
  #following: Following | undefined;
  #filled: Promise<void> | undefined;

  constructor(options: ResourceCacheOptions) {
    this.#options = options;
    this.#log = new ChangeLog(options);
  }

  /** The last changes. Watches that start before them find theirs in the storage, or not at all. */
  get log(): ChangeLog {
    return this.#log;
  }

  /** Everything below may be called when this has resolved. A failed fill is tried again at the next call. */
  ready(): Promise<void> {
    this.#filled ??= this.#fill().catch((error: unknown) => {
      this.#filled = undefined;
      throw error;
    });
    return this.#filled;
  }

  /** The newest revision of the storage: the cache shows exactly this state. */
  get revision(): number {
    if (this.#following === undefined) throw new TypeError("the cache is read before it is ready");
    return this.#following.revision;
  }

  /** How many objects there are; `undefined` before it is filled. */
  get size(): number | undefined {
    return this.#following === undefined ? undefined : this.#objects.size;
  }

  /** Whether nothing of the kind has changed after `revision`. */
  isUnchangedSince(revision: number): boolean {
    return this.#changed <= revision;
  }

  get(key: string): CachedObject | undefined {
    return this.#objects.get(key);
  }

  /** The objects below `prefix` in the order of their keys, those after `after` only. */
  *list(prefix: string, after?: string): Generator<CachedObject> {
    const start =
      after !== undefined && compareKeys(after, prefix) > 0 ? this.#indexAfter(after) : this.#indexOf(prefix);
    for (let index = start; index < this.#keys.length; index++) {
      const key = this.#keys[index] ?? "";
      if (!key.startsWith(prefix)) return;
      const cached = this.#objects.get(key);
      if (cached !== undefined) yield cached;
    }
  }

  /** All that {@link list} gives, as it is now, for those who take their time. */
  snapshot(prefix: string): readonly CachedObject[] {
    const known = this.#snapshots.get(prefix);
    if (known !== undefined) return known;
    const snapshot = [...this.list(prefix)];
    if (this.#snapshots.size >= maxSnapshots) this.#snapshots.clear();
    this.#snapshots.set(prefix, snapshot);
    return snapshot;
  }

  /** Watches that start before this moment find their changes in the storage, or not at all. */
  forgetChanges(): void {
    if (this.#following !== undefined) this.#log.startAt(this.#following.revision);
  }

  /** Calls `listener` with each change from now on, in order, until the answer is called. */
  subscribe(listener: (event: CacheEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #fill(): Promise<void> {
    const { storage, prefix } = this.#options;
    let filled = false;
    const early: StorageEvent[] = [];
    const following = storage.follow(prefix, (event) => {
      if (filled) this.#apply(event);
      else early.push(event);
    });
    try {
      const { revision } = following;
      const { items } = await storage.list(prefix, { revision });
      this.#objects.clear();
      for (const { key, revision: at, value } of items) {
        this.#objects.set(key, { key, revision: at, object: this.#options.decode(value, at) });
        this.#changed = Math.max(this.#changed, at);
      }
      this.#keys = items.map(({ key }) => key);
      this.#log.clear(revision);
      this.#following = following;
      filled = true;
      for (const event of early) this.#apply(event);
    } catch (error) {
      following.end();
      throw error;
    }
  }

  #apply(event: StorageEvent): void {
    const { key, revision } = event;
    const { decode } = this.#options;
    const present = this.#objects.get(key);
    const object = event.type === "put" ? decode(event.value, revision) : undefined;
    const before =
      event.previous === undefined
        ? undefined
        : atVersion(present?.object ?? decode(event.previous, revision), revision);
    this.#changed = revision;
    this.#snapshots.clear();
    if (object === undefined) this.#remove(key);
    else this.#put({ key, revision, object });
    const change: CacheEvent = { key, revision, object, before };
    this.#log.add(change, (event.type === "put" ? event.value : event.previous).byteLength);
    for (const listener of this.#listeners) listener(change);
  }

  #put(cached: CachedObject): void {
    if (!this.#objects.has(cached.key)) this.#keys.splice(this.#indexOf(cached.key), 0, cached.key);
    this.#objects.set(cached.key, cached);
  }

  #remove(key: string): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#indexOf(key), 1);
  }

  /** The first index whose key is not before `key`. */
  #indexOf(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(this.#keys[middle] ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #indexAfter(key: string): number {
    const index = this.#indexOf(key);
    return this.#keys[index] === key ? index + 1 : index;
  }
}

function atVersion(object: KubernetesObject, revision: number): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
