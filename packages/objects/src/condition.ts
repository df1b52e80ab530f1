import type { JsonObject } from "./json.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

/** One aspect of an object's state (meta/v1 Condition). */
export interface Condition extends JsonObject {
  readonly type: string;
  readonly status: ConditionStatus;
  /** In CamelCase, for programs. */
  readonly reason?: string | undefined;
  /** For people. */
  readonly message?: string | undefined;
  /** When `status` last changed: RFC 3339 in UTC, in whole seconds. */
  readonly lastTransitionTime?: string | undefined;
  /** The generation of the object that this is about. */
  readonly observedGeneration?: number | undefined;
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether there is such a condition, and its status is this one. */
export function hasCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
  status: ConditionStatus = "True",
): boolean {
  return findCondition(conditions, type)?.status === status;
}

/**
 * `conditions` with `change` in place of the one of its type, or at the end. The time of transition is that of `change`
 * or `now` when the status changes, and otherwise stays. When nothing changes the result is `conditions`.
 *
 * @see k8s.io/apimachinery, meta.SetStatusCondition
 */
export function setCondition(conditions: readonly Condition[], change: Condition, now: string): readonly Condition[] {
  const present = findCondition(conditions, change.type);
  const transition = change.lastTransitionTime ?? now;
  if (present === undefined) return [...conditions, { ...change, lastTransitionTime: transition }];
  const isTransition = present.status !== change.status;
  const merged = {
    ...present,
    ...change,
    lastTransitionTime: isTransition ? transition : (present.lastTransitionTime ?? transition),
  };
  if (conditionsEqual(present, merged) && present.lastTransitionTime === merged.lastTransitionTime) return conditions;
  return conditions.map((condition) => (condition === present ? merged : condition));
}

/** As {@link setCondition}, one after the other. */
export function setConditions(
  conditions: readonly Condition[],
  changes: Iterable<Condition>,
  now: string,
): readonly Condition[] {
  let result = conditions;
  for (const change of changes) result = setCondition(result, change, now);
  return result;
}

/** Without those of `type`; `conditions` itself when there are none. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  const kept = conditions.filter((condition) => condition.type !== type);
  return kept.length === conditions.length ? conditions : kept;
}

/** Whether two conditions say the same; when they began to does not count. */
export function conditionsEqual(a: Condition, b: Condition): boolean {
  return (
    a.type === b.type &&
    a.status === b.status &&
    (a.reason ?? "") === (b.reason ?? "") &&
    (a.message ?? "") === (b.message ?? "") &&
    (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0)
  );
}
