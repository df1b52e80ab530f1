import { getMember, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** What was in a List, or is none, and the way to it. */
export interface ListedValue {
  readonly value: JsonValue;
  /** From the value that was opened: `["items", 0]`. */
  readonly path: readonly (string | number)[];
}

/**
 * The objects of a value that may be a List: its items, and theirs, in order. Anything else is itself alone. As kubectl
 * reads it, a List is what has a kind that ends in `List`, and `items`; these may be null, which is none.
 */
export function openList(value: JsonValue): JsonValue[] {
  return openListAt(value).map((each) => each.value);
}

/** As {@link openList}, with the way to each. */
export function openListAt(value: JsonValue): ListedValue[] {
  const opened: ListedValue[] = [];
  const open = (each: ListedValue): void => {
    const items = isJsonObject(each.value) ? itemsOf(each.value) : undefined;
    if (items === undefined) opened.push(each);
    else for (const [index, item] of items.entries()) open({ value: item, path: [...each.path, "items", index] });
  };
  open({ value, path: [] });
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
