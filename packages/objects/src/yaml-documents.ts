import type {
  Alias,
  Document,
  ErrorCode,
  ParsedNode,
  ParseOptions,
  Scalar,
  SchemaOptions,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { SlipwayError } from "./errors.ts";
import { goFloat } from "./go-float.ts";
import type { JsonValue, MutableJsonObject } from "./json.ts";
import { setMember } from "./json.ts";
import { JsonSyntaxError, parseJson, readJsonSequence } from "./json-reader.ts";
import { type SourceProblem, SourceText } from "./source-text.ts";
import type { YamlLibrary } from "./yaml-library.ts";
import { nestsFarBeyond } from "./yaml-nesting.ts";
import { resolvePlainScalar, resolveTaggedScalar, type YamlScalar } from "./yaml-scalar.ts";
import { readSimpleYaml } from "./yaml-simple.ts";

export interface YamlReadOptions {
  /** Names the text in errors, usually by its file name. */
  readonly source: string;
  /**
   * Lists and mappings inside each other beyond this are refused.
   * @default 512
   */
  readonly maxDepth?: number | undefined;
  /**
   * Called for a key that stands in its mapping already, with the line where its value begins. The last one counts then,
   * as it does for Kubernetes.
   * @default it is refused
   */
  readonly onDuplicateKey?: ((key: string, line: number) => void) | undefined;
}

const defaults = { maxDepth: 512 } as const;

export interface YamlDocument {
  readonly value: JsonValue;
  /** Where the value begins, from 1. */
  readonly line: number;
  /** What kubectl takes without a word and the writer may not have meant, each with its place. */
  readonly warnings: readonly string[];
}

/** More than this are counted and not shown. */
const MAX_PROBLEMS = 100;

/** @see `YamlReader`, whose members these functions are. Scalars are what {@link resolvePlainScalar} says. */
export function readYamlDocuments(text: string, options: YamlReadOptions, library: () => YamlLibrary): YamlDocument[] {
  const maxDepth = options.maxDepth ?? defaults.maxDepth;
  const content = text.replace(/^\ufeff/, "");
  const json: JsonAttempt = /^\s*\{/.test(content)
    ? readAsJson(content, maxDepth, options)
    : { documents: [], rest: 0 };
  const lines = new SourceText(content);
  const problems: YamlProblem[] = [];
  const documents = [...json.documents];
  if (json.rest !== undefined) {
    for (const chunk of splitDocuments(content, json.rest, problems)) {
      documents.push(...new ChunkReader(content, chunk, lines, { ...options, maxDepth }, problems, library).read());
    }
  }
  // A text that was meant as JSON is told what is wrong with it as JSON.
  throwProblems(json.problem !== undefined && problems.length > 0 ? [json.problem] : problems, lines, options.source);
  return documents.map(({ value, offset, warnings }) => ({
    value,
    line: lines.position(offset).line,
    warnings: warnings.map((warning) => describeProblem(warning, lines, options.source)),
  }));
}

export function readYaml(text: string, options: YamlReadOptions, library: () => YamlLibrary): JsonValue {
  const [document, second] = readYamlDocuments(text, options, library);
  if (document === undefined) {
    throw invalidYaml(`${options.source}: there is no document in it, and one is expected.`);
  }
  if (second !== undefined) {
    const lines = `one in line ${document.line} and another in line ${second.line}`;
    throw invalidYaml(`${options.source}: there is ${lines}. One is expected.`);
  }
  return document.value;
}

export function refuseSyntaxErrors(
  documents: readonly Document.Parsed[],
  text: string,
  { source }: Pick<YamlReadOptions, "source">,
  library: () => YamlLibrary,
): void {
  if (documents.every(({ errors }) => errors.length === 0)) return;
  const isHidden = (offset: number): boolean => {
    const { start, end } = chunkAround(text, offset);
    return offset - start < shownFrom(text.slice(start, end));
  };
  const errors = [...findSyntaxErrors(documents, isHidden, library())];
  const problems = errors.map((error) => ({ ...error, isHidden: isHidden(error.offset) }));
  throwProblems(problems, new SourceText(text), source);
}

interface RawDocument {
  readonly value: JsonValue;
  readonly offset: number;
  readonly warnings: readonly YamlProblem[];
}

interface JsonAttempt {
  readonly documents: readonly RawDocument[];
  /** Where to go on as YAML; `undefined` when all is read. */
  readonly rest?: number | undefined;
  /** What to say when that fails as well. */
  readonly problem?: YamlProblem | undefined;
}

/**
 * Like kubectl: JSON values one after another; when the first or the second is none, the rest is read as YAML.
 * @throws {SlipwayError} when it cannot be anything but JSON.
 */
function readAsJson(text: string, maxDepth: number, { source, onDuplicateKey }: YamlReadOptions): JsonAttempt {
  try {
    return { documents: [{ value: parseJson(text, { maxDepth }), offset: text.search(/\S/), warnings: [] }] };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (onDuplicateKey !== undefined) return { documents: [], rest: 0 }; // as YAML a duplicate key has its line
  }
  const { items, error } = readJsonSequence(text, { maxDepth });
  const documents = items.map(({ value, start }) => ({ value, offset: start, warnings: [] }));
  if (error === undefined) return { documents };
  const isHidden = error.offset < shownFrom(text);
  const reason = isHidden ? withoutQuotes(error.reason) : error.reason;
  const problem = { offset: error.offset, message: `${reason}. Correct the JSON.`, isHidden };
  if (error.kind === "loss" || items.length > 1) throwProblems([problem], new SourceText(text), source);
  const looksLikeJson = /^\s*\{\s*["}]/.test(text);
  return { documents, rest: items[0]?.end ?? 0, problem: looksLikeJson && items.length === 0 ? problem : undefined };
}

/** Part of a text, from `start` up to `end`. */
interface Chunk {
  readonly start: number;
  readonly end: number;
}

/** Cuts at lines that begin with `---`, before any YAML is looked at: that is what kubectl does. */
function splitDocuments(text: string, from: number, problems: YamlProblem[]): Chunk[] {
  const chunks: Chunk[] = [];
  let start = from;
  for (const { index, 0: line, 1: rest = "" } of text.matchAll(/(?<=^|\n)---([^\n]*)\n?/g)) {
    if (index < from) continue;
    const more = rest.search(/\S/);
    if (more !== -1 && rest[more] !== "#") {
      const message = "only a comment may follow the --- that separates documents. Put this into the next line.";
      problems.push({ offset: index + 3 + more, message, isHidden: true });
    }
    chunks.push({ start, end: index });
    start = index + line.length;
  }
  return [...chunks, { start, end: text.length }];
}

/** The lines around `offset` up to the nearest `---`. */
function chunkAround(text: string, offset: number): Chunk {
  const end = text.indexOf("\n---", offset);
  return { start: text.lastIndexOf("\n---", offset) + 1, end: end === -1 ? text.length : end + 1 };
}

/** Everything is text to the parser: what a scalar means, what merges and what is equal is decided here. */
const parseOptions = {
  schema: "failsafe",
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const satisfies ParseOptions & SchemaOptions & { logLevel: string };

/** What the parser reads takes about a kilobyte of memory for each. */
const MAX_PARTS = 1_500_000;

/** Whether more than `limit` lists, mappings or scalars may be in the text. */
function hasMore(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (let offset = 0; offset < text.length && count <= limit; offset += 1) {
    const code = text.charCodeAt(offset);
    // , : line feed [ {
    if (code === 0x2c || code === 0x3a || code === 0x0a || code === 0x5b || code === 0x7b) count += 1;
  }
  return count > limit;
}

const notAllowed = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const directive = /^(?:[ \t]*(?:#.*)?\r?\n)*%/;
/** Line breaks of YAML 1.1, which the parser (of YAML 1.2) takes for ordinary characters. */
const oldLineBreaks = /[\x85\u2028\u2029]/g;

/** Reads one document. It reports all problems it finds, and makes null of what has one. */
class ChunkReader {
  readonly #lines: SourceText;
  readonly #start: number;
  readonly #source: string;
  readonly #maxDepth: number;
  readonly #onDuplicateKey: YamlReadOptions["onDuplicateKey"];
  readonly #problems: YamlProblem[];
  readonly #library: () => YamlLibrary;
  #loaded: YamlLibrary | undefined;
  readonly #warnings: YamlProblem[] = [];
  readonly #targets: Map<Alias, ParsedNode> = new Map();
  /** The collections that are being read, from the outermost in. */
  readonly #open: Set<ParsedNode> = new Set();
  /** Offsets of old line breaks that kubectl reads as we do. */
  readonly #harmless: Set<number> = new Set();
  readonly #expansion: ExpansionBound = new ExpansionBound();
  /** Whether the collection being read is in braces or brackets. */
  #inFlow = false;
  #stopped = false;
  #shownFrom: number | undefined;

  constructor(
    text: string,
    { start, end }: Chunk,
    lines: SourceText,
    { maxDepth, onDuplicateKey }: YamlReadOptions & { readonly maxDepth: number },
    problems: YamlProblem[],
    library: () => YamlLibrary,
  ) {
    this.#lines = lines;
    this.#library = library;
    this.#start = start;
    // A single CR is a line break to kubectl, and here none. And kubectl ends the last line.
    this.#source = text
      .slice(start, end)
      .replace(/\r(?!\n)/g, "\n")
      .replace(/[^\n]$/, "$&\n");
    this.#maxDepth = maxDepth;
    this.#onDuplicateKey = onDuplicateKey;
    this.#problems = problems;
  }

  read(): RawDocument[] {
    const simple = this.#maxDepth < defaults.maxDepth ? undefined : readSimpleYaml(this.#source);
    if (simple !== undefined) {
      return [{ value: simple.value, offset: this.#start + simple.offset, warnings: this.#warnings }];
    }
    if (this.#refuseText()) return [];
    if (hasMore(this.#source, MAX_PARTS)) {
      this.#problem(0, "the document has too many values to be read at once. Make several of it.");
      return [];
    }
    if (nestsFarBeyond(this.#source, this.#maxDepth, this.#yaml)) {
      this.#problem(0, "it nests too deep. Make it flatter.");
      return [];
    }
    const [document, ...others] = this.#yaml.parseAllDocuments(this.#source, parseOptions);
    const all = document === undefined ? [] : [document, ...others];
    const errors = [...findSyntaxErrors(all, (offset) => this.#isHidden(offset), this.#yaml)];
    for (const { offset, message } of errors) this.#problem(offset, message);
    const contents = document?.contents ?? null;
    if (errors.length > 0 || contents === null) return [];
    for (const { contents: other } of others) {
      if (other === null || (this.#yaml.isScalar(other) && other.source === "")) continue;
      this.#problem(
        other.range[0],
        "kubectl drops a document that no --- separates from the one before. Put one here.",
      );
    }
    this.#findTargets(contents);
    const value = this.#value(contents);
    this.#refuseOldLineBreaks();
    return value === null ? [] : [{ value, offset: this.#start + contents.range[0], warnings: this.#warnings }];
  }

  /** Loaded only now: most texts are simple. */
  get #yaml(): YamlLibrary {
    this.#loaded ??= this.#library();
    return this.#loaded;
  }

  #problem(offset: number, message: string): void {
    this.#problems.push({ offset: this.#start + offset, message, isHidden: this.#isHidden(offset) });
  }

  #warning(offset: number, message: string): void {
    if (this.#expansion.isInside) return; // said where the anchor stands
    this.#warnings.push({ offset: this.#start + offset, message, isHidden: this.#isHidden(offset) });
  }

  #isHidden(offset: number): boolean {
    this.#shownFrom ??= shownFrom(this.#source);
    return offset < this.#shownFrom;
  }

  /** A word of the text, for a message. */
  #shown(offset: number, word: string): string {
    return this.#isHidden(offset) ? `${word.slice(0, 1)}…` : word;
  }

  /** Whether the parser need not look, since the text has what it would let pass. */
  #refuseText(): boolean {
    const character = notAllowed.exec(this.#source);
    if (character !== null) {
      const code = character[0].codePointAt(0) ?? 0;
      const advice = code >= 0xd800 && code <= 0xdfff ? "Remove it." : `Write ${escapeOf(code)} inside double quotes.`;
      this.#problem(character.index, `the character ${codePoint(code)} is not allowed in YAML. ${advice}`);
      return true;
    }
    const percent = directive.exec(this.#source);
    if (percent !== null) {
      this.#problem(percent[0].length - 1, "kubectl reads no YAML directives. Remove this line.");
    }
    return percent !== null;
  }

  #refuseOldLineBreaks(): void {
    for (const { index, 0: character } of this.#source.matchAll(oldLineBreaks)) {
      if (this.#harmless.has(index)) continue;
      const code = character.charCodeAt(0);
      const fact = `the character ${codePoint(code)} is a line break to kubectl`;
      this.#problem(index, `${fact}. Write ${escapeOf(code)} inside double quotes.`);
    }
  }

  /** An alias stands for the last node before it, or around it, that has the anchor. */
  #findTargets(contents: ParsedNode): void {
    const anchors = new Map<string, ParsedNode>();
    this.#yaml.visit(contents, (_, node) => {
      if (this.#yaml.isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) this.#targets.set(node, target);
      } else if (this.#yaml.isNode(node) && node.anchor !== undefined) {
        anchors.set(node.anchor, node as ParsedNode);
        if (!/^[\w-]+$/.test(node.anchor)) {
          const offset = node.range?.[0] ?? 0;
          const shown = this.#shown(offset, `&${node.anchor}`);
          const fact = `kubectl takes only letters, digits, - and _ in an anchor, not ${shown}`;
          this.#problem(offset, `${fact}. Rename it.`);
        }
      }
    });
  }

  #value(node: ParsedNode | null): JsonValue {
    if (node === null || !this.#mayGoOn(node)) return null;
    if (this.#yaml.isAlias(node)) return this.#expand(node, (target) => this.#value(target)) ?? null;
    if (this.#yaml.isScalar(node)) return this.#scalarValue(node);
    return this.#inside(node, () => {
      if (this.#yaml.isSeq(node)) return node.items.map((item) => this.#value(item));
      const object: MutableJsonObject = {};
      this.#readMapping(node, object);
      return object;
    });
  }

  #mayGoOn(node: ParsedNode): boolean {
    if (!this.#stopped && !this.#expansion.visit()) {
      this.#problem(node.range[0], "the aliases expand to too much. Write out what is repeated, or repeat less.");
      this.#stopped = true;
    }
    return !this.#stopped;
  }

  #inside(node: YAMLMap.Parsed | YAMLSeq.Parsed, read: () => JsonValue): JsonValue {
    if (this.#open.size >= this.#maxDepth) {
      this.#problem(node.range[0], `it nests deeper than ${this.#maxDepth} levels. Make it flatter.`);
      this.#stopped = true;
      return null;
    }
    const inFlow = this.#inFlow;
    this.#inFlow = node.flow === true;
    this.#open.add(node);
    const value = read();
    this.#open.delete(node);
    this.#inFlow = inFlow;
    return value;
  }

  #expand<Result>(alias: Alias.Parsed, read: (target: ParsedNode) => Result): Result | undefined {
    const target = this.#targets.get(alias);
    if (target === undefined) {
      const anchor = this.#shown(alias.range[0], `&${alias.source}`);
      this.#problem(alias.range[0], `there is no anchor ${anchor} before this. Add one, or correct the name.`);
      return undefined;
    }
    if (this.#open.has(target)) {
      this.#problem(alias.range[0], `the anchor &${alias.source} contains itself. Write out what is meant.`);
      return undefined;
    }
    this.#expansion.enter();
    const result = read(target);
    this.#expansion.leave();
    return result;
  }

  /** In order, as go-yaml does it: a key takes the place of what was merged before it, a merge of any key before it. */
  #readMapping(mapping: YAMLMap.Parsed, object: MutableJsonObject): void {
    const keys = new Map<string, number>();
    let merges = 0;
    for (const { key, value } of mapping.items) {
      if (isMerge(key, this.#yaml)) {
        merges += 1;
        if (merges > 1) this.#warning(key.range[0], "this is a second << in one mapping. Use one, with a list.");
        const merged: MutableJsonObject = {};
        this.#merge(value ?? key, merged);
        for (const [name, member] of Object.entries(merged)) {
          if (keys.has(name)) {
            this.#warning(key.range[0], `the merged ${quote(name)} replaces the one before it. Put << first.`);
          }
          setMember(object, name, member ?? null);
        }
        continue;
      }
      const name = this.#key(key);
      const member = this.#value(value);
      if (name === undefined) continue;
      const first = keys.get(name);
      if (first === undefined) {
        keys.set(name, key.range[0]);
      } else if (this.#onDuplicateKey !== undefined) {
        this.#onDuplicateKey(name, this.#lines.position(this.#start + (value ?? key).range[0]).line);
      } else {
        const { line } = this.#lines.position(this.#start + first);
        const fact = `the key ${quote(name)} stands twice in one mapping, first in line ${line}`;
        this.#problem(key.range[0], `${fact}. Remove one of them.`);
      }
      setMember(object, name, member);
    }
  }

  #merge(node: ParsedNode, object: MutableJsonObject, inList = false): void {
    if (!this.#mayGoOn(node)) return;
    if (this.#yaml.isAlias(node)) {
      this.#expand(node, (target) => {
        if (this.#yaml.isMap(target)) this.#merge(target as ParsedNode, object);
        else this.#problem(node.range[0], MERGE_OF_OTHER);
      });
    } else if (this.#yaml.isMap(node)) {
      this.#inside(node, () => {
        this.#readMapping(node, object);
        return null;
      });
    } else if (this.#yaml.isSeq(node) && !inList) {
      for (const item of node.items.toReversed()) this.#merge(item as ParsedNode, object, true);
    } else {
      this.#problem(node.range[0], MERGE_OF_OTHER);
    }
  }

  #scalarValue(node: Scalar.Parsed): JsonValue {
    const scalar = this.#scalar(node);
    if (scalar?.type === "float" && !Number.isFinite(scalar.value)) {
      this.#problem(node.range[0], `${node.source} is no number in JSON. Quote it if it is text, or leave it out.`);
      return null;
    }
    return scalar?.value ?? null;
  }

  #scalar(node: Scalar.Parsed): YamlScalar | undefined {
    const { source = "", tag, type, range } = node;
    if (type === "QUOTE_DOUBLE") this.#checkEscapes(range);
    if (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") this.#noteOldLineBreaks(range);
    if (type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED") this.#checkBlock(range);
    if (type === "PLAIN" && this.#inFlow && !this.#expansion.isInside && source.includes("?")) {
      this.#problem(range[0], "kubectl takes no question mark in braces or brackets. Quote this.");
    }
    if (tag === undefined) return type === "PLAIN" ? resolvePlainScalar(source) : { type: "str", value: source };
    if (source === "" && /[^\s][,[\]]/.test(this.#source.slice(range[0] - 1, range[0] + 1))) {
      this.#problem(range[0], "to kubectl this is part of the tag. Put a blank before it.");
    }
    const scalar = resolveTaggedScalar(source, tag);
    if (scalar === undefined) {
      const short = this.#shown(range[0], tag.replace(/^tag:yaml.org,2002:/, "!!"));
      this.#problem(range[0], `this is not what the tag ${short} says. Remove the tag, or correct the value.`);
    }
    return scalar;
  }

  /** The parser takes what kubectl refuses: a slash, halves of a surrogate pair; and folds one thing otherwise. */
  #checkEscapes([start, end]: readonly number[]): void {
    const escapes =
      /(?:\\u[Dd][89A-Fa-f][0-9A-Fa-f]{2}|\\U0000[Dd][89A-Fa-f][0-9A-Fa-f]{2})+|\\(?:\r?\n[ \t]*\r?\n|.)/gs;
    for (const { 0: text, index } of this.#source.slice(start, end).matchAll(escapes)) {
      const offset = (start ?? 0) + index;
      if (text === "\\/") {
        this.#problem(offset, "kubectl does not know the escape \\/. Write the slash alone.");
      } else if (/^\\\s.*\n/s.test(text)) {
        this.#problem(offset, "an empty line after an escaped line break is not supported. Write \\n instead.");
      } else if (text.length > 2) {
        this.#problem(offset, `kubectl takes no surrogates. Write the character itself, or \\U and 8 digits.`);
      }
    }
  }

  /** Where kubectl has to guess the indentation it takes no tab; where it is told, the parser loses blanks at the end. */
  #checkBlock([start, end]: readonly number[]): void {
    const text = this.#source.slice(start, end);
    const [header = "", digit] = /^[|>][+-]?([1-9])?.*\n?/.exec(text) ?? [];
    const tab = digit === undefined ? /^(?: *\r?\n)* *\t/.exec(text.slice(header.length)) : null;
    if (tab !== null) {
      const advice = "Say how far the text is indented, as in |2, or use double quotes.";
      const offset = (start ?? 0) + header.length + tab[0].length - 1;
      this.#problem(offset, `kubectl takes no tab where a block begins. ${advice}`);
    }
    if (digit === undefined) return;
    const after = /^(?: *\r?\n)*/.exec(this.#source.slice(end))?.[0] ?? "";
    const body = (text.slice(header.length) + after).replace(/ +$/, ""); // what indents the next node is not its own
    const last = /(?:^|\n)((?: *\r?\n)+)$/.exec(body);
    const blank = last?.[1]?.indexOf(" ") ?? -1;
    if (last !== null && blank !== -1) {
      const offset = (start ?? 0) + header.length + last.index + last[0].indexOf(" ");
      this.#problem(offset, "blanks in the last lines of a block with a digit are lost. Remove them, or use quotes.");
    }
  }

  /** In `{a:}` and `{a:[]}` kubectl takes the colon for part of the key. */
  #checkFlowColon({ range: [, end] }: Scalar.Parsed): void {
    const colon = /^[ \t]*:(?=[,[\]{}])/.exec(this.#source.slice(end));
    if (colon === null) return;
    this.#problem(end + colon[0].length - 1, "to kubectl this colon is part of the key. Put a blank after it.");
  }

  /** Inside quotes U+2028 and U+2029 stay what they are, unless blanks or breaks around them are folded away. */
  #noteOldLineBreaks([start, end]: readonly number[]): void {
    for (const { index } of this.#source.slice(start, end).matchAll(/(?<![\s\\])[\u2028\u2029](?!\s)/g)) {
      this.#harmless.add((start ?? 0) + index);
    }
  }

  /** The name that sigs.k8s.io/yaml gives to a key; `undefined` after reporting that there is none. */
  #key(node: ParsedNode): string | undefined {
    if (!this.#mayGoOn(node)) return undefined;
    if (this.#yaml.isAlias(node)) return this.#expand(node, (target) => this.#key(target));
    if (!this.#yaml.isScalar(node)) {
      this.#problem(node.range[0], "a key must be text here, not a list or a mapping. Quote it if it is text.");
      return undefined;
    }
    if (node.type === "PLAIN") this.#checkFlowColon(node);
    const scalar = this.#scalar(node);
    switch (scalar?.type) {
      case undefined:
        return undefined;
      case "str":
        return scalar.value;
      case "bool":
        this.#warning(node.range[0], `the key ${node.source} is the boolean ${scalar.value}. Quote it if it is text.`);
        return scalar.value.toString();
      case "int":
        if (BigInt.asIntN(64, BigInt(scalar.value)) === BigInt(scalar.value)) return scalar.value.toString();
        this.#problem(node.range[0], "kubectl takes no key beyond 64 bits. Quote it.");
        return undefined;
      case "float":
        return goFloat(scalar.value, 32)
          .replace(/^(-?)\+?Inf$/, "$1.inf")
          .replace("NaN", ".nan");
      case "null":
        this.#problem(node.range[0], "a key cannot be null. Quote it if it is text.");
        return undefined;
    }
  }
}

/**
 * go-yaml's bound on aliases: while little is read nearly all may come from them, of four million nodes a tenth.
 * @see go-yaml 2, allowedAliasRatio
 */
class ExpansionBound {
  #nodes = 0;
  #expanded = 0;
  #depth = 0;

  /** Counts one node; `false` when that is too many. */
  visit(): boolean {
    this.#nodes += 1;
    if (this.#depth > 0) this.#expanded += 1;
    if (this.#expanded <= 100 || this.#nodes <= 1000) return true;
    const share = Math.min(1, Math.max(0, (this.#nodes - 400_000) / 3_600_000));
    return this.#expanded / this.#nodes <= 0.99 - 0.89 * share;
  }

  get isInside(): boolean {
    return this.#depth > 0;
  }

  enter(): void {
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }
}

/** What the parser has found, in words that say what to do. */
function* findSyntaxErrors(
  documents: readonly Document.Parsed[],
  isHidden: (offset: number) => boolean,
  yaml: YamlLibrary,
): Generator<SourceProblem> {
  for (const { contents, errors } of documents) {
    for (const { pos, code, message } of errors) {
      const quote = message.startsWith("Missing closing") ? findQuote(contents, pos[0], yaml) : undefined;
      const fact = isHidden(pos[0]) ? withoutQuotes(message) : message;
      yield quote === undefined
        ? { offset: pos[0], message: describeError(code, fact) }
        : { offset: quote, message: "this quote is not closed. Close it, and indent all its lines." };
    }
  }
}

/** Where the text in quotes begins that `offset` ends. */
function findQuote(contents: ParsedNode | null, offset: number, { visit }: YamlLibrary): number | undefined {
  if (contents === null) return undefined;
  let found: number | undefined;
  visit(contents, {
    Scalar: (_, { type, range }) => {
      const inQuotes = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (inQuotes && range != null && range[0] < offset && offset <= range[1]) found = range[0];
    },
  });
  return found;
}

const MERGE_OF_OTHER = "<< takes a mapping, or a list of mappings. Quote the key if it is text.";

function isMerge(key: ParsedNode, { isScalar }: YamlLibrary): boolean {
  if (!isScalar(key) || key.source !== "<<") return false;
  return key.tag === undefined ? key.type === "PLAIN" : key.tag === "!" || key.tag === "tag:yaml.org,2002:merge";
}

/** What to do, for the errors of the parser whose text does not say it. */
const advice: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: "Remove the tag or anchor.",
  BAD_DQ_ESCAPE: "Double the backslash, or use single quotes.",
  BAD_INDENT: "Indent it like its neighbours.",
  BAD_SCALAR_START: "Quote the value.",
  BLOCK_AS_IMPLICIT_KEY: "Quote the value if it is text with a colon in it, or put the mapping into the next line.",
  BLOCK_IN_FLOW: "Write it in braces or brackets too.",
  DUPLICATE_KEY: "Remove one of them.",
  KEY_OVER_1024_CHARS: "Write the key after a question mark.",
  MULTILINE_IMPLICIT_KEY: "Add the colon, correct the indentation, or quote the text.",
  MULTIPLE_ANCHORS: "Remove one.",
  MULTIPLE_TAGS: "Remove one.",
  RESOURCE_EXHAUSTION: "Nest less.",
  TAB_AS_INDENT: "Use blanks.",
};

function describeError(code: ErrorCode, message: string): string {
  if (code === "RESOURCE_EXHAUSTION") return "it nests too deep. Make it flatter.";
  return `${message.slice(0, 1).toLowerCase()}${message.slice(1)}. ${advice[code] ?? "Correct it."}`;
}

function escapeOf(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const quote = (text: string): string => JSON.stringify(text);

interface YamlProblem extends SourceProblem {
  /** Whether the text there may be that of a Secret, and must not be shown. */
  readonly isHidden: boolean;
}

/** The kind of the object, where nothing but the document itself can have it. */
const kindLine = /^(["']?)kind\1:[ \t]+(["']?)([A-Za-z]\w*)\2[ \t]*(?:#[^\r\n]*)?\r?$/m;
const kindOfJson = /^\s*\{\s*(?:"apiVersion"\s*:\s*"[^"\\]*"\s*,\s*)?"kind"\s*:\s*"([A-Za-z]\w*)"/;
/** A kubeconfig has tokens and keys, and a list may have Secrets. */
const secretKind = /^(?:Secret|Config|\w*List)$/;

/** From here on the text of a document may be shown: its kind stands before, and none in it is Secret. */
function shownFrom(text: string): number {
  const match = kindOfJson.exec(text) ?? kindLine.exec(text);
  const kind = match?.at(-1);
  if (match === null || kind === undefined || secretKind.test(kind)) return Number.POSITIVE_INFINITY;
  if (/\bkind["']?\s*:[^\n,]*\bSecret\b/.test(text)) return Number.POSITIVE_INFINITY;
  return match.index + match[0].length;
}

/** An error of a parser without what it repeats of the text. */
function withoutQuotes(message: string): string {
  return message
    .replace(/(?<=\S): .*$/s, "")
    .replace(/ (?:'.*'|"..+"|\\.*)/s, "")
    .replace(/[!&*|>]\S+/g, "…")
    .replace(/\b(number) \S+/, "$1");
}

function describeProblem(problem: YamlProblem, lines: SourceText, source: string): string {
  const text = lines.describe(source, problem);
  if (!problem.isHidden) return text;
  const { line } = lines.position(problem.offset);
  return `${text.slice(0, text.indexOf("\n"))}\n  ${line} | (not shown, since it may be part of a Secret)`;
}

/** Sorted by place; what an alias repeats is said once. */
function throwProblems(problems: readonly YamlProblem[], lines: SourceText, source: string): void {
  if (problems.length === 0) return;
  const distinct = new Map(problems.map((problem) => [`${problem.offset} ${problem.message}`, problem]));
  const sorted = [...distinct.values()].sort((a, b) => a.offset - b.offset);
  const texts = sorted.slice(0, MAX_PROBLEMS).map((problem) => describeProblem(problem, lines, source));
  const more = sorted.length - MAX_PROBLEMS;
  throw invalidYaml([...texts, ...(more > 0 ? [`${source}: ${more} more`] : [])].join("\n"));
}

function invalidYaml(message: string): SlipwayError {
  return new SlipwayError(message, { code: "INVALID_YAML" });
}
