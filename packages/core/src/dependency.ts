import type { IConstruct, Node } from "constructs";
import { declaredDependencies, dependencyCycle, findRoots, orderConstructs } from "./order.ts";

/**
 * The constructs at and below a node with what they depend on there. Dependencies on constructs elsewhere are left out.
 *
 * ```
 * root ──▶ what nothing depends on ──▶ what that depends on ──▶ …
 * ```
 */
export class DependencyGraph {
  private readonly _fosterParent: DependencyVertex;

  /**
   * @throws {Error} when dependencies form a cycle, or one is no construct.
   */
  constructor(node: Node) {
    const dependencies = declaredDependencies(hostOf(node));
    orderConstructs(dependencies); // finds a cycle at once, where looking at each edge would take the square of it
    const { constructs, graph } = dependencies;
    const vertices = constructs.map((construct) => new DependencyVertex(construct));
    const link = DependencyVertex.link;
    for (const [index, needs] of graph.needs.entries()) {
      for (const need of needs ?? []) link(vertices[index] as DependencyVertex, vertices[need] as DependencyVertex);
    }
    this._fosterParent = new DependencyVertex();
    for (const root of findRoots(constructs, graph)) link(this._fosterParent, vertices[root] as DependencyVertex);
  }

  /** Has no value. Its children are the vertices that nothing depends on. */
  get root(): DependencyVertex {
    return this._fosterParent;
  }

  /** The constructs, each after everything it depends on. */
  topology(): IConstruct[] {
    return this._fosterParent.topology();
  }
}

/** The construct a node belongs to: the last of its scopes. */
function hostOf(node: Node): IConstruct {
  return node.scopes.at(-1) as IConstruct;
}

/** A construct with what it depends on and what depends on it. */
export class DependencyVertex {
  private readonly _value: IConstruct | undefined;
  private readonly _children: Set<DependencyVertex> = new Set();
  private readonly _parents: Set<DependencyVertex> = new Set();

  /**
   * An edge that is known to close no cycle.
   * @internal
   */
  static link(from: DependencyVertex, to: DependencyVertex): void {
    from._children.add(to);
    to._parents.add(from);
  }

  constructor(value?: IConstruct | undefined) {
    this._value = value;
  }

  get value(): IConstruct | undefined {
    return this._value;
  }

  /** What this depends on, in the order it was added. A copy. */
  get outbound(): Array<DependencyVertex> {
    return [...this._children];
  }

  /** What depends on this, in the order it was added. A copy. */
  get inbound(): Array<DependencyVertex> {
    return [...this._parents];
  }

  /** The values of this and of everything it depends on, directly or not: each after everything it depends on. */
  topology(): IConstruct[] {
    const found: IConstruct[] = [];
    const seen = new Set<DependencyVertex>([this]);
    const path: { readonly vertex: DependencyVertex; readonly rest: Iterator<DependencyVertex> }[] = [];
    const enter = (vertex: DependencyVertex): void => {
      path.push({ vertex, rest: vertex._children.values() });
    };
    enter(this);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { value: next, done } = top.rest.next();
      if (done === true) {
        path.pop();
        if (top.vertex._value !== undefined) found.push(top.vertex._value);
      } else if (!seen.has(next)) {
        seen.add(next);
        enter(next);
      }
    }
    return found;
  }

  /**
   * Has this depend on `dep`.
   * @throws {Error} when `dep` is this, or depends on it.
   */
  addChild(dep: DependencyVertex): void {
    const cycle = dep.findRoute(this);
    if (cycle !== undefined) {
      const values = [...cycle, dep].map(({ value }) => value).filter((value) => value !== undefined);
      throw dependencyCycle(values.map(({ node }) => node.path));
    }
    DependencyVertex.link(this, dep);
  }

  /** The shortest way from this to `destination`, both included. */
  private findRoute(destination: DependencyVertex): DependencyVertex[] | undefined {
    const cameFrom = new Map<DependencyVertex, DependencyVertex | undefined>([[this, undefined]]);
    for (const [vertex] of cameFrom) {
      if (vertex === destination) return routeTo(vertex, cameFrom);
      for (const child of vertex._children) if (!cameFrom.has(child)) cameFrom.set(child, vertex);
    }
    return undefined;
  }
}

function routeTo(
  end: DependencyVertex,
  cameFrom: ReadonlyMap<DependencyVertex, DependencyVertex | undefined>,
): DependencyVertex[] {
  const route: DependencyVertex[] = [];
  for (let at: DependencyVertex | undefined = end; at !== undefined; at = cameFrom.get(at)) route.push(at);
  return route.reverse();
}
