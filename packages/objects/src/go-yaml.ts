import { goFloat } from "./go-float.ts";
import { isJsonArray, type JsonArray, type JsonObject, type JsonValue } from "./json.ts";
import { resolvePlainScalar } from "./yaml-scalar.ts";

/**
 * `value` as a YAML document that ends with a newline, byte for byte as Kubernetes' servers and kubectl print it
 * (sigs.k8s.io/yaml on go-yaml 2): members sorted, two blanks of indentation, lists as far to the left as their key,
 * long lines folded. Members that are `undefined` are left out.
 */
export function goYaml(value: JsonValue): string {
  const emitter = new Emitter();
  emitter.node(value, 0, true);
  return emitter.end();
}

/** A text goes on in the next line at the first blank behind this column. */
const width = 80;

/** Longer keys, in bytes, get a question mark. */
const maxKeyBytes = 128;

class Emitter {
  readonly #lines: string[] = [];
  #line = "";
  /** In characters: a surrogate pair is one. */
  #column = 0;

  end(): string {
    if (this.#column > 0) this.#endLine();
    return this.#lines.join("");
  }

  /** `inline`: the first line is begun already, and stands at `indent`. */
  node(value: JsonValue, indent: number, inline: boolean): void {
    if (isJsonArray(value) && value.length > 0) this.#sequence(value, indent, inline);
    else if (typeof value === "object" && value !== null && !isJsonArray(value) && hasMembers(value)) {
      this.#mapping(value, indent, inline);
    } else this.#scalar(value, indent);
  }

  #put(text: string): void {
    this.#line += text;
    this.#column += surrogates.test(text) ? Array.from(text).length : text.length;
  }

