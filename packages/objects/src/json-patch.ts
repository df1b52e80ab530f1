import { SlipwayError } from "./errors.ts";
import {
  formatJson,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  type MutableJsonObject,
  setMember,
} from "./json.ts";
import { utf8Length } from "./utf8.ts";

/** `path` and `from` are JSON pointers (RFC 6901). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

export interface JsonPatchOptions {
  /**
   * Read and apply as kube-apiserver does (evanphx/json-patch 4), not as the RFCs say:
   * - `replace` of a missing member adds it, `copy` of one adds null; the parent must be there all the same;
   * - indexes may be negative, counted from the end, and carry zeros in front;
   * - a path without a leading slash loses its first segment, and `~` stands for itself before other characters;
   * - a missing `value` is null, and `test` holds null and a missing member for the same;
   * - the whole document can be tested, and replaced by an object or a list, and nothing else;
   * - what an operation lacks is found when its turn comes, and counts as failed.
   * @default false
   */
  readonly lenient?: boolean | undefined;
  /**
   * Refuse when the values that `copy` duplicates take more than this as JSON, in bytes, all operations together.
   * @default 3_145_728 the limit of kube-apiserver
   */
  readonly maxCopiedBytes?: number | undefined;
}

const defaults = { lenient: false, maxCopiedBytes: 3 * 1024 * 1024 } as const satisfies JsonPatchOptions;

/** Which operation is wrong, and how. The three are `undefined` when the patch is no list at all. */
export interface JsonPatchProblem {
  readonly index: number | undefined;
  readonly op: string | undefined;
  /** The `path` or `from` at fault. */
  readonly pointer: string | undefined;
  /** `malformed`: no document can make it work. `failed`: it does not fit this document. */
  readonly kind: "malformed" | "failed";
}

export class JsonPatchError extends SlipwayError implements JsonPatchProblem {
  override readonly name: string = "JsonPatchError";
  readonly index: number | undefined;
  readonly op: string | undefined;
  readonly pointer: string | undefined;
  readonly kind: "malformed" | "failed";

  constructor(message: string, options: ErrorOptions & JsonPatchProblem) {
    super(message, { ...options, code: "INVALID_PATCH" });
    this.index = options.index;
    this.op = options.op;
    this.pointer = options.pointer;
    this.kind = options.kind;
  }
}

const operationNames: readonly string[] = ["add", "remove", "replace", "move", "copy", "test"];

function isOperationName(op: string): op is JsonPatchOperation["op"] {
  return operationNames.includes(op);
}

/**
 * The operations that `value` stands for. Members that the RFC does not name are dropped.
 * @throws {JsonPatchError} at the first operation that is not one.
 * @see RFC 6902, sections 3 and 4
 */
export function readJsonPatch(value: JsonValue, options: JsonPatchOptions = {}): JsonPatchOperation[] {
  if (!isJsonArray(value)) {
    throw new JsonPatchError("JSON patch: it is not a list. Put the operation into one.", {
      index: undefined,
      op: undefined,
      pointer: undefined,
      kind: "malformed",
    });
  }
  return value.map((item, index) => readOperation(item, index, options.lenient ?? defaults.lenient));
}

function readOperation(item: JsonValue, index: number, lenient: boolean): JsonPatchOperation {
  if (!isJsonObject(item) && !(lenient && item === null)) throw malformed({ index }, "the operation is not an object");
  const members = item ?? {};
  const op = readString(members, "op", { index });
  const path = readString(members, "path", { index, op });
  const from = readString(members, "from", { index, op, pointer: path });
  const lacks = lenient ? failed : malformed; // a server finds these only while it applies
  const at = { index, op, pointer: path };
  if (op === undefined) throw lacks(at, '"op" is missing. Use add, remove, replace, move, copy or test.');
  if (!isOperationName(op)) throw lacks(at, "the operation is unknown. Use add, remove, replace, move, copy or test.");
  if (path === undefined) throw lacks(at, '"path" is missing');
  if (!lenient) checkPointer(path, at);
  if (op === "remove") return { op, path };
  if (op === "move" || op === "copy") {
    if (from === undefined) throw lacks(at, '"from" is missing');
    if (!lenient) checkPointer(from, { ...at, pointer: from });
    if (!lenient && op === "move" && path.startsWith(`${from}/`)) {
      throw malformed(at, `it is inside "from", ${quote(from)}. A value cannot be moved into itself.`);
    }
    return { op, from, path };
  }
  const value = getMember(members, "value");
  if (value === undefined && !lenient) throw malformed(at, '"value" is missing');
  return { op, path, value: value ?? null };
}

