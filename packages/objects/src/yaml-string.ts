import { resolvePlainScalar } from "./yaml-scalar.ts";

/**
 * A string as the value of a key or as an item of a list: bare, in quotes, or as a literal block whose lines stand
 * behind `indent`. With an empty `indent` it is a whole document.
 *
 * The bytes are those of the `yaml` package (2.9.1, version 1.1, lines of any length) wherever kubectl reads those as
 * the same text; where it does not, the text is quoted and escaped.
 */
export function formatYamlString(text: string, indent: string): string {
  if (isSimple(text)) return text;
  if (needsEscapes.test(text)) return doubleQuote(text, indent);
  if (text.includes("\n")) return isFitForBlock(text, indent) ? literalBlock(text, indent) : quote(text, indent);
  if (!isFitForPlain(text) || lineSeparator.test(text)) return quote(text, indent);
  if (indent !== "") return text;
  if (atMargin.test(text)) return literalBlock(text, indent);
  return looksLikeJson.test(text) ? quote(text, indent) : text;
}

/** A string as a key, bare or in quotes, always in one line. `indent` is that of its mapping. */
export function formatYamlKey(text: string, indent: string): string {
  if (isSimple(text)) return text;
  if (needsEscapes.test(text)) return doubleQuote(text, undefined);
  const isPlain =
    isFitForPlain(text) &&
    !lineSeparator.test(text) &&
    !text.includes("\n") &&
    text !== "<<" && // a merge
    (indent !== "" || !(atMargin.test(text) || looksLikeJson.test(text)));
  return isPlain ? text : quote(text, undefined);
}

/** What kubectl takes for a line break, and the `yaml` package does not. */
const lineSeparator = /[\u2028\u2029]/;

/**
 * Not allowed in YAML but as escapes: controls, halves of surrogate pairs, and two that are no characters. And the byte
 * order mark: kubectl drops another character when a piece of its input happens to begin with one.
 */
const needsEscapes = /[^\t\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** What ends or begins a document, or is a directive, when a line begins with it. */
const atMargin = /^(?:%|---|\.\.\.)/m;

/** Before it looks for YAML, kubectl looks for a brace behind blanks of any kind. */
const looksLikeJson = /^\s+\{/;

/** What a character of ASCII may do. */
const characters = {
  /** Stand anywhere but at the start. */
  inside: mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+=@$%^&*()[]{}<>~|;,!?'\"`\\"),
  /** Stand at the start too: no word and no number begins with it. */
  first: mark("ABCDGHIJKLMPQRSUVWXZabcdghijklmpqrsuvwxz_/$^();=\\"),
};

function mark(marked: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of marked) table[character.charCodeAt(0)] = 1;
  return table;
}

const COLON = 0x3a;
const SPACE = 0x20;

/** Whether a quick look shows that `text` can stand bare everywhere. Most strings of Kubernetes objects pass. */
function isSimple(text: string): boolean {
  const { first, inside } = characters;
  if (first[text.charCodeAt(0)] !== 1 && !beginsLongWord(text)) return false;
  for (let index = 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inside[code] === 1) continue;
    // A colon or a blank between two of the others.
    if ((code !== COLON && code !== SPACE) || inside[text.charCodeAt(index + 1)] !== 1) return false;
    index += 1;
  }
  return true;
}

/** The words have up to five letters; `e5` is a number. */
function beginsLongWord(text: string): boolean {
  return text.length > 5 ? /^[fnotyFNOTY]|^[eE][A-Za-z]/.test(text) : /^[eE][A-Za-z]/.test(text);
}

