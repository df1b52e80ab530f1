import { readFileSync } from "node:fs";

/** A place in a file of the user. Line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong in the user's own files, with the place where it stands. The message does not repeat the place. */
export class SourceProblem extends Error {
  override readonly name: string = "SourceProblem";
  readonly place: Place;

  constructor(message: string, options: ErrorOptions & { readonly place: Place }) {
    super(message, options);
    this.place = options.place;
  }
}

/** Where `offset` of `text` is, in UTF-16 code units. */
export function placeOf(file: string, text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { file, line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Where `file` imports `specifier` first; its start when the specifier is composed when it runs. */
export function placeOfImport(file: string, specifier: string): Place {
  const text = readFileSync(file, "utf8");
  const literal = `["'\`]${specifier.replace(/[^\w/]/g, "\\$&")}["'\`]`;
  const match =
    new RegExp(`(?<=\\b(?:from|import|require)\\s*\\(?\\s*)${literal}`).exec(text) ?? new RegExp(literal).exec(text);
  return placeOf(file, text, match?.index ?? 0);
}
