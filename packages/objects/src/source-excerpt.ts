/** A place in a text file, and what is wrong there. */
export interface SourceProblem {
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
  /** The fact, and what to do. */
  readonly message: string;
}

const MAX_COLUMNS = 120;

/** From 1, both; the column counts UTF-16 code units. A line ends at CR, LF or both. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r(?!\n)|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * `source:line:column: message`, and below it the line with a caret under the place:
 *
 *     web.yaml:3:5: the key "a" stands twice in this mapping. Remove one.
 *       3 |   - a: 2
 *         |     ^
 */
export function formatProblem(source: string, { text, offset, message }: SourceProblem): string {
  const { line, column } = lineAndColumn(text, offset);
  const start = offset - column + 1;
  const content = text.slice(start).split(/[\r\n]/, 1)[0] ?? "";
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
