import type { IConstruct } from "constructs";
import { CHART, isMarked } from "./marker.ts";

/** The construct at the top of the tree of `construct`. */
export function rootOf(construct: IConstruct): IConstruct {
  return construct.node.root;
}

/** The nearest chart at or above `construct`. */
export function findChart(construct: IConstruct): IConstruct | undefined {
  for (let at: IConstruct | undefined = construct; at !== undefined; at = at.node.scope) {
    if (isMarked(at, CHART)) return at;
  }
  return undefined;
}

/** @throws {Error} when there is no chart at or above `construct`. */
export function chartOf(construct: IConstruct): IConstruct {
  const chart = findChart(construct);
  if (chart === undefined) throw new Error("cannot find a parent chart (directly or indirectly)");
  return chart;
}

/** `scope` and everything below it, each construct before its children. Any depth. */
export function findAll(scope: IConstruct): IConstruct[] {
  const found: IConstruct[] = [];
  const pending = [scope];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    found.push(next);
    const { children } = next.node;
    for (let index = children.length - 1; index >= 0; index -= 1) pending.push(children[index] as IConstruct);
  }
  return found;
}

/** Whether JavaScript lists a property of this name before those with other names: `"0"` to `"4294967294"`. */
export function isIndexLike(name: string): boolean {
  const first = name.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39)) return false; // most names: no regular expression is run for them
  return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 4_294_967_295;
}
