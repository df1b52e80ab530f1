import { Buffer } from "node:buffer";
import { closeSync, openSync, writeSync } from "node:fs";

/**
 * Writes a file in UTF-8, over the one that is there. Its folder must exist. The pieces are read as they are written, so
 * it may be longer than a string can be.
 */
export function writeChunks(path: string, chunks: Iterable<string>): void {
  const file = openSync(path, "w");
  try {
    for (const chunk of chunks) writeAll(file, Buffer.from(chunk));
  } finally {
    closeSync(file);
  }
}

/** One call may write less than it is given. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
