import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** What the compiler of a project may do in one of two ways. */
export interface CompilerSettings {
  /** Fields of classes are defined as JavaScript does it, not assigned. A field without a value hides an inherited one. */
  readonly definesFields: boolean;
  /** `@decorators` are those of before the standard. */
  readonly hasLegacyDecorators: boolean;
  readonly emitsDecoratorMetadata: boolean;
}

interface CompilerOptions {
  readonly target?: unknown;
  readonly useDefineForClassFields?: unknown;
  readonly experimentalDecorators?: unknown;
  readonly emitDecoratorMetadata?: unknown;
}

/** From the nearest `tsconfig.json` at or above a folder; what it extends counts. A file that cannot be read says nothing. */
export class CompilerSettingsReader {
  readonly #byFolder: Map<string, CompilerSettings> = new Map();

  settingsFor(folder: string): CompilerSettings {
    const known = this.#byFolder.get(folder);
    if (known !== undefined) return known;
    const options = readOptions(join(folder, "tsconfig.json"), []);
    const parent = dirname(folder);
    const settings = options === undefined && parent !== folder ? this.settingsFor(parent) : toSettings(options ?? {});
    this.#byFolder.set(folder, settings);
    return settings;
  }
}

function toSettings(options: CompilerOptions): CompilerSettings {
  const { target, useDefineForClassFields, experimentalDecorators, emitDecoratorMetadata } = options;
  return {
    definesFields: typeof useDefineForClassFields === "boolean" ? useDefineForClassFields : !isOldTarget(target),
    hasLegacyDecorators: experimentalDecorators === true,
    emitsDecoratorMetadata: emitDecoratorMetadata === true,
  };
}

/** @see TypeScript, `useDefineForClassFields`: true from ES2022 on */
function isOldTarget(target: unknown): boolean {
  return typeof target === "string" && /^es(3|5|6|20(1\d|2[01]))$/i.test(target);
}

/** Later files of `extends` win over earlier ones, and the file itself over all of them. */
function readOptions(file: string, readers: readonly string[]): CompilerOptions | undefined {
  const config = readers.includes(file) ? undefined : readConfig(file);
  if (config === undefined) return undefined;
  const bases = [config.extends].flat().filter((base) => typeof base === "string");
  const inherited = bases.map((base) => readBase(base, file, [...readers, file]) ?? {});
  return Object.assign({}, ...inherited, config.compilerOptions);
}

function readBase(base: string, file: string, readers: readonly string[]): CompilerOptions | undefined {
  if (base.startsWith(".") || isAbsolute(base)) {
    const path = resolve(dirname(file), base);
    return readOptions(path, readers) ?? readOptions(`${path}.json`, readers);
  }
  for (const name of [base, `${base}.json`, `${base}/tsconfig.json`]) {
    try {
      const path = createRequire(file).resolve(name);
      if (path.endsWith(".json")) return readOptions(path, readers);
    } catch {} // the next name
  }
  return undefined;
}

interface Config {
  readonly extends?: unknown;
  readonly compilerOptions?: CompilerOptions;
}

function readConfig(file: string): Config | undefined {
  try {
    return JSON.parse(toJson(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Without comments and commas after the last item, which a tsconfig may have. */
function toJson(text: string): string {
  const withoutComments = text.replace(
    /("(?:\\.|[^"\\])*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, string) => string ?? " ",
  );
  return withoutComments
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, string) => string ?? "")
    .replace(/^\ufeff/, "");
}
