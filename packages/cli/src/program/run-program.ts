import { Module } from "node:module";
import { pathToFileURL } from "node:url";
import { SlipwayError } from "@slipway/objects";
import { findFile, formatOf, hasModuleSyntax, isTypeScript } from "./find-file.ts";

/** How a program came to its end. */
export type ProgramEnd =
  /** Nothing is left to do. `exports` are those of its file. */
  | { readonly how: "done"; readonly exports: unknown }
  /** It called `process.exit`, or set an exit code that is not 0. */
  | { readonly how: "exited"; readonly exitCode: number }
  /** It threw, or a promise was rejected and nobody cared. */
  | { readonly how: "failed"; readonly error: unknown }
  /** Its file is not evaluated, and nothing is left that it could wait for. */
  | { readonly how: "stuck" };

/** Libraries put many calls above the line of the program that an error comes from. */
const STACK_FRAMES = 100;

/**
 * Runs a program in this process until nothing is left to do, as `node FILE` does, and calls `finish` with how it ended:
 * once, and within the last event of the process when the program ends it. What it prints goes to stderr.
 *
 * @returns What `finish` gives, when the program has not ended the process.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  finish: (end: ProgramEnd) => number,
): Promise<number> {
  Error.stackTraceLimit = STACK_FRAMES;
  const restore = takeStdout();
  process.argv = [process.argv[0] ?? "node", file, ...args];
  return new Promise((resolve) => {
    let exports: { readonly value: unknown } | undefined;
    const end = (how: ProgramEnd): void => {
      for (const [event, listener] of listeners) process.off(event, listener);
      restore();
      process.exitCode = finish(how);
      resolve(process.exitCode);
    };
    const fail = (error: unknown): void => end({ how: "failed", error });
    const complete = (): void => {
      const exitCode = Number(process.exitCode ?? 0);
      if (exports === undefined) end({ how: "stuck" });
      else end(exitCode === 0 ? { how: "done", exports: exports.value } : { how: "exited", exitCode });
    };
    const listeners: readonly (readonly [string, (value: unknown) => void])[] = [
      ["uncaughtException", fail],
      ["unhandledRejection", fail],
      ["beforeExit", complete],
      ["exit", (exitCode) => end({ how: "exited", exitCode: Number(exitCode) })],
    ];
    for (const [event, listener] of listeners) process.on(event, listener);
    load(file).then((value) => {
      exports = { value };
    }, fail);
  });
}

/** stdout is for what is synthesised: what a program prints on the way would damage it. */
function takeStdout(): () => void {
  const { stdout, stderr } = process;
  const write = stdout.write;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return () => {
    stdout.write = write;
  };
}

/** Its exports, once it has been evaluated. Only TypeScript costs more than Node itself. */
async function load(file: string): Promise<unknown> {
  if (isTypeScript(file)) return loadTransformed(file);
  if (formatOf(file) === "commonjs" && !hasModuleSyntax(file)) return loadCommonJs(file);
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    // Thrown before anything is evaluated. Node 20 knows no TypeScript, and no Node knows `./x.js` for `./x.ts`.
    if (importsTypeScript(error)) return loadTransformed(file);
    throw (error instanceof SyntaxError ? await findSyntaxProblem(file) : undefined) ?? error;
  }
}

/** As `node FILE` does: `require.main` is its module. */
function loadCommonJs(file: string): unknown {
  return (Module as unknown as { _load(file: string, parent: null, isMain: boolean): unknown })._load(file, null, true);
}

async function loadTransformed(file: string): Promise<unknown> {
  const { mapStacks } = await import("./stack.ts");
  const { ModuleRunner } = await import("./module-runner.ts").catch(refuseTypeScript);
  const runner = new ModuleRunner();
  mapStacks((path, line, column) => runner.locate(path, line, column));
  return runner.runMain(file);
}

/** Node does not say where in an ES module an error of syntax is, unless it prints it itself. */
async function findSyntaxProblem(file: string): Promise<unknown> {
  const { findSyntaxProblem: find } = await import("./find-syntax-problem.ts");
  return find(file);
}

/** The transformer is a binary. */
function refuseTypeScript(cause: unknown): never {
  const message =
    `TypeScript cannot be run here: oxc-transform cannot be loaded (${process.platform}, ${process.arch}). ` +
    "Install the packages again with their optional ones, or compile the program and run the JavaScript.";
  throw new SlipwayError(message, { code: "USAGE", cause });
}

function importsTypeScript(error: unknown): boolean {
  const { code, url, message } = error as {
    readonly code?: unknown;
    readonly url?: unknown;
    readonly message?: unknown;
  };
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return /\.[cm]?ts$/.test(String(message));
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") return true;
  if (code !== "ERR_MODULE_NOT_FOUND" || typeof url !== "string") return false;
  return isTypeScript(findFile(url, "/") ?? "");
}
