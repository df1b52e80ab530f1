import { SlipwayError } from "@slipway/objects";
import type { IConstruct } from "constructs";
import { API_OBJECT, CHART, isMarked } from "./marker.ts";
import { chartOf, findAll, isIndexLike } from "./tree.ts";

export interface OrderOptions {
  /**
   * Take a dependency of a construct on itself as none; otherwise it is a cycle.
   * @default false
   */
  readonly ignoreSelf?: boolean | undefined;
}

/** A tree with all that its constructs need, declared and implied: what {@link orderConstructs} puts in order. */
export interface Dependencies {
  /** Everything at or below the scope, each construct before its children. */
  readonly constructs: readonly IConstruct[];
  /** Some chart has to be written after another. */
  readonly hasDependentCharts: boolean;
  /** @internal */
  readonly graph: Graph;
}

/**
 * Numbers stand for constructs, by their place in the list of them, and from the length of that list on for groups of
 * objects.
 */
interface Graph {
  /** Of each construct; no list at all when none needs anything. */
  readonly needs: readonly (readonly number[] | undefined)[];
  /** Members of each group: constructs, and groups that stand before it. */
  readonly groups: readonly (readonly number[])[];
}

/**
 * What the constructs at and below `scope` declare to need there. What they declare to need elsewhere does not count.
 * @throws {Error} when a dependency is no construct.
 */
export function declaredDependencies(scope: IConstruct, options: OrderOptions = {}): Dependencies {
  const constructs = findAll(scope);
  return { constructs, hasDependentCharts: false, graph: { needs: readNeeds(constructs, options), groups: [] } };
}

/**
 * What a construct and everything below it need there, as cdk8s has it:
 *
 * - a chart needs the charts directly in it;
 * - the chart of a construct needs the chart of what the construct needs;
 * - each object of a construct, in the construct's own chart, needs each object of what the construct needs, in the
 *   chart of that.
 *
 * cdk8s stores the last as one dependency for each pair of objects. Here the objects of what is needed are a group,
 * which stands in the order like a construct that needs its members, and what a construct needs, when it is much, is a
 * group of groups: so everything stays linear.
 *
 * @param constructs What `findAll` gives for the construct.
 * @throws {Error} when a construct that needs something, or what it needs, is in no chart.
 */
export function impliedDependencies(constructs: readonly IConstruct[], options: OrderOptions = {}): Dependencies {
  if (!constructs.some(needsSomething)) {
    return { constructs, hasDependentCharts: false, graph: { needs: [], groups: [] } };
  }
  return new Implication(constructs, readNeeds(constructs, options)).derive();
}

function needsSomething(construct: IConstruct): boolean {
  return construct.node.dependencies.length > 0 || isNestedChart(construct);
}

function isNestedChart(construct: IConstruct): boolean {
  return isMarked(construct, CHART) && isMarked(construct.node.scope, CHART);
}

/** Of each construct the constructs it needs, in the order they were declared. */
function readNeeds(constructs: readonly IConstruct[], { ignoreSelf }: OrderOptions): (number[] | undefined)[] {
  const indexOf = new Map(constructs.map((construct, index) => [construct, index]));
  return constructs.map(({ node: { dependencies } }, index) => {
    if (dependencies.length === 0) return undefined;
    const needs = new Set<number>();
    for (const dependency of dependencies) {
      const need = indexOf.get(dependency);
      if (need !== undefined && !(need === index && ignoreSelf === true)) needs.add(need);
    }
    return [...needs];
  });
}

/** With fewer needs each is an edge of its own, so that a cycle is named as cdk8s names it. */
const MIN_BUNDLE = 16;

/** One derivation of what is implied. */
class Implication {
  readonly #constructs: readonly IConstruct[];
  /** Of each construct the place of the last one below it, plus one. */
  readonly #ends: Int32Array;
  /** Of each construct its nearest chart in the scope, or -1. */
  readonly #charts: Int32Array;
  readonly #parents: Int32Array;
  /** Of each chart its objects, not those of charts within; of -1 those in no chart of the scope. */
  readonly #objectsOf = new Map<number, number[]>();
  readonly #needs: (Set<number> | undefined)[];
  #hasDependentCharts = false;
  readonly #groups: number[][] = [];
  readonly #groupOf = new Map<number, number>();
  readonly #bundleOf = new Map<number, number>();

