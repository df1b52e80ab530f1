import type { StructuralSchema } from "@slipway/apiserver";
import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";

/**
 * The spec that is shown of `values`: schema defaults filled in, the way Cozystack does it and its charts rely on.
 *
 * It differs from the defaulting of a CustomResourceDefinition: a value of the wrong type in the place of an object
 * or a list is shown as its default, or empty; so is null, unless the schema is nullable; the default of the root does
 * not count; unknown members stay. Only for showing: what is stored is what was sent. Parts of `schema` are shared.
 */
export function showDefaults(values: JsonValue | undefined, schema: StructuralSchema): JsonObject {
  return showObject(isJsonObject(values) ? values : {}, schema);
}

function show(value: JsonValue | undefined, schema: StructuralSchema): JsonValue {
  if (value === null && schema.nullable) return null;
  switch (effectiveType(schema)) {
    case "object": {
      const fallback = isJsonObject(schema.default) ? schema.default : {};
      return showObject(isJsonObject(value) ? value : fallback, schema);
    }
    case "array": {
      const fallback = isJsonArray(schema.default) ? schema.default : [];
      const list = isJsonArray(value) ? value : fallback;
      const { items } = schema;
      return items === undefined ? list : list.map((item) => show(item, items));
    }
    case "scalar":
      return value ?? schema.default ?? null;
  }
}

function showObject(value: JsonObject, schema: StructuralSchema): JsonObject {
  const result: MutableJsonObject = { ...value };
  for (const [name, property] of schema.properties) {
    const given = getMember(value, name);
    const present = given === undefined ? property.default : given;
    if (present !== undefined) setMember(result, name, show(present, property));
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") {
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined && !schema.properties.has(name)) {
        setMember(result, name, show(member, additionalProperties));
      }
    }
  }
  return result;
}

/** A schema without a type says by its keywords what it is for. */
function effectiveType({
  type,
  properties,
  additionalProperties,
  items,
}: StructuralSchema): "object" | "array" | "scalar" {
  if (type === "object" || type === "array") return type;
  if (type !== undefined) return "scalar";
  if (properties.size > 0 || typeof additionalProperties === "object") return "object";
  return items === undefined ? "scalar" : "array";
}
