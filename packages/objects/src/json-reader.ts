import { SlipwayError } from "./errors.ts";
import { goQuote } from "./go-quote.ts";
import { type JsonArray, type JsonObject, type JsonValue, type MutableJsonObject, setMember } from "./json.ts";
import { SourceText } from "./source-text.ts";

export interface JsonReadOptions {
  /**
   * Lists and objects inside each other beyond this are refused.
   * @default 512
   */
  readonly maxDepth?: number | undefined;
}

export interface JsonParseOptions extends JsonReadOptions {
  /**
   * What a key that comes twice in one object means: an error, or that the last one wins.
   * @default "refuse"
   */
  readonly duplicates?: "refuse" | "last" | undefined;
}

export interface JsonReadResult {
  readonly value: JsonValue;
  /** Fields whose key comes more than once, each named once, as Kubernetes writes them: `spec.a[0].b`. */
  readonly duplicates: readonly string[];
}

const defaults = { maxDepth: 512, duplicates: "refuse" } as const satisfies JsonParseOptions;

/** A text is no JSON, or JSON that cannot be kept whole. */
export class JsonSyntaxError extends SlipwayError {
  override readonly name: string = "JsonSyntaxError";
  /** In UTF-16 code units from the start of the text; its length where more was expected. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** In UTF-16 code units, from 1. */
  readonly column: number;
  /** In the words of Go's encoding/json, which API servers answer with. */
  readonly reason: string;
  /** `syntax`: not JSON. `loss`: JSON that cannot be kept whole, for a key that comes twice or a number too large. */
  readonly kind: "syntax" | "loss";

  constructor(
    reason: string,
    options: ErrorOptions & { readonly text: string; readonly offset: number; readonly kind: "syntax" | "loss" },
  ) {
    const { text, offset, kind } = options;
    const { line, column } = new SourceText(text).position(offset);
    super(`line ${line}, column ${column}: ${reason}`, { ...options, code: "INVALID_JSON" });
    this.offset = offset;
    this.line = line;
    this.column = column;
    this.reason = reason;
    this.kind = kind;
  }
}

/**
 * The value of a JSON text, with nothing lost: integers beyond 2^53 come as `bigint` with all their digits.
 *
 * @throws {JsonSyntaxError} when the text is not JSON of RFC 8259, nests too deep, repeats a key, or has a number that
 *   no double can hold (1e400).
 */
export function parseJson(text: string, options: JsonParseOptions = {}): JsonValue {
  const maxDepth = options.maxDepth ?? defaults.maxDepth;
  const duplicates = options.duplicates ?? defaults.duplicates;
  const members = countMembers(text, maxDepth);
  return members === undefined
    ? readSlowly()
    : (readFast(text, duplicates === "last" ? undefined : members) ?? readSlowly());

  function readSlowly(): JsonValue {
    return new JsonReader(text, maxDepth, duplicates === "refuse").read();
  }
}

/**
 * As {@link parseJson}, for bodies whose sender is told about duplicate keys and not refused. In `value` the last wins.
 * @throws {JsonSyntaxError}
 */
export function readJson(text: string, options: JsonReadOptions = {}): JsonReadResult {
  const maxDepth = options.maxDepth ?? defaults.maxDepth;
  const members = countMembers(text, maxDepth);
  const value = members === undefined ? undefined : readFast(text, members);
  if (value !== undefined) return { value, duplicates: [] };
  const reader = new JsonReader(text, maxDepth, false);
  return { value: reader.read(), duplicates: [...reader.duplicates] };
}

/** A value, and where it stands in its text. */
export interface JsonSequenceItem {
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
}

/**
 * The values of a text that has several, one after another with or without blanks between, as Go's decoder reads them.
 * At the first error it stops and tells it. A key that comes twice is an error.
 */
export function readJsonSequence(
  text: string,
  options: JsonReadOptions = {},
): { readonly items: readonly JsonSequenceItem[]; readonly error: JsonSyntaxError | undefined } {
  const reader = new JsonReader(text, options.maxDepth ?? defaults.maxDepth, true);
  const items: JsonSequenceItem[] = [];
  try {
    for (let item = reader.next(); item !== undefined; item = reader.next()) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { items, error };
  }
}

/**
 * The value when `JSON.parse` loses nothing, which is proved by counting: it has as many members as the text.
 * The texts that come here have no number that it would round; a text that is wrong is left to those who say how.
 */
function readFast(text: string, members: number | undefined): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (members === undefined || typeof value !== "object" || value === null) return value;
  return countMembersOf(value) === members ? value : undefined;
}

