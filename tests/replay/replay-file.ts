import { shippedDefinitions } from "../cozystack/platform.ts";
import { startCozystackCluster, startKubeCluster, startListeningKubeCluster } from "./clusters.ts";
import { effectReader, effectRepair } from "./effects.ts";
import { findKubectl } from "./kubectl-program.ts";
import { type ListeningServer, runKubectlSequence } from "./kubectl-sequence.ts";
import type { Recording } from "./recording.ts";
import { runSequence, type SequenceOptions, type StepResult } from "./run-sequence.ts";
import { cleanServer } from "./server-cleanup.ts";

/** What came of one file. */
export interface FileResult {
  /** `kube/http/basics`. */
  readonly name: string;
  readonly format: Recording["format"];
  readonly results: readonly StepResult[];
  /** How many steps the file has, without preparations. */
  readonly cases: number;
  /** Why nothing ran. */
  readonly skipped?: string | undefined;
  /** What the server logged as failures of its own. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

const kubeGroups = ["record.example.dev"] as const;
const cozystackGroups = ["apps.cozystack.io", "core.cozystack.io", "sdn.cozystack.io"] as const;

/** Replays a file against a cluster of its own in this process. */
export async function replayInProcess(
  recording: Recording,
  options: Pick<SequenceOptions, "isListed" | "onAnswer"> = {},
): Promise<FileResult> {
  const startedAt = performance.now();
  const { name, format } = recording;
  const cases = caseCount(recording);
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  if (format === "kubectl") {
    const kubectl = await findKubectl(process.env);
    if ("missing" in kubectl)
      return { name, format, cases, results: [], skipped: kubectl.missing, failures: [], seconds: 0 };
    await using cluster = await startListeningKubeCluster("tests/recordings/kube/crds");
    const results = await runKubectlSequence(recording, { kubectl: kubectl.path, cluster, groups: kubeGroups });
    return { name, format, cases, results, failures: cluster.failures, seconds: seconds() };
  }
  if (format === "kube") {
    await using cluster = await startKubeCluster("tests/recordings/kube/crds");
    const { sender, setTime } = cluster;
    const results = await runSequence(recording, { ...options, sender, setTime, groups: kubeGroups });
    return { name, format, cases, results, failures: cluster.failures, seconds: seconds() };
  }
  await using cluster = await startCozystackCluster();
  const { sender } = cluster;
  const prefixes = new Map(shippedDefinitions().kinds.map(({ plural, release }) => [plural, release.prefix]));
  const effects = effectReader(sender, prefixes);
  const repair = effectRepair(sender);
  const results = await runSequence(recording, { ...options, sender, effects, repair, groups: cozystackGroups });
  return { name, format, cases, results, failures: cluster.failures, seconds: seconds() };
}

function caseCount({ steps }: Pick<Recording, "steps">): number {
  return steps
    .map((step): number => {
      if (step.type === "kubectl") return (step.setup === undefined ? 1 : 0) + caseCount({ steps: step.during });
      // Of what ran inside a watch of cozystack-api only the status was kept.
      const inner = step.during.filter(({ headers }) => Object.keys(headers).length > 0);
      return (step.isPreparation ? 0 : 1) + caseCount({ steps: inner });
    })
    .reduce((sum, count) => sum + count, 0);
}

/**
 * Replays a file of kube-apiserver or kubectl against a live server that has its kinds, and removes what it left there.
 * Other formats are skipped.
 */
export async function replayOnServer(recording: Recording, server: ListeningServer): Promise<FileResult> {
  const startedAt = performance.now();
  const { name, format } = recording;
  const file = { name, format, cases: caseCount(recording), failures: [] };
  const skipped = (why: string): FileResult => ({ ...file, results: [], skipped: why, seconds: 0 });
  if (format === "cozystack") return skipped(`${format} recordings run in process`);
  const { sender } = server;
  let results: readonly StepResult[];
  if (format === "kubectl") {
    const kubectl = await findKubectl(process.env);
    if ("missing" in kubectl) return skipped(kubectl.missing);
    results = await runKubectlSequence(recording, { kubectl: kubectl.path, cluster: server, groups: kubeGroups });
  } else {
    const options = { sender, groups: kubeGroups, patienceMs: LIVE_PATIENCE_MS, isShared: true };
    results = await runSequence(recording, options);
  }
  await cleanServer(recording, sender, kubeGroups);
  return { ...file, results, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Controllers of a live server may need so long. */
const LIVE_PATIENCE_MS = 10_000;

export interface Counts {
  readonly passed: number;
  readonly total: number;
}

/** Preparations are no cases. */
export function countsOf({ results }: Pick<FileResult, "results">): Counts {
  const cases = results.filter(({ isPreparation, outcome }) => !isPreparation && outcome !== "skipped");
  return { passed: cases.filter(({ outcome }) => outcome === "passed").length, total: cases.length };
}
