import { RE2JS } from "re2js";

/** Longer sources are refused: RE2 expands `{1000}`, so a short text may compile to a large program. */
const MAX_SOURCE_LENGTH = 10_000;
/** Instructions that all patterns of one schema may compile to. Real schemas need a few thousand. */
const MAX_PROGRAM_SIZE = 500_000;

/** A regular expression of a schema, in RE2 syntax and matched without backtracking. */
export interface SchemaPattern {
  /** As the schema writes it. */
  readonly source: string;
  /** Why it cannot be compiled, in the words of RE2. `undefined`: it can. */
  readonly problem: string | undefined;
  /** What matching `text` costs at worst, in steps of the matcher. */
  cost(text: string): number;
  /** Whether the pattern occurs anywhere in `text`; `false` when it cannot be compiled. Never throws. */
  matches(text: string): boolean;
}

export type PatternCompiler = (source: string) => SchemaPattern;

/** Makes the patterns of one schema. Each is compiled at its first use, and all of them share one bound on size. */
export function createPatternCompiler(): PatternCompiler {
  let left = MAX_PROGRAM_SIZE;

  const compile = (source: string): RE2JS | string => {
    if (source.length > MAX_SOURCE_LENGTH || left <= 0) return "error parsing regexp: expression too large";
    try {
      const compiled = RE2JS.compile(source);
      left -= compiled.programSize();
      return left < 0 ? "error parsing regexp: expression too large" : compiled;
    } catch (error) {
      return error instanceof Error ? error.message : "error parsing regexp";
    }
  };

  return (source) => {
    let cached: RE2JS | string | undefined;
    const compiled = (): RE2JS | string => {
      cached ??= compile(source);
      return cached;
    };
    return Object.freeze({
      source,
      get problem(): string | undefined {
        const result = compiled();
        return typeof result === "string" ? result : undefined;
      },
      cost(text: string): number {
        const result = compiled();
        return typeof result === "string" ? 1 : result.programSize() * (text.length + 1);
      },
      matches(text: string): boolean {
        const result = compiled();
        return typeof result !== "string" && result.test(text);
      },
    });
  };
}
