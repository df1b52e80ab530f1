import { resolve } from "node:path";
import { SlipwayError } from "@slipway/objects";
import Database from "libsql";

/** What a file of ours holds. A later version may only be opened by code that knows it. */
export interface Schema {
  readonly version: number;
  /** Statements that make the tables in an empty file. The table `meta` and its format are not among them. */
  readonly create: string;
}

type SqlValue = string | number | Uint8Array | null;

/** Arguments and rows go by position. */
export interface Statement<Args extends readonly SqlValue[], Row extends readonly SqlValue[]> {
  all(args: Args): Row[];
  /** The id of the row that an INSERT made. */
  run(args: Args): number;
}

/** "Slip" in ASCII, in the header of the file: tells our files from other people's SQLite databases. */
const applicationId = 0x53_6c_69_70;

/** What the write-ahead log is cut to after a transaction that was larger. */
const walBytes = 16 * 1024 * 1024;

/** A megabyte: thousands of deletions. */
const reservedPages = 256;

/** Whether a transaction has failed for want of room, on the disk or within the limit. */
export function isFull(error: unknown): boolean {
  const cause: unknown = SlipwayError.isSlipwayError(error) ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "SQLITE_FULL";
}

/**
 * A SQLite file that this process has to itself. Every error is a {@link SlipwayError} that names the path.
 *
 * The lock is one of the kernel on the file, so it ends with the process, however that ends. Opening and closing the
 * file by other means in this process would drop it: POSIX releases all locks of a process on a file with the first
 * descriptor that is closed.
 *
 * @see https://www.sqlite.org/howtocorrupt.html, section 2.2
 */
export class SqliteFile {
  readonly #path: string;
  readonly #database: Database.Database;
  /** In pages of the file. */
  #sizeLimit: number | undefined;
  /** Why nothing works any more. */
  #end: SlipwayError | undefined;

  private constructor(path: string, database: Database.Database) {
    this.#path = path;
    this.#database = database;
  }

  /** Opens the file, or makes it with the tables of `schema`. A file that is refused is left as it is. */
  static open(relativePath: string, schema: Schema, maxBytes: number | undefined): SqliteFile {
    const path = resolve(relativePath); // libsql understands some words and URLs as other things than files
    const file = new SqliteFile(path, openDatabase(path));
    try {
      // Before anything that writes: the file may be someone else's.
      const isNew = file.#assertFormat(schema);
      file.#takeOver();
      if (isNew) file.#create(schema);
      if (maxBytes !== undefined) file.#limitSize(maxBytes);
      return file;
    } catch (error) {
      file.abandon();
      throw error;
    }
  }

  prepare<Args extends readonly SqlValue[], Row extends readonly SqlValue[]>(sql: string): Statement<Args, Row> {
    const statement = this.#attempt(() => this.#database.prepare(sql));
    if (statement.reader) statement.raw(true);
    // Arguments always as one array: libsql takes a lone Uint8Array for an object with named arguments, and aborts.
    return {
      all: (args) => this.#attempt(() => statement.all([...args]) as unknown as Row[]),
      run: (args) => this.#attempt(() => Number(statement.run([...args]).lastInsertRowid)),
    };
  }

