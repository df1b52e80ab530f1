import { isJsonArray, isJsonObject, type JsonValue } from "@slipway/objects";
import { memberSchema } from "./member-schema.ts";
import { rewriteItems, rewriteMembers } from "./rewrite.ts";
import type { StructuralSchema } from "./structural.ts";

/**
 * `value` without the null members whose schema is neither nullable nor has a default: a null there means "absent".
 *
 * Those with a default stay, for {@link applyDefaults} to replace; so do null items of lists and members without a
 * schema. Parts that lose nothing are shared.
 */
export function dropNulls(value: JsonValue, schema: StructuralSchema): JsonValue {
  if (isJsonArray(value)) {
    const { items } = schema;
    return items === undefined ? value : rewriteItems(value, (item) => dropNulls(item, items));
  }
  if (!isJsonObject(value)) return value;
  return rewriteMembers(value, (name, member) => {
    const property = memberSchema(schema, name);
    if (property === undefined) return member;
    if (member === null && !property.nullable && property.default === undefined) return undefined;
    return dropNulls(member, property);
  });
}
