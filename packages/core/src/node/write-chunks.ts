import { Buffer } from "node:buffer";
import { closeSync, openSync, writeSync } from "node:fs";

/** In bytes. Most pieces fit, and then need no memory of their own. */
const BUFFER_SIZE = 262_144;

/**
 * Writes a file in UTF-8, over the one that is there. Its folder must exist. The pieces are read as they are written, so
 * it may be longer than a string can be.
 */
export function writeChunks(path: string, chunks: Iterable<string>): void {
  const file = openSync(path, "w");
  try {
    for (const chunk of chunks) writeAll(file, encode(chunk));
  } finally {
    closeSync(file);
  }
}

let shared: Buffer | undefined;

/** Good until the next call. */
function encode(text: string): Uint8Array {
  if (text.length * 3 > BUFFER_SIZE) return Buffer.from(text);
  shared ??= Buffer.allocUnsafeSlow(BUFFER_SIZE);
  return shared.subarray(0, shared.write(text));
}

/** One call may write less than it is given. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
