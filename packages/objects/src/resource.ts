import type { Compiled, SourceLocation, Value } from "./compiled.ts";
import { SlipwayError } from "./errors.ts";
import type { GroupVersionKind } from "./gvk.ts";
import { formatJson, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { parseJson } from "./json-reader.ts";
import { formatReference } from "./reference.ts";

/** A compiled object with what people ask about it. The accessors never throw: what cannot be read is empty. */
export class Resource implements Compiled {
  readonly value: Value;
  readonly instance: string;
  readonly component: string;
  readonly transformer: string;
  readonly location: SourceLocation | undefined;

  constructor(compiled: Compiled) {
    this.value = compiled.value;
    this.instance = compiled.instance;
    this.component = compiled.component;
    this.transformer = compiled.transformer;
    this.location = compiled.location;
  }

  get apiVersion(): string {
    return this.#string("apiVersion");
  }

  get kind(): string {
    return this.#string("kind");
  }

  get name(): string {
    return this.#string("metadata", "name");
  }

  get namespace(): string {
    return this.#string("metadata", "namespace");
  }

  /** `apiVersion` is split at its last slash; without one the group is `""`. */
  get gvk(): GroupVersionKind {
    const { apiVersion, kind } = this;
    const slash = apiVersion.lastIndexOf("/");
    return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1), kind };
  }

  /** `undefined` when there are none, or one of them is not a string. */
  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#strings("labels");
  }

  /** As {@link labels}. */
  get annotations(): Readonly<Record<string, string>> | undefined {
    return this.#strings("annotations");
  }

  /** `Kind/namespace/name`, or `Kind/name` without a namespace. */
  toString(): string {
    return formatReference(this);
  }

  /** Exports the value again, on every call. */
  toJSON(): JsonValue {
    return this.value.toJSON();
  }

  /**
   * The object decoded from the exported JSON, which is exported again on every call.
   * @throws {SlipwayError} `INVALID_OBJECT` when it is not an object; or what exporting throws.
   */
  toUnstructured(): JsonObject {
    return decodeObject(formatJson(this.value.toJSON()));
  }

  #string(...path: string[]): string {
    const value = this.#read(path);
    return typeof value === "string" ? value : "";
  }

  #strings(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.#read(["metadata", name]);
    if (!isJsonObject(value)) return undefined;
    return Object.values(value).every((member) => typeof member === "string")
      ? (value as Readonly<Record<string, string>>)
      : undefined;
  }

  #read(path: readonly string[]): JsonValue | undefined {
    try {
      const value = this.value.lookup(path);
      return value.exists() ? value.toJSON() : undefined;
    } catch {
      return undefined; // whoever exports the whole value is told why
    }
  }
}

/** `undefined` for `undefined`. */
export function newResource(compiled: Compiled): Resource;
export function newResource(compiled: Compiled | undefined | null): Resource | undefined;
export function newResource(compiled: Compiled | undefined | null): Resource | undefined {
  return compiled === undefined || compiled === null ? undefined : new Resource(compiled);
}

/** One for each entry, in order; empty entries are skipped. */
export function resources(compiled: Iterable<Compiled | undefined | null>): Resource[] {
  const wrapped: Resource[] = [];
  for (const each of compiled) {
    const resource = newResource(each);
    if (resource !== undefined) wrapped.push(resource);
  }
  return wrapped;
}

/**
 * @throws {SlipwayError} `INVALID_OBJECT` when the text is JSON but no object.
 * @throws {JsonSyntaxError} when it is no JSON.
 */
export function decodeObject(json: string): JsonObject {
  const object = parseJson(json);
  if (isJsonObject(object)) return object;
  throw new SlipwayError("the exported JSON is not an object", { code: "INVALID_OBJECT" });
}
