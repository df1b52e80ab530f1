import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** What compiled files are called, and what they may have been compiled from: the source is newer than what came of it. */
const sources: readonly (readonly [end: RegExp, ...sources: string[]])[] = [
  [/\.js$/, ".ts"],
  [/\.mjs$/, ".mts"],
  [/\.cjs$/, ".cts"],
];

const extensions = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];

/**
 * The file that `./x`, `./x.js` or `./x.ts` means in a program: itself, its TypeScript source, the file with an extension
 * that was left out, or the index of a folder. Links are followed, as Node does it: one file is one module.
 */
export function findFile(specifier: string, folder: string): string | undefined {
  const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(folder, specifier);
  const found = [...candidates(path, specifier.endsWith("/"))].find(isFile);
  return found === undefined ? undefined : realpathSync(found);
}

function* candidates(path: string, isFolder: boolean): Generator<string> {
  if (!isFolder) {
    for (const [end, ...names] of sources) if (end.test(path)) for (const name of names) yield path.replace(end, name);
    yield path;
    for (const extension of extensions) yield path + extension;
  }
  for (const extension of extensions) yield join(path, `index${extension}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

export function isTypeScript(path: string): boolean {
  return /\.[cm]?ts$/.test(path);
}

export type ModuleFormat = "commonjs" | "module";

/** What the name of a file, or the nearest package.json, says it is; for `.js` and `.ts` CommonJS when neither does. */
export function formatOf(path: string): ModuleFormat {
  if (/\.m[jt]s$/.test(path)) return "module";
  if (/\.c[jt]s$/.test(path)) return "commonjs";
  return packageType(dirname(path));
}

/** Whether a line begins like `import` or `export`. */
export function hasModuleSyntax(file: string): boolean {
  return /^\s*(?:import|export)\b/m.test(readFileSync(file, "utf8"));
}

const types: Map<string, ModuleFormat> = new Map();

function packageType(folder: string): ModuleFormat {
  const known = types.get(folder);
  if (known !== undefined) return known;
  const parent = dirname(folder);
  const type = readType(join(folder, "package.json")) ?? (parent === folder ? "commonjs" : packageType(parent));
  types.set(folder, type);
  return type;
}

function readType(file: string): ModuleFormat | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")).type === "module" ? "module" : "commonjs";
  } catch {
    return undefined;
  }
}