/** `undefined` also for null, which Go reads as the empty string. */
function readString(members: JsonObject, name: string, at: Place): string | undefined {
  const member = getMember(members, name) ?? undefined;
  if (member === undefined || typeof member === "string") return member;
  throw malformed(at, `"${name}" is not a string`);
}

function checkPointer(pointer: string, at: Place): void {
  if (pointer !== "" && !pointer.startsWith("/")) throw malformed(at, "a JSON pointer begins with a slash");
  if (/~(?![01])/.test(pointer)) throw malformed(at, "in a JSON pointer ~ is written ~0, and / in a name ~1");
}

/**
 * `document` with all operations applied in order, or an error and nothing applied.
 *
 * Neither argument is changed; the result shares what the patch does not touch.
 *
 * @throws {JsonPatchError} at the first operation that does not fit.
 * @see RFC 6902, section 5
 */
export function applyJsonPatch(
  document: JsonValue,
  patch: readonly JsonPatchOperation[],
  options: JsonPatchOptions = {},
): JsonValue {
  const draft = new Draft(document, options);
  for (const [index, operation] of patch.entries()) draft.apply(operation, index);
  return draft.root;
}

type Container = JsonValue[] | MutableJsonObject;

/** A document under change: a container is copied once, before it is first written to. */
class Draft {
  root: JsonValue;
  readonly #lenient: boolean;
  readonly #maxCopiedBytes: number;
  /** The containers that nobody else can see. */
  #owned: WeakSet<object> = new WeakSet();
  #copiedBytes = 0;
  /** The operation at work, for errors. */
  #at: Place = { index: 0 };

  constructor(document: JsonValue, options: JsonPatchOptions) {
    this.root = document;
    this.#lenient = options.lenient ?? defaults.lenient;
    this.#maxCopiedBytes = options.maxCopiedBytes ?? defaults.maxCopiedBytes;
  }

  apply(operation: JsonPatchOperation, index: number): void {
    const { op, path } = operation;
    this.#at = { index, op, pointer: path };
    switch (op) {
      case "add":
        this.#add(path, operation.value);
        break;
      case "remove":
        this.#remove(path);
        break;
      case "replace":
        this.#replace(path, operation.value);
        break;
      case "move":
        this.#add(path, this.#remove(operation.from));
        break;
      case "copy":
        this.#add(path, this.#copy(operation.from));
        break;
      case "test":
        this.#test(path, operation.value);
        break;
    }
  }

  #add(path: string, value: JsonValue): void {
    if (path === "" && !this.#lenient) {
      this.root = value;
      return;
    }
    const [parent, name] = this.#writableParent(path);
    if (isJsonArray(parent)) parent.splice(this.#index(parent, name, path, "insert"), 0, value);
    else setMember(parent, name, value);
  }

  /** What was there. */
  #remove(path: string): JsonValue {
    const [parent, name] = this.#writableParent(path);
    const value = this.#child(parent, name, path);
    if (value === undefined) throw this.#missing(path);
    if (isJsonArray(parent)) parent.splice(this.#index(parent, name, path, "read"), 1);
    else delete parent[name];
    return value;
  }

