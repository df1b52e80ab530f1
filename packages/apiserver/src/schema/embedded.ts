import {
  dns1035Label,
  type FieldError,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@slipway/objects";
import { memberSchema } from "./member-schema.ts";
import type { StructuralSchema } from "./structural.ts";

/** Checks the metadata of an embedded resource, which stands at `field`. */
export type MetadataCheck = (metadata: JsonValue, field: string) => readonly FieldError[];

/** apiVersion, kind and metadata of the resources embedded in `value`, which stands at `path`. */
export function validateEmbedded(
  value: JsonValue,
  schema: StructuralSchema,
  path: string,
  checkMetadata: MetadataCheck,
): FieldError[] {
  if (isJsonArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => validateEmbedded(item, items, `${path}[${index}]`, checkMetadata));
  }
  if (!isJsonObject(value)) return [];
  const errors = schema.embeddedResource ? checkResource(value, path, checkMetadata) : [];
  for (const [name, member] of Object.entries(value)) {
    const property = memberSchema(schema, name);
    if (member === undefined || property === undefined) continue;
    for (const error of validateEmbedded(member, property, memberPath(schema, path, name), checkMetadata)) {
      errors.push(error);
    }
  }
  return errors;
}

function checkResource(resource: JsonObject, path: string, checkMetadata: MetadataCheck): FieldError[] {
  const metadata = getMember(resource, "metadata");
  return [
    ...checkName(getMember(resource, "apiVersion"), childPath(path, "apiVersion"), apiVersionProblem),
    ...checkName(getMember(resource, "kind"), childPath(path, "kind"), kindProblem),
    ...(metadata === undefined ? [] : checkMetadata(metadata, childPath(path, "metadata"))),
  ];
}

function checkName(
  value: JsonValue | undefined,
  field: string,
  problemOf: (text: string) => string | undefined,
): FieldError[] {
  if (value === undefined) return [{ type: "FieldValueRequired", field }];
  if (value === "") return [{ type: "FieldValueInvalid", field, value, detail: "must not be empty" }];
  const detail = typeof value === "string" ? problemOf(value) : "must be a string";
  return detail === undefined ? [] : [{ type: "FieldValueInvalid", field, value, detail }];
}

function apiVersionProblem(apiVersion: string): string | undefined {
  return apiVersion.split("/", 3).length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

function kindProblem(kind: string): string | undefined {
  const problems = dns1035Label(kind.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
}

/** Fields are joined by dots; keys of maps stand in brackets. */
export function memberPath(schema: StructuralSchema, path: string, name: string): string {
  return schema.properties.has(name) ? childPath(path, name) : `${path}[${name}]`;
}

function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
