import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

export interface OutputFile {
  /** Below the folder. */
  readonly name: string;
  /** Read once, when the file is written. */
  readonly chunks: Iterable<string>;
}

/**
 * Writes files into `folder`, which is made when it is not there. They are written beside first and then put in their
 * places, so that a failure leaves every earlier file as it was. Of two files with one name the last is kept.
 */
export function writeFiles(folder: string, files: readonly OutputFile[], subfolders: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(join(folder, ".synth-"));
  try {
    for (const [index, { chunks }] of files.entries()) writeChunks(join(draft, String(index)), chunks);
    for (const name of subfolders) mkdirSync(join(folder, name), { recursive: true });
    for (const [index, { name }] of files.entries())
      renameSync(join(draft, String(index)), targetOf(join(folder, name)));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function writeChunks(path: string, chunks: Iterable<string>): void {
  const file = openSync(path, "wx");
  try {
    for (const chunk of chunks) writeSync(file, chunk);
  } finally {
    closeSync(file);
  }
}

/** A link stays, and what it leads to is replaced. */
function targetOf(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? realpathSync(path) : path;
}
