import { resolve } from "node:path";
import { createYamlFormatter, type JsonValue, SlipwayError } from "@slipway/objects";
import { loadCore } from "./load-now.ts";
import type { OutputFile, SynthDocument, Synthesis, SynthOutput, SynthRun } from "./synthesis.ts";

/**
 * What an App handed over. It is asked for the order of apply now, if at all: the program may go on with its tree.
 *
 * @param unnamedOutdir What the App takes when its program names no folder.
 */
export function synthesisOf(run: SynthRun, unnamedOutdir: string, wantsOrder: boolean): Synthesis {
  const compiled = wantsOrder ? run.compile() : [];
  return {
    outdir: run.outdir === unnamedOutdir ? undefined : resolve(run.outdir),
    files: run.outputs.map(fileOf),
    folders: run.folders,
    problems: run.problems,
    compile: () => compiled,
  };
}

function fileOf({ name, documents, text }: SynthOutput): OutputFile {
  return {
    name,
    documents: text === undefined ? documents.map(({ value }) => value) : undefined,
    text: () => text ?? formatYaml(documents),
  };
}

/** On objects of core and of cdk8s. What they render is a fresh tree of plain values; anything else may be anything. */
const API_OBJECT: unique symbol = Symbol.for("cdk8s.ApiObject");

/** The bytes that `App.synth()` writes. */
function formatYaml(documents: readonly SynthDocument[]): string {
  if (documents.every(({ construct }) => API_OBJECT in construct)) {
    const format = createYamlFormatter({ lenient: true });
    try {
      return documents.map(({ value }) => format(value as JsonValue)).join("---\n");
    } catch (error) {
      if (!SlipwayError.isSlipwayError(error)) throw error; // too deep for it, and not for core
    }
  }
  return documents.map(({ value }) => loadCore().Yaml.stringify(value)).join("---\n");
}
