/** What a `JsonPatch` holds: an operation of RFC 6902. */
type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "copy" | "move"; readonly from: string; readonly path: string };

/**
 * One change to a document, in the manner of JSON patch (RFC 6902). Paths are JSON pointers.
 *
 * Patches are applied as cdk8s applies them, which is less strict than the RFC: what `remove` does not find is no
 * error, `replace` adds what is missing, an index past the end is the end, and members of text and numbers are not set.
 */
export class JsonPatch {
  /**
   * `document` with `ops` applied in order. The document itself is changed; it is also what is returned, unless an
   * operation has replaced the whole of it. Values of operations are copied, as `JSON.stringify` writes them.
   *
   * When an operation throws, the ones before it stay applied.
   *
   * @throws {Error} with the name `TEST_OPERATION_FAILED`, the `index`, the `operation` and the `tree` it met, when a `test` fails.
   * @throws {TypeError} when the parent of a path does not exist, or a path leads to a prototype.
   */
  static apply(document: any, ...ops: JsonPatch[]): any {
    return applyJsonPatches(document, ops);
  }

  /** Sets a member of an object, or inserts into a list before the index; `-` is the end of a list. */
  static add(path: string, value: any): JsonPatch {
    return new JsonPatch({ op: "add", path, value });
  }

  static remove(path: string): JsonPatch {
    return new JsonPatch({ op: "remove", path });
  }

  static replace(path: string, value: any): JsonPatch {
    return new JsonPatch({ op: "replace", path, value });
  }

  /** Adds to `path` a copy of what is at `from`; null when nothing is there. */
  static copy(from: string, path: string): JsonPatch {
    return new JsonPatch({ op: "copy", from, path });
  }

  static move(from: string, path: string): JsonPatch {
    return new JsonPatch({ op: "move", from, path });
  }

  /** Changes nothing, and fails when the value at `path` is not equal to `value`. */
  static test(path: string, value: any): JsonPatch {
    return new JsonPatch({ op: "test", path, value });
  }

  private readonly operation: Operation;

  private constructor(operation: Operation) {
    this.operation = operation;
  }

  /** The operation as JSON patch writes it. */
  _toJson(): any {
    return this.operation;
  }
}

/** Without patches the document comes back at once: synthesis asks this of every object. */
function applyJsonPatches(document: unknown, patches: readonly JsonPatch[]): unknown {
  if (patches.length === 0) return document;
  const operations: Operation[] = copyJson(patches.map((patch) => patch._toJson()));
  let result = document;
  for (const [index, operation] of operations.entries()) result = applyOperation(result, operation, index);
  return result;
}

function applyOperation(document: unknown, operation: Operation, index: number): unknown {
  switch (operation.op) {
    case "add":
      return add(document, operation.path, operation.value);
    case "remove":
      return remove(document, operation.path);
    case "replace":
      return replace(document, operation.path, operation.value);
    case "copy":
      return copy(document, operation);
    case "move":
      return move(document, operation);
    case "test":
      if (isEqual(valueAt(document, operation.path), operation.value)) return document;
      throw new PatchError(index, operation, document);
  }
}

function add(document: unknown, path: string, value: unknown): unknown {
  if (path === "") return value;
  const { parent, key } = locate(document, path);
  if (Array.isArray(parent) && typeof key === "number") parent.splice(key, 0, value);
  else setOwn(parent, key, value);
  return document;
}

function replace(document: unknown, path: string, value: unknown): unknown {
  if (path === "") return value;
  const { parent, key } = locate(document, path);
  getOwn(parent, key); // throws when there is no parent, in the words of a read
  setOwn(parent, key, value);
  return document;
}

function remove(document: unknown, path: string): unknown {
  if (path === "") return null;
  removeFrom(document, path);
  return document;
}

/** What was there. */
function removeFrom(document: unknown, path: string): unknown {
  const { parent, key } = locate(document, path);
  if (Array.isArray(parent)) {
    const index = removableIndex(key);
    if (index !== undefined) return parent.splice(index, 1)[0];
  }
  const removed = getOwn(parent, key);
  if (isContainer(parent)) delete parent[key];
  return removed;
}

/** Negative indexes count from the end here, and only here. */
function removableIndex(key: string | number): number | undefined {
  if (typeof key === "number") return key;
  return /^-[0-9]+$/.test(key) ? Number(key) : undefined;
}

