import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { byCodeUnit, SlipwayError } from "@slipway/objects";
import type { PlannedFile } from "./plan.ts";

/**
 * The list of files that were written into a folder, one name in each line. It has no extension, so that `kubectl apply -f`
 * on the folder does not take it for a manifest.
 */
export const LIST_FILE = ".slipway-synth";

const LIST_HEAD =
  "# Written by slipway synth: the files that it replaces and removes in this folder. Commit it with them.";

const DRAFT_PREFIX = ".slipway-synth-draft-";

/** What differs between a folder and what should be in it. */
export interface FolderChange {
  readonly action: "create" | "update" | "remove";
  readonly name: string;
  /** `undefined` when it is not there. */
  readonly before: string | undefined;
  /** `undefined` when it should not be there. */
  readonly after: string | undefined;
}

export interface FolderPlan {
  readonly changes: readonly FolderChange[];
  readonly unchanged: number;
}

/**
 * What has to change in `folder` so that it holds `files`, in the order of names. Nothing is said about files that are
 * neither among them nor in the list of an earlier run: they are somebody else's.
 *
 * @throws {SlipwayError} `READ_FAILED` when a file cannot be read.
 */
export function planFolder(folder: string, files: readonly PlannedFile[]): FolderPlan {
  const changes: FolderChange[] = [];
  let unchanged = 0;
  for (const { name, text } of files) {
    const before = readIfPresent(join(folder, name));
    if (before === text) unchanged += 1;
    else changes.push({ action: before === undefined ? "create" : "update", name, before, after: text });
  }
  const wanted = new Set(files.map(({ name }) => name));
  for (const name of readList(folder)) {
    if (wanted.has(name) || !isRemovable(folder, name)) continue;
    changes.push({ action: "remove", name, before: readIfPresent(join(folder, name)), after: undefined });
  }
  return { changes: changes.sort((a, b) => byCodeUnit(a.name, b.name)), unchanged };
}

export interface WriteOptions {
  readonly files: readonly PlannedFile[];
  /** Folders that are made even when nothing goes into them. */
  readonly folders: readonly string[];
}

/**
 * Carries `plan` out. All files are written beside first and then put in their places, so that each is the earlier one or
 * the new one whenever this is interrupted, and what was begun is cleared away by the next run.
 *
 * @throws {SlipwayError} `STORAGE_FAILED` when something cannot be written.
 */
export function writeFolder(folder: string, plan: FolderPlan, { files, folders }: WriteOptions): void {
  try {
    mkdirSync(folder, { recursive: true });
    removeDrafts(folder);
    const names = files.map(({ name }) => name);
    const draft = mkdtempSync(join(folder, DRAFT_PREFIX));
    try {
      const written = plan.changes.filter(({ after }) => after !== undefined);
      for (const [index, { name, after }] of written.entries()) writeDraft(folder, draft, index, name, after ?? "");
      // What is about to be written is in the list before it is there, what is removed until it is gone.
      writeList(folder, draft, [...names, ...readList(folder)]);
      for (const [index, { name }] of written.entries()) place(join(draft, String(index)), join(folder, name));
      for (const { action, name } of plan.changes) if (action === "remove") remove(folder, name);
      for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
      writeList(folder, draft, names);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  } catch (cause) {
    throw writeError(folder, cause);
  }
}

/** As it is, or `undefined` when there is no such file. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const remedy = code === "EISDIR" ? "It is a folder. Move it away." : "Check its permissions.";
    throw new SlipwayError(`${path}: cannot be read. ${remedy}`, { code: "READ_FAILED", cause });
  }
}

function readList(folder: string): string[] {
  const text = readIfPresent(join(folder, LIST_FILE)) ?? "";
  return text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
}

function writeList(folder: string, draft: string, names: readonly string[]): void {
  const text = `${[LIST_HEAD, ...[...new Set(names)].sort(byCodeUnit)].join("\n")}\n`;
  if (readIfPresent(join(folder, LIST_FILE)) === text) return;
  const path = join(draft, "list");
  writeFileSync(path, text);
  renameSync(path, join(folder, LIST_FILE));
}

/** Whether it is there, is a file, and is inside the folder: the list may have been edited, and folders may be links. */
function isRemovable(folder: string, name: string): boolean {
  if (name.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  const path = join(folder, name);
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined || !(status.isFile() || status.isSymbolicLink())) return false;
  return `${realpathSync(dirname(path))}${sep}`.startsWith(`${realpathSync(folder)}${sep}`);
}

/** Keeps the permissions of the file whose place it takes. */
function writeDraft(folder: string, draft: string, index: number, name: string, text: string): void {
  const path = join(draft, String(index));
  writeFileSync(path, text);
  const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode;
  if (mode !== undefined) chmodSync(path, mode & 0o777);
}

/** A link stays, and what it leads to is replaced. */
function place(draft: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  renameSync(draft, isLink ? realpathSync(path) : path);
}

/** Also the folders that are empty then. */
function remove(folder: string, name: string): void {
  unlinkSync(join(folder, name));
  for (let parent = dirname(name); parent !== "."; parent = dirname(parent)) {
    if (readdirSync(join(folder, parent)).length > 0) return;
    rmdirSync(join(folder, parent));
  }
}

/** Younger ones may be those of a run that is going on. */
const DRAFT_AGE_MS = 600_000;

/** Those of runs that were killed. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(DRAFT_PREFIX) || statSync(path).mtimeMs > Date.now() - DRAFT_AGE_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

function writeError(folder: string, cause: unknown): unknown {
  const { code, path = folder, dest = path } = cause as NodeJS.ErrnoException & { readonly dest?: string };
  if (SlipwayError.isSlipwayError(cause) || code === undefined) return cause;
  const remedy =
    code === "ENOTDIR" || code === "EEXIST"
      ? "A file stands where a folder is wanted."
      : "Check its permissions and the disk.";
  return new SlipwayError(`${dest}: cannot be written. ${remedy}`, { code: "STORAGE_FAILED", cause });
}
