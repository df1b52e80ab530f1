import { getMember, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { mapSubschemas } from "./map-subschemas.ts";
import { embeddedProperties } from "./meta-schemas.ts";

/** A schema in which every embedded resource has the apiVersion, kind and metadata that it is checked for. */
export function withEmbeddedProperties(schema: JsonObject): JsonObject {
  const mapped = mapSubschemas(schema, withEmbeddedProperties);
  if (getMember(schema, "x-kubernetes-embedded-resource") !== true) return mapped;
  const properties = getMember(mapped, "properties");
  return {
    ...mapped,
    properties: { ...(isJsonObject(properties) ? properties : {}), ...embeddedProperties },
    required: [...new Set([...listOf(getMember(mapped, "required")), "kind", "apiVersion"])],
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}
