import { getMember, isJsonArray, isJsonObject, type JsonArray, type JsonValue } from "@slipway/objects";

/** A path as printer columns use it, read once. */
export interface JsonPath {
  readonly text: string;
  /**
   * What the path leads to, in document order. Empty where members are missing; also where the data has another shape
   * than the path expects: an index or a filter on something that is no list, an index that is too large, or a filter
   * that finds other than one value to compare.
   */
  find(data: JsonValue): JsonArray;
}

/** Paths are untrusted. The longest ones in published definitions have about a hundred characters. */
const MAX_LENGTH = 1_000;

/**
 * Reads the subset of JSONPath that `additionalPrinterColumns` use: `.a.b`, `.a[0]`, `.a[-1]`, `.a[1:3]`, `.a[*].b`, `.a.*`,
 * `['a.b']`, `.a\.b` and `.a[?(@.type=="Ready")].status`.
 *
 * A quoted name means the member of that name; where there is none, its dots separate members, which is how Kubernetes
 * reads it. Returns `undefined` for any other text.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps = text.length > MAX_LENGTH ? undefined : new PathParser(text).all();
  if (steps === undefined) return undefined;
  return Object.freeze({ text, find: (data: JsonValue): JsonArray => findAll(data, steps) ?? [] });
}

type Operator = "==" | "!=" | "<=" | ">=" | "<" | ">";

type Step =
  | { readonly kind: "member"; readonly name: string; readonly parts: readonly string[] }
  | { readonly kind: "every" }
  | { readonly kind: "everyItem" }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly start: number; readonly end: number | undefined }
  | { readonly kind: "exists"; readonly path: readonly Step[] }
  | { readonly kind: "compare"; readonly left: Operand; readonly operator: Operator; readonly right: Operand };

type Operand = { readonly path: readonly Step[] } | { readonly literal: string | number | boolean };

class PathParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The whole text as steps. A leading `$` or `@` is the object itself. */
  all(): readonly Step[] | undefined {
    if (this.#text.startsWith("$") || this.#text.startsWith("@")) this.#at = 1;
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      const step = this.#take(".") ? this.#member() : this.#take("[") ? this.#bracket() : undefined;
      if (step === undefined) return undefined;
      steps.push(step);
    }
    return steps;
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #member(): Step | undefined {
    const name = this.#match(/(?:\\.|[^\\\s.,[\]$@{}])+/y)?.[0];
    if (name === undefined) return undefined;
    if (name === "*") return { kind: "every" };
    const plain = unescaped(name);
    return { kind: "member", name: plain, parts: [plain] };
  }

  #bracket(): Step | undefined {
    if (this.#take("?(")) return this.#filter();
    if (this.#take("*]")) return { kind: "everyItem" };
    const quoted = this.#match(/'([^']*)'\]/y)?.[1];
    if (quoted !== undefined) {
      const parts = quoted.match(/(?:\\.|[^\\.])+/g) ?? [];
      return { kind: "member", name: unescaped(quoted), parts: parts.map(unescaped) };
    }
    const [, start, colon, end] = this.#match(/(-?\d{1,9})?(:)?(-?\d{1,9})?\]/y) ?? [];
    if (colon !== undefined)
      return { kind: "slice", start: Number(start ?? 0), end: end === undefined ? end : Number(end) };
    return start === undefined || end !== undefined ? undefined : { kind: "index", index: Number(start) };
  }

  #filter(): Step | undefined {
    const body = this.#match(/((?:[^"')]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*)\)\]/y)?.[1];
    if (body === undefined) return undefined;
    const [, left = "", operator, right = ""] = /^([^!<>=]+)(==|!=|<=|>=|<|>)(.+)$/.exec(body) ?? [];
    if (operator === undefined) {
      const path = /[!<>=]/.test(body) ? undefined : parseOperandPath(body);
      return path === undefined ? undefined : { kind: "exists", path };
    }
    const operands = [parseOperand(left), parseOperand(right)];
    const [leftOperand, rightOperand] = operands;
    if (leftOperand === undefined || rightOperand === undefined) return undefined;
    return { kind: "compare", left: leftOperand, operator: operator as Operator, right: rightOperand };
  }
}

function unescaped(name: string): string {
  return name.replace(/\\(.?)/g, "$1");
}

function parseOperandPath(text: string): readonly Step[] | undefined {
  const path = text.trim();
  return path.startsWith("@") || path.startsWith(".") ? new PathParser(path).all() : undefined;
}