function countMembersOf(container: JsonArray | JsonObject): number {
  let members = 0;
  if (Array.isArray(container)) {
    for (const item of container) {
      if (typeof item === "object" && item !== null) members += countMembersOf(item);
    }
    return members;
  }
  const object = container as JsonObject;
  // Faster than Object.keys. Were something inherited, the count would be too high, and the text be read slowly.
  for (const name in object) {
    members += 1;
    const member = object[name];
    if (typeof member === "object" && member !== null) members += countMembersOf(member);
  }
  return members;
}

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Integers of up to this many digits are exact as doubles, and other numbers are as `JSON.parse` gives them. */
const EXACT_DIGITS = 15;

/**
 * How many members the objects in `text` have, duplicates counted each time; right when the text is valid JSON.
 * `undefined` when it nests too deep, or has a number that has to be looked at: long, or with an exponent.
 */
function countMembers(text: string, maxDepth: number): number | undefined {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index + 1);
      if (index === -1) return undefined;
    } else if (code === COLON) {
      members += 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > maxDepth) return undefined;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
    } else if (isDigit(code)) {
      const start = index;
      let next = text.charCodeAt(index + 1);
      while (isDigit(next) || next === POINT) {
        index += 1;
        next = text.charCodeAt(index + 1);
      }
      if (next === LOWER_E || next === UPPER_E || index - start >= EXACT_DIGITS) return undefined;
    }
  }
  return members;
}

/** Where the closing quote is; -1 when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE; // false for NaN
}

const literals: Readonly<Record<string, readonly [word: string, value: JsonValue]>> = {
  t: ["true", true],
  f: ["false", false],
  n: ["null", null],
};

const AT_VALUE = "looking for beginning of value";
const AT_KEY = "looking for beginning of object key string";
const AT_HEX = "in \\u hexadecimal character escape";

/** Recursive descent over the text. It knows all that `JSON.parse` does not say: where, why, which, and how exactly. */
class JsonReader {
  readonly duplicates: Set<string> = new Set();
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #refuseDuplicates: boolean;
  readonly #path: (string | number)[] = [];
  #offset = 0;
  #depth = 0;
  /** The first thing that would be lost. It waits for the end: like Go, we look for wrong syntax first. */
  #loss: JsonSyntaxError | undefined;