  #endLine(): void {
    this.#lines.push(`${this.#line}\n`);
    this.#line = "";
    this.#column = 0;
  }

  #startLine(indent: number): void {
    if (this.#column > 0) this.#endLine();
    this.#put(" ".repeat(indent));
  }

  #sequence(items: JsonArray, indent: number, inline: boolean): void {
    for (const [index, item] of items.entries()) {
      if (index > 0 || !inline) this.#startLine(indent);
      this.#put("- ");
      this.node(item, indent + 2, true);
    }
  }

  #mapping(object: JsonObject, indent: number, inline: boolean): void {
    const names = Object.keys(object).filter((name) => object[name] !== undefined);
    for (const [index, name] of names.sort(byGoYaml).entries()) {
      if (index > 0 || !inline) this.#startLine(indent);
      const value = object[name] ?? null;
      if (isSimpleKey(name)) this.#simpleMember(name, value, indent);
      else this.#explicitMember(name, value, indent);
    }
  }

  #simpleMember(name: string, value: JsonValue, indent: number): void {
    this.#text(name, indent, "key");
    this.#put(":");
    if (isBlock(value)) this.node(value, isJsonArray(value) ? indent : indent + 2, false);
    else {
      this.#put(" ");
      this.#scalar(value, indent + 2);
    }
  }

  #explicitMember(name: string, value: JsonValue, indent: number): void {
    this.#put("? ");
    this.#text(name, indent + 2, "value");
    this.#startLine(indent);
    this.#put(": ");
    this.node(value, indent + 2, true);
  }

  /** `indent`: where further lines of it begin. */
  #scalar(value: JsonValue, indent: number): void {
    if (typeof value === "string") this.#text(value, Math.max(indent, 2), "value");
    else this.#put(plainScalar(value));
  }

  #text(text: string, indent: number, as: "key" | "value"): void {
    const styles = allowedStyles(text);
    const mayFold = as === "value";
    const isMerge = text === "<<" && as === "key"; // Kubernetes does not quote it, and reads something else then
    if (text.includes("\n")) {
      if (styles.literal) this.#literal(text, indent);
      else this.#doubleQuoted(text, indent, mayFold);
    } else if (isMerge || !isStringWithoutQuotes(text)) this.#doubleQuoted(text, indent, mayFold);
    else if (styles.plain) this.#folding(text, indent, mayFold, isFoldInside);
    else if (styles.singleQuoted) this.#singleQuoted(text, indent, mayFold);
    else this.#doubleQuoted(text, indent, mayFold);
  }

  /** Writes `text`, and goes on in the next line instead of at a blank where `mayBreak` lets it. */
  #folding(text: string, indent: number, mayFold: boolean, mayBreak: (text: string, index: number) => boolean): void {
    let start = 0;
    let column = this.#column;
    let spaces = false;
    for (let index = 0; index < text.length; index++) {
      const character = text.charCodeAt(index);
      if (character !== SPACE) {
        spaces = false;
        if (!isLowSurrogate(character)) column++;
        continue;
      }
      if (mayFold && !spaces && column > width && mayBreak(text, index)) {
        this.#put(text.slice(start, index));
        this.#startLine(indent);
        start = index + 1;
        if (text.charCodeAt(start) === SPACE) this.#put("\\"); // in double quotes only, where it keeps the blank
        column = this.#column;
      } else column++;
      spaces = true;
    }
    this.#put(text.slice(start));
  }

  #singleQuoted(text: string, indent: number, mayFold: boolean): void {
    this.#put("'");
    this.#folding(text.replaceAll("'", "''"), indent, mayFold, isFoldInside);
    this.#put("'");
  }

  #doubleQuoted(text: string, indent: number, mayFold: boolean): void {
    this.#put('"');
    // A quirk: a byte order mark at the start has every character escaped.
    const escaped = text.startsWith("\ufeff")
      ? Array.from(text, escapeCharacter).join("")
      : text.replace(needsEscape, escapeCharacter);
    this.#folding(escaped, indent, mayFold, (written, index) => index > 0 && index < written.length - 1);
    this.#put('"');
  }

  #literal(text: string, indent: number): void {
    const keep = /(?:^|\n)\n$/.test(text) ? "+" : text.endsWith("\n") ? "" : "-";
    this.#put(`|${/^[ \n]/.test(text) ? "2" : ""}${keep}`);
    this.#endLine();
    for (const line of text.replace(/\n$/, "").split("\n")) {
      if (line !== "") this.#put(" ".repeat(indent) + line);
      this.#endLine();
    }
  }
}

const SPACE = 0x20;
const surrogates = /[\ud800-\udfff]/;

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function hasMembers(object: JsonObject): boolean {
  return Object.values(object).some((value) => value !== undefined);
}

function isBlock(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isJsonArray(value) ? value.length > 0 : hasMembers(value);
}

/** Everything but text and what has lines of its own. */
function plainScalar(value: Exclude<JsonValue, string>): string {
  if (typeof value === "number") return Number.isInteger(value) ? plainInteger(value) : goFloat(value);
  if (typeof value === "object" && value !== null) return isJsonArray(value) ? "[]" : "{}";
  return String(value);
}

/** Go has no integers beyond 64 bits. A `bigint` keeps its digits all the same. */
function plainInteger(value: number): string {
  const integer = BigInt(value);
  const fits = BigInt.asIntN(64, integer) === integer || BigInt.asUintN(64, integer) === integer;
  return fits ? integer.toString() : goFloat(value);
}

const isFoldInside = (text: string, index: number): boolean =>
  index > 0 && index < text.length - 1 && text.charCodeAt(index + 1) !== SPACE;

function isSimpleKey(name: string): boolean {
  return !/[\n\r\x85\u2028\u2029]/.test(name) && new TextEncoder().encode(name).length <= maxKeyBytes;
}

/** In the numbers with colons that YAML 1.1 had. */
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether `text` without quotes would be read as what it is. */
function isStringWithoutQuotes(text: string): boolean {
  return resolvePlainScalar(text).type === "str" && !base60.test(text) && !isTimestamp(text);
}

