import { type FieldError, type FieldErrorType, formatFieldError, type JsonValue, jsonEquals } from "@slipway/objects";
import { prune } from "./prune.ts";
import type { SchemaType, StructuralSchema } from "./structural.ts";
import { validate } from "./validate.ts";

/** Where a schema stands; it decides how a missing type is worded and what metadata may be. */
type Level = "root" | "field" | "item";

const missingType = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items",
} as const satisfies Record<Level, string>;

/**
 * What keeps `schema` from being that of a CustomResourceDefinition, in the words of Kubernetes. A schema's own problems
 * come before those of its parts.
 *
 * Rules of `x-kubernetes-validations` are not looked at.
 * @see the specification of structural schemas in the documentation of CustomResourceDefinition
 */
export function structuralProblems(schema: StructuralSchema, path: string): string[] {
  const problems: FieldError[] = [];
  checkSchema(schema, path, "root", { isMetadata: false, allowsDefault: true }, problems);
  if (schema.nullable) problems.push(forbidden(childPath(path, "nullable"), "nullable cannot be true at the root"));
  return problems.map(formatFieldError);
}

interface Context {
  /** Below apiVersion, kind or metadata of a resource. */
  readonly isMetadata: boolean;
  /** Defaults are checked here; not below `additionalProperties`. */
  readonly allowsDefault: boolean;
}

function checkSchema(
  schema: StructuralSchema,
  path: string,
  level: Level,
  context: Context,
  problems: FieldError[],
): void {
  problems.push(
    ...checkType(schema, path, level),
    ...checkExtensions(schema, path),
    ...checkListType(schema, path),
    ...checkAdditionalProperties(schema, path, level),
    ...checkResourceMembers(schema, path, level),
    ...checkValueRules(schema, path),
  );
  if (context.allowsDefault && !context.isMetadata) {
    for (const problem of checkDefault(schema, path)) problems.push(problem);
  }
  checkJunctors(schema, path, intOrStringJunctor(schema), problems);
  const isResource = level === "root" || schema.embeddedResource;
  for (const [name, property] of schema.properties) {
    const isMetadata = context.isMetadata || (isResource && resourceMembers.has(name));
    checkSchema(property, propertyPath(path, name), "field", { ...context, isMetadata }, problems);
  }
  if (schema.items !== undefined) checkSchema(schema.items, childPath(path, "items"), "item", context, problems);
  if (typeof schema.additionalProperties === "object") {
    const below = { ...context, allowsDefault: false };
    checkSchema(schema.additionalProperties, childPath(path, "additionalProperties"), "field", below, problems);
  }
}

const resourceMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function checkType(schema: StructuralSchema, path: string, level: Level): FieldError[] {
  const { type } = schema;
  const at = childPath(path, "type");
  const problems: FieldError[] = [];
  if (schema.embeddedResource && type !== "object") {
    problems.push(wrongType(at, type, "must be object if x-kubernetes-embedded-resource is true"));
  } else if (type === undefined && !schema.intOrString && !schema.preserveUnknownFields) {
    problems.push(required(at, missingType[level]));
  }
  if (level === "root" && type !== undefined && type !== "object") {
    problems.push(invalid(at, type, "must be object at the root"));
  }
  if (type === "array" && schema.items === undefined)
    problems.push(required(childPath(path, "items"), "must be specified"));
  return problems;
}