  constructor(constructs: readonly IConstruct[], declared: readonly (readonly number[] | undefined)[]) {
    this.#constructs = constructs;
    this.#needs = constructs.map((_, index) => (declared[index] === undefined ? undefined : new Set(declared[index])));
    const count = constructs.length;
    this.#ends = new Int32Array(count);
    this.#charts = new Int32Array(count);
    this.#parents = new Int32Array(count);
    this.#readTree();
  }

  derive(): Dependencies {
    const declaresNothing = this.#needs.every((needs) => needs === undefined);
    this.#addNestedCharts();
    this.#addNeedsOfCharts();
    // Then objects need those of charts within alone, and come in the order of the tree anyway.
    const needs = declaresNothing ? this.#needs.map((set) => set && [...set]) : this.#withObjects();
    return {
      constructs: this.#constructs,
      hasDependentCharts: this.#hasDependentCharts,
      graph: { needs, groups: this.#groups },
    };
  }

  #readTree(): void {
    /** The constructs around the one at hand, from the scope in. */
    const around: number[] = [];
    for (const [index, construct] of this.#constructs.entries()) {
      const scope = index === 0 ? undefined : construct.node.scope;
      while (around.length > 0 && this.#constructs[around.at(-1) as number] !== scope) this.#close(around, index);
      const parent = around.at(-1) ?? -1;
      this.#parents[index] = parent;
      const chart = isMarked(construct, CHART) ? index : parent === -1 ? -1 : (this.#charts[parent] as number);
      this.#charts[index] = chart;
      if (isMarked(construct, API_OBJECT)) this.#addObject(chart, index);
      around.push(index);
    }
    while (around.length > 0) this.#close(around, this.#constructs.length);
  }

  #addObject(chart: number, index: number): void {
    const objects = this.#objectsOf.get(chart);
    if (objects === undefined) this.#objectsOf.set(chart, [index]);
    else objects.push(index);
  }

  #close(around: number[], end: number): void {
    this.#ends[around.pop() as number] = end;
  }