  #replace(path: string, value: JsonValue): void {
    if (path === "") {
      if (this.#lenient && !isContainer(value))
        throw failed(this.#at, "the whole document becomes neither object nor list");
      this.root = value;
      return;
    }
    const [parent, name] = this.#writableParent(path);
    if (isJsonArray(parent)) {
      parent[this.#index(parent, name, path, "read")] = value;
    } else {
      if (!this.#lenient && getMember(parent, name) === undefined) throw this.#missing(path);
      setMember(parent, name, value);
    }
  }

  #copy(from: string): JsonValue {
    const value = this.#read(from) ?? null;
    this.#copiedBytes += utf8Length(formatJson(value));
    if (this.#copiedBytes > this.#maxCopiedBytes) {
      throw failed(this.#at, `the copies together take more than ${this.#maxCopiedBytes} bytes`);
    }
    this.#owned = new WeakSet(); // what was copied can be seen from two places now
    return value;
  }

  #test(path: string, expected: JsonValue): void {
    const value = this.#read(path) ?? null;
    if (!jsonEquals(value, expected)) throw failed(this.#at, "the value is another one");
  }

  /** `undefined` only when lenient, for a member that is missing in a parent that is there. */
  #read(pointer: string): JsonValue | undefined {
    if (pointer === "" && (!this.#lenient || this.#at.op === "test")) return this.root;
    const segments = this.#segments(pointer);
    let value: JsonValue | undefined = this.root;
    for (const [depth, segment] of segments.entries()) {
      if (!isContainer(value)) throw this.#missing(pointer, segments.length - depth);
      value = this.#child(value, segment, pointer);
    }
    if (value === undefined && !this.#lenient) throw this.#missing(pointer);
    return value;
  }

  /** The container that `pointer`'s last segment is looked up in, fit to be written to, and that segment. */
  #writableParent(pointer: string): [Container, string] {
    const segments = this.#segments(pointer);
    const name = segments.pop() ?? "";
    if (!isContainer(this.root)) throw this.#missing(pointer, segments.length + 1);
    let parent = this.#own(this.root);
    this.root = parent;
    for (const [depth, segment] of segments.entries()) {
      const child: JsonValue | undefined = this.#child(parent, segment, pointer);
      if (!isContainer(child)) throw this.#missing(pointer, segments.length - depth);
      const owned = this.#own(child);
      if (owned !== child) {
        if (isJsonArray(parent)) parent[this.#index(parent, segment, pointer, "read")] = owned;
        else setMember(parent, segment, owned);
      }
      parent = owned;
    }
    return [parent, name];
  }

  #own(container: JsonArray | JsonObject): Container {
    if (this.#owned.has(container)) return container as Container;
    const copy = isJsonArray(container) ? [...container] : { ...container };
    this.#owned.add(copy);
    return copy;
  }

  #segments(pointer: string): string[] {
    const segments = pointer.split("/").slice(1).map(unescapeSegment);
    if (segments.length === 0)
      throw failed({ ...this.#at, pointer }, "the operation cannot be done to the whole document");
    return segments;
  }

  #child(container: JsonArray | JsonObject, segment: string, pointer: string): JsonValue | undefined {
    if (!isJsonArray(container)) return getMember(container, segment);
    return container[this.#index(container, segment, pointer, "read")];
  }

  /** Where in `list` the segment points; for `insert` also behind the last item, which `-` means. */
  #index(list: JsonArray, segment: string, pointer: string, use: "read" | "insert"): number {
    if (use === "insert" && segment === "-") return list.length;
    const pattern = this.#lenient ? /^[+-]?[0-9]+$/ : /^(0|[1-9][0-9]*)$/;
    const positions = use === "insert" ? list.length + 1 : list.length;
    const number = pattern.test(segment) ? Number(segment) : Number.NaN;
    const index = number < 0 ? number + positions : number;
    if (index >= 0 && index < positions) return index + 0; // no -0
    throw failed({ ...this.#at, pointer }, `${quote(segment)} is no index of a list with ${list.length} items`);
  }

  /** Names the longest part of `pointer` that is known to lead nowhere: `cut` segments from the end, the last kept. */
  #missing(pointer: string, cut = 0): JsonPatchError {
    const segments = pointer.split("/");
    const part = segments.slice(0, Math.max(1, segments.length - cut)).join("/");
    const fact = cut === 0 ? "does not exist" : "is neither an object nor a list";
    return failed({ ...this.#at, pointer }, part === pointer ? `it ${fact}` : `${quote(part)} ${fact}`);
  }
}

function isContainer(value: JsonValue | undefined): value is JsonArray | JsonObject {
  return typeof value === "object" && value !== null;
}

function unescapeSegment(segment: string): string {
  return segment.replace(/~[01]/g, (pair) => (pair === "~1" ? "/" : "~"));
}

/** Where in a patch an error is. */
interface Place {
  readonly index: number;
  readonly op?: string | undefined;
  readonly pointer?: string | undefined;
}

function malformed(at: Place, fact: string): JsonPatchError {
  return problem(at, "malformed", fact);
}

function failed(at: Place, fact: string): JsonPatchError {
  return problem(at, "failed", fact);
}

function problem({ index, op, pointer }: Place, kind: JsonPatchProblem["kind"], fact: string): JsonPatchError {
  const words = [`JSON patch [${index}]`, op, pointer === undefined ? undefined : quote(pointer)];
  const message = `${words.filter((word) => word !== undefined).join(" ")}: ${fact}`;
  return new JsonPatchError(message, { index, op, pointer, kind });
}

const quote = (text: string): string => JSON.stringify(text);
