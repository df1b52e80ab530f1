import { readFileSync } from "node:fs";
import { createRequire, isBuiltin, Module } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, runInThisContext, Script, type ScriptOptions } from "node:vm";
import { CompilerSettingsReader } from "./compiler-settings.ts";
import { findFile, formatOf, hasModuleSyntax, isTypeScript, type ModuleFormat } from "./find-file.ts";
import { namespaceOf, nativeNamespace } from "./interop.ts";
import { quietly } from "./quietly.ts";
import { placeOf, placeOfImport, SourceProblem } from "./source-problem.ts";
import { type TransformedSource, transformSource } from "./transform.ts";

/** Parts of Node's module loader that its types leave out. */
interface ModuleLoader {
  readonly _cache: Record<string, NodeJS.Module | undefined>;
  readonly _extensions: Record<string, (module: NodeJS.Module, file: string) => void>;
  _nodeModulePaths(folder: string): string[];
}

const loader = Module as unknown as ModuleLoader;

interface UserModule {
  readonly file: string;
  readonly format: ModuleFormat;
  readonly module: NodeJS.Module;
  evaluation: Promise<void> | undefined;
  isEvaluated: boolean;
  /** The module that its evaluation is waiting for. */
  waitsFor: UserModule | undefined;
}

interface ImportMetadata {
  /** `undefined` when all names may be wanted. */
  readonly importedNames?: readonly string[];
}

type Import = (specifier: string, metadata?: ImportMetadata) => unknown;

/** What an import in the source leads to. */
type Target =
  | { readonly kind: "user"; readonly file: string }
  | { readonly kind: "commonjs"; readonly file: string }
  | { readonly kind: "native"; readonly specifier: string };

/** The package of helpers that the transformer's code imports: ours, wherever the program is. */
const HELPERS = "@oxc-project/runtime/";

function resolveHelper(specifier: string): string {
  return createRequire(import.meta.resolve("@oxc-project/runtime/package.json")).resolve(specifier);
}

/**
 * Runs the TypeScript of a program, and the ES modules beside it, without writing anything: file by file as they are
 * imported. Packages, and JavaScript in CommonJS, are left to Node.
 *
 * Where package.json does not say that the files are ES modules, `import` means what it does when the compiler makes
 * `require` of it: `__dirname` is there, packages are those that `require` finds, and any member of them can be imported
 * by name.
 */
export class ModuleRunner {
  readonly #settings: CompilerSettingsReader = new CompilerSettingsReader();
  readonly #modules: Map<string, UserModule> = new Map();
  readonly #sources: Map<string, TransformedSource> = new Map();

  constructor() {
    for (const extension of [".ts", ".cts", ".mts"]) {
      loader._extensions[extension] = (module, file) => this.#evaluateRequired(this.#adopt(file, module));
    }
  }

  /** The exports of the program in `file`, when it has been evaluated. It is what `require.main` and `process.argv[1]` are. */
  async runMain(file: string): Promise<unknown> {
    const main = this.#adopt(file, this.#createModule(file));
    if (main.format === "commonjs") process.mainModule = main.module;
    await this.#evaluate(main);
    return main.module.exports;
  }

  /** Where in its file code of this runner stands; `undefined` for other code. */
  locate(file: string, line: number, column: number): { readonly line: number; readonly column: number } | undefined {
    return this.#sources.get(file)?.locate(line, column);
  }

