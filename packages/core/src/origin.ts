import type { SourceLocation } from "@slipway/objects";

const LOCATION: unique symbol = Symbol.for("slipway.location");

/** More than the library, cdk8s-plus and a few helpers of the program put above the line that is looked for. */
const MAX_FRAMES = 50;

/**
 * Has `construct` remember the line of the program that is making it: the nearest one that is not in a package. Looking
 * costs some microseconds, so it is done for an App that traces only.
 */
export function rememberLocation(construct: object): void {
  const location = callerOutsideOfPackages();
  if (location !== undefined) Object.defineProperty(construct, LOCATION, { value: location });
}

/** Where a program made `construct`, when it was remembered. */
export function locationOf(construct: object): SourceLocation | undefined {
  return (construct as { readonly [LOCATION]?: SourceLocation })[LOCATION];
}

function callerOutsideOfPackages(): SourceLocation | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  for (const line of stack.split("\n").slice(1)) {
    const location = parseFrame(line);
    if (location !== undefined && !isOfLibrary(location.file)) return location;
  }
  return undefined;
}

/** `at name (file:///a/b.ts:3:5)` or `at /a/b.js:3:5`; nothing for what is not in a file. */
function parseFrame(line: string): SourceLocation | undefined {
  const match = /(?:\(|at )(?:async )?((?:file:\/\/)?[^()\s][^()]*?):(\d+):\d+\)?$/.exec(line);
  if (match === null) return undefined;
  const [, file = "", number] = match;
  if (file.startsWith("node:")) return undefined;
  return { file: file.startsWith("file://") ? decodeURI(file.slice("file://".length)) : file, line: Number(number) };
}

/** Not known in a program that is bundled into one file: there is no telling it from the library. */
const ownFolder = /^file:\/\/(.*)\/[^/]*$/.exec(import.meta.url)?.[1];

function isOfLibrary(file: string): boolean {
  return file.includes("/node_modules/") || (ownFolder !== undefined && file.startsWith(`${ownFolder}/`));
}
