import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { byCodeUnit, type JsonObject, SlipwayError } from "@slipway/objects";
import { loadCore, loadYaml } from "./load-now.ts";
import { receiveRuns } from "./receive-runs.ts";
import type { Synthesis, SynthProblem, SynthRun } from "./synthesis.ts";

/** Where an App says which construct each object comes from. */
const CONSTRUCT_METADATA = "construct-metadata.json";

/**
 * What a program on cdk8s has written into `folder`, checked like what an App of ours hands over; `undefined` when there
 * is nothing. Which construct an object comes from is known when the program records it.
 *
 * @throws {SlipwayError} `INVALID_YAML` with everything that Kubernetes would not read as it was meant.
 */
export function synthesisOfFolder(folder: string): Synthesis | undefined {
  const names = listFiles(folder);
  if (names === undefined || names.length === 0) return undefined;
  return synthesisOfFiles(names.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") })));
}

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/**
 * @param known What is wrong with them. They are looked at when it is not given.
 * @throws {SlipwayError} as {@link synthesisOfFolder}.
 */
export function synthesisOfFiles(files: readonly TextFile[], known?: readonly SynthProblem[]): Synthesis {
  let checked: CheckedFiles | undefined;
  const check = (): CheckedFiles => {
    checked ??= runChecks(readAll(files));
    return checked;
  };
  const problems = known ?? findProblems(check(), files);
  return {
    outdir: undefined,
    files: files.map(({ name, text }) => {
      if (!hasObjects(name)) return { name, documents: undefined, text: () => text };
      return {
        name,
        get documents() {
          return check().manifests.get(name);
        },
        text: () => text,
      };
    }),
    folders: [],
    problems,
    compile: () => check().run.compile(),
  };
}

function findProblems({ run, fileByPath }: CheckedFiles, files: readonly TextFile[]): SynthProblem[] {
  const constructs = readConstructMetadata(files.find(({ name }) => name === CONSTRUCT_METADATA)?.text);
  return run.problems.map((problem) => locate(problem, constructs, fileByPath));
}

function hasObjects(name: string): boolean {
  return name !== CONSTRUCT_METADATA && /\.(?:ya?ml|json)$/.test(name);
}

function listFiles(folder: string): string[] | undefined {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, "/"))
      .sort(byCodeUnit);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** All that is wrong in all files at once. */
function readAll(files: readonly TextFile[]): Map<string, JsonObject[]> {
  const { readManifests } = loadYaml();
  const manifests = new Map<string, JsonObject[]>();
  const problems: string[] = [];
  for (const { name, text } of files) {
    if (!hasObjects(name)) continue;
    try {
      manifests.set(
        name,
        readManifests(text, { source: name }).map(({ object }) => object),
      );
    } catch (error) {
      if (!SlipwayError.isSlipwayError(error)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new SlipwayError(problems.join("\n"), { code: "INVALID_YAML" });
  return manifests;
}

interface CheckedFiles {
  /** By name of the file. */
  readonly manifests: ReadonlyMap<string, readonly JsonObject[]>;
  readonly run: SynthRun;
  /** By path of the chart that stands for it. */
  readonly fileByPath: ReadonlyMap<string, string>;
}

/** Has an App of core look at the objects: one chart for each file, which renders what is in it. */
function runChecks(manifests: ReadonlyMap<string, readonly JsonObject[]>): CheckedFiles {
  const { App, Chart } = loadCore();
  class File extends Chart {
    objects: readonly JsonObject[] = [];

    override toJson(): JsonObject[] {
      return [...this.objects];
    }
  }
  Object.defineProperty(File, "name", { value: "the program" }); // messages name the class that renders an object
  const app = new App({ checks: { OUTPUT_COLLISION: "ignore" } });
  const fileByPath = new Map<string, string>();
  for (const [name, objects] of manifests) {
    const id = name.replaceAll("/", "∕"); // a slash would end the name of a construct
    const file = new File(app, id);
    file.objects = objects;
    fileByPath.set(file.node.path, name);
  }
  return { manifests, run: capture(() => app.synth()), fileByPath };
}

function capture(synth: () => void): SynthRun {
  const runs: SynthRun[] = [];
  const restore = receiveRuns((run) => runs.push(run));
  try {
    synth();
  } finally {
    restore();
  }
  return runs[0] as SynthRun;
}

/** Construct paths by name of the object. A name that stands for several objects says nothing. */
function readConstructMetadata(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  try {
    const { resources } = JSON.parse(text) as { resources: Readonly<Record<string, { path: string }>> };
    return new Map(Object.entries(resources).map(([name, { path }]) => [name, path]));
  } catch {
    return new Map(); // of another make
  }
}

function locate(
  problem: SynthProblem,
  constructs: ReadonlyMap<string, string>,
  fileByPath: ReadonlyMap<string, string>,
): SynthProblem {
  const name = problem.object.slice(problem.object.lastIndexOf("/") + 1);
  const file = fileByPath.get(problem.path) ?? problem.path;
  return {
    ...problem,
    path: constructs.get(name) ?? file,
    message: problem.message.replaceAll(problem.path, file),
  };
}