  #createModule(file: string): NodeJS.Module {
    const module = new Module(file) as NodeJS.Module;
    module.filename = file;
    module.paths = loader._nodeModulePaths(dirname(file));
    loader._cache[file] = module; // so that `require` of the same file gives the same module
    return module;
  }

  #adopt(file: string, module: NodeJS.Module): UserModule {
    const format = formatOf(file);
    const adopted = { file, format, module, evaluation: undefined, isEvaluated: false, waitsFor: undefined };
    this.#modules.set(file, adopted);
    return adopted;
  }

  async #import(specifier: string, from: UserModule, metadata: ImportMetadata = {}): Promise<unknown> {
    const target = this.#resolve(specifier, from);
    switch (target.kind) {
      case "user":
        return this.#importUser(target.file, from, metadata);
      case "commonjs":
        return namespaceOf(from.module.require(target.file), metadata.importedNames);
      case "native":
        return nativeNamespace(await importNatively(target.specifier, from), metadata.importedNames);
    }
  }

  async #importUser(file: string, from: UserModule | undefined, { importedNames }: ImportMetadata): Promise<unknown> {
    const target = this.#modules.get(file) ?? this.#adopt(file, this.#createModule(file));
    if (!target.isEvaluated && !(from !== undefined && waitsFor(target, from))) {
      if (from !== undefined) from.waitsFor = target;
      try {
        await this.#evaluate(target);
      } finally {
        if (from !== undefined) from.waitsFor = undefined;
      }
    }
    return namespaceOf(target.module.exports, importedNames);
  }

  #evaluate(target: UserModule): Promise<void> {
    target.evaluation ??= this.#start(target);
    return target.evaluation;
  }

  async #start(target: UserModule): Promise<void> {
    await this.#compile(target, true)((specifier, metadata) => this.#import(specifier, target, metadata));
    target.isEvaluated = true;
    target.module.loaded = true;
  }

  /** For `require`, which cannot wait. */
  #evaluateRequired(target: UserModule): void {
    this.#compile(
      target,
      false,
    )((specifier, metadata) => {
      const resolved = this.#resolve(specifier, target);
      const exports = target.module.require(resolved.kind === "native" ? resolved.specifier : resolved.file);
      return namespaceOf(exports, metadata?.importedNames);
    });
    target.evaluation = Promise.resolve();
    target.isEvaluated = true;
  }

  #compile(target: UserModule, isAsync: boolean): (load: Import) => unknown {
    const source = this.#read(target.file);
    const { module, file } = target;
    const exports: unknown = module.exports;
    if (source.isModule) Object.defineProperty(exports, "__esModule", { value: true });
    const parameters = {
      __vite_ssr_exports__: exports,
      __vite_ssr_exportAll__: (from: object) => exportAll(exports as object, from),
      __vite_ssr_import_meta__: importMeta(target),
      __vite_ssr_dynamic_import__: (specifier: unknown) => this.#importDynamically(String(specifier), target),
      ...(target.format === "commonjs"
        ? { exports, require: createUserRequire(file), module, __filename: file, __dirname: dirname(file) }
        : {}),
    };
    const names = ["__vite_ssr_import__", ...Object.keys(parameters)];
    // The block lets the file declare names of its own that are parameters here.
    const start = `(${isAsync ? "async " : ""}function (${names.join(", ")}) { "use strict"; {`;
    const code = isAsync ? source.code : source.code.replace(/^(const __vite_ssr_import_\d+__ = )await /gm, "$1");
    const script = compileScript(`${start}${code}\n}})`, { filename: file, columnOffset: -start.length }, isAsync);
    const self = target.format === "commonjs" ? exports : undefined;
    return (load) => script.runInThisContext().call(self, load, ...Object.values(parameters));
  }

  #read(file: string): TransformedSource {
    const text = readFileSync(file, "utf8")
      .replace(/^\ufeff/, "")
      .replace(/^#!/, "//");
    const source = transformSource(file, text, this.#settings.settingsFor(dirname(file)));
    this.#sources.set(file, source);
    return source;
  }

  #importDynamically(specifier: string, from: UserModule): Promise<unknown> {
    // Nobody waits for `from` here: its evaluation may be over long ago.
    return this.#import(specifier, { ...from, waitsFor: undefined });
  }

  /** @throws {SourceProblem} when there is no such file. */
  #resolve(specifier: string, from: UserModule): Target {
    if (isBuiltin(specifier)) return { kind: "native", specifier };
    if (specifier.startsWith(HELPERS)) return { kind: "commonjs", file: resolveHelper(specifier) };
    if (/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) {
      const file = findFile(specifier, dirname(from.file));
      if (file === undefined) throw missingFile(specifier, from);
      return targetOf(file);
    }
    return resolvePackage(specifier, from);
  }
}

