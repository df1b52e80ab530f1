import type { GroupVersionKind } from "./gvk.ts";
import { findContradictions, type Stage, type StageOptions } from "./stages.ts";
import { explainWeight } from "./weights.ts";

/**
 * Stages as text for people: each item with its weight and why it has it, and what it comes after, or should.
 *
 *     1 definitions
 *         Namespace/shop: 0, a Namespace of Kubernetes
 *     2
 *         Role/shop/reader: 10, a Role
 *         RoleBinding/shop/reader: 10, a RoleBinding, after Role/shop/reader (roleRef)
 */
export function explainStages<Item>(
  cut: readonly Stage<Item>[],
  gvkOf: (item: Item) => GroupVersionKind,
  nameOf: (item: Item) => string,
  options: StageOptions<Item> = {},
): string {
  const needs = describeNeeds(
    cut.flatMap(({ items }) => items),
    nameOf,
    options,
  );
  const lines = cut.flatMap(({ items, clusterDefinitions }, index) => [
    clusterDefinitions ? `${index + 1} definitions` : `${index + 1}`,
    ...items.map((item) => {
      const { weight, reason } = explainWeight(gvkOf(item), options.weights);
      return `    ${[`${nameOf(item)}: ${weight}`, reason, ...(needs.get(item) ?? [])].join(", ")}`;
    }),
  ]);
  return lines.join("\n");
}

/** For each item that uses others of the same order: `after Role/shop/reader (roleRef)`. */
function describeNeeds<Item>(
  order: readonly Item[],
  nameOf: (item: Item) => string,
  { edges = [] }: StageOptions<Item>,
): ReadonlyMap<Item, readonly string[]> {
  const needs = new Map<Item, string[]>(order.map((item) => [item, []]));
  const broken = new Set(findContradictions(order, edges));
  for (const edge of edges) {
    if (!needs.has(edge.before)) continue;
    const reason = edge.reason === undefined ? "" : ` (${edge.reason})`;
    needs.get(edge.after)?.push(`${broken.has(edge) ? "but before" : "after"} ${nameOf(edge.before)}${reason}`);
  }
  return needs;
}
