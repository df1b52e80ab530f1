import { getMember, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * The objects of a value that may be a List: its items, and theirs, in order. Anything else is itself alone. As kubectl
 * reads it, a List is what has a kind that ends in `List`, and `items`; these may be null, which is none.
 */
export function openList(value: JsonValue): JsonValue[] {
  const opened: JsonValue[] = [];
  const open = (each: JsonValue): void => {
    const items = isJsonObject(each) ? itemsOf(each) : undefined;
    if (items === undefined) opened.push(each);
    else for (const item of items) open(item);
  };
  open(value);
  return opened;
}

/** `undefined` when it is no List. */
function itemsOf(object: JsonObject): readonly JsonValue[] | undefined {
  const kind = getMember(object, "kind");
  const items = getMember(object, "items");
  if (typeof kind !== "string" || !kind.endsWith("List")) return undefined;
  if (items === null) return [];
  return isJsonArray(items) ? items : undefined;
}
