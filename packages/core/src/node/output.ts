import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "@slipway/objects";
import { writeChunks } from "./write-chunks.ts";

export interface OutputFile {
  /** Below the folder. */
  readonly name: string;
  /** Read once, before the next file is asked for. */
  readonly chunks: Iterable<string>;
}

export interface WriteOptions {
  /** Made even when nothing goes into them. */
  readonly subfolders: readonly string[];
  /** When everything is written and nothing is in its place. Throwing undoes it all. */
  readonly beforePlacing: () => void;
}

const DRAFT_PREFIX = ".synth-";

/** In milliseconds. No synthesis takes so long: what is older was left by a process that was killed. */
const MAX_DRAFT_AGE = 3_600_000;

/**
 * Writes files into `folder`, which is made when it is not there. They are written beside first and then put in their
 * places, so that a failure leaves every earlier file as it was. Of two files with one name the last is kept.
 */
export function writeFiles(folder: string, files: Iterable<OutputFile>, options: WriteOptions): void {
  mkdirSync(folder, { recursive: true });
  removeOldDrafts(folder);
  const draft = mkdtempSync(join(folder, DRAFT_PREFIX));
  const names: string[] = [];
  const draftOf = (index: number): string => join(draft, String(index));
  try {
    for (const { name, chunks } of files) {
      writeChunks(draftOf(names.length), chunks);
      names.push(name);
    }
    options.beforePlacing();
    for (const name of options.subfolders) mkdirSync(join(folder, name), { recursive: true });
    const targets = names.map((name) => targetOf(join(folder, name)));
    for (const [index, target] of targets.entries()) renameSync(draftOf(index), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function removeOldDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const draft = join(folder, name);
    try {
      if (Date.now() - lstatSync(draft).mtimeMs > MAX_DRAFT_AGE) rmSync(draft, { recursive: true, force: true });
    } catch {
      // It is gone, or somebody else's: it harms nobody.
    }
  }
}

/**
 * A link stays, and what it leads to is replaced.
 * @throws {SlipwayError} `STORAGE_FAILED` for a folder.
 */
function targetOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) {
    throw new SlipwayError(`${path}: a folder stands where a file is to be written. Move it away.`, {
      code: "STORAGE_FAILED",
    });
  }
  return stats?.isSymbolicLink() === true ? realpathSync(path) : path;
}
