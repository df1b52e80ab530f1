import { type Edge, orderByEdges } from "./graph.ts";
import type { GroupVersionKind } from "./gvk.ts";
import { type GroupKind, groupByWeight, type KindWeight } from "./weights.ts";

/** What is applied together, in order, before the next stage begins. Never empty. */
export interface Stage<Item> {
  readonly items: readonly Item[];
  /** Whoever applies waits until these are there: a definition established, a namespace existing. */
  readonly clusterDefinitions: boolean;
}

export interface StageOptions<Item> {
  /** Weights for kinds of the caller's own. */
  readonly weights?: readonly KindWeight[] | undefined;
  /** Refine the order of items of one weight. Between weights they change nothing: see {@link findContradictions}. */
  readonly edges?: readonly Edge<Item>[] | undefined;
  /** Names an item in errors. @default String */
  readonly nameOf?: ((item: Item) => string) | undefined;
}

/**
 * A sorted copy of `items`, cut into stages: first, if there are any, every CustomResourceDefinition and every core
 * Namespace; then one stage for each weight, ascending. Within a stage items keep their order.
 *
 * @throws {DependencyCycleError} when edges between items of one weight form a circle.
 */
export function stages<Item>(
  items: readonly Item[],
  gvkOf: (item: Item) => GroupVersionKind,
  options: StageOptions<Item> = {},
): Stage<Item>[] {
  const { weights, edges = [], nameOf } = options;
  const definitions: Item[] = [];
  const rest: Item[] = [];
  for (const item of items) (isClusterDefinition(gvkOf(item)) ? definitions : rest).push(item);
  const ordered = (list: readonly Item[]): Item[][] =>
    groupByWeight(list, gvkOf, weights).map((group) =>
      edges.length === 0 ? group.items : orderByEdges(group.items, edges, { nameOf }),
    );
  const first = ordered(definitions).flat();
  const others = ordered(rest).map((group) => ({ items: group, clusterDefinitions: false }));
  return first.length === 0 ? others : [{ items: first, clusterDefinitions: true }, ...others];
}

/** In any version. A ClusterRole is none: nothing has to wait for it. */
function isClusterDefinition({ group, kind }: GroupKind): boolean {
  return (
    (group === "apiextensions.k8s.io" && kind === "CustomResourceDefinition") || (group === "" && kind === "Namespace")
  );
}

/** The edges that an order does not keep: `before` comes after `after`. */
export function findContradictions<Item>(order: readonly Item[], edges: readonly Edge<Item>[]): Edge<Item>[] {
  const positions = new Map(order.map((item, index) => [item, index]));
  return edges.filter(({ before, after }) => (positions.get(before) ?? -1) > (positions.get(after) ?? Infinity));
}
