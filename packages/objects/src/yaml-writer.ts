import { SlipwayError } from "./errors.ts";
import { isJsonArray, type JsonArray, type JsonObject, type JsonValue } from "./json.ts";
import { findJsonProblem, isOpaque } from "./json-problem.ts";
import { byCodeUnit } from "./order.ts";
import { formatYamlKey, formatYamlString } from "./yaml-string.ts";

export interface YamlWriteOptions {
  /**
   * Write what is no JSON value as cdk8s does: `undefined` as null, also where a member has it, NaN as `.nan`,
   * infinities as `.inf`, half of a surrogate pair as an escape. kubectl refuses or changes all but the first.
   * @default false
   */
  readonly lenient?: boolean | undefined;
  /**
   * Called when a value is written all the same that kubectl would refuse or that may have lost digits: those of
   * `lenient`, but for members that are `undefined`, and integers beyond 2^53 that are no `bigint`.
   * @default - nobody is told
   */
  readonly onDoubt?: (() => void) | undefined;
}

const defaults = { lenient: false } as const satisfies YamlWriteOptions;

/**
 * `value` as a YAML document that ends with a newline, so that kubectl reads the same value from it.
 *
 * Members keep their order and an `undefined` one is left out. The layout is that of cdk8s, byte for byte wherever
 * kubectl reads that as the same value: see {@link formatYamlString}. A value that stands in two places is written
 * twice.
 *
 * @throws {SlipwayError} `INVALID_VALUE` for what JSON cannot hold, with its path.
 */
export function formatYamlDocument(value: JsonValue | undefined, options: YamlWriteOptions = {}): string {
  return new YamlWriter(options).format(value);
}

/**
 * {@link formatYamlDocument} for many documents: faster, since it remembers keys from one to the next.
 * @throws {SlipwayError} as {@link formatYamlDocument}.
 */
export function createYamlFormatter(options: YamlWriteOptions = {}): (value: JsonValue | undefined) => string {
  const writer = new YamlWriter(options);
  return (value) => writer.format(value);
}

export interface TidyYamlOptions extends Pick<YamlWriteOptions, "onDoubt"> {
  /** Members in the order of their names, but for those of the document itself. */
  readonly sortKeys: boolean;
  /** Whether this mapping or list is data and nothing else. It is asked about each before anything in it is looked at. */
  readonly accept: (container: object) => boolean;
}

/**
 * {@link createYamlFormatter} for what a program gave, which need not be copied first: members that are null are left
 * out, and the others can be put in order. It is lenient as cdk8s is.
 *
 * The answer is `undefined` when something is not accepted or cannot be written.
 */
export function createTidyYamlFormatter(options: TidyYamlOptions): (value: JsonObject) => string | undefined {
  const writer = new YamlWriter({ lenient: true, onDoubt: options.onDoubt }, options);
  return (value) => {
    try {
      return writer.format(value);
    } catch (error) {
      if (error === NOT_ACCEPTED || SlipwayError.isSlipwayError(error)) return undefined;
      throw error;
    }
  };
}

const NOT_ACCEPTED: unique symbol = Symbol("not accepted");

/**
 * Documents one after another, with `---` between them; `""` when there are none.
 * @throws {SlipwayError} as {@link formatYamlDocument}.
 */
export function formatYamlStream(values: Iterable<JsonValue | undefined>, options: YamlWriteOptions = {}): string {
  return [...formatYamlChunks(values, options)].join("");
}

/** In UTF-16 code units. */
const MIN_CHUNK_LENGTH = 65_536;

/**
 * What {@link formatYamlStream} gives, in pieces of whole documents of some 64 thousand characters together. `values`
 * is read as the pieces are taken, so no more than one of them is in memory.
 *
 * @throws {SlipwayError} as {@link formatYamlDocument}, when the turn of that document comes.
 */
export function* formatYamlChunks(
  values: Iterable<JsonValue | undefined>,
  options: YamlWriteOptions = {},
): Generator<string, void, undefined> {
  const writer = new YamlWriter(options);
  let documents: string[] = [];
  let length = 0;
  let isFirst = true;
  for (const value of values) {
    const document = writer.format(value);
    documents.push(isFirst ? document : `---\n${document}`);
    isFirst = false;
    length += document.length;
    if (length < MIN_CHUNK_LENGTH) continue;
    yield documents.join("");
    documents = [];
    length = 0;
  }
  if (length > 0) yield documents.join("");
}

/** As deep as our readers read. */
const MAX_DEPTH = 512;

/** Longer keys get a question mark. */
const MAX_KEY_LENGTH = 1024;

