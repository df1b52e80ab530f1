import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { SlipwayError } from "@slipway/objects";
import { type Place, SourceProblem } from "./source-problem.ts";
import { type Frame, parseFrames, withoutGeneratedNames } from "./stack.ts";

/** More than these are of the same recursion, mostly. */
const MAX_FRAMES = 10;

/**
 * What a program threw, as its author reads it: the place in a file of theirs, the message, the line, and the calls that led
 * there as far as they are in files of theirs. Paths are as seen from `cwd`.
 */
export function describeFailure(error: unknown, cwd: string): string {
  if (error instanceof SourceProblem) return describe(error, error.place, cwd).join("\n");
  const chain = chainOf(error);
  const frames = ownFrames(chain);
  const lines = describe(error, placeOfSyntaxError(error) ?? frames[0], cwd);
  lines.splice(1, 0, ...newCauses(chain).map((message) => `  because: ${message}`));
  for (const frame of frames.slice(0, MAX_FRAMES)) lines.push(`    at ${formatFrame(frame, cwd)}`);
  if (frames.length > MAX_FRAMES) lines.push(`    … and ${frames.length - MAX_FRAMES} more`);
  return lines.join("\n");
}

function describe(error: unknown, place: Place | undefined, cwd: string): string[] {
  if (place === undefined) return [`error: ${describeError(error)}`];
  return [`error: ${formatPlace(place, cwd)}: ${describeError(error)}`, ...quoteLine(place)];
}

/** As the user would type it: relative below the working directory, absolute elsewhere. */
export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `${formatThrown(error)} was thrown. Throw an Error, which has a place.`;
  const message = withoutGeneratedNames(error.message).replace(/\nRequire stack:[\s\S]*/, "");
  // Of an error that says what is wrong, its class says nothing.
  if (error instanceof SourceProblem || SlipwayError.isSlipwayError(error) || error.name === "Error") return message;
  return `${error.name}: ${message}`;
}

function formatThrown(value: unknown): string {
  try {
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  } catch {
    return "something";
  }
}

/** An error, its cause, the cause of that. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (
    let each = error;
    each !== undefined && !chain.includes(each);
    each = each instanceof Error ? each.cause : undefined
  ) {
    chain.push(each);
  }
  return chain;
}

/** What each cause adds: libraries repeat the message of what they wrap. */
function newCauses([first, ...causes]: readonly unknown[]): string[] {
  const messages = [describeError(first)];
  for (const cause of causes) {
    const message = describeError(cause);
    if (!messages.some((known) => known.includes(message))) messages.push(message);
  }
  return messages.slice(1);
}

/** Of the first error in the chain that was made in a file of the user: what a library wraps began there. */
function ownFrames(chain: readonly unknown[]): Frame[] {
  const stacks = chain.map((error) => (error instanceof Error ? parseFrames(String(error.stack)) : []));
  const isOwn = ({ file }: Frame): boolean => !isOfLibrary(file);
  const stack = stacks.find(([top]) => top !== undefined && isOwn(top)) ?? stacks.find((frames) => frames.some(isOwn));
  return (stack ?? []).filter(isOwn);
}

/** Node puts `file:line`, the line and carets before the stack of an error of syntax. */
function placeOfSyntaxError(error: unknown): Place | undefined {
  const stack = error instanceof Error ? String(error.stack) : "";
  const match = /^((?:file:\/\/)?\/[^\n]*):(\d+)\n[^\n]*\n( *)\^/.exec(stack);
  if (match === null) return undefined;
  const [, file = "", line, blanks = ""] = match;
  return { file: file.startsWith("file:") ? fileURLToPath(file) : file, line: Number(line), column: blanks.length + 1 };
}

const require = createRequire(import.meta.url);

/** Folders of the packages that a program calls into, where they are not below a `node_modules`. */
const libraries = ["@slipway/objects", "@slipway/core"].map((name) => dirname(require.resolve(name)));

function isOfLibrary(file: string): boolean {
  if (file.includes("/node_modules/")) return true;
  return [dirname(import.meta.dirname), ...libraries].some((folder) => file.startsWith(`${folder}/`));
}

function formatPlace({ file, line, column }: Place, cwd: string): string {
  return `${shortPath(file, cwd)}:${line}:${column}`;
}

function formatFrame(frame: Frame, cwd: string): string {
  const place = formatPlace(frame, cwd);
  return frame.name === "" ? place : `${frame.name} (${place})`;
}

function quoteLine({ file, line, column }: Place): string[] {
  const text = readLine(file, line);
  if (text === undefined || text.length > 200) return [];
  const number = `${line} | `;
  const indent = text.slice(0, column - 1).replace(/[^\t]/g, " ");
  return [`  ${number}${text}`, `  ${" ".repeat(number.length - 2)}| ${indent}^`];
}

function readLine(file: string, line: number): string | undefined {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
}
