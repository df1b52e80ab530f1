import type { StructuralSchema } from "./structural.ts";

/** What describes the member `name` of an object: its own property, or the schema of further ones. */
export function memberSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { additionalProperties } = schema;
  return schema.properties.get(name) ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
}