  constructor(text: string, maxDepth: number, refuseDuplicates: boolean) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#refuseDuplicates = refuseDuplicates;
  }

  read(): JsonValue {
    this.#skipBlanks();
    const value = this.#value();
    this.#skipBlanks();
    if (this.#offset < this.#text.length) throw this.#unexpected("after top-level value");
    if (this.#loss !== undefined) throw this.#loss;
    return value;
  }

  /** The next value of several in one text; `undefined` at the end. */
  next(): JsonSequenceItem | undefined {
    this.#skipBlanks();
    const start = this.#offset;
    if (start >= this.#text.length) return undefined;
    const value = this.#value();
    if (this.#loss !== undefined) throw this.#loss;
    return { value, start, end: this.#offset };
  }

  #value(): JsonValue {
    const code = this.#code();
    if (code === QUOTE) return this.#string();
    if (code === OPEN_BRACE) return this.#object();
    if (code === OPEN_BRACKET) return this.#list();
    if (code === MINUS || isDigit(code)) return this.#number();
    const literal = literals[this.#text.charAt(this.#offset)];
    if (literal === undefined) throw this.#unexpected(AT_VALUE);
    return this.#literal(...literal);
  }

  #object(): JsonObject {
    const object: MutableJsonObject = {};
    this.#enter();
    if (this.#code() === CLOSE_BRACE) return this.#leave(object);
    for (;;) {
      if (this.#code() !== QUOTE) throw this.#unexpected(AT_KEY);
      const start = this.#offset;
      const name = this.#string();
      if (Object.hasOwn(object, name)) this.#duplicate(name, start);
      this.#skipBlanks();
      if (this.#code() !== COLON) throw this.#unexpected("after object key");
      this.#step();
      this.#path.push(name);
      setMember(object, name, this.#value());
      this.#path.pop();
      this.#skipBlanks();
      if (this.#code() === CLOSE_BRACE) return this.#leave(object);
      if (this.#code() !== COMMA) throw this.#unexpected("after object key:value pair");
      this.#step();
    }
  }

  #list(): JsonArray {
    const list: JsonValue[] = [];
    this.#enter();
    if (this.#code() === CLOSE_BRACKET) return this.#leave(list);
    for (;;) {
      this.#path.push(list.length);
      list.push(this.#value());
      this.#path.pop();
      this.#skipBlanks();
      if (this.#code() === CLOSE_BRACKET) return this.#leave(list);
      if (this.#code() !== COMMA) throw this.#unexpected("after array element");
      this.#step();
    }
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > this.#maxDepth) throw this.#unexpected("exceeded max depth");
    this.#step();
  }

  #leave<Container>(container: Container): Container {
    this.#depth -= 1;
    this.#offset += 1;
    return container;
  }

  #duplicate(name: string, offset: number): void {
    const path = [...this.#path, name].map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
    const field = typeof (this.#path[0] ?? name) === "number" ? path : path.slice(1);
    if (this.#refuseDuplicates) this.#loss ??= this.#error(`duplicate field ${goQuote(field)}`, offset, "loss");
    this.duplicates.add(field);
  }

  #string(): string {
    const start = this.#offset;
    let escaped = false;
    for (;;) {
      this.#offset += 1;
      const code = this.#code();
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        this.#escape();
      } else if (!(code >= SPACE)) {
        throw this.#unexpected("in string literal");
      }
    }
    this.#offset += 1;
    if (!escaped) return this.#text.slice(start + 1, this.#offset - 1);
    return JSON.parse(this.#text.slice(start, this.#offset));
  }

  /** Stops at the last character of the escape. */
  #escape(): void {
    this.#offset += 1;
    const character = this.#text.charAt(this.#offset);
    if (character === "u") {
      for (let digits = 0; digits < 4; digits += 1) {
        this.#offset += 1;
        if (!/^[0-9A-Fa-f]$/.test(this.#text.charAt(this.#offset))) throw this.#broken(AT_HEX);
      }
    } else if (character === "" || !'"\\/bfnrt'.includes(character)) {
      throw this.#broken("in string escape code");
    }
  }

  #number(): number | bigint {
    const start = this.#offset;
    let isInteger = true;
    if (this.#code() === MINUS) {
      this.#offset += 1;
      if (!isDigit(this.#code())) throw this.#broken("in numeric literal");
    }
    if (this.#code() === ZERO) this.#offset += 1;
    else this.#skipDigits();
    if (this.#code() === POINT) {
      isInteger = false;
      this.#offset += 1;
      if (!isDigit(this.#code())) throw this.#broken("after decimal point in numeric literal");
      this.#skipDigits();
    }
    if (this.#code() === LOWER_E || this.#code() === UPPER_E) {
      isInteger = false;
      this.#offset += 1;
      if (this.#code() === PLUS || this.#code() === MINUS) this.#offset += 1;
      if (!isDigit(this.#code())) throw this.#broken("in exponent of numeric literal");
      this.#skipDigits();
    }
    const text = this.#text.slice(start, this.#offset);
    const number = Number(text);
    if (isInteger) return Number.isSafeInteger(number) ? number : BigInt(text);
    if (!Number.isFinite(number)) {
      this.#loss ??= this.#error(`json: cannot unmarshal number ${text} into Go value of type float64`, start, "loss");
    }
    return number;
  }

  #literal(word: string, value: JsonValue): JsonValue {
    for (let index = 1; index < word.length; index += 1) {
      this.#offset += 1;
      if (this.#text.charAt(this.#offset) !== word.charAt(index)) {
        throw this.#broken(`in literal ${word} (expecting '${word.charAt(index)}')`);
      }
    }
    this.#offset += 1;
    return value;
  }

  /** NaN at the end. */
  #code(): number {
    return this.#text.charCodeAt(this.#offset);
  }

  #step(): void {
    this.#offset += 1;
    this.#skipBlanks();
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#code();
      if (code !== SPACE && code !== NEWLINE && code !== RETURN && code !== TAB) return;
      this.#offset += 1;
    }
  }

  #skipDigits(): void {
    while (isDigit(this.#code())) this.#offset += 1;
  }

  /** Between two tokens, or inside a string, the end of the text is called just that. */
  #unexpected(where: string): JsonSyntaxError {
    if (this.#offset >= this.#text.length) return this.#error("unexpected end of JSON input", this.#offset);
    return this.#broken(where);
  }

  /** Inside a token Go feeds itself a blank at the end, and complains about that. */
  #broken(where: string): JsonSyntaxError {
    const code = this.#text.codePointAt(this.#offset) ?? SPACE;
    return this.#error(`invalid character ${quoteByte(firstByte(code))} ${where}`, this.#offset);
  }

  #error(reason: string, offset: number, kind: "syntax" | "loss" = "syntax"): JsonSyntaxError {
    return new JsonSyntaxError(reason, { text: this.#text, offset, kind });
  }
}

/** Of the character in UTF-8: Go reads bytes, and names the first that does not fit. */
function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x1_0000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}

function quoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  return character === '"' ? "'\"'" : `'${goQuote(character).slice(1, -1)}'`;
}
