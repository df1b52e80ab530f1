import { byCodeUnit } from "@slipway/objects";

export interface SanitizeOptions {
  /**
   * Leave out objects without members, at any depth.
   * @default false
   */
  readonly filterEmptyObjects?: boolean;
  /**
   * Leave out empty lists, at any depth.
   * @default false
   */
  readonly filterEmptyArrays?: boolean;
  /**
   * Members in the order of their names, by UTF-16 code unit.
   * @default true
   */
  readonly sortKeys?: boolean;
}

/**
 * A fresh copy of `value` without members that are null or undefined. What is left out of a list leaves `undefined` in
 * its place. Functions, symbols and numbers of any kind stay as they are.
 *
 * @throws {Error} for an instance of a class.
 */
export function sanitizeValue(value: any, options: SanitizeOptions = {}): any {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    if (options.filterEmptyArrays && value.length === 0) return undefined;
    return value.map((element) => sanitizeValue(element, options));
  }
  if (!isDictionary(value)) throw new Error(`can't render non-simple object of type '${typeName(value)}'`);
  const names = Object.keys(value);
  if (options.sortKeys ?? true) names.sort(byCodeUnit);
  const result: Record<string, unknown> = {};
  let isEmpty = true;
  for (const name of names) {
    const member = sanitizeValue(value[name], options);
    if (member === null || member === undefined) continue;
    isEmpty = false;
    setOwn(result, name, member);
  }
  return isEmpty && options.filterEmptyObjects ? undefined : result;
}

/**
 * Whether `value` is a map of values, not an instance of a class: of this realm or another (jest runs tests in one of
 * their own), without a prototype, or with another map as its prototype.
 */
export function isDictionary(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return prototype.constructor?.name === "Object";
}

/** A member called `__proto__` is a member like any other. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

function typeName(value: object): string {
  return Object.getPrototypeOf(value).constructor?.name ?? "";
}