const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** Whether go-yaml takes it for a time: the day must exist. */
function isTimestamp(text: string): boolean {
  const [, year, month, day, ...parts] = timestamp.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return false;
  const [hour, minute, second, offsetHour, offsetMinute, hour2, minute2, second2] = parts.map((part) =>
    Number(part ?? 0),
  );
  const inDay = (h = 0, m = 0, s = 0): boolean => h < 24 && m < 60 && s < 60;
  return (
    inDay(hour, minute, second) &&
    inDay(hour2, minute2, second2) &&
    (offsetHour ?? 0) <= 24 &&
    (offsetMinute ?? 0) <= 60
  );
}

/**
 * What go-yaml does not print as it is: controls, what lies beyond 16 bits, and two that are no characters. And two line
 * breaks of YAML 1.1, which it prints and then reads as blanks.
 */
const unprintable = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const needsEscape = /[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\]/gu;

const names: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\xa0": "_",
  "\u2028": "L",
  "\u2029": "P",
};

function escapeCharacter(character: string): string {
  const name = names[character];
  if (name !== undefined) return `\\${name}`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** @see go-yaml 2, yaml_emitter_analyze_scalar */
function allowedStyles(text: string): {
  readonly plain: boolean;
  readonly singleQuoted: boolean;
  readonly literal: boolean;
} {
  const special = unprintable.test(text) || text.includes(" \n");
  const indicators =
    /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`])/.test(text) || /^[?:-](?: |$)/.test(text) || /:(?: |$)| #/.test(text);
  return {
    plain: !special && !indicators && !/^ | $/.test(text),
    singleQuoted: !special,
    literal: !special && !text.endsWith(" "),
  };
}

/**
 * go-yaml's order of keys: letters behind everything else, numbers inside them by their value.
 * @see go-yaml 2, keyList
 */
function byGoYaml(left: string, right: string): number {
  const quick = compareLetters(left, right);
  if (quick !== 0) return quick;
  const a = [...left];
  const b = [...right];
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [one = "", other = ""] = [a[index], b[index]];
    if (one === other) continue;
    const oneLetter = isLetter.test(one);
    const otherLetter = isLetter.test(other);
    if (oneLetter !== otherLetter) return otherLetter ? -1 : 1;
    return (oneLetter ? 0 : compareNumbers(a, b, index)) || (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return a.length - b.length;
}

/** The usual case: they first differ in two letters of ASCII. 0 when they do not. */
function compareLetters(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)];
  return isAsciiLetter(one) && isAsciiLetter(other) ? one - other : 0;
}

function isAsciiLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const isLetter = /^\p{L}$/u;
const isDigit = /^\p{Nd}$/u;

/** Compares the numbers that go on, or begin, at `index`. */
function compareNumbers(a: readonly string[], b: readonly string[], index: number): number {
  const start = isInNumber(a, b, index) ? 1n : 0n;
  const one = readNumber(a, index, start);
  const other = readNumber(b, index, start);
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  return one.end - other.end;
}

/** Whether a zero here has digits before it that count. */
function isInNumber(a: readonly string[], b: readonly string[], index: number): boolean {
  if (a[index] !== "0" && b[index] !== "0") return false;
  for (let before = index - 1; before >= 0 && isDigit.test(a[before] ?? ""); before--) {
    if (a[before] !== "0") return true;
  }
  return false;
}

function readNumber(
  text: readonly string[],
  start: number,
  from: bigint,
): { readonly value: bigint; readonly end: number } {
  let value = from;
  let end = start;
  for (; end < text.length && isDigit.test(text[end] ?? ""); end++) {
    // An int64 that overflows goes on with the bits that are left.
    value = BigInt.asIntN(64, value * 10n + BigInt((text[end]?.codePointAt(0) ?? 0) - 0x30));
  }
  return { value, end };
}
