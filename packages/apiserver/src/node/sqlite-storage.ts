import { setImmediate } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EventHub, type EventHubOptions, type HistoryPage, toEvent } from "../storage/event-hub.ts";
import { assertStorableKey, compareKeys, isStorableKey, prefixEnd } from "../storage/keys.ts";
import { compacted, future, refusalOf, type Write } from "../storage/refusals.ts";
import {
  type Following,
  type ObjectStorage,
  StorageError,
  type StorageEvent,
  type StorageList,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredValue,
} from "../storage/storage.ts";
import { isFull, SqliteFile } from "./sqlite-file.ts";

export interface SqliteStorageOptions extends EventHubOptions {
  /** The database file; created when missing. Its folder must exist. */
  readonly path: string;
  /**
   * How many revisions can be read and watched from, counted from the newest.
   * @default 10_000
   */
  readonly historySize?: number | undefined;
  /**
   * Writes that would make the file larger are refused with `STORAGE_FAILED`, once all history but the present has been
   * given up for them; deletions may take a megabyte more. The log beside the file comes on top.
   * @default unlimited
   */
  readonly maxBytes?: number | undefined;
}

const sqliteDefaults = { historySize: 10_000 } as const satisfies Partial<SqliteStorageOptions>;

/** Bounds how long one transaction keeps the event loop: some milliseconds for objects of ordinary size. */
const maxWritesPerCommit = 500;
const maxRevisionsPerCompaction = 200;

/**
 * Keeps objects and their history in one SQLite file, in the manner of kine: every change is a row, and the id of the
 * row is the revision.
 *
 * A write that has resolved is on the disk: it survives `kill -9` and loss of power. Writes that arrive in one turn of
 * the event loop share a commit. Superseded rows are deleted little by little once `historySize` revisions are newer,
 * and SQLite uses their space again, so the file stays as large as what it holds at its fullest.
 *
 * The file belongs to one storage at a time; another is refused, in this process and in others. After disposal it is a
 * single file that can be copied.
 *
 * @throws {SlipwayError} `DATA_FORMAT_TOO_NEW` when a later version of Slipway wrote the file; `STORAGE_FAILED` when the
 * file is something else, in use, damaged or out of reach. Later calls reject with `STORAGE_FAILED` when the disk fails;
 * of a write that is refused like this nothing is kept.
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<ObjectStorage> {
  const file = SqliteFile.open(options.path, schema, options.maxBytes);
  try {
    return new SqliteStorage(file, options);
  } catch (error) {
    file.abandon();
    throw error;
  }
}

const schema = {
  version: 1,
  create: `
    CREATE TABLE revisions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT COLLATE BINARY NOT NULL,
      -- The revision that this one replaced; NULL when it created the key.
      previous INTEGER,
      deleted INTEGER NOT NULL,
      value BLOB
    ) STRICT;
    CREATE INDEX revisions_by_key ON revisions (key, id, deleted);`,
} as const;

/** Bounds: keys from and before, revision up to, twice. BINARY collation compares the bytes of UTF-8. */
const presentRows = `
  FROM revisions r
  WHERE r.key >= ? AND r.key < ? AND r.id <= ? AND r.deleted = 0
    AND NOT EXISTS (SELECT 1 FROM revisions n WHERE n.key = r.key AND n.id > r.id AND n.id <= ?)`;

/** Greater than every key: SQLite orders every BLOB after every TEXT. */
const afterEveryKey = new Uint8Array(0);

type KeyBound = string | Uint8Array;

function prepareStatements(file: SqliteFile) {
  return {
    latest: file.prepare<[key: string], [id: number, value: Uint8Array | null]>(
      "SELECT id, value FROM revisions WHERE key = ? ORDER BY id DESC LIMIT 1",
    ),
    insert: file.prepare<[key: string, previous: number | null, deleted: number, value: Uint8Array | null], never>(
      "INSERT INTO revisions (key, previous, deleted, value) VALUES (?, ?, ?, ?)",
    ),
    list: file.prepare<
      [from: string, before: KeyBound, at: number, at: number, limit: number],
      [id: number, key: string, value: Uint8Array]
    >(`SELECT r.id, r.key, r.value ${presentRows} ORDER BY r.key LIMIT ?`),
    count: file.prepare<[from: string, before: KeyBound, at: number, at: number], [count: number]>(
      `SELECT count(*) ${presentRows}`,
    ),
    // The plus keeps SQLite from searching by key, which would have to sort.
    history: file.prepare<
      [after: number, from: string, before: KeyBound, limit: number],
      [id: number, key: string, value: Uint8Array | null, previous: Uint8Array | null]
    >(`SELECT r.id, r.key, r.value, p.value FROM revisions r LEFT JOIN revisions p ON p.id = r.previous
      WHERE r.id > ? AND +r.key >= ? AND +r.key < ? ORDER BY r.id LIMIT ?`),
    deleteSuperseded: file.prepare<[after: number, to: number], never>(
      `DELETE FROM revisions WHERE id IN
        (SELECT previous FROM revisions WHERE id > ? AND id <= ? AND previous IS NOT NULL)`,
    ),
    deleteDeletions: file.prepare<[after: number, to: number], never>(
      "DELETE FROM revisions WHERE id > ? AND id <= ? AND deleted = 1",
    ),
    setCompacted: file.prepare<[revision: number], never>("INSERT OR REPLACE INTO meta VALUES ('compacted', ?)"),
    newest: file.prepare<[], [revision: number]>("SELECT seq FROM sqlite_sequence WHERE name = 'revisions'"),
  };
}

