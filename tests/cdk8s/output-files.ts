import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import type { App, AppProps } from "cdk8s";
import type { Library } from "./libraries.ts";

/** Path below the folder, with `/`, to text. A folder without files stands for itself, as `name/`. */
export type Files = Readonly<Record<string, string>>;

/** cdk8s has no checks and passes over the option; the texts and files under test are those without them. */
const unchecked = {
  checks: {
    CHART_HOOK: "ignore",
    DUPLICATE_OBJECT: "ignore",
    INVALID_ANNOTATION: "ignore",
    INVALID_DATA_KEY: "ignore",
    INVALID_LABEL: "ignore",
    INVALID_NAME: "ignore",
    INVALID_VALUE: "ignore",
    MISSING_NAME: "ignore",
    OUTPUT_COLLISION: "ignore",
  },
};

export function uncheckedApp(lib: Library, props?: AppProps): App {
  return new lib.App({ ...unchecked, ...props });
}

/** Files of one `synth` of what `build` puts below an app. Error texts name the folder as `OUT`. */
export function synthFiles(lib: Library, build: (app: App) => void, props?: AppProps): Files {
  return inTemporaryFolder((outdir) => {
    const app = uncheckedApp(lib, { outdir, ...props });
    build(app);
    app.synth();
    return readFiles(outdir);
  });
}

export function inTemporaryFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(inMemory, "slipway-cdk8s-"));
  try {
    return work(folder);
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(folder, "OUT");
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function readFiles(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.map((entry): [string, string] => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1).replaceAll(sep, "/");
    return entry.isDirectory() ? [`${name}/`, ""] : [name, readFileSync(path, "utf8")];
  });
  const isEmptyFolder = (name: string): boolean => !files.some(([other]) => other !== name && other.startsWith(name));
  return Object.fromEntries(files.filter(([name]) => !name.endsWith("/") || isEmptyFolder(name)).sort());
}

/** Thousands of folders are written and removed again: they need no disk where there is a file system in memory. */
const inMemory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
