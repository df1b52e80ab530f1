/**
 * The rows of a table that is not ours, as objects: `books (isbn, title, copies)`. Whoever else writes to the table goes
 * on as before: triggers keep a log of changes, and the number of a change is the resourceVersion.
 */
import type {
  DeleteRequest,
  DeleteResult,
  ListRequest,
  ListResult,
  ObjectChange,
  ObjectKey,
  RequestContext,
  RestEvent,
  RestStorage,
  StructuralSchema,
  UpdateRequest,
  WatchRequest,
  WriteRequest,
} from "@slipway/apiserver";
import { applyDefaults, pause, validate } from "@slipway/apiserver";
import type { FieldError, KubernetesObject, Preconditions } from "@slipway/objects";
import { alreadyExists, badRequest, conflict, expired, invalid, notFound } from "@slipway/objects";
import Database from "libsql";

const kind = { group: "library.example", kind: "Book" };
const resource = { group: "library.example", resource: "books" };

/** A row as JSON, and the triggers that note what happens to it. */
const json = (row: string): string => `json_object('title', ${row}.title, 'copies', ${row}.copies)`;
const setup = `
  CREATE TABLE IF NOT EXISTS book_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, isbn TEXT NOT NULL, before TEXT, after TEXT,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')));
  CREATE INDEX IF NOT EXISTS book_changes_by_isbn ON book_changes (isbn, id);
  CREATE TRIGGER IF NOT EXISTS book_added AFTER INSERT ON books BEGIN
    INSERT INTO book_changes (isbn, after) VALUES (new.isbn, ${json("new")}); END;
  CREATE TRIGGER IF NOT EXISTS book_changed AFTER UPDATE ON books WHEN old.isbn = new.isbn BEGIN
    INSERT INTO book_changes (isbn, before, after) VALUES (new.isbn, ${json("old")}, ${json("new")}); END;
  CREATE TRIGGER IF NOT EXISTS book_renamed AFTER UPDATE ON books WHEN old.isbn <> new.isbn BEGIN
    INSERT INTO book_changes (isbn, before) VALUES (old.isbn, ${json("old")});
    INSERT INTO book_changes (isbn, after) VALUES (new.isbn, ${json("new")}); END;
  CREATE TRIGGER IF NOT EXISTS book_removed AFTER DELETE ON books BEGIN
    INSERT INTO book_changes (isbn, before) VALUES (old.isbn, ${json("old")}); END;
  INSERT INTO book_changes (isbn, after)
    SELECT isbn, ${json("books")} FROM books WHERE isbn NOT IN (SELECT isbn FROM book_changes) ORDER BY isbn;`;

/** A change, with the one that began the life of its row: that decides uid and age. */
const changes = `
  SELECT c.id, c.isbn, c.before, c.after, b.id AS birth, b.at AS born FROM book_changes c JOIN book_changes b ON b.id =
    (SELECT max(id) FROM book_changes WHERE isbn = c.isbn AND id <= c.id AND before IS NULL)`;

interface Change {
  readonly id: number;
  readonly isbn: string;
  /** JSON; `null` in the first change of a row. */
  readonly before: string | null;
  /** JSON; `null` in the last one. */
  readonly after: string | null;
  readonly birth: number;
  readonly born: string;
}

export class BookTable implements RestStorage {
  readonly #database: Database.Database;
  readonly #schema: StructuralSchema;
  /** How soon changes that others make are seen, in milliseconds. */
  readonly #pollMs: number;

  constructor(path: string, schema: StructuralSchema, pollMs = 100) {
    this.#database = new Database(path);
    this.#database.exec("PRAGMA busy_timeout = 5000");
    this.#database.exec(setup);
    this.#schema = schema;
    this.#pollMs = pollMs;
  }

  close(): void {
    this.#database.close();
  }

  async get(_context: RequestContext, { name }: ObjectKey): Promise<KubernetesObject> {
    return this.#read(name);
  }

  /** In one page always: a limit is a wish. */
  async list(_context: RequestContext, request: ListRequest): Promise<ListResult> {
    const version = this.#version();
    if (request.resourceVersionMatch === "Exact" && request.resourceVersion !== String(version)) {
      throw expired("the table knows its present state only");
    }
    const matches = matcher(request);
    const last = "c.after IS NOT NULL AND c.id IN (SELECT max(id) FROM book_changes GROUP BY isbn)";
    const items = this.#changes(`${changes} WHERE ${last} ORDER BY c.isbn`).map(toObject).filter(matches);
    return { items, resourceVersion: String(version) };
  }

  async *watch(context: RequestContext, request: WatchRequest): AsyncGenerator<RestEvent> {
    const matches = matcher(request);
    const { resourceVersion = "0", sendInitialEvents = resourceVersion === "0" } = request;
    if (!/^\d{1,15}$/.test(resourceVersion)) throw badRequest(`invalid resource version: ${resourceVersion}`);
    let seen = Number(resourceVersion);
    if (sendInitialEvents) {
      const { items, resourceVersion: version } = await this.list(context, { ...request, resourceVersion: undefined });
      for (const object of items) yield { type: "ADDED", object };
      yield { type: "BOOKMARK", resourceVersion: version, initialEventsEnd: true };
      seen = Number(version);
    } else if (seen === 0) seen = this.#version();
    while (!context.signal.aborted) {
      const page = this.#changes(`${changes} WHERE c.id > ? ORDER BY c.id LIMIT 100`, seen);
      for (const change of page) {
        const object = toObject(change);
        if (matches(object)) yield { type: typeOf(change), object };
        seen = change.id;
      }
      if (page.length === 0) await pause(this.#pollMs, context.signal);
    }
  }

  async create(context: RequestContext, object: KubernetesObject, request: WriteRequest): Promise<KubernetesObject> {
    const { name = "" } = object.metadata;
    const { title, copies } = this.#checked(context, object);
    return this.#write(request, () => {
      if (this.#find(name) !== undefined) throw alreadyExists(resource, name);
      this.#database.prepare("INSERT INTO books (isbn, title, copies) VALUES (?, ?, ?)").run([name, title, copies]);
      return this.#read(name);
    });
  }