function parseOperand(text: string): Operand | undefined {
  const trimmed = text.trim();
  const quoted = /^"((?:\\.|[^"\\])*)"$|^'((?:\\.|[^'\\])*)'$/.exec(trimmed);
  if (quoted !== null) return { literal: unescaped(quoted[1] ?? quoted[2] ?? "") };
  if (trimmed === "true" || trimmed === "false") return { literal: trimmed === "true" };
  if (/^[-+]?\d+(?:\.\d+)?$/.test(trimmed)) return { literal: Number(trimmed) };
  const path = parseOperandPath(trimmed);
  return path === undefined ? undefined : { path };
}

/** `undefined` when the data has not the shape that the steps expect. */
function findAll(data: JsonValue, steps: readonly Step[]): JsonArray | undefined {
  let found: JsonArray = [data];
  for (const step of steps) {
    const next: JsonValue[] = [];
    for (const value of found) {
      const values = take(value, step);
      if (values === undefined) return undefined;
      for (const each of values) next.push(each);
    }
    found = next;
  }
  return found;
}

function take(value: JsonValue, step: Step): JsonArray | undefined {
  switch (step.kind) {
    case "member":
      return takeMember(value, step.name, step.parts);
    case "every":
      return takeEvery(value);
    case "everyItem":
      return takeFromList(value, (list) => list);
    case "index":
      return takeFromList(value, (list) => takeIndex(list, step.index));
    case "slice":
      return takeFromList(value, (list) => takeSlice(list, step.start, step.end));
    case "exists":
      return isJsonArray(value) ? value.filter((item) => (findAll(item, step.path) ?? []).length > 0) : undefined;
    case "compare":
      return isJsonArray(value) ? filterBy(value, step) : undefined;
  }
}

/** Null counts as a list that is missing, anything else that is no list has the wrong shape. */
function takeFromList(value: JsonValue, from: (list: JsonArray) => JsonArray | undefined): JsonArray | undefined {
  if (value === null) return [];
  return isJsonArray(value) ? from(value) : undefined;
}

function takeMember(value: JsonValue, name: string, parts: readonly string[]): JsonArray {
  const member = isJsonObject(value) ? getMember(value, name) : undefined;
  if (member !== undefined) return [member];
  if (parts.length < 2) return [];
  let inner: JsonValue | undefined = value;
  for (const part of parts) inner = isJsonObject(inner) ? getMember(inner, part) : undefined;
  return inner === undefined ? [] : [inner];
}

function takeEvery(value: JsonValue): JsonArray {
  if (isJsonArray(value)) return value;
  if (!isJsonObject(value)) return [];
  return Object.values(value).filter((member) => member !== undefined);
}

function takeIndex(list: JsonArray, index: number): JsonArray | undefined {
  const item = list.at(index);
  return item === undefined ? undefined : [item];
}

function takeSlice(list: JsonArray, start: number, end = list.length): JsonArray | undefined {
  const from = start < 0 ? start + list.length : start;
  const to = end < 0 ? end + list.length : end;
  if (from === to) return [];
  return from < 0 || from >= list.length || to > list.length || to < from ? undefined : list.slice(from, to);
}

function filterBy(list: JsonArray, step: Step & { readonly kind: "compare" }): JsonArray | undefined {
  const kept: JsonValue[] = [];
  for (const item of list) {
    const holds = compare(operandOf(item, step.left), step.operator, operandOf(item, step.right));
    if (holds === undefined) return undefined;
    if (holds) kept.push(item);
  }
  return kept;
}

function operandOf(item: JsonValue, operand: Operand): JsonValue | undefined {
  if ("literal" in operand) return operand.literal;
  const found = findAll(item, operand.path);
  return found?.length === 1 ? found[0] : undefined;
}

/** `undefined` where the two cannot be compared: one is missing, or they are of different types. */
function compare(left: JsonValue | undefined, operator: Operator, right: JsonValue | undefined): boolean | undefined {
  const areNumbers = isNumber(left) && isNumber(right);
  const areStrings = typeof left === "string" && typeof right === "string";
  if (areNumbers || areStrings) return ordered(left, operator, right);
  if (typeof left !== "boolean" || typeof right !== "boolean") return undefined;
  if (operator === "==") return left === right;
  return operator === "!=" ? left !== right : undefined;
}

function isNumber(value: JsonValue | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function ordered<Value extends string | number | bigint>(left: Value, operator: Operator, right: Value): boolean {
  switch (operator) {
    case "==":
      return !(left < right) && !(left > right);
    case "!=":
      return left < right || left > right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}
