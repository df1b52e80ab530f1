import {
  type FieldError,
  formatJson,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
  sortMembers,
} from "@slipway/objects";
import { memberPath } from "./embedded.ts";
import { memberSchema } from "./member-schema.ts";
import type { StructuralSchema } from "./structural.ts";

/** Items that stand twice in lists of type `set`, or whose keys do in lists of type `map`. `value` stands at `path`. */
export function validateListTypes(value: JsonValue, schema: StructuralSchema, path: string): FieldError[] {
  if (isJsonArray(value)) {
    const { items } = schema;
    const errors = [...checkList(value, schema, path)];
    if (items === undefined) return errors;
    return [...errors, ...value.flatMap((item, index) => validateListTypes(item, items, `${path}[${index}]`))];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const property = memberSchema(schema, name);
    if (member === undefined || property === undefined) return [];
    return validateListTypes(member, property, memberPath(schema, path, name));
  });
}

function checkList(list: JsonArray, schema: StructuralSchema, path: string): FieldError[] {
  if (schema.listType === "set") return duplicates(list, path);
  if (schema.listType !== "map") return [];
  const wrong = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong !== -1) {
    const detail = "must be an object for an array of list-type map";
    return [{ type: "FieldValueInvalid", field: `${path}[${wrong}]`, value: list[wrong] ?? null, detail }];
  }
  return duplicates(
    list.map((item) => keysOf(isJsonObject(item) ? item : {}, schema.listMapKeys)),
    path,
  );
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  const keys: MutableJsonObject = {};
  for (const name of names) {
    const key = getMember(item, name);
    if (key !== undefined) setMember(keys, name, key);
  }
  return keys;
}

/** The second appearance of every value that appears more than once. */
function duplicates(list: JsonArray, path: string): FieldError[] {
  const times = new Map<string, number>();
  return list.flatMap((value, index): FieldError[] => {
    const text = formatJson(sortMembers(value));
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    return seen === 1 ? [{ type: "FieldValueDuplicate", field: `${path}[${index}]`, value }] : [];
  });
}