/** A key in a mapping of one depth, as the first in a line that is begun already or as one of the others. */
interface KeyLine {
  readonly name: string;
  readonly first: LineStart;
  readonly other: LineStart;
  readonly hasLoneSurrogate: boolean;
}

/** A key with what stands before and after it. */
class LineStart {
  /** Before a scalar, or an empty list or mapping. */
  readonly scalar: string;
  /** Before lines of their own. */
  readonly block: string;
  /** After a question mark the first of these lines goes on in the line of the colon. */
  readonly isExplicit: boolean;
  /** The text that stood here last, and its line: objects of one kind have much in common. */
  #text: string | undefined;
  #line = "";

  constructor(scalar: string, block: string, isExplicit: boolean) {
    this.scalar = scalar;
    this.block = block;
    this.isExplicit = isExplicit;
  }

  /** The whole line of `text`, if it is the one that stood here last. */
  lineOf(text: string): string | undefined {
    return text === this.#text ? this.#line : undefined;
  }

  remember(text: string, line: string): void {
    if (text.length > MAX_REMEMBERED) return;
    this.#text = text;
    this.#line = line;
  }
}

/** In UTF-16 code units: what is longer is hardly ever there twice. */
const MAX_REMEMBERED = 256;

/** The names of a mapping, as it lists them, and its keys as they are written. */
interface Shape {
  readonly names: readonly string[];
  readonly keys: readonly KeyLine[];
}

/** What all mappings and lists of one depth share. Most keys come again and again, and most with the same others. */
class Level {
  readonly indent: string;
  readonly lineBreak: string;
  readonly item: string;
  readonly #sortKeys: boolean;
  readonly #keys: Map<string, KeyLine> = new Map();
  /** By the first name. */
  readonly #shapes: Map<string, Shape[]> = new Map();
  #shapeCount = 0;

  constructor(depth: number, sortKeys: boolean) {
    this.#sortKeys = sortKeys;
    this.indent = "  ".repeat(depth);
    this.lineBreak = `\n${this.indent}`;
    this.item = `${this.lineBreak}- `;
  }

  /** Of `object`, in the order in which they are written. */
  keysOf(object: JsonObject): readonly KeyLine[] {
    const names = Object.keys(object);
    const [first] = names;
    if (first === undefined) return [];
    for (const shape of this.#shapes.get(first) ?? []) if (areAlike(shape.names, names)) return shape.keys;
    const sorted = this.#sortKeys ? names.toSorted(byCodeUnit) : names;
    const keys = sorted.map((name) => this.#key(name));
    if (names.length <= MAX_SHAPE_LENGTH) this.#addShape(first, { names, keys });
    return keys;
  }

  #addShape(first: string, shape: Shape): void {
    if (this.#shapeCount >= MAX_SHAPES) {
      this.#shapes.clear();
      this.#shapeCount = 0;
    }
    this.#shapeCount += 1;
    const alike = this.#shapes.get(first);
    if (alike === undefined || alike.length >= MAX_ALIKE) this.#shapes.set(first, [shape]);
    else alike.push(shape);
  }

  #key(name: string): KeyLine {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const text = formatYamlKey(name, this.indent);
    const isExplicit = text.length > MAX_KEY_LENGTH;
    const scalar = isExplicit ? `? ${text}${this.lineBreak}: ` : `${text}: `;
    const block = isExplicit ? scalar : `${text}:`;
    const key = {
      name,
      first: new LineStart(scalar, block, isExplicit),
      other: new LineStart(this.lineBreak + scalar, this.lineBreak + block, isExplicit),
      hasLoneSurrogate: loneSurrogate.test(name),
    };
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(name, key);
    return key;
  }
}

/** More different keys than this are those of data, and not worth keeping. */
const MAX_KEYS = 1000;

/** Mappings of more members, or of more different ones, are data as well. */
const MAX_SHAPE_LENGTH = 32;
const MAX_SHAPES = 500;

/** With one first name: they are looked at one after another. */
const MAX_ALIKE = 8;

function areAlike(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false;
  for (let index = 0; index < names.length; index += 1) if (names[index] !== others[index]) return false;
  return true;
}

class YamlWriter {
  readonly #lenient: boolean;
  readonly #onDoubt: (() => void) | undefined;
  readonly #tidy: TidyYamlOptions | undefined;
  readonly #levels: Level[] = [];
  #document: JsonValue | undefined;

  constructor(options: YamlWriteOptions, tidy?: TidyYamlOptions) {
    this.#lenient = options.lenient ?? defaults.lenient;
    this.#onDoubt = options.onDoubt;
    this.#tidy = tidy;
  }

