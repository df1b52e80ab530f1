import { SourceMap } from "node:module";
import { moduleRunnerTransformSync, type OxcError, type TransformOptions, transformSync } from "oxc-transform";
import type { CompilerSettings } from "./compiler-settings.ts";
import { type Place, placeOf, SourceProblem } from "./source-problem.ts";

/** A file of the user as the body of a function: see {@link transformSource}. */
export interface TransformedSource {
  readonly code: string;
  /** It has `import` or `export`. */
  readonly isModule: boolean;
  /** What it imports with `import` or `export … from`. */
  readonly imports: readonly string[];
  /** From 1, both, in `code` and in the file; `undefined` for code that stands in no line of it. */
  locate(line: number, column: number): { readonly line: number; readonly column: number } | undefined;
}

/**
 * TypeScript or JavaScript as the body of an async function. What it imports it gets from `__vite_ssr_import__`, and
 * what it exports are getters on `__vite_ssr_exports__`, so that both stay live; the names are those of Vite, whose
 * module runner the transformer was made for.
 *
 * @throws {SourceProblem} for the first error of syntax.
 */
export function transformSource(file: string, text: string, settings: CompilerSettings): TransformedSource {
  const options = transformOptions(file, settings);
  const { code, errors } = transformSync(file, text, options);
  refuseErrors(errors, file, text);
  const module = moduleRunnerTransformSync(file, code);
  let locate: TransformedSource["locate"] | undefined;
  return {
    code: module.code,
    imports: module.deps,
    isModule: /\b__vite_ssr_(?:exports|exportAll|import_\d+)__/.test(module.code),
    locate(line, column) {
      locate ??= createLocator(file, text, options);
      return locate(line, column);
    },
  };
}

/** Transforms once more: maps are needed for errors only. */
function createLocator(file: string, text: string, options: TransformOptions): TransformedSource["locate"] {
  const script = transformSync(file, text, { ...options, sourcemap: true });
  const module = moduleRunnerTransformSync(file, script.code, { sourcemap: true });
  const maps = [module.map, script.map].map((map) => new SourceMap(map as ConstructorParameters<typeof SourceMap>[0]));
  return (line, column) => {
    let position = { line, column };
    for (const map of maps) {
      const entry = map.findEntry(position.line - 1, position.column - 1);
      if (!("originalLine" in entry) || entry.originalLine === undefined) return undefined;
      position = { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
    }
    return position;
  };
}

function transformOptions(file: string, settings: CompilerSettings): TransformOptions {
  const { definesFields, hasLegacyDecorators, emitsDecoratorMetadata } = settings;
  const isTypeScript = /\.[cm]?ts$/.test(file);
  return {
    lang: isTypeScript ? "ts" : "js",
    sourceType: "module",
    ...(definesFields || !isTypeScript
      ? {}
      : {
          target: "es2021",
          assumptions: { setPublicClassFields: true },
          typescript: { removeClassFieldsWithoutInitializer: true },
        }),
    decorator: { legacy: hasLegacyDecorators, emitDecoratorMetadata: emitsDecoratorMetadata },
  };
}

function refuseErrors(errors: readonly OxcError[], file: string, text: string): void {
  const [error] = errors;
  if (error === undefined) return;
  const bytes = Buffer.from(text).subarray(0, error.labels[0]?.start ?? 0); // it counts those of UTF-8
  const place: Place = placeOf(file, text, bytes.toString().length);
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more after it)` : "";
  const sentences = [`${error.message}${more}`, error.helpMessage ?? ""].map((text) => text.replace(/\.?$/, "."));
  throw new SourceProblem(`SyntaxError: ${sentences.filter((text) => text !== ".").join(" ")}`, { place });
}
