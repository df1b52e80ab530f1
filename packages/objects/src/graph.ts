import { SlipwayError } from "./errors.ts";

/** `before` goes before `after`, since `after` uses it. */
export interface Edge<Node> {
  readonly before: Node;
  readonly after: Node;
  /** How `after` uses `before`: a field, or words. */
  readonly reason?: string | undefined;
}

/** Some nodes need each other in a circle, so that none can be first. */
export class DependencyCycleError<Node> extends SlipwayError {
  override readonly name: string = "DependencyCycleError";
  /** Each node needs the next; the last is the first again. */
  readonly path: readonly Node[];

  constructor(path: readonly Node[], nameOf: (node: Node) => string) {
    super(`these need each other in a circle: ${path.map(nameOf).join(" → ")}. Remove one of the dependencies.`, {
      code: "DEPENDENCY_CYCLE",
    });
    this.path = path;
  }
}

export interface OrderOptions<Node> {
  /** Names a node in errors. @default String */
  readonly nameOf?: ((node: Node) => string) | undefined;
}

/**
 * The nodes, each after those it needs: depth first, in input order, so that only what is needed moves ahead. What is
 * needed and not among `nodes` is added. Each node comes once.
 *
 * @throws {DependencyCycleError} with the path, also for a node that needs itself.
 */
export function orderByNeed<Node>(
  nodes: Iterable<Node>,
  needsOf: (node: Node) => Iterable<Node>,
  options: OrderOptions<Node> = {},
): Node[] {
  const ordered = new Set<Node>();
  /** From a node down to what it needs, each with what is left to visit: no recursion, since chains may be long. */
  const stack: { readonly node: Node; readonly needs: Iterator<Node> }[] = [];
  const open = new Set<Node>();
  const enter = (node: Node): void => {
    if (ordered.has(node)) return;
    if (open.has(node)) {
      const path = stack.map((entry) => entry.node);
      throw new DependencyCycleError([...path.slice(path.indexOf(node)), node], options.nameOf ?? String);
    }
    open.add(node);
    stack.push({ node, needs: needsOf(node)[Symbol.iterator]() });
  };
  for (const node of nodes) {
    enter(node);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.needs.next();
      if (next.done !== true) {
        enter(next.value);
        continue;
      }
      stack.pop();
      open.delete(top.node);
      ordered.add(top.node);
    }
  }
  return [...ordered];
}

/** As {@link orderByNeed}, with the needs given as edges. An edge to what is not among `nodes` does not count. */
export function orderByEdges<Node>(
  nodes: readonly Node[],
  edges: Iterable<Edge<Node>>,
  options: OrderOptions<Node> = {},
): Node[] {
  const needs = new Map<Node, Node[]>(nodes.map((node) => [node, []]));
  for (const { before, after } of edges) {
    if (needs.has(before)) needs.get(after)?.push(before);
  }
  return orderByNeed(nodes, (node) => needs.get(node) ?? [], options);
}
