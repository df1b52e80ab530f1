import type { GroupVersionKind } from "./gvk.ts";

/** The version is not looked at: an object is the same thing under every version of its group. */
export type GroupKind = Pick<GroupVersionKind, "group" | "kind">;

/** A weight of the caller's own. */
export interface KindWeight extends GroupKind {
  /** Lower is applied first, deleted last. The built-in ones go from -100 to 2000. */
  readonly weight: number;
}

/** A weight, and the rule that gives it. */
export interface WeightRule {
  readonly weight: number;
  /** `a Deployment`, `a kind whose name ends in Class`. */
  readonly reason: string;
}

/** What exists for the whole cluster and may be needed by anything. Another group may use these names for else. */
const definitions: ReadonlyMap<string, number> = new Map([
  ["apiextensions.k8s.io/CustomResourceDefinition", -100],
  ["/Namespace", 0],
  ["rbac.authorization.k8s.io/ClusterRole", 5],
]);

const definitionKinds: ReadonlySet<string> = new Set(["CustomResourceDefinition", "Namespace", "ClusterRole"]);

const CLASS_WEIGHT = 6;

/**
 * Of a kind in any group. Lower is applied first, deleted last; the numbers leave room in between.
 *
 * They follow the order of Flux's `ssa` package (0.78), so that an engine that sorts again by that order refines this
 * one and never contradicts it.
 */
const kinds: ReadonlyMap<string, number> = new Map([
  ["ClusterRoleBinding", 7],
  ["ResourceQuota", 8],
  ["ServiceAccount", 10],
  ["Role", 10],
  ["RoleBinding", 10],
  ["Secret", 15],
  ["ConfigMap", 15],
  ["Service", 50],
  ["LimitRange", 60],
  ["Deployment", 100],
  ["StatefulSet", 100],
  ["CronJob", 105],
  ["PodDisruptionBudget", 108],
  ["ValidatingWebhookConfiguration", 2000],
  ["MutatingWebhookConfiguration", 2000],
]);

const DEFAULT_WEIGHT = 1000;

/** The weight of a kind, before or after the caller's own ones. */
export function weightOf(gvk: GroupKind, own: readonly KindWeight[] = []): number {
  return explainWeight(gvk, own).weight;
}

/** As {@link weightOf}, with the reason. Of several own weights for one kind the last counts. */
export function explainWeight({ group, kind }: GroupKind, own: readonly KindWeight[] = []): WeightRule {
  const chosen = own.findLast((each) => each.group === group && each.kind === kind);
  if (chosen !== undefined) return { weight: chosen.weight, reason: `a weight given for ${kind}` };
  const definition = definitions.get(`${group}/${kind}`);
  if (definition !== undefined) return { weight: definition, reason: `a ${kind} of Kubernetes` };
  if (definitionKinds.has(kind)) return { weight: CLASS_WEIGHT, reason: `a ${kind} of another group` };
  const weight = kinds.get(kind);
  if (weight !== undefined) return { weight, reason: `a ${kind}` };
  if (kind.endsWith("Class")) return { weight: CLASS_WEIGHT, reason: "a kind whose name ends in Class" };
  return { weight: DEFAULT_WEIGHT, reason: "any other kind" };
}

export type SortDirection = "ascending" | "descending";

/**
 * Sorts in place by weight: `ascending` to apply, `descending` to delete. Items of one weight keep their order, in both
 * directions.
 */
export function sort<Item>(
  items: Item[],
  gvkOf: (item: Item) => GroupVersionKind,
  direction: SortDirection,
  own: readonly KindWeight[] = [],
): void {
  const groups = groupByWeight(items, gvkOf, own);
  if (direction === "descending") groups.reverse();
  let index = 0;
  for (const { items: group } of groups) {
    for (const item of group) {
      items[index] = item;
      index += 1;
    }
  }
}

/** The items of one weight, in input order. */
export interface WeightGroup<Item> {
  readonly weight: number;
  readonly items: Item[];
}

/** By ascending weight. Each item is looked at once, each kind is weighed once. */
export function groupByWeight<Item>(
  items: readonly Item[],
  gvkOf: (item: Item) => GroupVersionKind,
  own: readonly KindWeight[] = [],
): WeightGroup<Item>[] {
  const byKind = new Map<string, Item[]>();
  const byWeight = new Map<number, Item[]>();
  for (const item of items) {
    const { group, kind } = gvkOf(item);
    const name = `${group}/${kind}`;
    let list = byKind.get(name);
    if (list === undefined) {
      const weight = weightOf({ group, kind }, own);
      list = byWeight.get(weight) ?? [];
      byWeight.set(weight, list);
      byKind.set(name, list);
    }
    list.push(item);
  }
  return Array.from(byWeight, ([weight, list]) => ({ weight, items: list })).sort((a, b) => a.weight - b.weight);
}