interface PendingWrite {
  readonly write: Write;
  resolve(revision: number): void;
  reject(error: unknown): void;
}

class SqliteStorage implements ObjectStorage {
  readonly #file: SqliteFile;
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #hub: EventHub;
  readonly #historySize: number;
  readonly #pending: PendingWrite[] = [];
  #isCommitPlanned = false;
  #isCleaning = false;
  #newest: number;
  /** The oldest revision that can be asked for. Rows may still be there that only older ones need. */
  #oldest: number;
  /** Rows that only revisions before this one need are deleted. */
  #cleanedTo: number;

  constructor(file: SqliteFile, options: SqliteStorageOptions) {
    this.#file = file;
    this.#sql = prepareStatements(file);
    this.#historySize = options.historySize ?? sqliteDefaults.historySize;
    this.#newest = this.#sql.newest.all([])[0]?.[0] ?? 0;
    this.#cleanedTo = file.readMeta("compacted") ?? 0;
    this.#oldest = Math.max(this.#cleanedTo, this.#newest - this.#historySize);
    const newest = (): number => {
      file.assertOpen();
      return this.#newest;
    };
    this.#hub = new EventHub({ newest, read: (...args) => this.#readHistory(...args) }, options);
  }

  async revision(): Promise<number> {
    this.#file.assertOpen();
    return this.#newest;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const latest = this.#latest(key);
    return latest?.value === undefined ? undefined : { key, revision: latest.revision, value: latest.value };
  }

  async list(prefix: string, options: StorageListOptions = {}): Promise<StorageList> {
    this.#file.assertOpen();
    const { revision = this.#newest, limit, after } = options;
    if (revision < this.#oldest) throw compacted(revision, this.#oldest);
    if (revision > this.#newest) throw future(revision, this.#newest);
    const start = after !== undefined && compareKeys(after, prefix) >= 0 ? keyAfter(after) : prefix;
    const end = prefixEnd(prefix) ?? afterEveryKey;
    // One more than asked for tells whether there are more.
    const rows = this.#sql.list.all([start, end, revision, revision, limit === undefined ? -1 : limit + 1]);
    const items = rows.map(([id, key, value]) => ({ key, revision: id, value: plainBytes(value) }));
    if (limit === undefined || items.length <= limit) return { items, revision, more: false, remaining: 0 };
    items.pop();
    const last = items.at(-1)?.key;
    const rest = last === undefined ? start : keyAfter(last);
    const remaining = this.#sql.count.all([rest, end, revision, revision])[0]?.[0] ?? 0;
    return { items, revision, more: true, remaining };
  }

  async create(key: string, value: Uint8Array): Promise<StoredValue> {
    assertStorableKey(key);
    const revision = await this.#write({ action: "create", key, value });
    return { key, revision, value };
  }

  async update(key: string, value: Uint8Array, expected: number): Promise<StoredValue> {
    const revision = await this.#write({ action: "update", key, value, expected });
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
    this.#file.assertOpen();
    if (revision > this.#newest) throw future(revision, this.#newest);
    this.#oldest = Math.max(this.#oldest, revision);
    while (this.#cleanedTo < revision) {
      this.#cleanSome();
      await nextTurn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#pending.length > 0) this.#commit();
    this.#hub.close();
    this.#file.close();
  }

  #write(write: Write): Promise<number> {
    this.#file.assertOpen();
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, resolve, reject });
      this.#planCommit();
    });
  }

  /**
   * Not in a microtask: requests that arrive in one turn of the event loop are handled one after the other, each with
   * its microtasks, before `setImmediate` runs. When nothing else is to be done, it runs at once.
   */
  #planCommit(): void {
    if (this.#isCommitPlanned) return;
    this.#isCommitPlanned = true;
    setImmediate(() => {
      this.#isCommitPlanned = false;
      this.#commit();
      if (this.#pending.length > 0) this.#planCommit();
    });
  }

  /** Decides the oldest of the pending writes one after the other, commits them together, and then tells everyone. */
  #commit(): void {
    const writes = this.#pending.splice(0, maxWritesPerCommit);
    if (writes.length === 0) return;
    const { stored, outcomes } = this.#store(writes);
    this.#settle(stored, outcomes);
    this.#forgetOld();
  }