/** An indicator at the start, a colon or a hash sign that means something, or blanks at an end. */
const notPlain = /^[\t ,[\]{}#&*!|>'"%@`]|^[?-](?:[ \t]|$)|:[ \t]|[\t ]#|[\t :]$/;

/** Whether `text`, of one line, would be read as itself without quotes. */
function isFitForPlain(text: string): boolean {
  return text !== "" && !notPlain.test(text) && !isOtherType(text);
}

/** Words that stand for something else in YAML 1.1. */
const words: ReadonlySet<string> = new Set([
  ..."y Y yes Yes YES n N no No NO on On ON off Off OFF".split(" "),
  ..."true True TRUE false False FALSE null Null NULL ~".split(" "),
]);

/** What YAML 1.1 takes for numbers, also in base 60, and for times. */
const numbers: readonly RegExp[] = [
  /^[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|\d[\d_]*)$/,
  /^[-+]?(?:\d[\d_]*)?(?:\.[\d_]*)?[eE][-+]?\d+$/,
  /^[-+]?(?:\d[\d_]*)?\.[\d_]*$/,
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^\d{4}-\d\d?-\d\d?(?:(?:[tT]|[ \t]+)\d\d?:\d\d?:\d\d?(?:\.\d+)?(?:[ \t]*(?:Z|[-+][012]?\d(?::\d\d)?))?)?$/,
];

/** Letters that no number and no time has: most quantities have one. */
const inNoNumber = /[g-hj-mp-su-wyG-HJ-MP-SU-WY]/;

/** Whether YAML 1.1 or kubectl, which knows more numbers and no times, would not read it as a string. */
function isOtherType(text: string): boolean {
  if (words.has(text)) return true;
  if (!/^[-+.\deE]/.test(text) || inNoNumber.test(text)) return false;
  return numbers.some((number) => number.test(text)) || resolvePlainScalar(text).type !== "str";
}

/** Single quotes only around text that has double ones and no single ones. Without an `indent` it stays in one line. */
function quote(text: string, indent: string | undefined): string {
  const isSingle = text.includes('"') && !text.includes("'") && !text.includes("\n");
  const quoted = `'${text}'`;
  return isSingle && keepsSeparators(quoted, indent) ? quoted : doubleQuote(text, indent);
}

/** Whether kubectl reads the line separators in `quoted` as they are. In a key it takes none. */
function keepsSeparators(quoted: string, indent: string | undefined): boolean {
  return !lineSeparator.test(quoted) || (indent !== undefined && !foldedSeparator.test(quoted));
}

/** Beside a blank or another line break, with which it would be folded, or where it seems to end the document. */
const foldedSeparator = /[\s\\][\u2028\u2029]|[\u2028\u2029](?:\s|---|\.\.\.)/;

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  "\x85": "\\N",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

const toEscape = /["\\]|[^\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu;

/** From this many characters on, as JSON, a text in double quotes has lines. */
const MIN_LENGTH_OF_LINES = 40;

function doubleQuote(text: string, indent: string | undefined): string {
  const quoted = `"${escapeLines(text.replace(toEscape, escapeCharacter), text, indent)}"`;
  return keepsSeparators(quoted, indent) ? quoted : quoted.replace(/[\u2028\u2029]/g, escapeCharacter);
}

/** What is left of `text` to escape, its line breaks, as `\n` or as an empty line. */
function escapeLines(escaped: string, text: string, indent: string | undefined): string {
  if (!text.includes("\n")) return escaped;
  const kept = escaped.replaceAll(" \n", "\\ \n"); // a blank before a line break would be dropped
  if (indent === undefined || JSON.stringify(text).length < MIN_LENGTH_OF_LINES) return kept.replaceAll("\n", "\\n");
  const behind = indent === "" && atMargin.test(text) ? "  " : indent;
  const end = kept.endsWith("\n") ? "\\n" : "";
  const lines = end === "" ? kept : kept.slice(0, -1);
  // And so would a blank after it.
  return lines.replace(/(\n+)( ?)/g, (_, breaks, blank) => `\n${breaks}${behind}${blank && "\\ "}`) + end;
}

function escapeCharacter(character: string): string {
  const short = escapes[character];
  if (short !== undefined) return short;
  const hex = character.charCodeAt(0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex}`;
}

/** Whether a literal block keeps all of `text`. */
function isFitForBlock(text: string, indent: string): boolean {
  if (lineSeparator.test(text) || /\n[\t ]+$/.test(text)) return false;
  if (/^\n+$/.test(text)) return true;
  if (/^\n*\t|^[\n\t ]+$/.test(text)) return false; // kubectl takes no tab where it looks for the indentation
  return indent !== "" || atMargin.test(text); // nor does it take lines at the margin
}

/**
 * The lines after `|`, a digit when the first of them begins with a blank, and `-` or `+` when the text does not end
 * with exactly one newline.
 */
function literalBlock(text: string, indent: string): string {
  const behind = indent === "" && atMargin.test(text) ? "  " : indent;
  const end = /[\n\t ]*$/.exec(text)?.[0] ?? "";
  const firstBreak = end.indexOf("\n");
  let chomping = "";
  if (firstBreak === -1) chomping = "-";
  else if (end === text || firstBreak !== end.length - 1) chomping = "+";
  const digit = /^[\n ]* /.test(text.slice(0, text.length - end.length)) ? "2" : "";
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `|${digit}${chomping}\n${behind}${lines.replace(/\n+(?!\n|$)/g, `$&${behind}`)}`;
}
