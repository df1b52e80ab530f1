import type { KubernetesObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { type MonitorState, monitorState, releaseConditions, workloadsReady } from "./conditions.ts";

const now = new Date("2030-01-01T00:00:00.5Z");

function release(conditions: readonly Record<string, string | number>[] = []): KubernetesObject {
  return {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name: "redis-db", namespace: "a", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { conditions },
  };
}

const up: MonitorState = { operational: true, since: "2026-01-02T00:00:00Z" };
const down: MonitorState = { operational: false, since: "2026-01-03T00:00:00Z" };
const pending: MonitorState = { since: "" };

test.for([
  { rule: "all operational", monitors: [up, up], status: "True", reason: "WorkloadMonitorCheck" },
  { rule: "one unknown", monitors: [up, pending], status: "Unknown", reason: "Pending" },
  { rule: "one down", monitors: [up, down], status: "False", reason: "WorkloadMonitorCheck" },
  { rule: "down wins over unknown", monitors: [pending, down], status: "False", reason: "WorkloadMonitorCheck" },
])("$rule: WorkloadsReady is $status", ({ monitors, status, reason }) => {
  expect(workloadsReady({ read: true, monitors }, release(), now)).toMatchObject({
    type: "WorkloadsReady",
    status,
    reason,
  });
});

test("without a monitor there is no condition", () => {
  expect(workloadsReady({ read: true, monitors: [] }, release(), now)).toBeUndefined();
});

test("monitors that cannot be read are Unknown, with the reason", () => {
  expect(workloadsReady({ read: false, why: "boom" }, release(), now)).toEqual({
    type: "WorkloadsReady",
    status: "Unknown",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    reason: "Error",
    message: "Failed to check workload status: boom",
  });
});

test("the time is the newest of release, conditions and monitors", () => {
  const time = (conditions: Record<string, string>[], monitors: MonitorState[]) =>
    workloadsReady({ read: true, monitors }, release(conditions), now)?.lastTransitionTime;
  expect(time([], [up])).toBe("2026-01-02T00:00:00Z");
  expect(time([{ type: "Reconciling", lastTransitionTime: "2027-06-01T00:00:00Z" }], [up])).toBe(
    "2027-06-01T00:00:00Z",
  );
  expect(time([], [pending])).toBe("2026-01-01T00:00:00Z");
  const timeless = { ...release(), metadata: { name: "x" } };
  expect(workloadsReady({ read: true, monitors: [pending] }, timeless, now)?.lastTransitionTime).toBe(
    "2030-01-01T00:00:00Z",
  );
});

test("Ready and Released are shown in the release's order, without observedGeneration", () => {
  const conditions = [
    { type: "Stalled", status: "True", reason: "X", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
    { type: "Released", status: "True", reason: "R", message: "r", lastTransitionTime: "2026-01-01T00:00:00Z" },
    {
      type: "Ready",
      status: "False",
      reason: "F",
      message: "f",
      lastTransitionTime: "2026-01-02T00:00:00Z",
      observedGeneration: 4,
    },
  ];
  const shown = releaseConditions(release(conditions));
  expect(JSON.stringify(shown)).toBe(
    '[{"type":"Released","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R","message":"r"},' +
      '{"type":"Ready","status":"False","lastTransitionTime":"2026-01-02T00:00:00Z","reason":"F","message":"f"}]',
  );
});

test.for([
  [{ operational: true }, { operational: true, since: "t" }],
  [{ operational: "yes" }, { since: "t" }],
  [{}, { since: "t" }],
  [null, { since: "t" }],
] as const)("a monitor with status %j", ([status, state]) => {
  const monitor = {
    apiVersion: "cozystack.io/v1alpha1",
    kind: "WorkloadMonitor",
    metadata: { name: "m", creationTimestamp: "t" },
    status,
  };
  expect(monitorState(monitor)).toEqual(state);
});