  async update(
    context: RequestContext,
    { name }: ObjectKey,
    change: ObjectChange,
    request: UpdateRequest,
  ): Promise<KubernetesObject> {
    for (;;) {
      context.signal.throwIfAborted();
      const current = this.#read(name);
      checkPreconditions(current, request.preconditions);
      const changed = await change(current);
      const { resourceVersion = "", uid = "" } = changed.metadata;
      checkPreconditions(current, { ...(resourceVersion && { resourceVersion }), ...(uid && { uid }) });
      const { title, copies } = this.#checked(context, changed);
      const written = this.#write(request, () => {
        const present = this.#read(name);
        if (present.metadata.resourceVersion !== current.metadata.resourceVersion) return undefined;
        // The condition keeps an update that changes nothing from being a change.
        this.#database
          .prepare("UPDATE books SET title = ?, copies = ? WHERE isbn = ? AND (title, copies) IS NOT (?, ?)")
          .run([title, copies, name, title, copies]);
        return this.#read(name);
      });
      if (written !== undefined) return written; // else somebody was faster
    }
  }

  async delete(_context: RequestContext, { name }: ObjectKey, request: DeleteRequest): Promise<DeleteResult> {
    const object = this.#write(request, () => {
      const present = this.#read(name);
      checkPreconditions(present, request.options.preconditions);
      this.#database.prepare("DELETE FROM books WHERE isbn = ?").run([name]);
      return present;
    });
    return { done: true, object };
  }

  /** A transaction; a dry run takes it back in the end. */
  #write<Result>({ dryRun }: WriteRequest, work: () => Result): Result {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec(dryRun ? "ROLLBACK" : "COMMIT");
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #read(name: string): KubernetesObject {
    const found = this.#find(name);
    if (found === undefined) throw notFound(resource, name);
    return found;
  }

  #find(name: string): KubernetesObject | undefined {
    const [change] = this.#changes(`${changes} WHERE c.isbn = ? ORDER BY c.id DESC LIMIT 1`, name);
    return change === undefined || change.after === null ? undefined : toObject(change);
  }

  #changes(sql: string, ...args: (string | number)[]): Change[] {
    return this.#database.prepare(sql).all(args) as Change[];
  }

  /** The number of the last change. */
  #version(): number {
    const row = this.#database.prepare("SELECT max(id) AS id FROM book_changes").get([]) as {
      readonly id: number | null;
    };
    return row.id ?? 0;
  }

  /** What the row will hold. */
  #checked(context: RequestContext, object: KubernetesObject): { readonly title: string; readonly copies: number } {
    const { metadata } = object;
    const complete = applyDefaults(object, this.#schema) as KubernetesObject;
    const errors = [...nameErrors(metadata.name ?? ""), ...validate(complete, this.#schema, "")];
    if (errors.length > 0) throw invalid(kind, metadata.name ?? "", errors);
    if (metadata.labels ?? metadata.annotations ?? metadata.finalizers) {
      context.warn("metadata.labels, annotations and finalizers are not kept: the table has no columns for them");
    }
    return complete.spec as { readonly title: string; readonly copies: number };
  }
}

function toObject({ id, isbn, before, after, birth, born }: Change): KubernetesObject {
  return {
    apiVersion: "library.example/v1",
    kind: "Book",
    metadata: {
      name: isbn,
      uid: `00000000-0000-4000-8000-${String(birth).padStart(12, "0")}`,
      resourceVersion: String(id),
      creationTimestamp: born,
    },
    spec: JSON.parse(after ?? before ?? "{}"),
  };
}

function typeOf({ before, after }: Change): "ADDED" | "MODIFIED" | "DELETED" {
  if (after === null) return "DELETED";
  return before === null ? "ADDED" : "MODIFIED";
}

/** Books have no labels; their only field is their name. */
function matcher({ labels, fields }: Pick<ListRequest, "labels" | "fields">): (object: KubernetesObject) => boolean {
  const unknown = fields.find(({ field }) => field !== "metadata.name");
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.field}`);
  return ({ metadata }) =>
    labels.matches({}) && fields.every(({ operator, value }) => (metadata.name === value) === (operator === "="));
}

function checkPreconditions({ metadata }: KubernetesObject, { uid, resourceVersion }: Preconditions = {}): void {
  const isOther = uid !== undefined && uid !== metadata.uid;
  if (!isOther && (resourceVersion === undefined || resourceVersion === metadata.resourceVersion)) return;
  throw conflict(resource, metadata.name ?? "", "it has changed; read it again, and apply the change to what is there");
}

function nameErrors(name: string): FieldError[] {
  if (/^[0-9]{1,5}(-?[0-9]+)*$/.test(name)) return [];
  return [{ type: "FieldValueInvalid", field: "metadata.name", value: name, detail: "must be an ISBN" }];
}