  #add(index: number, need: number): void {
    const needs = this.#needs[index];
    if (needs === undefined) this.#needs[index] = new Set([need]);
    else needs.add(need);
  }

  #addNestedCharts(): void {
    for (let index = 1; index < this.#constructs.length; index += 1) {
      const parent = this.#parents[index] as number;
      if (this.#charts[index] !== index || this.#charts[parent] !== parent) continue;
      this.#add(parent, index);
      this.#hasDependentCharts = true;
    }
  }

  /** From what was declared, also where that is no longer in the tree, or not in this scope. */
  #addNeedsOfCharts(): void {
    const indexOf = new Map(this.#constructs.map((construct, index) => [construct, index]));
    for (const construct of this.#constructs) {
      for (const dependency of construct.node.dependencies) {
        const [chart, needed] = [chartOf(construct), chartOf(dependency)];
        if (chart === needed) continue;
        this.#hasDependentCharts = true;
        const [from, to] = [indexOf.get(chart), indexOf.get(needed)];
        if (from !== undefined && to !== undefined) this.#add(from, to);
      }
    }
  }

  /** The needs of all constructs, with those that objects have from the constructs around them. */
  #withObjects(): (number[] | undefined)[] {
    return this.#needs.map((needs, index) => {
      if (!isMarked(this.#constructs[index], API_OBJECT)) return needs === undefined ? needs : [...needs];
      const all = new Set(needs);
      for (const source of this.#lineOf(index)) {
        const bundle = source === index ? undefined : this.#bundleFor(source);
        if (bundle !== undefined) all.add(bundle);
        else for (const target of this.#needs[source] ?? []) this.#addObjectsOf(target, index, all);
      }
      return all.size === 0 ? undefined : [...all];
    });
  }

  /** From the chart of an object down to the object itself. */
  #lineOf(object: number): number[] {
    const chart = this.#charts[object] as number;
    const line: number[] = [];
    for (let at = object; at !== -1 && this.#charts[at] === chart; at = this.#parents[at] as number) line.push(at);
    return line.reverse();
  }

  #addObjectsOf(target: number, source: number, needs: Set<number>): void {
    const group = this.#groupFor(target);
    const members = this.#groups[group - this.#constructs.length] as readonly number[];
    const isMember = this.#isBelow(target, source) && this.#charts[source] === this.#charts[target];
    if (members.length > 1 && !isMember) {
      needs.add(group);
      return;
    }
    for (const member of members) if (member !== source) needs.add(member);
  }

  /**
   * All that `source` needs, as a group of groups: where it needs much, not each object in it needs all of that one by
   * one. There is none where an object in it may be part of what is needed.
   */
  #bundleFor(source: number): number | undefined {
    const targets = this.#needs[source];
    if (targets === undefined || targets.size < MIN_BUNDLE) return undefined;
    const known = this.#bundleOf.get(source);
    if (known !== undefined) return known;
    const chart = this.#charts[source];
    for (const target of targets) {
      if (this.#charts[target] !== chart) continue;
      if (this.#isBelow(target, source) || this.#isBelow(source, target)) return undefined;
    }
    const members = [...targets].flatMap((target) => {
      const group = this.#groupFor(target);
      const objects = this.#groups[group - this.#constructs.length] as readonly number[];
      return objects.length > 1 ? [group] : objects;
    });
    return this.#addGroup(members, source, this.#bundleOf);
  }

  /** The objects at and below `target` that are in its chart. */
  #groupFor(target: number): number {
    const known = this.#groupOf.get(target);
    if (known !== undefined) return known;
    const objects = this.#objectsOf.get(this.#charts[target] as number) ?? [];
    const members = objects.slice(placeOf(target, objects), placeOf(this.#ends[target] as number, objects));
    return this.#addGroup(members, target, this.#groupOf);
  }

  #addGroup(members: number[], construct: number, groupOf: Map<number, number>): number {
    const group = this.#constructs.length + this.#groups.push(members) - 1;
    groupOf.set(construct, group);
    return group;
  }

  /** Whether the construct at `index` is that at `target`, or somewhere below it. */
  #isBelow(target: number, index: number): boolean {
    return target <= index && index < (this.#ends[target] as number);
  }
}