  format(document: JsonValue | undefined): string {
    if (document === undefined && this.#lenient) return "\n";
    this.#document = document;
    const text = this.#hasLines(document) ? this.#block(document, 0, true) : this.#scalar(document, 0);
    this.#document = undefined;
    return `${text}\n`;
  }

  /** `goesOn`: the first line is begun already. */
  #block(container: JsonArray | JsonObject, depth: number, goesOn: boolean): string {
    if (depth >= MAX_DEPTH) throw this.#refusal();
    const level = this.#level(depth);
    return isJsonArray(container)
      ? this.#list(container, level, depth, goesOn)
      : this.#mapping(container, level, depth, goesOn);
  }

  #mapping(object: JsonObject, level: Level, depth: number, goesOn: boolean): string {
    let text = "";
    let isBegun = goesOn;
    for (const key of level.keysOf(object)) {
      const member = object[key.name];
      if (this.#isAbsent(member)) continue;
      if (key.hasLoneSurrogate) this.#doubt();
      const start = isBegun ? key.first : key.other;
      isBegun = false;
      if (typeof member === "string") text += start.lineOf(member) ?? this.#textLine(start, member, depth + 1);
      else if (this.#hasLines(member)) text += start.block + this.#block(member, depth + 1, start.isExplicit);
      else text += start.scalar + this.#scalar(member, depth + 1);
    }
    return text;
  }

  /** As a member of a mapping. */
  #isAbsent(member: JsonValue | undefined): boolean {
    if (member === undefined) return !this.#lenient || this.#tidy !== undefined;
    return member === null && this.#tidy !== undefined;
  }

  /** Whether it is written in lines of its own. */
  #hasLines(value: JsonValue | undefined): value is JsonArray | JsonObject {
    if (typeof value !== "object" || value === null) return false;
    if (this.#tidy?.accept(value) === false) throw NOT_ACCEPTED;
    if (isJsonArray(value)) return value.length > 0;
    for (const name in value) if (Object.hasOwn(value, name) && !this.#isAbsent(value[name])) return true;
    return false;
  }

  #textLine(start: LineStart, text: string, depth: number): string {
    const line = start.scalar + this.#string(text, this.#level(depth).indent);
    if (!loneSurrogate.test(text)) start.remember(text, line);
    return line;
  }

  #list(list: JsonArray, level: Level, depth: number, goesOn: boolean): string {
    let text = "";
    let isBegun = goesOn;
    for (const item of list) {
      if (item === undefined) this.#doubt();
      text += isBegun ? "- " : level.item;
      isBegun = false;
      text += this.#hasLines(item) ? this.#block(item, depth + 1, true) : this.#scalar(item, depth + 1);
    }
    return text;
  }

  /** Also an empty list or mapping. */
  #scalar(value: JsonValue | undefined, depth: number): string {
    if (typeof value === "string") return this.#string(value, this.#level(depth).indent);
    if (typeof value === "number") return this.#number(value);
    if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
    if (typeof value === "object") return this.#empty(value);
    if (value === undefined && this.#lenient) return "null";
    throw this.#refusal();
  }

  #string(text: string, indent: string): string {
    const formatted = formatYamlString(text, indent);
    if (formatted.startsWith('"') && loneSurrogate.test(text)) this.#doubt();
    return formatted;
  }

  #number(number: number): string {
    if (Number.isSafeInteger(number)) return Object.is(number, -0) ? "-0" : String(number);
    if (Number.isFinite(number)) {
      if (Number.isInteger(number)) this.#onDoubt?.();
      return String(number);
    }
    this.#doubt();
    return Number.isNaN(number) ? ".nan" : `${number < 0 ? "-" : ""}.inf`;
  }

  #doubt(): void {
    if (!this.#lenient) throw this.#refusal();
    this.#onDoubt?.();
  }

  #empty(container: JsonArray | JsonObject): string {
    if (isJsonArray(container)) return "[]";
    if (isOpaque(container)) throw this.#refusal();
    return "{}";
  }

  #level(depth: number): Level {
    let level = this.#levels[depth];
    if (level === undefined) {
      level = new Level(depth, depth > 0 && this.#tidy?.sortKeys === true);
      this.#levels[depth] = level;
    }
    return level;
  }

  /** Only now it is worth the time to find out where in the document we are. */
  #refusal(): SlipwayError {
    const { path, fact } = findJsonProblem(this.#document, { maxDepth: MAX_DEPTH }) ?? { path: "", fact: "unknown" };
    return new SlipwayError(`${path === "" ? "the value" : path}: ${fact}. Put a JSON value there.`, {
      code: "INVALID_VALUE",
    });
  }
}

const loneSurrogate = /[\ud800-\udfff]/u;
