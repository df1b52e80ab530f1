import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { byCodeUnit } from "@slipway/objects";
import { synthesisOfFiles, type TextFile } from "./from-files.ts";
import { synthesisOf } from "./from-run.ts";
import type { Synthesis, SynthProblem, SynthRun } from "./synthesis.ts";

/** What is left there by one App. */
interface ChildRun {
  /** Absolute. */
  readonly outdir?: string | undefined;
  readonly folders: readonly string[];
  readonly problems: readonly SynthProblem[];
  readonly files: readonly TextFile[];
}

/** By App: one that is synthesised twice replaces what it made before. */
const numbers: Map<object, number> = new Map();

/** Leaves what an App of this process made where the process that started it looks for it. */
export function leaveRun(run: SynthRun, folder: string): void {
  const { outdir, folders, problems, files } = synthesisOf(run, process.env.CDK8S_OUTDIR ?? "", false);
  const left: ChildRun = {
    outdir,
    folders,
    problems,
    files: files.map((file) => ({ name: file.name, text: file.text() })),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}-${numberOf(run)}.json`), JSON.stringify(left));
}

function numberOf(run: SynthRun): number {
  const [document] = run.outputs.flatMap(({ documents }) => documents);
  const app = document?.construct.node.root ?? run;
  const number = numbers.get(app) ?? numbers.size;
  numbers.set(app, number);
  return number;
}

/** What was left in `folder`. */
export function collectRuns(folder: string): Synthesis[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort(byCodeUnit);
  } catch {
    return []; // nothing was left
  }
  return names.map((name) => {
    const { outdir, folders, problems, files }: ChildRun = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return { ...synthesisOfFiles(files, problems), outdir, folders };
  });
}
