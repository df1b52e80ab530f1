import { byCodeUnit } from "@slipway/objects";
import type { IConstruct } from "constructs";
import type { ApiObject } from "./api-object.ts";
import { Lazy } from "./lazy.ts";
import { isDictionary, setOwn } from "./sanitize.ts";
import { rootOf } from "./tree.ts";

/** One value on its way into a rendered object, as a resolver sees it. */
export class ResolutionContext {
  /** The object that is rendered. */
  readonly obj: ApiObject;
  /** Members and indexes that lead to the value. */
  readonly key: string[];
  readonly value: any;
  /** What a resolver put in place of the value. */
  replacedValue: any;
  /** Whether one has. */
  replaced: boolean = false;

  constructor(obj: ApiObject, key: string[], value: any) {
    this.obj = obj;
    this.key = key;
    this.value = value;
  }

  /** Puts `newValue` in place of the value. It is resolved in its turn; the last call counts. */
  replaceValue(newValue: any): void {
    this.replacedValue = newValue;
    this.replaced = true;
  }
}

export interface IResolver {
  /** Looks at a value, and replaces it or leaves it: the first resolver that replaces a value has it. */
  resolve(context: ResolutionContext): void;
}

/** Replaces a {@link Lazy} by what its producer gives. */
export class LazyResolver implements IResolver {
  resolve(context: ResolutionContext): void {
    const { value } = context;
    if (typeof value === "object" && Lazy.isLazy(value)) context.replaceValue(value.produce());
  }
}

/** Replaces what has a method `resolve`, of any class or none, by what it answers. */
export class ImplicitTokenResolver implements IResolver {
  resolve(context: ResolutionContext): void {
    if (typeof context.value.resolve === "function") context.replaceValue(context.value.resolve());
  }
}

/**
 * Replaces an instance of a class that holds a number or a string as its `value` (the unions of generated classes) by
 * the map `{ value }`: generated code reads `value` once more after resolution.
 */
export class NumberStringUnionResolver implements IResolver {
  resolve(context: ResolutionContext): void {
    const { value } = context;
    if (typeof value === "object" && isUnion(value)) context.replaceValue({ value: value.value });
  }
}

function isUnion(value: object): value is { readonly value: number | string } {
  if (Array.isArray(value) || isDictionary(value)) return false;
  const { value: inner } = value as { readonly value?: unknown };
  return typeof inner === "number" || typeof inner === "string";
}

/**
 * `value` with everything in it that a resolver of the App replaces, replaced. Lists and maps are copied; instances of
 * classes that nobody replaces stay.
 *
 * @param key Members and indexes that lead to `value`.
 * @throws {TypeError} when the root of `apiObject` is no App.
 */
export function resolve(key: string[], value: any, apiObject: ApiObject): any {
  return resolveWithin(rootOf(apiObject) as ResolverHolder, key, value, apiObject);
}

interface ResolverHolder extends IConstruct {
  readonly resolvers: readonly IResolver[];
}

function resolveWithin(app: ResolverHolder, key: string[], value: any, apiObject: ApiObject): any {
  const { resolvers } = app;
  if (value === null || value === undefined) return value;
  const context = new ResolutionContext(apiObject, key, value);
  for (const resolver of resolvers) {
    resolver.resolve(context);
    if (context.replaced) return resolveWithin(app, key, context.replacedValue, apiObject);
  }
  if (Array.isArray(value)) {
    return value.map((element, index) => resolveWithin(app, [...key, `${index}`], element, apiObject));
  }
  if (typeof value !== "object" || !isDictionary(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    setOwn(result, name, resolveWithin(app, [...key, name], member, apiObject));
  }
  return result;
}

const builtIn = [LazyResolver, ImplicitTokenResolver, NumberStringUnionResolver].map(
  (resolver) => resolver.prototype.resolve,
);

/**
 * Whether these are our three resolvers in their order, and none besides: then {@link Renderer} gives the same. A root
 * that is no App has none; {@link resolve} says so.
 */
export function areBuiltIn(resolvers: readonly IResolver[] | undefined): boolean {
  return resolvers?.length === builtIn.length && builtIn.every((method, index) => resolvers[index]?.resolve === method);
}

/** Whether neither the built-in resolvers nor sanitizing do anything to this map or list, whatever is in it. */
export function isPlain(container: object): boolean {
  if (typeof (container as { readonly resolve?: unknown }).resolve === "function") return false;
  return Array.isArray(container) || isDictionary(container);
}

interface RenderOptions {
  readonly sortKeys: boolean;
  /**
   * Leave out maps and lists without members.
   * @default false
   */
  readonly dropEmpty?: boolean;
}

/** What resolving with the built-in resolvers and sanitizing give together, in one pass. */
export class Renderer {
  readonly #sortKeys: boolean;
  readonly #dropEmpty: boolean;
  /** An instance of a class was left as it is; sanitizing will refuse it. */
  hasForeign: boolean = false;

  constructor({ sortKeys, dropEmpty = false }: RenderOptions) {
    this.#sortKeys = sortKeys;
    this.#dropEmpty = dropEmpty;
  }

  render(value: any): unknown {
    if (typeof value !== "object") return typeof value === "function" ? this.#renderFunction(value) : value;
    if (value === null) return undefined;
    if (typeof value.resolve === "function") return this.render(value.resolve());
    if (Array.isArray(value)) return this.#renderList(value);
    if (isDictionary(value)) return this.#renderMap(value);
    if (Lazy.isLazy(value)) return this.render(value.produce());
    if (isUnion(value)) return { value: value.value };
    this.hasForeign = true;
    return value;
  }

  #renderFunction(value: { readonly resolve?: unknown }): unknown {
    return typeof value.resolve === "function" ? this.render(value.resolve()) : value;
  }

  #renderList(list: readonly unknown[]): unknown {
    if (this.#dropEmpty && list.length === 0) return undefined;
    return list.map((element) => this.render(element));
  }

  #renderMap(map: Readonly<Record<string, unknown>>): unknown {
    const result: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(map)) setPresent(result, name, this.render(member));
    const names = Object.keys(result);
    if (names.length === 0) return this.#dropEmpty ? undefined : result;
    return this.#sortKeys && !areInOrder(names) ? sorted(result, names) : result;
  }
}

/** `map` with its members in the order of their names. */
export function sortMembers(map: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(map);
  return areInOrder(names) ? map : sorted(map, names);
}

function setPresent(map: Record<string, unknown>, name: string, member: unknown): void {
  if (member !== undefined && member !== null) setOwn(map, name, member);
}

/** By UTF-16 code unit. Most are, and need not be sorted. */
export function areInOrder(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index += 1) {
    if ((names[index] as string) < (names[index - 1] as string)) return false;
  }
  return true;
}

function sorted(map: Readonly<Record<string, unknown>>, names: string[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of names.sort(byCodeUnit)) setOwn(result, name, map[name]);
  return result;
}
