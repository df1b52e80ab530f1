import type { CheckCode } from "@slipway/core";
import type { Synthesis, SynthProblem } from "./synthesis.ts";

/** Every kind of problem that `--allow` lets through, with what it is about. */
export const allowable: Readonly<Partial<Record<CheckCode, string>>> = {
  CHART_HOOK: "a Helm hook or test that would be applied like any other object",
  DUPLICATE_OBJECT: "several constructs that render one object of the cluster",
  INVALID_ANNOTATION: "a key or value of an annotation that Kubernetes refuses",
  INVALID_DATA_KEY: "a key in a ConfigMap or Secret that Kubernetes refuses",
  INVALID_LABEL: "a key or value of a label that Kubernetes refuses",
  INVALID_NAME: "a name that Kubernetes refuses",
  INVALID_VALUE: "a value that YAML or Kubernetes would change",
  MISSING_NAME: "an object without a name",
  OUTPUT_COLLISION: "outputs that would be one file",
};

export interface SortedProblems {
  readonly errors: readonly SynthProblem[];
  readonly allowed: readonly SynthProblem[];
}

export interface ProblemOptions {
  readonly allow: readonly string[];
  readonly isOneStream: boolean;
  folderOf(synthesis: Synthesis): string;
}

/**
 * All problems are errors, but those that are allowed. Where everything goes into one stream, no file can take the place of
 * another.
 */
export function sortProblems(
  syntheses: readonly Synthesis[],
  { allow, isOneStream, folderOf }: ProblemOptions,
): SortedProblems {
  const collisions = isOneStream ? [] : findCollisions(syntheses, folderOf);
  const problems = [...syntheses.flatMap((synthesis) => synthesis.problems), ...collisions];
  const counted = problems.filter(({ code }) => !(isOneStream && code === "OUTPUT_COLLISION"));
  const isAllowed = ({ code }: SynthProblem): boolean => allow.includes(code);
  return { errors: counted.filter((problem) => !isAllowed(problem)), allowed: counted.filter(isAllowed) };
}

/** Files of several Apps that would be one; those of a single App are found by itself. Case does not count on all disks. */
function findCollisions(syntheses: readonly Synthesis[], folderOf: ProblemOptions["folderOf"]): SynthProblem[] {
  const owners = new Map<string, Synthesis>();
  const problems: SynthProblem[] = [];
  for (const synthesis of syntheses) {
    for (const { name } of synthesis.files) {
      const key = `${folderOf(synthesis)}/${name.toLowerCase()}`;
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, synthesis);
      else if (owner !== synthesis) problems.push(collision(name));
    }
  }
  return problems;
}

function collision(name: string): SynthProblem {
  const message = `${name}: two Apps write it, and only the last would be there. Give each App an outdir of its own.`;
  return { code: "OUTPUT_COLLISION", severity: "error", path: "", object: "", field: "", message };
}

/** One entry for each problem: the kind, the construct, and what is wrong and what to do. Files are as seen from `cwd`. */
function formatProblems(problems: readonly SynthProblem[], cwd: string): string {
  const entries = problems.map(({ code, path, message }) => {
    return `  ${code}${path === "" ? "" : `  ${path}`}\n    ${message.replaceAll(`${cwd}/`, "")}\n`;
  });
  return entries.join("");
}

/** What there is, and how to have it all the same. */
export function formatErrors(problems: readonly SynthProblem[], cwd: string): string {
  const head =
    problems.length === 1 ? "1 problem, so nothing is written." : `${problems.length} problems, so nothing is written.`;
  const codes = [...new Set(problems.map(({ code }) => code))];
  const flags = codes.map((code) => `--allow ${code}`).join(" ");
  return `error: ${head}\n${formatProblems(problems, cwd)}To write it all the same: ${flags}\n`;
}

export function formatAllowed(problems: readonly SynthProblem[], cwd: string): string {
  const head =
    problems.length === 1 ? "warning: 1 problem is allowed:" : `warning: ${problems.length} problems are allowed:`;
  return `${head}\n${formatProblems(problems, cwd)}`;
}
