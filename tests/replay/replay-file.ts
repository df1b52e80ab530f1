import { shippedDefinitions } from "../cozystack/platform.ts";
import { startCozystackCluster, startKubeCluster } from "./clusters.ts";
import { effectReader } from "./effects.ts";
import type { Recording } from "./recording.ts";
import { runSequence, type StepResult } from "./run-sequence.ts";

/** What came of one file. */
export interface FileResult {
  /** `kube/http/basics`. */
  readonly name: string;
  readonly format: Recording["format"];
  readonly results: readonly StepResult[];
  /** Why nothing ran. */
  readonly skipped?: string | undefined;
  /** What the server logged as failures of its own. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

export const kubeGroups = ["record.example.dev"] as const;
export const cozystackGroups = ["apps.cozystack.io", "core.cozystack.io", "sdn.cozystack.io"] as const;

/** Replays a file against a cluster of its own in this process. */
export async function replayInProcess(recording: Recording): Promise<FileResult> {
  const startedAt = performance.now();
  const { name, format } = recording;
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  if (format === "kubectl") return { name, format, results: [], skipped: "kubectl", failures: [], seconds: 0 };
  if (format === "kube") {
    await using cluster = await startKubeCluster("tests/recordings/kube/crds");
    const results = await runSequence(recording, { sender: cluster.sender, groups: kubeGroups });
    return { name, format, results, failures: cluster.failures, seconds: seconds() };
  }
  await using cluster = await startCozystackCluster();
  const { sender } = cluster;
  const prefixes = new Map(shippedDefinitions().kinds.map(({ plural, release }) => [plural, release.prefix]));
  const effects = effectReader(sender, prefixes);
  const results = await runSequence(recording, { sender, effects, groups: cozystackGroups });
  return { name, format, results, failures: cluster.failures, seconds: seconds() };
}

export interface Counts {
  readonly passed: number;
  readonly total: number;
}

/** Preparations are no cases. */
export function countsOf({ results }: Pick<FileResult, "results">): Counts {
  const cases = results.filter(({ isPreparation, outcome }) => !isPreparation && outcome !== "skipped");
  return { passed: cases.filter(({ outcome }) => outcome === "passed").length, total: cases.length };
}
