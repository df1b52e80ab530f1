/** A place in a text, and what is wrong there. */
export interface SourceProblem {
  /** In UTF-16 code units. */
  readonly offset: number;
  /** The fact, and what to do. */
  readonly message: string;
}

/** From 1, both; the column counts UTF-16 code units. */
interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

const MAX_COLUMNS = 120;

/** A text with its lines, which end at CR, LF or both. */
export class SourceText {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    const lineEnd = /\r\n?|\n/g;
    while (lineEnd.test(text)) starts.push(lineEnd.lastIndex);
    this.#starts = starts;
  }

  position(offset: number): SourcePosition {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  /**
   * `source:line:column: message`, and below it the line with a caret under the place:
   *
   *     web.yaml:3:5: the key "a" stands twice in one mapping, first in line 2. Remove one of them.
   *       3 |   - a: 2
   *         |     ^
   */
  describe(source: string, { offset, message }: SourceProblem): string {
    const { line, column } = this.position(offset);
    const content = this.#text.slice(offset - column + 1, this.#starts[line]).replace(/[\r\n]+$/, "");
    const cut = Math.max(0, column - MAX_COLUMNS); // a long line is shown from where the caret still fits
    const shown = content.slice(cut, cut + MAX_COLUMNS);
    const indent = shown.slice(0, column - 1 - cut).replace(/[^\t]/g, " "); // a tab stays as wide as it is above
    const gutter = line.toString();
    return [
      `${source}:${line}:${column}: ${message}`,
      `  ${gutter} | ${shown}`,
      `  ${" ".repeat(gutter.length)} | ${indent}^`,
    ].join("\n");
  }
}