  /** Stores what can be stored, and rejects the rest. */
  #store(writes: readonly PendingWrite[]): Stored {
    try {
      return this.#transaction(writes);
    } catch (error) {
      return isFull(error) ? this.#storeWhenFull(writes, error) : rejected(writes, error);
    }
  }

  /** Room is made of the history. Where that is not enough, deletions are still taken: else nobody could make any. */
  #storeWhenFull(writes: readonly PendingWrite[], full: unknown): Stored {
    try {
      this.#oldest = this.#newest;
      this.#file.beyondLimit(() => {
        while (this.#cleanedTo < this.#oldest) this.#cleanSome();
      });
      return this.#transaction(writes);
    } catch (error) {
      if (!isFull(error)) return rejected(writes, error);
    }
    const deletions = writes.filter(({ write }) => write.action === "delete");
    rejected(
      writes.filter(({ write }) => write.action !== "delete"),
      full,
    );
    try {
      return this.#file.beyondLimit(() => this.#transaction(deletions));
    } catch (error) {
      return rejected(deletions, error);
    }
  }

  #transaction(writes: readonly PendingWrite[]): Stored {
    const outcomes = this.#file.transaction(() => this.#applyAll(writes.map(({ write }) => write)));
    return { stored: writes, outcomes };
  }

  /** Tells everyone. Writes resolve even when a listener throws: they are on the disk. */
  #settle(writes: readonly PendingWrite[], outcomes: Stored["outcomes"]): void {
    try {
      for (const outcome of outcomes) {
        if (StorageError.isStorageError(outcome)) continue;
        this.#newest = outcome.revision;
        this.#hub.publish(outcome);
      }
    } finally {
      for (const [i, outcome] of outcomes.entries()) {
        if (StorageError.isStorageError(outcome)) writes[i]?.reject(outcome);
        else writes[i]?.resolve(outcome.revision);
      }
    }
  }

  #applyAll(writes: readonly Write[]): (StorageEvent | StorageError)[] {
    let newest = this.#newest;
    return writes.map((write) => {
      const { key } = write;
      const latest = this.#latest(key);
      const present = latest?.value === undefined ? undefined : latest.revision;
      const refusal = refusalOf(write, present, newest);
      if (refusal !== undefined) return refusal;
      const value = write.action === "delete" ? undefined : write.value;
      newest = this.#sql.insert.run([key, present ?? null, value === undefined ? 1 : 0, value ?? null]);
      return toEvent(key, newest, value, latest?.value);
    });
  }

  #latest(key: string): { readonly revision: number; readonly value: Uint8Array | undefined } | undefined {
    this.#file.assertOpen();
    if (!isStorableKey(key)) return undefined; // SQLite would look for what UTF-8 makes of it
    const [row] = this.#sql.latest.all([key]);
    if (row === undefined) return undefined;
    return { revision: row[0], value: plainBytes(row[1]) };
  }

  #readHistory(prefix: string, after: number, limit: number): HistoryPage {
    this.#file.assertOpen();
    if (after < this.#oldest) throw compacted(after, this.#oldest);
    const rows = this.#sql.history.all([after, prefix, prefixEnd(prefix) ?? afterEveryKey, limit]);
    const events = rows.map(([id, key, value, previous]) => toEvent(key, id, plainBytes(value), plainBytes(previous)));
    return { events, through: rows.length < limit ? this.#newest : (events.at(-1)?.revision ?? after) };
  }

  /** After a commit. The rows are deleted later, so that nobody waits for it. */
  #forgetOld(): void {
    this.#oldest = Math.max(this.#oldest, this.#newest - this.#historySize);
    const worthACommit = Math.min(maxRevisionsPerCompaction, Math.max(1, this.#historySize / 10));
    if (this.#isCleaning || this.#oldest - this.#cleanedTo < worthACommit) return;
    this.#isCleaning = true;
    void this.#cleanUp();
  }

  async #cleanUp(): Promise<void> {
    try {
      while (this.#cleanedTo < this.#oldest) {
        await nextTurn();
        this.#cleanSome();
      }
    } catch {
      // When the disk fails, the next write finds out and says so. When the storage was closed, the rest can wait.
    } finally {
      this.#isCleaning = false;
    }
  }

  #cleanSome(): void {
    const from = this.#cleanedTo;
    const to = Math.min(from + maxRevisionsPerCompaction, this.#oldest);
    this.#file.transaction(() => {
      this.#sql.deleteSuperseded.run([from, to]);
      this.#sql.deleteDeletions.run([from, to]); // after the others: they name what they superseded
      this.#sql.setCompacted.run([to]);
    });
    this.#cleanedTo = to;
  }
}

/** Writes that were decided and are on the disk, and what became of each. */
interface Stored {
  readonly stored: readonly PendingWrite[];
  readonly outcomes: readonly (StorageEvent | StorageError)[];
}

function rejected(writes: readonly PendingWrite[], error: unknown): Stored {
  for (const { reject } of writes) reject(error);
  return { stored: [], outcomes: [] };
}

/** The least key after `key`: keys have no NUL. */
function keyAfter(key: string): string {
  return `${key}\u0001`;
}

/** libsql gives Buffers, whose `slice` and `toString` mean other things than a Uint8Array's. */
function plainBytes(bytes: Uint8Array): Uint8Array;
function plainBytes(bytes: Uint8Array | null): Uint8Array | undefined;
function plainBytes(bytes: Uint8Array | null): Uint8Array | undefined {
  return bytes === null ? undefined : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