function checkExtensions(schema: StructuralSchema, path: string): FieldError[] {
  const problems: FieldError[] = [];
  if (schema.intOrString && schema.preserveUnknownFields) {
    const at = childPath(path, "x-kubernetes-preserve-unknown-fields");
    problems.push(invalid(at, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  if (schema.intOrString && schema.embeddedResource) {
    const at = childPath(path, "x-kubernetes-embedded-resource");
    problems.push(invalid(at, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  if (schema.embeddedResource && !schema.preserveUnknownFields && schema.properties.size === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    problems.push(required(childPath(path, "properties"), why));
  }
  if (schema.mapType !== undefined && schema.type !== "object") {
    problems.push(
      wrongType(childPath(path, "type"), schema.type, "must be object if x-kubernetes-map-type is specified"),
    );
  }
  return problems;
}

function checkListType(schema: StructuralSchema, path: string): FieldError[] {
  const { items, listMapKeys, listType, type } = schema;
  const problems: FieldError[] = [];
  if (listType !== undefined && type !== "array") {
    problems.push(wrongType(childPath(path, "type"), type, "must be array if x-kubernetes-list-type is specified"));
  }
  if (listMapKeys.length > 0 && listType !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    problems.push(wrongType(childPath(path, "x-kubernetes-list-type"), listType, why));
  }
  if (listType === "map") problems.push(...checkMapList(schema, path));
  if (listType === "set" && items !== undefined) problems.push(...checkSet(items, childPath(path, "items")));
  return problems;
}

function checkMapList({ items, listMapKeys }: StructuralSchema, path: string): FieldError[] {
  const at = childPath(path, "x-kubernetes-list-map-keys");
  const itemsPath = childPath(path, "items");
  const problems: FieldError[] = [];
  if (listMapKeys.length === 0) {
    problems.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items === undefined) return problems;
  if (items.nullable) {
    problems.push(forbidden(`${itemsPath}.nullable`, "cannot be nullable when x-kubernetes-list-type is map"));
  }
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    problems.push(invalid(`${itemsPath}.type`, items.type ?? "", why));
    return problems;
  }
  if (listMapKeys.some((key) => !items.properties.has(key))) {
    problems.push(invalid(at, listMapKeys, "entries must all be names of item properties"));
  }
  if (new Set(listMapKeys).size !== listMapKeys.length) {
    problems.push(invalid(at, listMapKeys, "must not contain duplicate entries"));
  }
  for (const key of new Set(listMapKeys)) problems.push(...checkMapKey(items, key, propertyPath(itemsPath, key)));
  return problems;
}

function checkMapKey(items: StructuralSchema, key: string, path: string): FieldError[] {
  const property = items.properties.get(key);
  if (property === undefined) return [];
  const inKeys = "this property is in x-kubernetes-list-map-keys, so it";
  const problems: FieldError[] = [];
  if (property.type === "array" || property.type === "object") {
    const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    problems.push(invalid(`${path}.type`, property.type, why));
  }
  if (property.default === undefined && !items.required.includes(key)) {
    problems.push(required(`${path}.default`, `${inKeys} must have a default or be a required property`));
  }
  if (property.nullable) problems.push(forbidden(`${path}.nullable`, `${inKeys} cannot be nullable`));
  return problems;
}

function checkSet(items: StructuralSchema, path: string): FieldError[] {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const problems: FieldError[] = [];
  if (items.nullable) {
    problems.push(forbidden(`${path}.nullable`, "cannot be nullable when x-kubernetes-list-type is set"));
  }
  if (items.type === "object" && items.mapType !== "atomic") {
    problems.push(invalid(`${path}.x-kubernetes-map-type`, items.mapType ?? null, why));
  }
  if (items.type === "array" && items.listType !== undefined && items.listType !== "atomic") {
    problems.push(invalid(`${path}.x-kubernetes-list-type`, items.listType, why));
  }
  return problems;
}

function checkAdditionalProperties(schema: StructuralSchema, path: string, level: Level): FieldError[] {
  const { additionalProperties, embeddedResource, properties } = schema;
  if (additionalProperties === undefined) return [];
  const at = childPath(path, "additionalProperties");
  const problems: FieldError[] = [];
  if (level === "root") problems.push(forbidden(at, "must not be used at the root"));
  if (embeddedResource) problems.push(forbidden(at, "must not be used if x-kubernetes-embedded-resource is set"));
  if (properties.size > 0 && additionalProperties !== true) {
    problems.push(forbidden(at, "additionalProperties and properties are mutual exclusive"));
  }
  return problems;
}

/** apiVersion, kind and metadata: every resource has them, so a schema may restrict little of them. */
function checkResourceMembers(schema: StructuralSchema, path: string, level: Level): FieldError[] {
  if (level !== "root" && !schema.embeddedResource) return [];
  const problems: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const property = schema.properties.get(name);
    if (property !== undefined && property.type !== "string") {
      problems.push(invalid(`${propertyPath(path, name)}.type`, property.type ?? "", "must be string"));
    }
  }
  const metadata = schema.properties.get("metadata");
  if (metadata === undefined) return problems;
  const at = propertyPath(path, "metadata");
  if (metadata.type !== "object") problems.push(invalid(`${at}.type`, metadata.type ?? "", "must be object"));
  if (level === "root" && !restrictsOnlyNames(metadata)) {
    const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    problems.push(forbidden(at, why));
  }
  return problems;
}

function restrictsOnlyNames(metadata: StructuralSchema): boolean {
  const names = [...metadata.properties.keys()];
  return (
    names.every((name) => name === "name" || name === "generateName") &&
    isBlank(metadata, new Set(["type", "default", "properties"]))
  );
}

/** Whether `schema` says nothing, apart from the members named. */
function isBlank(schema: StructuralSchema, except: ReadonlySet<string>): boolean {
  return Object.entries(schema).every(([name, value]) => except.has(name) || isAbsent(value));
}

function isAbsent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map ? value.size === 0 : value === undefined || value === false;
}

function checkValueRules(schema: StructuralSchema, path: string): FieldError[] {
  const problems: FieldError[] = [];
  if (schema.uniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    problems.push(forbidden(childPath(path, "uniqueItems"), why));
  }
  const { pattern } = schema;
  if (pattern?.problem !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${pattern.problem}`;
    problems.push(invalid(childPath(path, "pattern"), pattern.source, why));
  }
  return problems;
}

function checkDefault(schema: StructuralSchema, path: string): FieldError[] {
  const value = schema.default;
  if (value === undefined) return [];
  const at = childPath(path, "default");
  const pruned = prune(value, schema, { isResourceRoot: schema.embeddedResource }).value;
  const problems = jsonEquals(pruned, value) ? [] : [invalid(at, value, "must not have unknown fields")];
  return [...problems, ...validate(value, schema, "", { under: at })];
}

/** Where `x-kubernetes-int-or-string` spells out its two types, which junctors may not do otherwise. */
type IntOrStringJunctor = "anyOf" | "first allOf" | "none";

function intOrStringJunctor(schema: StructuralSchema): IntOrStringJunctor {
  if (isIntOrStringList(schema.anyOf)) return "anyOf";
  return isIntOrStringList(schema.allOf[0]?.anyOf ?? []) ? "first allOf" : "none";
}

function isIntOrStringList(schemas: readonly StructuralSchema[]): boolean {
  const types: readonly SchemaType[] = ["integer", "string"];
  return (
    schemas.length === types.length &&
    schemas.every((schema, index) => schema.type === types[index] && isBlank(schema, new Set(["type"])))
  );
}

function checkJunctors(
  schema: StructuralSchema,
  path: string,
  skipped: IntOrStringJunctor,
  problems: FieldError[],
): void {
  for (const name of ["anyOf", "allOf", "oneOf"] as const) {
    if (name === skipped) continue;
    for (const [index, nested] of schema[name].entries()) {
      const inNested = name === "allOf" && index === 0 && skipped === "first allOf" ? "anyOf" : "none";
      checkNested(nested, `${childPath(path, name)}[${index}]`, inNested, problems);
    }
  }
  if (schema.not !== undefined) checkNested(schema.not, childPath(path, "not"), "none", problems);
}

const emptyInside = "must be empty to be structural";
const falseInside = "must be false to be structural";
const undefinedInside = "must be undefined to be structural";

/** A schema inside allOf, anyOf, oneOf or not: it may restrict values, but says nothing about their structure. */
function checkNested(
  schema: StructuralSchema,
  path: string,
  skipped: IntOrStringJunctor,
  problems: FieldError[],
): void {
  const forbid = (isPresent: boolean, name: string, why: string): void => {
    if (isPresent) problems.push(forbidden(childPath(path, name), why));
  };
  forbid(schema.type !== undefined, "type", emptyInside);
  forbid(schema.additionalProperties !== undefined, "additionalProperties", undefinedInside);
  forbid(schema.default !== undefined, "default", undefinedInside);
  forbid(schema.title !== undefined, "title", emptyInside);
  forbid(schema.description !== undefined, "description", emptyInside);
  forbid(schema.nullable, "nullable", falseInside);
  forbid(schema.preserveUnknownFields, "x-kubernetes-preserve-unknown-fields", falseInside);
  forbid(schema.embeddedResource, "x-kubernetes-embedded-resource", falseInside);
  forbid(schema.intOrString, "x-kubernetes-int-or-string", falseInside);
  forbid(schema.listMapKeys.length > 0, "x-kubernetes-list-map-keys", emptyInside);
  forbid(schema.listType !== undefined, "x-kubernetes-list-type", undefinedInside);
  forbid(schema.mapType !== undefined, "x-kubernetes-map-type", undefinedInside);
  forbid(schema.validations.length > 0, "x-kubernetes-validations", emptyInside);
  if (schema.properties.has("metadata")) {
    problems.push(forbidden(propertyPath(path, "metadata"), "must not be specified in a nested context"));
  }
  problems.push(...checkValueRules(schema, path));
  checkJunctors(schema, path, skipped, problems);
  for (const [name, property] of schema.properties) checkNested(property, propertyPath(path, name), "none", problems);
  if (schema.items !== undefined) checkNested(schema.items, childPath(path, "items"), "none", problems);
}

function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function propertyPath(path: string, name: string): string {
  return `${childPath(path, "properties")}[${name}]`;
}

function fieldError(type: FieldErrorType, field: string, detail: string, value?: JsonValue): FieldError {
  return { type, field, detail, value };
}

function required(field: string, detail: string): FieldError {
  return fieldError("FieldValueRequired", field, detail);
}

function forbidden(field: string, detail: string): FieldError {
  return fieldError("FieldValueForbidden", field, detail);
}

function invalid(field: string, value: JsonValue, detail: string): FieldError {
  return fieldError("FieldValueInvalid", field, detail, value);
}

/** A type that is absent is required, one that is there is invalid. */
function wrongType(field: string, type: string | undefined, detail: string): FieldError {
  return type === undefined ? required(field, detail) : invalid(field, type, detail);
}
