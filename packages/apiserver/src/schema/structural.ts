import type { JsonArray, JsonObject, JsonValue, MutableJsonObject } from "@slipway/objects";
import { formatFieldErrorBody, getMember, isJsonArray, isJsonObject, setMember } from "@slipway/objects";
import { createPatternCompiler, type PatternCompiler, type SchemaPattern } from "./pattern.ts";
import { structuralProblems } from "./structural-rules.ts";

/** In code unit order, as Kubernetes lists them. */
const schemaTypes = ["array", "boolean", "integer", "number", "object", "string"] as const;
export type SchemaType = (typeof schemaTypes)[number];

const listTypes = ["atomic", "set", "map"] as const;
type ListType = (typeof listTypes)[number];

const mapTypes = ["atomic", "granular"] as const;
type MapType = (typeof mapTypes)[number];

/**
 * An apiextensions v1 schema, read once and frozen.
 *
 * Only {@link parseStructuralSchema} makes one. It bounds depth and size, so the functions that walk a schema need no
 * bound of their own: they go no deeper into a value than the schema goes.
 */
export interface StructuralSchema {
  /** Absent with {@link intOrString} or {@link preserveUnknownFields}, in junctors, and where a lenient schema has none. */
  readonly type?: SchemaType | undefined;
  readonly format?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly nullable: boolean;
  /** Absent also for `default: null`, which counts as no default. */
  readonly default?: JsonValue | undefined;
  /** In the order of the schema. Empty when there are none. */
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** `true` allows any further member, `false` none. */
  readonly additionalProperties?: StructuralSchema | boolean | undefined;
  readonly items?: StructuralSchema | undefined;
  readonly required: readonly string[];
  /** Never empty. */
  readonly enum?: JsonArray | undefined;
  readonly pattern?: SchemaPattern | undefined;
  readonly minimum?: number | bigint | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maximum?: number | bigint | undefined;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf?: number | bigint | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly uniqueItems: boolean;
  readonly allOf: readonly StructuralSchema[];
  readonly anyOf: readonly StructuralSchema[];
  readonly oneOf: readonly StructuralSchema[];
  readonly not?: StructuralSchema | undefined;
  /** `x-kubernetes-preserve-unknown-fields` */
  readonly preserveUnknownFields: boolean;
  /** `x-kubernetes-int-or-string` */
  readonly intOrString: boolean;
  /** `x-kubernetes-embedded-resource` */
  readonly embeddedResource: boolean;
  /** `x-kubernetes-list-type`; absent means `atomic`. */
  readonly listType?: ListType | undefined;
  /** `x-kubernetes-list-map-keys` */
  readonly listMapKeys: readonly string[];
  /** `x-kubernetes-map-type`; absent means `granular`. */
  readonly mapType?: MapType | undefined;
  /** `x-kubernetes-validations`, as written. */
  readonly validations: readonly JsonObject[];
}

export interface ParsedSchema {
  /** Absent when there are problems. */
  readonly schema?: StructuralSchema | undefined;
  /** Each names its path: `properties[spec].type: Required value: must not be empty for specified object fields`. */
  readonly problems: readonly string[];
}

export interface ParseSchemaOptions {
  /**
   * `structural` also enforces what Kubernetes asks of the schema of a CustomResourceDefinition. `lenient` refuses only
   * what cannot be read: a `type`, list type or map type it does not know counts as absent, and a `pattern` that
   * cannot be compiled matches nothing.
   * @default "structural"
   */
  readonly rules?: "structural" | "lenient" | undefined;
  /**
   * Where the schema stands: the start of every path in `problems`.
   * @default "" paths are relative to the schema
   */
  readonly path?: string | undefined;
}

/** Levels of JSON. A property takes two of them, so schemas nest about a hundred levels deep. */
const MAX_DEPTH = 200;
/** Values of JSON in the whole schema. The largest published definitions have about a fifth of that. */
const MAX_VALUES = 200_000;

/**
 * Reads an apiextensions v1 `JSONSchemaProps`. Members that it does not define are ignored.
 *
 * Never throws: `raw` may be anything at all, and is not changed.
 */