  /** Runs `work` in a transaction that is on the disk afterwards. When anything throws, nothing of it is kept. */
  transaction<Result>(work: () => Result): Result {
    this.assertOpen();
    try {
      this.#exec("BEGIN IMMEDIATE");
      const result = work();
      this.#exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Lets `work` take a little more room than the limit grants, so that somebody can make room. */
  beyondLimit<Result>(work: () => Result): Result {
    if (this.#sizeLimit === undefined) return work();
    this.#setSizeLimit(this.#sizeLimit + reservedPages);
    try {
      return work();
    } finally {
      this.#setSizeLimit(this.#sizeLimit);
    }
  }

  readMeta(name: string): number | undefined {
    const read = this.prepare<[name: string], [value: number]>("SELECT value FROM meta WHERE name = ?");
    return read.all([name])[0]?.[0];
  }

  assertOpen(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  /** Moves everything into the one file and gives up the lock. Does nothing the second time. */
  close(): void {
    if (this.#end !== undefined) return;
    try {
      // libsql keeps a closed connection alive for the statements that are not yet garbage, and with it the lock.
      // Outside WAL mode a connection without an exclusive lock holds none between statements.
      this.#exec("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM meta;");
    } finally {
      this.abandon();
    }
  }

  /** Closes without touching the file: what is not in it yet is in the log beside it. For files that cannot be used. */
  abandon(): void {
    this.#end ??= failure(this.#path, "closed. Open it again.");
    this.#database.close();
  }

  /** Whether the file is new. */
  #assertFormat(schema: Schema): boolean {
    const [id] = this.#numbers("PRAGMA application_id");
    const [tables] = this.#numbers("SELECT count(*) FROM sqlite_schema");
    if (id === 0 && tables === 0) return true;
    if (id !== applicationId) {
      throw failure(this.#path, "not a database of Slipway. Use another path, or move the file away.");
    }
    const [version] = this.#numbers("SELECT value FROM meta WHERE name = 'format'");
    if (version === schema.version) return false;
    if (version !== undefined && version > schema.version) {
      throw new SlipwayError(
        `${this.#path}: has data format ${version}, and this version of Slipway reads up to ${schema.version}. ` +
          "Use the version of Slipway that wrote it or a later one, or another path.",
        { code: "DATA_FORMAT_TOO_NEW" },
      );
    }
    throw failure(
      this.#path,
      `has data format ${version ?? "none"}, which never existed. Restore the file from a copy.`,
    );
  }

  #takeOver(): void {
    this.#exec("PRAGMA locking_mode = EXCLUSIVE");
    const [[mode]] = this.prepare<[], [mode: string]>("PRAGMA journal_mode = WAL").all([]) as [[string]];
    if (mode !== "wal") throw failure(this.#path, "cannot have a write-ahead log. Use a file on a local disk.");
    this.#exec(`
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON; -- macOS: otherwise a commit only reaches the cache of the disk
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA journal_size_limit = ${walBytes};
      BEGIN IMMEDIATE; COMMIT; -- takes the lock, when WAL mode was on before`);
  }

  #create(schema: Schema): void {
    this.transaction(() =>
      this.#exec(`
        PRAGMA application_id = ${applicationId};
        CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES ('format', ${schema.version});
        ${schema.create}`),
    );
  }

  #limitSize(maxBytes: number): void {
    const [pageSize] = this.#numbers("PRAGMA page_size");
    this.#sizeLimit = Math.floor(maxBytes / (pageSize ?? 1));
    this.#setSizeLimit(this.#sizeLimit);
  }

  /** SQLite takes the present size instead, when that is more. */
  #setSizeLimit(pages: number): void {
    this.#numbers(`PRAGMA max_page_count = ${pages}`);
  }

  #numbers(sql: string): number[] {
    return this.prepare<[], [number]>(sql)
      .all([])
      .map(([value]) => value);
  }

  #exec(sql: string): void {
    this.#attempt(() => this.#database.exec(sql));
  }

  #attempt<Result>(work: () => Result): Result {
    this.assertOpen();
    try {
      return work();
    } catch (cause) {
      throw failureOf(this.#path, cause);
    }
  }

  #rollBack(): void {
    try {
      // SQLite has done it already after some errors, a full disk among them.
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    } catch (cause) {
      this.#end = failureOf(this.#path, cause, "The last write could not be taken back. Start again.");
      this.abandon();
    }
  }
}

function openDatabase(path: string): Database.Database {
  try {
    return new Database(path);
  } catch (cause) {
    throw failureOf(path, cause);
  }
}

/** By the beginning of SQLite's name for the error. */
const remedies: readonly (readonly [code: string, remedy: string])[] = [
  ["SQLITE_BUSY", "Another process or storage has it open: stop that one, or use another path."],
  ["SQLITE_CORRUPT", "Restore the file from a copy."],
  ["SQLITE_FULL", "Make room, and write again."],
  ["SQLITE_NOTADB", "Use another path, or move the file away."],
];

function failureOf(path: string, cause: unknown, remedy?: string): SlipwayError {
  const { code = "", message } = cause as { readonly code?: string; readonly message: string };
  const known = remedies.find(([prefix]) => code.startsWith(prefix));
  const advice = remedy ?? known?.[1] ?? "Check the path, its permissions and the disk.";
  return failure(path, `${message}${code === "" ? "" : ` (${code})`}. ${advice}`, cause);
}

function failure(path: string, fact: string, cause?: unknown): SlipwayError {
  return new SlipwayError(`${path}: ${fact}`, { code: "STORAGE_FAILED", ...(cause !== undefined && { cause }) });
}
