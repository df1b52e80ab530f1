import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { byCodeUnit } from "@slipway/objects";
import { synthesisOfFiles, type TextFile } from "./from-files.ts";
import { appOf, synthesisOf } from "./from-run.ts";
import type { Synthesis, SynthProblem, SynthRun } from "./synthesis.ts";

/** What one App leaves in the folder. */
interface LeftRun {
  /** Absolute; not there when the program names none. */
  readonly outdir?: string | undefined;
  readonly folders: readonly string[];
  readonly problems: readonly SynthProblem[];
  readonly files: readonly TextFile[];
}

/** A folder in which processes leave what their Apps make, for the process that started them. */
export class RunFolder {
  readonly #path: string;
  /** By App: one that is synthesised twice replaces what it made before. */
  readonly #numbers: Map<object, number> = new Map();

  constructor(path: string) {
    this.#path = path;
  }

  leave(run: SynthRun): void {
    const outdir = run.outdir === process.env.CDK8S_OUTDIR ? undefined : resolve(run.outdir);
    const { folders, problems, files } = synthesisOf(run, outdir, false);
    const texts = files.map((file) => ({ name: file.name, text: file.text() }));
    const left: LeftRun = { outdir, folders, problems, files: texts };
    mkdirSync(this.#path, { recursive: true });
    writeFileSync(join(this.#path, `${process.pid}-${this.#numberOf(appOf(run))}.json`), JSON.stringify(left));
  }

  #numberOf(app: object): number {
    const number = this.#numbers.get(app) ?? this.#numbers.size;
    this.#numbers.set(app, number);
    return number;
  }

  /** Everything that was left. */
  collect(): Synthesis[] {
    return this.#names().map((name) => {
      const { outdir, folders, problems, files }: LeftRun = JSON.parse(readFileSync(join(this.#path, name), "utf8"));
      return { ...synthesisOfFiles(files, problems), outdir, folders };
    });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#path).sort(byCodeUnit);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // nobody has left anything
      throw error;
    }
  }
}