export function parseStructuralSchema(raw: JsonValue, options: ParseSchemaOptions = {}): ParsedSchema {
  const rules = options.rules ?? "structural";
  const path = options.path ?? "";
  const tooLarge = findExcess(raw);
  if (tooLarge !== undefined) return { problems: [problemAt(path, tooLarge)] };
  const strict = rules === "structural";
  const unreadable: string[] = [];
  const schema = readSchema(raw, path, { problems: unreadable, strict, pattern: createPatternCompiler() });
  // Like Kubernetes: what cannot be read is told alone, since it would break rules that it does not mean to break.
  const problems = unreadable.length === 0 && strict ? structuralProblems(schema, path) : unreadable;
  return problems.length === 0 ? { schema, problems } : { problems };
}

/** `undefined` when `raw` keeps to the bounds. Walks without recursion. */
function findExcess(raw: JsonValue): string | undefined {
  const left: { readonly value: JsonValue; readonly depth: number }[] = [{ value: raw, depth: 0 }];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    count += 1;
    if (next.depth > MAX_DEPTH) return `Forbidden: must not nest deeper than ${MAX_DEPTH} levels of JSON`;
    if (count > MAX_VALUES) return `Forbidden: must not have more than ${MAX_VALUES} values`;
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const value of Object.values(next.value)) {
      if (value !== undefined) left.push({ value, depth: next.depth + 1 });
    }
  }
  return undefined;
}

interface Reading {
  readonly problems: string[];
  /** Reports values that a lenient reading takes for absent. */
  readonly strict: boolean;
  readonly pattern: PatternCompiler;
}

/** Not supported by apiextensions, whatever the rules. They count as absent when they are empty. */
const forbidden = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
] as const;

function readSchema(raw: JsonValue, path: string, reading: Reading): StructuralSchema {
  if (!isJsonObject(raw)) {
    reading.problems.push(problemAt(path, "Invalid value: must be an object"));
    return readSchema({}, path, reading);
  }
  const from = new Keywords(raw, path, reading);
  for (const name of forbidden) from.forbid(name);
  const values = from.list("enum");
  const pattern = from.text("pattern");
  return Object.freeze({
    type: from.choice("type", schemaTypes),
    format: from.text("format"),
    title: from.text("title"),
    description: from.text("description"),
    nullable: from.flag("nullable"),
    default: from.value("default"),
    properties: from.properties(),
    additionalProperties: from.additionalProperties(),
    items: from.items(),
    required: from.names("required"),
    enum: values.length === 0 ? undefined : values,
    pattern: pattern === undefined ? undefined : reading.pattern(pattern),
    minimum: from.number("minimum"),
    exclusiveMinimum: from.flag("exclusiveMinimum"),
    maximum: from.number("maximum"),
    exclusiveMaximum: from.flag("exclusiveMaximum"),
    multipleOf: from.number("multipleOf"),
    minLength: from.count("minLength"),
    maxLength: from.count("maxLength"),
    minItems: from.count("minItems"),
    maxItems: from.count("maxItems"),
    minProperties: from.count("minProperties"),
    maxProperties: from.count("maxProperties"),
    uniqueItems: from.flag("uniqueItems"),
    allOf: from.schemas("allOf"),
    anyOf: from.schemas("anyOf"),
    oneOf: from.schemas("oneOf"),
    not: from.schema("not"),
    preserveUnknownFields: from.preserveUnknownFields(),
    intOrString: from.flag("x-kubernetes-int-or-string"),
    embeddedResource: from.flag("x-kubernetes-embedded-resource"),
    listType: from.choice("x-kubernetes-list-type", listTypes),
    listMapKeys: from.names("x-kubernetes-list-map-keys"),
    mapType: from.choice("x-kubernetes-map-type", mapTypes),
    validations: from.objects("x-kubernetes-validations"),
  });
}

/** Reads the keywords of one schema. What has the wrong JSON type is reported and counts as absent; null is absent. */
class Keywords {
  readonly #raw: JsonObject;
  readonly #path: string;
  readonly #reading: Reading;

  constructor(raw: JsonObject, path: string, reading: Reading) {
    this.#raw = raw;
    this.#path = path;
    this.#reading = reading;
  }

