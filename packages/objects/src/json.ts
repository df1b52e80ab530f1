import { byCodeUnit } from "./order.ts";

/**
 * A JSON value with nothing lost: integers beyond 2^53 are `bigint`, everything else is what `JSON.parse` gives.
 * A member whose value is `undefined` counts as absent.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** A JSON object under construction. */
export interface MutableJsonObject {
  [member: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/** The own member `name`, never one of a prototype: `constructor` and `__proto__` are ordinary names. */
export function getMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own member, also one called `__proto__`. */
export function setMember(object: MutableJsonObject, name: string, value: JsonValue): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** Equality by value; the order of members does not count, a member that is `undefined` is absent. */
export function jsonEquals(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isJsonArray(a) || isJsonArray(b)) {
    return (
      isJsonArray(a) && isJsonArray(b) && a.length === b.length && a.every((item, index) => jsonEquals(item, b[index]))
    );
  }
  const names = Object.keys(a).filter((name) => a[name] !== undefined);
  const others = Object.keys(b).filter((name) => b[name] !== undefined);
  return names.length === others.length && names.every((name) => jsonEquals(a[name], getMember(b, name)));
}

/**
 * `value` as compact JSON text. Members keep their order; `bigint` prints its digits.
 *
 * `JSON.stringify` does the work and throws at the first `bigint`; only then the slower path runs.
 */
export function formatJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return formatWithBigints(value);
  }
}

function formatWithBigints(value: JsonValue): string {
  if (typeof value === "bigint") return value.toString();
  if (isJsonArray(value)) return `[${value.map(formatWithBigints).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${formatWithBigints(member)}`);
  }
  return `{${members.join(",")}}`;
}

/** `value` with the members of every object in code unit order, as Go prints maps. Arrays keep their order. */
export function sortMembers(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  const sorted: MutableJsonObject = {};
  for (const name of Object.keys(value).sort(byCodeUnit)) {
    const member = value[name];
    if (member !== undefined) setMember(sorted, name, sortMembers(member));
  }
  return sorted;
}
