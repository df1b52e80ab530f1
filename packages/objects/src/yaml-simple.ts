import type { JsonValue, MutableJsonObject } from "./json.ts";
import { resolvePlainScalar } from "./yaml-scalar.ts";

/** Neither tabs, CR nor anything that is white space or a line break to anyone. */
const otherCharacter = /[^\n\x20-\x7e\xa1-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2060-\u2fff\u3001-\ud7ff]/;
const entry = /(?:[A-Za-z_][\w./-]{0,250}|"[^"\\\n]{0,250}"):(?: +|(?=\n))/y;
const MAX_DEPTH = 100;
/** Regular expressions that try alternatives for each character run out of stack on many millions of them. */
const MAX_LINE = 100_000;

/** Thrown where the text is not simple; the parser decides about it. */
const notSimple = new Error("not simple");

/**
 * Reads the YAML that most files consist of, many times faster than the parser: mappings and lists in lines, scalars of
 * one line, `|` blocks, and the plainest lists in brackets. `undefined` when there is anything else in it, valid or not:
 * what is read here means the same to the parser.
 *
 * @param text ends with a line break.
 */
export function readSimpleYaml(text: string): { readonly value: JsonValue; readonly offset: number } | undefined {
  if (otherCharacter.test(text)) return undefined;
  try {
    return new SimpleReader(text).read();
  } catch (error) {
    if (error === notSimple || error instanceof SyntaxError) return undefined; // of JSON.parse
    throw error;
  }
}

class SimpleReader {
  readonly #text: string;
  /** The first character of the next line's content, and how far it is indented; -1 at the end. */
  #offset = 0;
  #indent = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): { readonly value: JsonValue; readonly offset: number } {
    this.#goTo(0);
    const offset = this.#offset;
    if (this.#indent !== 0 || this.#isItem()) throw notSimple;
    const value = this.#mapping(0);
    if (this.#offset < this.#text.length) throw notSimple;
    return { value, offset };
  }

  /** To the first line from `start` on that is neither blank nor a comment. */
  #goTo(start: number): void {
    let line = start;
    while (line < this.#text.length) {
      let offset = line;
      while (this.#text.charCodeAt(offset) === 0x20) offset += 1;
      const code = this.#text.charCodeAt(offset);
      if (code !== 0x0a && code !== 0x23) {
        this.#offset = offset;
        this.#indent = offset - line;
        return;
      }
      line = this.#text.indexOf("\n", offset) + 1;
    }
    this.#offset = line;
    this.#indent = -1;
  }

  #isItem(): boolean {
    const next = this.#text.charCodeAt(this.#offset + 1);
    return this.#text.charCodeAt(this.#offset) === 0x2d && (next === 0x20 || next === 0x0a);
  }

