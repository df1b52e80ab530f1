import { createYamlFormatter, type JsonValue, SlipwayError } from "@slipway/objects";
import { loadCore } from "./load-now.ts";
import type { OutputFile, SynthDocument, Synthesis, SynthOutput, SynthRun } from "./synthesis.ts";

/**
 * What an App handed over. It is asked for the order of apply now, if at all: the program may go on with its tree.
 *
 * @param outdir Absolute; `undefined` when its program names none.
 * @throws {SlipwayError} `USAGE` for an App of a later version, which may mean something else.
 */
export function synthesisOf(run: SynthRun, outdir: string | undefined, wantsOrder: boolean): Synthesis {
  if (run.version !== 1) {
    throw new SlipwayError("the App is of a newer version of Slipway than this command. Update @slipway/cli.", {
      code: "USAGE",
    });
  }
  const compiled = wantsOrder ? run.compile() : [];
  return {
    outdir,
    files: run.outputs.map(fileOf),
    folders: run.folders,
    problems: run.problems,
    compile: () => compiled,
  };
}

/** The App itself; the run when it made no object. */
export function appOf(run: SynthRun): object {
  for (const { documents } of run.outputs) {
    const [document] = documents;
    if (document !== undefined) return document.construct.node.root;
  }
  return run;
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
