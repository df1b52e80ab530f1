import { getMember, isJsonArray, isJsonObject, type JsonObject, type KubernetesObject } from "@slipway/objects";

/** What counts of one WorkloadMonitor. */
export interface MonitorState {
  /** Absent: nobody has looked yet. */
  readonly operational?: boolean | undefined;
  /** RFC 3339, or `""`. */
  readonly since: string;
}

/** The monitors of one application, or why they could not be read. */
export type MonitorReading =
  | { readonly read: true; readonly monitors: readonly MonitorState[] }
  | { readonly read: false; readonly why: string };

export function monitorState(monitor: KubernetesObject): MonitorState {
  const status = getMember(monitor, "status");
  const operational = isJsonObject(status) ? getMember(status, "operational") : undefined;
  const since = monitor.metadata.creationTimestamp ?? "";
  return typeof operational === "boolean" ? { operational, since } : { since };
}

/** The conditions of a release that an application shows, in the release's order. */
export function releaseConditions(release: KubernetesObject): JsonObject[] {
  return conditionsOf(release)
    .filter(({ type }) => type === "Ready" || type === "Released")
    .map(shownCondition);
}

/** Member order as metav1.Condition has it; `observedGeneration` is of the release and would mislead. */
function shownCondition(condition: JsonObject): JsonObject {
  return {
    type: textOf(condition, "type"),
    status: textOf(condition, "status"),
    lastTransitionTime: textOf(condition, "lastTransitionTime"),
    reason: textOf(condition, "reason"),
    message: textOf(condition, "message"),
  };
}

const verdicts = {
  down: {
    status: "False",
    reason: "WorkloadMonitorCheck",
    message: "One or more workloads are not operational",
  },
  pending: {
    status: "Unknown",
    reason: "Pending",
    message: "One or more workloads have not been reconciled yet",
  },
  up: { status: "True", reason: "WorkloadMonitorCheck", message: "All workloads are operational" },
} as const;

/**
 * The condition `WorkloadsReady`; `undefined` when the application has no monitor.
 *
 * One workload that is down outweighs any that nobody has looked at. `lastTransitionTime` is the newest time known of
 * the release and its monitors, since monitors do not say when they changed; `now` only when there is none.
 */
export function workloadsReady(reading: MonitorReading, release: KubernetesObject, now: Date): JsonObject | undefined {
  if (reading.read && reading.monitors.length === 0) return undefined;
  const verdict = reading.read
    ? verdictOn(reading.monitors)
    : { status: "Unknown", reason: "Error", message: `Failed to check workload status: ${reading.why}` };
  const { status, reason, message } = verdict;
  const monitors = reading.read ? reading.monitors : [];
  return {
    type: "WorkloadsReady",
    status,
    lastTransitionTime: newestTime(release, monitors) ?? formatTime(now.getTime()),
    reason,
    message,
  };
}

function verdictOn(monitors: readonly MonitorState[]): (typeof verdicts)[keyof typeof verdicts] {
  if (monitors.some(({ operational }) => operational === false)) return verdicts.down;
  if (monitors.some(({ operational }) => operational === undefined)) return verdicts.pending;
  return verdicts.up;
}

function newestTime(release: KubernetesObject, monitors: readonly MonitorState[]): string | undefined {
  const times = [
    release.metadata.creationTimestamp ?? "",
    ...conditionsOf(release).map((condition) => textOf(condition, "lastTransitionTime")),
    ...monitors.map(({ since }) => since),
  ];
  const known = times.map((time) => Date.parse(time)).filter((ms) => !Number.isNaN(ms));
  return known.length === 0 ? undefined : formatTime(Math.max(...known));
}

/** RFC 3339 in UTC and whole seconds, as Kubernetes writes times. */
function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function conditionsOf(release: KubernetesObject): JsonObject[] {
  const status = getMember(release, "status");
  const conditions = isJsonObject(status) ? getMember(status, "conditions") : undefined;
  return isJsonArray(conditions) ? conditions.filter(isJsonObject) : [];
}

function textOf(object: JsonObject, name: string): string {
  const value = getMember(object, name);
  return typeof value === "string" ? value : "";
}
