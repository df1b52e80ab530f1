import { isUtf8 } from "node:buffer";
import { readFileSync, type Stats, statSync } from "node:fs";
import { SlipwayError } from "@slipway/objects";
import { fetchBytes } from "./fetch-bytes.ts";

export interface LoadOptions {
  /**
   * Give up when a server sends nothing for this long, in milliseconds.
   * @default 60_000
   */
  readonly idleTimeoutMs?: number | undefined;
}

const defaults = { idleTimeoutMs: 60_000 } as const satisfies LoadOptions;

/**
 * The text of a file, or of what a server answers to an `http` or `https` URL: a path that exists is a file. Relative
 * paths are below the current folder.
 *
 * @throws {SlipwayError} `READ_FAILED`.
 */
export function loadText(urlOrFile: string, options: LoadOptions = {}): string {
  return decode(isFile(urlOrFile) ? readFile(urlOrFile) : fetchUrl(urlOrFile, options), describeSource(urlOrFile));
}

/** `urlOrFile` as messages name it: without a password. */
export function describeSource(urlOrFile: string): string {
  return urlOrFile === "" ? '""' : urlOrFile.replace(/^(\w+:\/\/[^/@:]*:)[^/@]*(?=@)/, "$1***");
}

/** Whether there is something to be read at `path`. Symbolic links are followed. */
function isFile(path: string): boolean {
  const stats = stat(path);
  if (stats?.isDirectory() !== true) return stats !== undefined;
  throw failure(path, "this is a folder. Name a file in it.");
}

function stat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if (/^https?:/i.test(path)) return undefined; // a long URL is no path at all
    throw failure(
      describeSource(path),
      `cannot be read: ${(cause as Error).message}. Check the path and its permissions.`,
      cause,
    );
  }
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw failure(path, `cannot be read: ${(cause as Error).message}. Check its permissions.`, cause);
  }
}

function fetchUrl(address: string, { idleTimeoutMs = defaults.idleTimeoutMs }: LoadOptions): Uint8Array {
  const source = describeSource(address);
  const protocol = /^\s*([a-z][a-z0-9.+-]*:)/i.exec(address)?.[1]?.toLowerCase();
  if (protocol === undefined) {
    const advice = "Check the path, or begin the URL with https://.";
    throw failure(
      source,
      `there is no such file, and it is no URL: unable to determine protocol from url: ${source}. ${advice}`,
    );
  }
  if (protocol !== "http:" && protocol !== "https:") {
    throw failure(
      source,
      `unsupported protocol "${protocol}" in url: ${source}. Use http or https, or the path of a file.`,
    );
  }
  return fetchBytes(address, { idleTimeoutMs, source });
}

function decode(bytes: Uint8Array, source: string): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (isUtf8(bytes)) return text;
  const line = text.slice(0, text.indexOf("\ufffd")).split("\n").length;
  throw new SlipwayError(`${source}:${line}: this is not UTF-8. Save the file in that encoding.`, {
    code: "INVALID_YAML",
  });
}

function failure(source: string, fact: string, cause?: unknown): SlipwayError {
  return new SlipwayError(`${source}: ${fact}`, { code: "READ_FAILED", cause });
}
