import type { YamlLibrary } from "./yaml-library.ts";

/** What the lexer puts before a scalar. */
const scalarMark = "\x1f";

/**
 * Whether collections in `text` nest deeper than `limit`; there may be twice as many levels before it says so. Never for a
 * text that keeps to the limit.
 *
 * To be asked before a text is parsed: the parser calls itself for each level, and where that exhausts the stack while V8
 * compiles a regular expression, V8 ends the process instead of throwing.
 */
export function nestsFarBeyond(text: string, limit: number, library: Pick<YamlLibrary, "Lexer">): boolean {
  if (!mayNest(text, limit)) return false;
  const levels = new Levels();
  let isScalar = false;
  for (const lexeme of new library.Lexer().lex(text)) {
    if (isScalar) levels.text(lexeme);
    else if (lexeme !== scalarMark) levels.token(lexeme);
    isScalar = lexeme === scalarMark;
    if (levels.depth > 2 * limit + 2) return true;
  }
  return false;
}

/** What is quick to see: a level takes a bracket, or an indicator with a blank or a line end behind it. */
function mayNest(text: string, limit: number): boolean {
  let count = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    // [ {
    if (code === 0x5b || code === 0x7b) count++;
    // - : ?
    else if (code === 0x2d || code === 0x3a || code === 0x3f) count++;
    if (count > limit) return true;
  }
  return false;
}

/** How deep the lexer is, by what it has met so far. A collection counts once or twice. */
class Levels {
  /** The columns at which block collections have begun that are still open. */
  readonly #block: number[] = [];
  /** The pairs that are open in each flow collection that is. */
  readonly #flow: number[] = [];
  #pairs = 0;
  #column = 0;
  #isLineStart = true;

  get depth(): number {
    return this.#block.length + this.#flow.length + this.#pairs;
  }

  text(lexeme: string): void {
    this.#startLine();
    const lineEnd = lexeme.lastIndexOf("\n");
    this.#column = lineEnd === -1 ? this.#column + lexeme.length : lexeme.length - lineEnd - 1;
    this.#isLineStart = lexeme.endsWith("\n");
  }

  token(lexeme: string): void {
    if (lexeme === "\n" || lexeme === "\r\n") {
      this.#column = 0;
      this.#isLineStart = true;
      return;
    }
    if (!/^[\s#]/.test(lexeme)) this.#startLine();
    if (lexeme === "[" || lexeme === "{") this.#flow.push(0);
    else if (lexeme === "]" || lexeme === "}") this.#pairs -= this.#flow.pop() ?? 0;
    else if (lexeme === ",") this.#endPairs();
    else if (lexeme === ":" && this.#flow.length > 0) this.#openPair();
    else if (/^[-?:]$/.test(lexeme) && this.#flow.length === 0) this.#block.push(this.#column);
    this.#column += lexeme.length;
  }

  /** The first token of a line closes the collections that are further in. */
  #startLine(): void {
    if (!this.#isLineStart) return;
    this.#isLineStart = false;
    if (this.#flow.length > 0) return;
    while ((this.#block.at(-1) ?? -1) >= this.#column) this.#block.pop();
    this.#block.push(this.#column);
  }

  #openPair(): void {
    this.#flow[this.#flow.length - 1] = (this.#flow.at(-1) ?? 0) + 1;
    this.#pairs++;
  }

  #endPairs(): void {
    if (this.#flow.length === 0) return;
    this.#pairs -= this.#flow.at(-1) ?? 0;
    this.#flow[this.#flow.length - 1] = 0;
  }
}