/** Where `index` stands in `sorted`, or would. */
function placeOf(index: number, sorted: readonly number[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The constructs of `dependencies`, each after everything it needs. Otherwise they stay as they are in the tree, those
 * whose path reads as an index first, and what several need comes where the first of them does.
 *
 * @throws {SlipwayError} `DEPENDENCY_CYCLE` that names the constructs of one cycle.
 * @see the order of cdk8s: depth first from the constructs that nothing needs
 */
export function orderConstructs({ constructs, graph }: Dependencies): readonly IConstruct[] {
  if (graph.needs.length === 0 && !constructs.some(isIndexed)) return constructs;
  const roots = findRoots(constructs, graph);
  const visit = new Visit(graph, constructs.length);
  if (!roots.every((root) => visit.from(root)) || visit.order.length < constructs.length)
    throw cycleError(constructs, graph);
  return visit.order.map((index) => constructs[index] as IConstruct);
}

/** The constructs that nothing needs, those first whose path reads as an index. */
export function findRoots(constructs: readonly IConstruct[], { needs, groups }: Graph): number[] {
  const isNeeded = new Uint8Array(constructs.length + groups.length);
  for (const list of needs) {
    for (const need of list ?? []) isNeeded[need] = 1;
  }
  for (let index = groups.length - 1; index >= 0; index -= 1) {
    if (isNeeded[constructs.length + index] === 0) continue;
    for (const member of groups[index] ?? []) isNeeded[member] = 1;
  }
  const first: number[] = [];
  const rest: number[] = [];
  for (const [index, construct] of constructs.entries()) {
    if (isNeeded[index] === 1) continue;
    if (isIndexed(construct)) first.push(index);
    else rest.push(index);
  }
  first.sort((a, b) => Number(constructs[a]?.node.path) - Number(constructs[b]?.node.path));
  return first.length === 0 ? rest : [...first, ...rest];
}

/** Only the path of the topmost constructs can be one word of digits. */
function isIndexed({ node }: IConstruct): boolean {
  return isIndexLike(node.id) && isIndexLike(node.path);
}

/** A depth-first walk that remembers where it was. */
class Visit {
  /** Constructs that are finished, each after all it needs. */
  readonly order: number[] = [];
  readonly #graph: Graph;
  readonly #count: number;
  /** 1 while what a vertex needs is visited, 2 from then on. */
  readonly #states: Uint8Array;

  constructor(graph: Graph, count: number) {
    this.#graph = graph;
    this.#count = count;
    this.#states = new Uint8Array(this.#count + graph.groups.length);
  }

  /** `false` on a cycle. */
  from(root: number): boolean {
    if (this.#states[root] !== 0) return true;
    const path = [root];
    const next = [0];
    this.#states[root] = 1;
    while (path.length > 0) {
      const vertex = path.at(-1) as number;
      const place = next.at(-1) as number;
      const need = this.#needsOf(vertex)?.[place];
      if (need === undefined) {
        path.pop();
        next.pop();
        this.#states[vertex] = 2;
        if (vertex < this.#count) this.order.push(vertex);
        continue;
      }
      next[next.length - 1] = place + 1;
      if (this.#states[need] === 1) return false;
      if (this.#states[need] === 2) continue;
      this.#states[need] = 1;
      path.push(need);
      next.push(0);
    }
    return true;
  }

  #needsOf(vertex: number): readonly number[] | undefined {
    return vertex < this.#count ? this.#graph.needs[vertex] : this.#graph.groups[vertex - this.#count];
  }
}

function cycleError(constructs: readonly IConstruct[], graph: Graph): SlipwayError {
  const cycle = findCycle(graph).map((index) => (constructs[index] as IConstruct).node.path);
  return dependencyCycle(cycle);
}

/** `paths` begin and end with the same construct. */
export function dependencyCycle(paths: readonly string[]): SlipwayError {
  return new SlipwayError(`Dependency cycle detected: ${paths.join(" => ")}`, { code: "DEPENDENCY_CYCLE" });
}

/**
 * The cycle that cdk8s would meet first: it adds dependencies one after another, construct by construct, and stops at
 * the one that closes a cycle. The answer begins and ends with what that one leads to.
 */
function findCycle(graph: Graph): number[] {
  const edges = graph.needs.flatMap((needs, from) => (needs ?? []).map((to) => ({ from, to })));
  let without = 0;
  let withCycle = edges.length;
  while (withCycle - without > 1) {
    const middle = (without + withCycle) >> 1;
    if (hasCycle(upTo(graph, edges.slice(0, middle)))) withCycle = middle;
    else without = middle;
  }
  const closing = edges[without] as { readonly from: number; readonly to: number };
  const route = findRoute(upTo(graph, edges.slice(0, withCycle)), closing.to, closing.from);
  const constructs = route.filter((vertex) => vertex < graph.needs.length);
  return [...constructs, constructs[0] as number];
}

function upTo({ needs, groups }: Graph, edges: readonly { readonly from: number; readonly to: number }[]): Graph {
  const lists: (number[] | undefined)[] = needs.map(() => undefined);
  for (const { from, to } of edges) {
    const list = lists[from];
    if (list === undefined) lists[from] = [to];
    else list.push(to);
  }
  return { needs: lists, groups };
}

function hasCycle(graph: Graph): boolean {
  const visit = new Visit(graph, graph.needs.length);
  return !graph.needs.every((_, index) => visit.from(index));
}

/** The shortest way from one vertex to another, both included. There is one. */
function findRoute({ needs, groups }: Graph, start: number, end: number): number[] {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const vertex of queue) {
    if (vertex === end) break;
    const next = vertex < needs.length ? needs[vertex] : groups[vertex - needs.length];
    for (const need of next ?? []) {
      if (need === start || cameFrom.has(need)) continue;
      cameFrom.set(need, vertex);
      queue.push(need);
    }
  }
  const route = [end];
  for (let at = end; at !== start; ) {
    at = cameFrom.get(at) as number;
    route.push(at);
  }
  return route.reverse();
}
