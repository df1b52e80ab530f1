import type { SynthDocument, SynthOutput, SynthProblem, SynthRun } from "@slipway/core";
import type { Compiled } from "@slipway/objects";

/** A file that was synthesised. */
export interface OutputFile {
  /** Below the output folder, with slashes. */
  readonly name: string;
  /** The objects in it; `undefined` for a file that has none to do with, like `construct-metadata.json`. */
  readonly documents: readonly unknown[] | undefined;
  /** As YAML, or as the file is. Made when it is asked for. */
  text(): string;
}

/** What an App of a program would write. */
export interface Synthesis {
  /** The folder that it names, absolute; `undefined` when it leaves that to others. */
  readonly outdir: string | undefined;
  readonly files: readonly OutputFile[];
  /** Folders that are made even when nothing goes into them. */
  readonly folders: readonly string[];
  readonly problems: readonly SynthProblem[];
  /** In the order in which they are applied. */
  compile(): readonly Compiled[];
}

export type { SynthDocument, SynthOutput, SynthProblem, SynthRun };
