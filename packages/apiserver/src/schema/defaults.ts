import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";
import { memberSchema } from "./member-schema.ts";
import { rewriteItems, rewriteMembers } from "./rewrite.ts";
import type { StructuralSchema } from "./structural.ts";

/**
 * `value` with the defaults of `schema` filled in: where a member is absent, or null and not nullable.
 *
 * Defaults of nested fields apply only where their parent exists or was itself defaulted; the default of `schema`
 * itself is not used. Parts that gain nothing are shared with `value`; defaults are shared with `schema`, which is safe
 * because they are frozen: two objects never change each other through them.
 */
export function applyDefaults(value: JsonValue, schema: StructuralSchema): JsonValue {
  if (isJsonArray(value)) {
    const { items } = schema;
    return items === undefined ? value : rewriteItems(value, (item) => defaulted(item, items));
  }
  if (!isJsonObject(value)) return value;
  const present = rewriteMembers(value, (name, member) => {
    const property = memberSchema(schema, name);
    return property === undefined ? member : defaulted(member, property);
  });
  return withMissing(present, schema);
}

function defaulted(value: JsonValue, schema: StructuralSchema): JsonValue {
  const isUnset = value === null && !schema.nullable && schema.default !== undefined;
  return applyDefaults(isUnset ? (schema.default ?? null) : value, schema);
}

function withMissing(object: JsonObject, schema: StructuralSchema): JsonObject {
  let filled: MutableJsonObject | undefined;
  for (const [name, property] of schema.properties) {
    if (property.default === undefined || (Object.hasOwn(object, name) && object[name] !== undefined)) continue;
    filled ??= { ...object };
    setMember(filled, name, applyDefaults(property.default, property));
  }
  return filled ?? object;
}