  #mapping(indent: number): JsonValue {
    this.#enter();
    const object: MutableJsonObject = {};
    while (this.#indent === indent && !this.#isItem()) {
      const name = this.#key();
      if (name === "__proto__" || Object.hasOwn(object, name)) throw notSimple;
      object[name] = this.#value(entry.lastIndex, indent, true);
    }
    return this.#leave(object, indent);
  }

  /** `entry` stands behind it afterwards. */
  #key(): string {
    const start = this.#offset;
    entry.lastIndex = start;
    if (!entry.test(this.#text)) throw notSimple;
    if (this.#text.charCodeAt(start) === 0x22) return this.#text.slice(start + 1, this.#text.indexOf('"', start + 1));
    const name = this.#text.slice(start, this.#text.indexOf(":", start));
    if (!isSurelyText(name) && resolvePlainScalar(name).type !== "str") throw notSimple;
    return name;
  }

  #list(indent: number): JsonValue {
    this.#enter();
    const items: JsonValue[] = [];
    while (this.#indent === indent && this.#isItem()) {
      let start = this.#offset + 1;
      while (this.#text.charCodeAt(start) === 0x20) start += 1;
      const column = indent + start - this.#offset;
      entry.lastIndex = start;
      const isMapping = entry.test(this.#text);
      this.#offset = start;
      if (isMapping || this.#isItem()) {
        this.#indent = column;
        items.push(isMapping ? this.#mapping(column) : this.#list(column));
      } else {
        items.push(this.#value(start, indent, false));
      }
    }
    return this.#leave(items, indent);
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw notSimple;
  }

  /** What follows must not belong to it: that would be more of a scalar, or an error. */
  #leave(value: JsonValue, indent: number): JsonValue {
    if (this.#indent > indent) throw notSimple;
    this.#depth -= 1;
    return value;
  }

  /** From `start` in a line, of a key or dash at `indent`; goes to the line behind it. */
  #value(start: number, indent: number, ofKey: boolean): JsonValue {
    const end = this.#text.indexOf("\n", start);
    const text = this.#text.slice(start, end).trimEnd();
    if (text === "|" || text === "|-") return this.#block(end + 1, indent, text === "|");
    this.#goTo(end + 1);
    if (text !== "") return scalar(text);
    if (this.#isItem() && (this.#indent > indent || (ofKey && this.#indent === indent)))
      return this.#list(this.#indent);
    return this.#indent > indent ? this.#mapping(this.#indent) : null;
  }

  #block(start: number, indent: number, hasEnd: boolean): JsonValue {
    let line = start;
    let margin = -1;
    const lines: string[] = [];
    while (line < this.#text.length) {
      let offset = line;
      while (this.#text.charCodeAt(offset) === 0x20) offset += 1;
      const end = this.#text.indexOf("\n", offset);
      if (margin === -1) margin = offset - line;
      if (offset === end) {
        if (lines.length === 0 || offset - line > margin) throw notSimple;
        lines.push("");
      } else if (offset - line < margin || margin <= indent) {
        break;
      } else {
        lines.push(this.#text.slice(line + margin, end));
      }
      line = end + 1;
    }
    if (lines.length === 0 || this.#text.charCodeAt(line + this.#blanks(line)) === 0x23) throw notSimple;
    while (lines.at(-1) === "") lines.pop();
    this.#goTo(line);
    return lines.join("\n") + (hasEnd ? "\n" : "");
  }

  #blanks(line: number): number {
    let blanks = 0;
    while (this.#text.charCodeAt(line + blanks) === 0x20) blanks += 1;
    return blanks;
  }
}

/** What begins with a letter is text, but for words of up to five letters. */
function isSurelyText(plain: string): boolean {
  const letter = plain.charCodeAt(0) | 0x20;
  return plain.length > 5 && letter >= 0x61 && letter <= 0x7a;
}

const simplePlain = /^(?:[A-Za-z0-9_./+~$(^;<=\\\xa1-\ud7ff]|-[A-Za-z0-9.]|--[A-Za-z0-9])/;
const doubleQuoted = /^"(?:[^"\\]|\\["\\nt])*"$/;
const singleQuoted = /^'(?:[^']|'')*'$/;

function scalar(text: string): JsonValue {
  if (text.length > MAX_LINE) throw notSimple;
  switch (text.charCodeAt(0)) {
    case 0x22:
      if (!doubleQuoted.test(text)) throw notSimple;
      return JSON.parse(text);
    case 0x27:
      if (!singleQuoted.test(text)) throw notSimple;
      return text.slice(1, -1).replaceAll("''", "'");
    case 0x5b:
      return flowList(text);
    case 0x7b:
      if (text !== "{}") throw notSimple;
      return {};
  }
  const comment = text.indexOf(" #");
  const plain = comment === -1 ? text : text.slice(0, comment).trimEnd();
  if (!simplePlain.test(plain) || plain.includes(": ") || plain.endsWith(":")) throw notSimple;
  if (isSurelyText(plain)) return plain;
  const { type, value } = resolvePlainScalar(plain);
  if (type === "float" && !Number.isFinite(value)) throw notSimple;
  return value;
}

const words = /^\[[A-Za-z][\w./-]*(?:, *[A-Za-z][\w./-]*)*\]$/;
/** At most 99 lists in all, so that they do not nest deep either. */
const quotedTexts = /^(?=(?:[^[]*\[){1,99}[^[]*$)(?:"[^"\\]*"|[[\], ])+$/;

/** In one line: of words, or of lists and texts in double quotes as in JSON. */
function flowList(text: string): JsonValue {
  if (words.test(text)) return text.slice(1, -1).split(/, */).map(scalar);
  if (!quotedTexts.test(text)) throw notSimple;
  return JSON.parse(text);
}
