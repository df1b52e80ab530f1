import { isJsonObject, type JsonObject, type JsonValue, type MutableJsonObject, setMember } from "@slipway/objects";

/** `schema` with `map` applied to the schemas of its properties, of its further members and of its items. */
export function mapSubschemas(schema: JsonObject, map: (schema: JsonObject) => JsonObject): JsonObject {
  const mapped: MutableJsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (name === "properties" && isJsonObject(value)) setMember(mapped, name, mapMembers(value, map));
    else if (name === "items" || name === "additionalProperties") setMember(mapped, name, mapSchema(value, map));
    else setMember(mapped, name, value);
  }
  return mapped;
}

function mapMembers(properties: JsonObject, map: (schema: JsonObject) => JsonObject): JsonObject {
  const mapped: MutableJsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (schema !== undefined) setMember(mapped, name, mapSchema(schema, map));
  }
  return mapped;
}

/** `true` and `false` stand for schemas too. */
function mapSchema(value: JsonValue, map: (schema: JsonObject) => JsonObject): JsonValue {
  return isJsonObject(value) ? map(value) : value;
}