type Transfer = Extract<Operation, { readonly from: string }>;

function copy(document: unknown, { from, path }: Transfer): unknown {
  if (path === "") return valueAt(document, from);
  locate(document, path); // of two pointers that lead nowhere, the target is the one to report
  return add(document, path, copyValue(valueAt(document, from)));
}

function move(document: unknown, { from, path }: Transfer): unknown {
  if (path === "") return valueAt(document, from);
  valueAt(document, path); // when the target has no parent, nothing is removed
  if (from === "") throw new TypeError(`JSON-Patch: the document cannot be moved into itself, to "${path}"`);
  return add(document, path, removeFrom(document, from));
}

/** Where a pointer leads. A number is an index of a list, and may be past its end. */
interface Place {
  readonly parent: unknown;
  readonly key: string | number;
}

function locate(document: unknown, pointer: string): Place {
  const tokens = pointer.split("/");
  let parent = document;
  let key = keyAt(parent, tokens, 1);
  for (let depth = 2; depth < tokens.length; depth += 1) {
    parent = getOwn(parent, key);
    key = keyAt(parent, tokens, depth);
  }
  return { parent, key };
}

/** A pointer without a leading slash has no token, which cdk8s takes for the member `undefined`. */
function keyAt(parent: unknown, tokens: readonly string[], depth: number): string | number {
  const token = String(tokens[depth]).replaceAll("~1", "/").replaceAll("~0", "~");
  refusePrototype(token, tokens[depth - 1]);
  if (!Array.isArray(parent)) return token;
  if (tokens.length === 1)
    throw new TypeError(`JSON-Patch: "${tokens[0]}" leads into no list, it begins without a slash`);
  if (token === "-") return parent.length;
  return /^[0-9]*$/.test(token) ? Number(token) : token;
}

function refusePrototype(token: string, before: string | undefined): void {
  if (token !== "__proto__" && !(token === "prototype" && before === "constructor")) return;
  throw new TypeError(
    "JSON-Patch: modifying `__proto__` or `constructor/prototype` prop is banned for security reasons. " +
      "Give the path of a member of the document.",
  );
}

function valueAt(document: unknown, pointer: string): unknown {
  if (pointer === "") return document;
  const { parent, key } = locate(document, pointer);
  return getOwn(parent, key);
}

/** Never a member of a prototype: a patch reaches the document and nothing that all objects share. */
function getOwn(parent: unknown, key: string | number): unknown {
  if (parent === null || parent === undefined) {
    throw new TypeError(`Cannot read properties of ${parent} (reading '${key}')`);
  }
  return Object.hasOwn(parent, key) ? (parent as Record<string | number, unknown>)[key] : undefined;
}

function setOwn(parent: unknown, key: string | number, value: unknown): void {
  if (parent === null || parent === undefined) {
    throw new TypeError(`Cannot set properties of ${parent} (setting '${key}')`);
  }
  if (isContainer(parent)) parent[key] = value;
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}

function copyValue(value: unknown): unknown {
  if (value === undefined) return null;
  return isContainer(value) ? copyJson(value) : value;
}

function copyJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** Equality by value; the order of members does not count. Without recursion, so that any depth can be compared. */
function isEqual(a: unknown, b: unknown): boolean {
  const pairs: [unknown, unknown][] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Array.isArray(left) ? [...left.keys()] : Object.keys(left);
    const others = Array.isArray(right) ? right.length : Object.keys(right).length;
    if (keys.length !== others) return false;
    for (const key of keys) {
      if (!Array.isArray(left) && !Object.hasOwn(right, key)) return false;
      pairs.push([left[key], right[key]]);
    }
  }
  return true;
}

class PatchError extends Error {
  override readonly name: string = "TEST_OPERATION_FAILED";
  readonly index: number;
  readonly operation: Operation;
  /** The whole document, with the operations before this one applied. */
  readonly tree: unknown;

  constructor(index: number, operation: Operation, tree: unknown) {
    const lines = ["Test operation failed", "name: TEST_OPERATION_FAILED", `index: ${index}`];
    lines.push(`operation: ${formatForPeople(operation)}`);
    if (tree !== undefined) lines.push(`tree: ${formatForPeople(tree)}`);
    super(lines.join("\n"));
    this.index = index;
    this.operation = operation;
    this.tree = tree;
  }
}

function formatForPeople(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value, undefined, 2) : String(value);
}
