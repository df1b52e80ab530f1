import { fileURLToPath } from "node:url";

/** Where code that was transformed stands in the file it comes from. */
export type Locate = (file: string, line: number, column: number) => { line: number; column: number } | undefined;

/** A line of a stack that names a place in a file. */
export interface Frame {
  /** `""` at the top of a file. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Makes `stack` of errors name the lines of the user's files. Looking them up happens when a stack is looked at. */
export function mapStacks(locate: Locate): void {
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => `\n    at ${formatSite(site, locate)}`);
    return `${headOf(error)}${lines.join("")}`;
  };
}

function headOf(error: Error): string {
  try {
    return withoutGeneratedNames(String(error));
  } catch {
    return "Error";
  }
}

function formatSite(site: NodeJS.CallSite, locate: Locate): string {
  const text = String(site);
  const file = site.getFileName();
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (typeof file !== "string" || line === null || column === null) return text;
  const place = locate(file, line, column);
  if (place === undefined) return text;
  return text.replace(`${file}:${line}:${column}`, `${file}:${place.line}:${place.column}`);
}

/** `Deployment is not a constructor`, where the transformed code said `__vite_ssr_import_0__.Deployment`. */
export function withoutGeneratedNames(message: string): string {
  return message
    .replace(/\(0 ?, ?__vite_ssr_import_\d+__\.([\p{ID_Continue}$]+)\)/gu, "$1")
    .replace(/__vite_ssr_import_\d+__\./g, "");
}

/** The frames of a stack that are in files. */
export function parseFrames(stack: string): Frame[] {
  const frames: Frame[] = [];
  for (const text of stack.split("\n")) {
    const match = /^\s+at (?:(.*) \()?((?:file:\/\/)?\/[^()]*):(\d+):(\d+)\)?$/.exec(text);
    if (match === null) continue;
    const [, name = "", file = "", line, column] = match;
    frames.push({ name: cleanName(name), file: pathOf(file), line: Number(line), column: Number(column) });
  }
  return frames;
}

function pathOf(file: string): string {
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}

/** What runs a whole file has no name that the user gave it. */
function cleanName(name: string): string {
  const isTop =
    /^(?:async )?(?:Object\.<anonymous>|Timeout\._onTimeout|ModuleRunner\..*|Module\..*|eval|null\.<anonymous>|undefined)?$/.test(
      name,
    );
  return isTop ? "" : withoutGeneratedNames(name.replace(/^async /, ""));
}
