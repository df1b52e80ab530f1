import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { findFile } from "./find-file.ts";
import { SourceProblem } from "./source-problem.ts";
import { transformSource } from "./transform.ts";

const settings = { definesFields: true, hasLegacyDecorators: false, emitsDecoratorMetadata: false };

/** The first error of syntax in `file` and the files beside it that it imports; `undefined` when there is none. */
export function findSyntaxProblem(file: string): SourceProblem | undefined {
  const files = new Set([file]);
  try {
    for (const each of files) {
      if (each.endsWith(".json")) continue;
      for (const specifier of transformSource(each, readFileSync(each, "utf8"), settings).imports) {
        const next = /^\.{0,2}\//.test(specifier) ? findFile(specifier, dirname(each)) : undefined;
        if (next !== undefined) files.add(next);
      }
    }
  } catch (error) {
    if (error instanceof SourceProblem) return error;
    throw error;
  }
  return undefined;
}
