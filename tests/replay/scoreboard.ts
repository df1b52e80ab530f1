import { countsOf, type FileResult } from "./replay-file.ts";

export interface ScoreboardLine {
  readonly topic: string;
  readonly passed: number;
  readonly total: number;
  /** Cases that could not run here. */
  readonly skipped: number;
}

/** What the files of recordings are about. A file that no topic names stands for itself. */
const topics: Readonly<Record<string, readonly string[]>> = {
  "custom resources: reading and writing": [
    "kube/http/basics",
    "kube/http/create-body",
    "kube/http/generate-name",
    "kube/http/optimistic-lock",
    "kube/http/generation-status",
    "kube/http/finalizers",
    "kube/http/delete-options",
    "kube/http/delete-collection",
    "kube/http/dry-run",
    "kube/http/scale",
    "kube/http/versions",
    "kube/http/errors",
  ],
  "custom resources: checks of bodies": [
    "kube/http/field-validation",
    "kube/http/metadata-validation",
    "kube/http/defaulting",
    "kube/http/pruning",
    "kube/http/schema-validation",
    "kube/http/formats",
  ],
  patches: ["kube/http/json-patch", "kube/http/merge-patch"],
  "server-side apply": [
    "kube/http/apply-basics",
    "kube/http/apply-conflicts",
    "kube/http/apply-lists",
    "kube/http/apply-maps",
    "kube/http/apply-ownership",
    "kube/http/apply-time",
  ],
  "lists, selectors, paging, versions": [
    "kube/http/label-selectors",
    "kube/http/field-selectors",
    "kube/http/paging",
    "kube/http/rv-matrix",
  ],
  watches: ["kube/http/watch", "kube/http/watch-selectors"],
  representations: ["kube/http/table", "kube/http/partial-metadata", "kube/http/negotiation"],
  "validation rules and ratcheting": ["kube/http/cel", "kube/http/ratcheting"],
  CustomResourceDefinitions: ["kube/http/crd-refusals", "kube/http/crd-lifecycle"],
  "discovery, OpenAPI, health": ["kube/http/discovery", "kube/http/openapi", "kube/http/health"],
  "built-in kinds and controllers": [
    "kube/http/namespaces",
    "kube/http/builtin",
    "kube/http/owner-references",
    "kube/http/reviews",
  ],
};

/** Passed and total of every topic, from what ran. */
export function scoreboard(files: readonly FileResult[]): ScoreboardLine[] {
  const lines = new Map<string, ScoreboardLine>();
  for (const file of files) {
    const topic = topicOf(file.name);
    const before = lines.get(topic) ?? { topic, passed: 0, total: 0, skipped: 0 };
    const { passed, total } = countsOf(file);
    const skipped = file.skipped === undefined ? 0 : file.cases;
    lines.set(topic, {
      topic,
      passed: before.passed + passed,
      total: before.total + total,
      skipped: before.skipped + skipped,
    });
  }
  return [...lines.values(), managedFieldsLine(files)];
}

function topicOf(name: string): string {
  const topic = Object.entries(topics).find(([, files]) => files.includes(name))?.[0];
  if (topic !== undefined) return topic;
  const [set, ...rest] = name.split("/");
  if (set === "cozystack") return `applications: ${rest.join("/")}`;
  return rest[0] === "kubectl" ? `kubectl: ${rest.slice(1).join("/").replace(/^k-/, "")}` : name;
}

/** Left out of every comparison above, and counted here. */
function managedFieldsLine(files: readonly FileResult[]): ScoreboardLine {
  const compared = files.flatMap(({ results }) => results).filter(({ managersMatch }) => managersMatch !== undefined);
  return {
    topic: "metadata.managedFields of all answers",
    passed: compared.filter(({ managersMatch }) => managersMatch === true).length,
    total: compared.length,
    skipped: 0,
  };
}

export function formatScoreboard(lines: readonly ScoreboardLine[]): string {
  const width = Math.max(...lines.map(({ topic }) => topic.length));
  return lines
    .map(({ topic, passed, total, skipped }) => {
      const share = total === 0 ? "" : ` ${String(Math.floor((100 * passed) / total)).padStart(3)} %`;
      const left = skipped === 0 ? "" : `  (${skipped} skipped)`;
      return `${topic.padEnd(width)}  ${`${passed}/${total}`.padStart(9)}${share}${left}\n`;
    })
    .join("");
}
