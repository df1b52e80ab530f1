import type { KubernetesObject } from "@slipway/objects";
import { compareKeys } from "../storage/keys.ts";
import type { Following, ObjectStorage, StorageEvent } from "../storage/storage.ts";

/** An object as everybody shares it: one value per revision, so that what is derived from it can be kept beside it. */
export interface CachedObject {
  readonly key: string;
  readonly revision: number;
  readonly object: KubernetesObject;
}

/** A change with both states decoded, once for all who watch. */
export interface CacheEvent {
  readonly key: string;
  readonly revision: number;
  /** `undefined`: deleted. */
  readonly object: KubernetesObject | undefined;
  /** The state before, at the revision of the change: what a watcher gets for whom the object is gone. */
  readonly before: KubernetesObject | undefined;
}

export interface ResourceCacheOptions {
  readonly storage: ObjectStorage;
  /** What all keys of the kind start with. */
  readonly prefix: string;
  readonly decode: (value: Uint8Array, revision: number) => KubernetesObject;
  /** How many changes watches can start behind. Older starts are served from the storage. @default 2_000 */
  readonly windowSize?: number | undefined;
}

const defaultWindowSize = 2_000;

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
  readonly #window: CacheEvent[] = [];
  /** Watches from here on find every change in the window. */
  #windowStart = 0;
  /** The last change of the kind. */
  #changed = 0;
  readonly #listeners = new Set<(event: CacheEvent) => void>();
  #following: Following | undefined;
  #filled: Promise<void> | undefined;

  constructor(options: ResourceCacheOptions) {
    this.#options = options;
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

  /** The changes after `revision`, oldest first; `undefined` when they are no longer all in the window. */
  changesAfter(revision: number): readonly CacheEvent[] | undefined {
    if (revision < this.#windowStart) return undefined;
    let index = this.#window.length;
    while (index > 0 && (this.#window[index - 1]?.revision ?? 0) > revision) index--;
    return this.#window.slice(index);
  }

  /** Empties the window: watches that start before this moment find their changes in the storage, or not at all. */
  forgetChanges(): void {
    this.#window.length = 0;
    if (this.#following !== undefined) this.#windowStart = this.#following.revision;
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
      this.#window.length = 0;
      this.#windowStart = revision;
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
    if (object === undefined) this.#remove(key);
    else this.#put({ key, revision, object });
    const change: CacheEvent = { key, revision, object, before };
    this.#remember(change);
    for (const listener of this.#listeners) listener(change);
  }

  #remember(change: CacheEvent): void {
    const { windowSize = defaultWindowSize } = this.#options;
    this.#window.push(change);
    // Cut by half now and then: over time that is one move per change.
    if (this.#window.length <= windowSize * 2) return;
    const dropped = this.#window.splice(0, windowSize);
    this.#windowStart = dropped.at(-1)?.revision ?? this.#windowStart;
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