/** What the transformer takes and Node does not is a top-level await, where there is no waiting. */
function compileScript(code: string, options: ScriptOptions & { readonly filename: string }, isAsync: boolean): Script {
  try {
    return new Script(code, options);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const file = options.filename;
    const text = readFileSync(file, "utf8");
    const offset = isAsync ? 0 : Math.max(0, text.search(/\bawait\b/));
    const message = isAsync ? cause.message : "a file with a top-level await cannot be required. Import it.";
    throw new SourceProblem(message, { place: placeOf(file, text, offset), cause });
  }
}

/** Whether `target` cannot go on before `other` does. */
function waitsFor(target: UserModule, other: UserModule): boolean {
  for (let module: UserModule | undefined = target; module !== undefined; module = module.waitsFor) {
    if (module.file === other.file) return true;
  }
  return false;
}

function resolvePackage(specifier: string, from: UserModule): Target {
  let file: string;
  try {
    file = createRequire(from.file).resolve(specifier);
  } catch {
    return { kind: "native", specifier }; // an ES module only, or not there: Node says which
  }
  if (isTypeScript(file)) return { kind: "user", file };
  if (file.endsWith(".json")) return { kind: "commonjs", file };
  return from.format === "module" || isModule(file) ? { kind: "native", specifier } : { kind: "commonjs", file };
}

/** A file beside the program. */
function targetOf(file: string): Target {
  if (isTypeScript(file)) return { kind: "user", file };
  if (file.endsWith(".json") || file.endsWith(".node")) return { kind: "commonjs", file };
  if (!isModule(file)) return { kind: "commonjs", file };
  return file.includes("/node_modules/")
    ? { kind: "native", specifier: pathToFileURL(file).href }
    : { kind: "user", file };
}

/** Node looks into a `.js` file when no package.json says what it is. */
function isModule(file: string): boolean {
  if (!/\.[cm]?js$/.test(file)) return false;
  if (formatOf(file) === "module") return true;
  return file.endsWith(".js") && !file.includes("/node_modules/") && hasModuleSyntax(file);
}

function missingFile(specifier: string, from: UserModule): SourceProblem {
  return new SourceProblem(`there is no file "${specifier}". Correct the import.`, {
    place: placeOfImport(from.file, specifier),
  });
}

/**
 * Node's own import, as from the file of `from`.
 * @throws {SourceProblem} when what it names is not there.
 */
async function importNatively(specifier: string, from: UserModule): Promise<object> {
  const importFrom = createImport(from.file);
  try {
    return await quietly(() => importFrom(specifier));
  } catch (cause) {
    if (!isMissing(cause, from.file)) throw cause;
    const message = `the package of "${specifier}" is not installed. Install it, or correct the import.`;
    throw new SourceProblem(message, { place: placeOfImport(from.file, specifier), cause });
  }
}

function createImport(file: string): (specifier: string) => Promise<object> {
  return runInThisContext("(specifier) => import(specifier)", {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

/** The package that is not there is one that `file` itself imports. */
function isMissing(error: unknown, file: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return false;
  return error.message.endsWith(` imported from ${file}`);
}

/** `require` of a file, which knows `./x.js` for `./x.ts` as well. */
function createUserRequire(file: string): NodeJS.Require {
  const require = createRequire(file);
  const requireFile = (specifier: string): unknown => {
    const found = /^\.{1,2}\//.test(specifier) ? findFile(specifier, dirname(file)) : undefined;
    return require(found ?? specifier);
  };
  return Object.assign(requireFile, require);
}

function importMeta({ file }: UserModule): object {
  return {
    url: pathToFileURL(file).href,
    filename: file,
    dirname: dirname(file),
    resolve: (specifier: string) => {
      const path = /^\.{1,2}\//.test(specifier) ? findFile(specifier, dirname(file)) : undefined;
      return pathToFileURL(path ?? createRequire(file).resolve(specifier)).href;
    },
  };
}

/** Names that are there already are not taken over, as in ES modules. */
function exportAll(exports: object, from: object): void {
  for (const name of Object.keys(from)) {
    if (name === "default" || Object.hasOwn(exports, name)) continue;
    Object.defineProperty(exports, name, { get: () => Reflect.get(from, name), enumerable: true, configurable: true });
  }
}