  value(name: string): JsonValue | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : frozenCopy(value);
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (typeof value === "string") return value === "" ? undefined : value;
    this.#malformed(name, value, "must be a string");
    return undefined;
  }

  flag(name: string): boolean {
    const value = this.#get(name);
    if (typeof value === "boolean") return value;
    this.#malformed(name, value, "must be true or false");
    return false;
  }

  number(name: string): number | bigint | undefined {
    const value = this.#get(name);
    if (typeof value === "number" || typeof value === "bigint") return value;
    this.#malformed(name, value, "must be a number");
    return undefined;
  }

  count(name: string): number | undefined {
    const value = this.#get(name);
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    this.#malformed(name, value, "must be an integer");
    return undefined;
  }

  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name);
    const word = words.find((known) => known === text);
    if (word === undefined && text !== undefined && this.#reading.strict) {
      const detail = `supported values: ${words.map((known) => `"${known}"`).join(", ")}`;
      this.#report(name, formatFieldErrorBody({ type: "FieldValueNotSupported", field: "", value: text, detail }));
    }
    return word;
  }

  list(name: string): JsonArray {
    const value = this.#get(name);
    if (isJsonArray(value)) return Object.freeze(value.map(frozenCopy));
    this.#malformed(name, value, "must be a list");
    return [];
  }

  names(name: string): readonly string[] {
    const list = this.list(name);
    const names = list.filter((item) => typeof item === "string");
    if (names.length !== list.length) this.#malformed(name, list, "must be a list of strings");
    return Object.freeze(names);
  }

  objects(name: string): readonly JsonObject[] {
    const list = this.list(name);
    const objects = list.filter(isJsonObject);
    if (objects.length !== list.length) this.#malformed(name, list, "must be a list of objects");
    return Object.freeze(objects);
  }

  schema(name: string): StructuralSchema | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : readSchema(value, childPath(this.#path, name), this.#reading);
  }

  schemas(name: string): readonly StructuralSchema[] {
    const value = this.#get(name);
    if (!isJsonArray(value)) {
      this.#malformed(name, value, "must be a list of schemas");
      return [];
    }
    const path = childPath(this.#path, name);
    return Object.freeze(value.map((item, index) => readSchema(item, `${path}[${index}]`, this.#reading)));
  }

  properties(): ReadonlyMap<string, StructuralSchema> {
    const value = this.#get("properties");
    const schemas = new Map<string, StructuralSchema>();
    if (!isJsonObject(value)) {
      this.#malformed("properties", value, "must be an object");
      return schemas;
    }
    const path = childPath(this.#path, "properties");
    for (const [name, property] of Object.entries(value)) {
      if (property !== undefined) schemas.set(name, readSchema(property ?? {}, `${path}[${name}]`, this.#reading));
    }
    return schemas;
  }

  additionalProperties(): StructuralSchema | boolean | undefined {
    const value = this.#get("additionalProperties");
    return typeof value === "boolean" ? value : this.schema("additionalProperties");
  }

  items(): StructuralSchema | undefined {
    if (!isJsonArray(this.#get("items"))) return this.schema("items");
    this.#report("items", "Forbidden: items must be a schema object and not an array");
    return undefined;
  }

  preserveUnknownFields(): boolean {
    const name = "x-kubernetes-preserve-unknown-fields";
    const value = this.flag(name);
    if (this.#get(name) === false) this.#report(name, "Invalid value: false: must be true or undefined");
    return value;
  }

  forbid(name: (typeof forbidden)[number]): void {
    const value = this.#get(name);
    const isEmpty =
      value === undefined ||
      value === "" ||
      (name !== "additionalItems" && isJsonObject(value) && Object.keys(value).length === 0);
    if (!isEmpty) this.#report(name, `Forbidden: ${name} is not supported`);
  }

  #get(name: string): JsonValue | undefined {
    return getMember(this.#raw, name) ?? undefined;
  }

  #malformed(name: string, value: JsonValue | undefined, rule: string): void {
    if (value !== undefined) this.#report(name, `Invalid value: ${rule}`);
  }

  #report(name: string, body: string): void {
    this.#reading.problems.push(problemAt(childPath(this.#path, name), body));
  }
}

function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function problemAt(path: string, body: string): string {
  return path === "" ? body : `${path}: ${body}`;
}

/** Depth is bounded by {@link findExcess}. */
function frozenCopy(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return Object.freeze(value.map(frozenCopy));
  if (!isJsonObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) setMember(copy, name, frozenCopy(member));
  }
  return Object.freeze(copy);
}
