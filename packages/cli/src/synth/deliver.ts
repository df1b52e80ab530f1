import { resolve } from "node:path";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { shortPath } from "../program/describe-failure.ts";
import type { SynthArguments } from "./arguments.ts";
import { colorDiff, formatDiff } from "./format-diff.ts";
import { type FolderChange, planFolder, writeFolder } from "./output-folder.ts";
import { planFiles, planStream } from "./plan.ts";
import { formatAllowed, formatErrors, sortProblems } from "./problems.ts";
import type { SynthHost } from "./synth-host.ts";
import type { Synthesis } from "./synthesis.ts";

/** Where files go that no App and no flag has a folder for. */
export const DEFAULT_OUTDIR = "dist";

export interface DeliveryOptions
  extends Pick<SynthArguments, "output" | "stdout" | "check" | "format" | "order" | "allow"> {
  /** The folder of what names none, absolute. */
  readonly defaultOutdir: string;
}

/** Writes, prints or compares what was synthesised, or reports what is wrong with it: all or nothing. */
export function deliver(syntheses: readonly Synthesis[], options: DeliveryOptions, host: SynthHost): ExitCode {
  const { allow, stdout, order, output } = options;
  const folderOf = ({ outdir = options.defaultOutdir }: Synthesis): string =>
    output === undefined ? outdir : resolve(host.cwd, output);
  const isOneStream = stdout || order === "apply";
  const { errors, allowed } = sortProblems(syntheses, { allow, isOneStream, folderOf });
  if (errors.length > 0) {
    host.stderr.write(formatErrors(errors, host.cwd));
    return exitCodes.failure;
  }
  const results = stdout ? [] : planFolders(syntheses, options, folderOf);
  const stream = stdout ? planStream(syntheses, options) : "";
  if (allowed.length > 0) host.stderr.write(formatAllowed(allowed, host.cwd));
  host.stdout.write(stream);
  return options.check ? check(results, host) : write(results, host);
}

interface FolderResult {
  readonly folder: string;
  readonly files: ReturnType<typeof planFiles>;
  readonly folders: readonly string[];
  readonly plan: ReturnType<typeof planFolder>;
}

/** One for each output folder. Everything is rendered and compared before the first is written. */
function planFolders(
  syntheses: readonly Synthesis[],
  options: DeliveryOptions,
  folderOf: (synthesis: Synthesis) => string,
): FolderResult[] {
  const byFolder = new Map<string, Synthesis[]>();
  for (const synthesis of syntheses) {
    const folder = folderOf(synthesis);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), synthesis]);
  }
  return Array.from(byFolder, ([folder, inFolder]) => {
    const files = planFiles(inFolder, options);
    const folders = options.order === "apply" ? [] : inFolder.flatMap((synthesis) => synthesis.folders);
    return { folder, files, folders, plan: planFolder(folder, files) };
  });
}

function write(results: readonly FolderResult[], host: SynthHost): ExitCode {
  for (const result of results) {
    const { folder, files, plan } = result;
    writeFolder(folder, plan, result);
    const short = shortPath(folder, host.cwd);
    for (const { action, name } of plan.changes)
      host.stdout.write(`${short}/${name}${action === "remove" ? " removed" : ""}\n`);
    host.stderr.write(`${short}: ${summarize(files.length, plan.changes)}\n`);
  }
  return exitCodes.success;
}

function check(results: readonly FolderResult[], host: SynthHost): ExitCode {
  let isCurrent = true;
  for (const { folder, files, plan } of results) {
    const short = shortPath(folder, host.cwd);
    for (const change of plan.changes) {
      const diff = formatDiff(change, `${short}/${change.name}`);
      host.stdout.write(host.hasColors === true ? colorDiff(diff) : diff);
    }
    if (plan.changes.length === 0) {
      host.stderr.write(`${short}: up to date, ${count(files.length, "file")}\n`);
      continue;
    }
    isCurrent = false;
    host.stderr.write(
      `error: ${short} is out of date: ${summarize(files.length, plan.changes)}. Run slipway synth without --check.\n`,
    );
  }
  return isCurrent ? exitCodes.success : exitCodes.failure;
}

/** `5 files, 1 new, 2 changed, 1 removed`. */
function summarize(files: number, changes: readonly FolderChange[]): string {
  const words = { create: "new", update: "changed", remove: "removed" } as const;
  const parts = Object.entries(words).map(([action, word]) => {
    const number = changes.filter((change) => change.action === action).length;
    return number === 0 ? undefined : `${number} ${word}`;
  });
  const known = parts.filter((part) => part !== undefined);
  return [count(files, "file"), ...(known.length === 0 ? ["nothing changed"] : known)].join(", ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
