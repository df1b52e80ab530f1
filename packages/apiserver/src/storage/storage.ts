/**
 * One value under one key at one revision. Revisions are counted over the whole storage, so they order
 * all changes of all keys; a revision is what clients see as `resourceVersion`.
 */
export interface StoredValue {
  /**
   * `/<group>/<resource>/<namespace>/<name>`; the namespace is empty for cluster scope. Well-formed text without NUL:
   * a create with any other key rejects with a `TypeError`.
   */
  readonly key: string;
  /** The change that wrote this value. */
  readonly revision: number;
  /** UTF-8 JSON as it was written. Do not change the bytes. */
  readonly value: Uint8Array;
}

export type StorageEvent =
  | {
      readonly type: "put";
      readonly key: string;
      readonly revision: number;
      readonly value: Uint8Array;
      /** What the put replaced; absent when it created the key. */
      readonly previous?: Uint8Array | undefined;
    }
  | {
      readonly type: "delete";
      readonly key: string;
      readonly revision: number;
      /** What was deleted. */
      readonly previous: Uint8Array;
    };

export interface StorageList {
  /** In the order of the UTF-8 bytes of their keys. For astral characters that is not the order of `<`. */
  readonly items: readonly StoredValue[];
  /** The revision at which the list was taken: at least that of every item. Watch from here to miss nothing. */
  readonly revision: number;
  /** Whether keys follow after the last item, beyond `limit`. */
  readonly more: boolean;
  /** How many keys follow after the last item. */
  readonly remaining: number;
}

export interface StorageListOptions {
  /**
   * The state at this revision instead of the present one. Rejects with `compacted` when no longer kept, and with
   * `future` when not reached yet.
   */
  readonly revision?: number | undefined;
  /** @default unlimited */
  readonly limit?: number | undefined;
  /** Only keys after this one, itself excluded. The key need not exist. */
  readonly after?: string | undefined;
}

export interface StorageWatchOptions {
  /** Only changes after this revision: that of a list, or of the last change seen. */
  readonly after: number;
  /**
   * The iteration ends when it has given the changes up to and including this revision. Throws `future` when that is not
   * reached yet.
   * @default it never ends by itself
   */
  readonly through?: number | undefined;
  /** Aborting ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** `exists` and `missing` and `conflict` are answers to a write; `compacted` and `future` to a revision asked for. */
export type StorageErrorReason = "exists" | "missing" | "conflict" | "compacted" | "future" | "slow";

const STORAGE_ERROR: unique symbol = Symbol.for("slipway.StorageError");

/** What a storage refuses. Anything else that it throws is a failure of the disk below it, or of the caller. */
export class StorageError extends Error {
  override readonly name: string = "StorageError";
  readonly reason: StorageErrorReason;
  /** The revision of the storage, or the oldest one kept for `compacted`. */
  readonly revision: number;

  constructor(reason: StorageErrorReason, message: string, revision: number) {
    super(message);
    this.reason = reason;
    this.revision = revision;
    Object.defineProperty(this, STORAGE_ERROR, { value: true });
  }

  static isStorageError(value: unknown): value is StorageError {
    return typeof value === "object" && value !== null && STORAGE_ERROR in value;
  }
}

/** What {@link ObjectStorage.follow} gives. */
export interface Following {
  /** The newest revision of the storage, now. The listener has been called for every change up to it. */
  readonly revision: number;
  /** From here on the listener is not called any more. */
  end(): void;
}

/**
 * Where objects live: a map from keys to bytes with a history.
 *
 * Writes are atomic and ordered. A write that has resolved is durable in storages that are durable at all, is
 * seen by every later read, and its event reaches every watcher once. Values handed in and out are shared, not copied.
 *
 * Disposing waits for the writes under way and ends every watch, without an error. Calls afterwards reject.
 */
export interface ObjectStorage extends AsyncDisposable {
  /** The newest revision; 0 before the first write. */
  revision(): Promise<number>;

  /** Resolves to `undefined` when the key does not exist. */
  get(key: string): Promise<StoredValue | undefined>;

  /** The values whose keys start with `prefix`. */
  list(prefix: string, options?: StorageListOptions): Promise<StorageList>;

  /** Rejects with `exists` when the key exists. */
  create(key: string, value: Uint8Array): Promise<StoredValue>;

  /**
   * Replaces the value. Rejects with `missing` when the key does not exist and with `conflict` when its revision
   * is not `expected`; then nothing is written.
   */
  update(key: string, value: Uint8Array, expected: number): Promise<StoredValue>;

  /** Deletes the key at a new revision, which it resolves to. Rejects like {@link update}. */
  delete(key: string, expected: number): Promise<number>;

  /**
   * Changes below `prefix`, each once, in the order of their revisions. Never ends by itself, unless told to.
   *
   * Begins when it is iterated: its first `next()` throws `compacted` when changes after `after` are no longer kept by
   * then. Throws `slow` when the consumer lets more events pile up than the storage is willing to hold. An `after` of
   * the future waits for it: nothing up to it is delivered.
   */
  watch(prefix: string, options: StorageWatchOptions): AsyncIterable<StorageEvent>;

  /**
   * Calls `listener` with each change below `prefix` that comes after `revision` of the answer, in order, at the moment
   * when it can be read: before the write that made it resolves. This is what caches stand on. The listener must be
   * quick and must not throw. Ends by itself only when the storage is closed.
   */
  follow(prefix: string, listener: (event: StorageEvent) => void): Following;

  /**
   * Forgets superseded values and deletions up to and including `revision`. Present values stay, whatever their age.
   * Afterwards lists at an older revision, and watches after one, are refused with `compacted`. Does nothing when that
   * is so already; rejects with `future` when `revision` is not reached yet. A storage may also do this by itself.
   */
  compact(revision: number): Promise<void>;
}
