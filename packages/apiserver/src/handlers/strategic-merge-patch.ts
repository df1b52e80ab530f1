import {
  ApiStatusError,
  badRequest,
  failure,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";
import type { MessageField } from "../protobuf/field.ts";
import { kubernetesFields } from "../protobuf/kubernetes-fields.ts";
import { formatGoValue, goType } from "./go-value.ts";

const directive = "$patch";
const retainKeys = "$retainKeys";
const setElementOrder = "$setElementOrder";
const deleteFromPrimitiveList = "$deleteFromPrimitiveList";

/**
 * Applies a strategic merge patch: objects are merged, members that are null in the patch are removed, and lists are
 * merged or replaced as the fields of `message` say. Neither argument is changed.
 *
 * Directives: `$patch: replace` and `$patch: delete` in an object or an item of a merged list, `$retainKeys`,
 * `$setElementOrder/FIELD`, and `$deleteFromPrimitiveList/FIELD`.
 *
 * @param message the name of the kind in {@link kubernetesFields}
 * @throws {ApiStatusError} in the words and with the codes of kube-apiserver: 400 for directives of the wrong form, 422
 *   for lists of lists, 500 for the rest
 * @see Kubernetes, apimachinery's util/strategicpatch
 */
export function strategicMergePatch(original: JsonObject, patch: JsonObject, message: string): JsonObject {
  return mergeObject(original, patch, message);
}

/** kube-apiserver takes what it has no code for as a failure of its own. */
function failed(message: string): ApiStatusError {
  return new ApiStatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
}

const malformed = {
  primitiveList: "invalid patch format of primitive list",
  retainKeys: "invalid patch format of retainKeys",
  setElementOrder: "invalid patch format of setElementOrder list",
} as const;

function wrongType(expected: string, actual: JsonValue): ApiStatusError {
  return failed(`expected a ${expected}, but received a ${goType(actual)}`);
}

function unknownDirective(value: JsonValue, item: JsonObject): ApiStatusError {
  const shown = typeof value === "string" ? value : `%!s(${goType(value)}=${formatGoValue(value)})`;
  return failed(`unknown patch type: ${shown} in map: ${formatGoValue(item)}`);
}

function mergeObject(original: JsonObject, patch: JsonObject, type: string): JsonObject {
  const what = getMember(patch, directive);
  if (what !== undefined) {
    if (what === "replace") return without(patch, directive);
    if (what === "delete") return {};
    throw unknownDirective(what, patch);
  }
  const retained = applyRetainKeys(original, patch);
  const result: MutableJsonObject = { ...retained };
  const done = mergeOrderedLists(result, patch, type);
  for (const [member, value = null] of Object.entries(patch)) {
    if (done.has(member) || member === retainKeys) continue;
    const isDeletion = member.startsWith(deleteFromPrimitiveList);
    const name = isDeletion ? fieldOf(member, deleteFromPrimitiveList, malformed.primitiveList) : member;
    if (value === null) {
      delete result[name];
      continue;
    }
    const merged = mergeMember(getMember(result, name), value, { type, name, isDeletion });
    if (merged === undefined) delete result[name];
    else setMember(result, name, merged);
  }
  return result;
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object;
  return rest;
}

/** `$name/FIELD`: the field. */
function fieldOf(member: string, name: string, otherwise: string): string {
  if (!member.startsWith(`${name}/`)) throw badRequest(otherwise);
  return member.slice(name.length + 1);
}

/** Keeps of the original what `$retainKeys` lists, which must be all that the patch sets. */
function applyRetainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const list = getMember(patch, retainKeys);
  if (list === undefined) return original;
  if (!isJsonArray(list)) throw badRequest(malformed.retainKeys);
  const kept = new Set(list);
  for (const [member, value = null] of Object.entries(patch)) {
    const isDirective =
      member === retainKeys || member.startsWith(deleteFromPrimitiveList) || member.startsWith(setElementOrder);
    if (value !== null && !isDirective && !kept.has(member)) throw badRequest(malformed.retainKeys);
  }
  return Object.fromEntries(Object.entries(original).filter(([member]) => kept.has(member)));
}

interface Place {
  /** Of the object that has the member. */
  readonly type: string;
  readonly name: string;
  /** Whether the value is a list of what to delete. */
  readonly isDeletion: boolean;
}

/** `undefined`: the member goes. */
function mergeMember(
  original: JsonValue | undefined,
  patch: JsonValue,
  { type, name, isDeletion }: Place,
): JsonValue | undefined {
  if (isJsonObject(original) && isJsonObject(patch)) {
    const field = findField(type, name);
    return field.patchStrategy === "replace" ? patch : mergeObject(original, patch, elementType(field));
  }
  if (isJsonArray(original) && isJsonArray(patch)) {
    const field = findListField(type, name);
    return field.patchStrategy === "merge" || isDeletion ? mergeList(original, patch, field, isDeletion) : patch;
  }
  if (isDeletion) return original;
  return withoutDirectives(withoutNulls(patch));
}

function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: MutableJsonObject = {};
  for (const [name, member = null] of Object.entries(value)) {
    if (member !== null) setMember(kept, name, withoutNulls(member));
  }
  return kept;
}

/** `undefined` for what has a `$patch` itself. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (isJsonArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (getMember(value, directive) !== undefined) return undefined;
  const kept: MutableJsonObject = {};
  for (const [name, member = null] of Object.entries(value)) {
    const item = withoutDirectives(member);
    if (item !== undefined) setMember(kept, name, item);
  }
  return kept;
}

/** The field of a member that both sides have as an object or a list. */
function findField(type: string, name: string): MessageField {
  const fields = kubernetesFields[type];
  if (fields === undefined) {
    throw failed(`merging an object in json but data type is not struct, instead is: ${type}`);
  }
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field !== undefined) return field;
  const struct = type.slice(type.lastIndexOf(".") + 1);
  throw failed(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`);
}

function findListField(type: string, name: string): MessageField {
  const field = findField(type, name);
  const { form, type: itemType } = field;
  // Kubernetes takes a pointer for one to a list.
  if (form !== "list" && form !== "pointer" && itemType !== "bytes") {
    throw failed("expected slice or array type, but got: struct");
  }
  return field;
}

function elementType(field: MessageField): string {
  return field.form === "map" ? "map" : field.type;
}

/**
 * Merges the lists for which the patch has a `$setElementOrder` into `result`.
 * @returns the members of the patch that need no more attention
 */
function mergeOrderedLists(result: MutableJsonObject, patch: JsonObject, type: string): ReadonlySet<string> {
  const done = new Set<string>();
  for (const [member, order = null] of Object.entries(patch)) {
    if (!member.startsWith(setElementOrder)) continue;
    done.add(member);
    if (!isJsonArray(order)) throw wrongType("[]interface {}", order);
    const name = fieldOf(member, setElementOrder, malformed.setElementOrder);
    const original = listOf(getMember(result, name));
    const changes = listOf(getMember(patch, name));
    const field = findListField(type, name);
    checkOrder(changes ?? [], order, field.patchMergeKey);
    if (original === undefined && changes === undefined) continue;
    const merged = mergeOrdered(original, changes, field);
    const mergeKey = areObjects(original ?? [], changes ?? []) ? (field.patchMergeKey ?? "") : undefined;
    setMember(result, name, arrange(merged, order, reusePlaces(original ?? [], changes ?? [], mergeKey), mergeKey));
    done.add(name);
  }
  return done;
}

function listOf(value: JsonValue | undefined): JsonArray | undefined {
  if (value === undefined || isJsonArray(value)) return value;
  throw wrongType("[]interface {}", value);
}

function mergeOrdered(original: JsonArray | undefined, changes: JsonArray | undefined, field: MessageField): JsonArray {
  if (changes === undefined) return original ?? [];
  if (original === undefined) return withoutDirectives(changes) as JsonArray;
  return field.patchStrategy === "merge" ? mergeList(original, changes, field, false) : changes;
}

/** The original order, in which new items stand where deleted ones have left room: Kubernetes' slices work like that. */
function reusePlaces(original: JsonArray, changes: JsonArray, mergeKey: string | undefined): JsonArray {
  if (mergeKey === undefined || original.length === 0) return original;
  const isDirective = (item: JsonValue): boolean => getMember(asObject(item), directive) !== undefined;
  const deleted = new Set(changes.filter((item) => isDeleted(asObject(item))).map((item) => identity(item, mergeKey)));
  if (deleted.size === 0) return original;
  const kept = original.filter((item) => !deleted.has(identity(item, mergeKey)));
  const known = ranks(kept, mergeKey);
  const added = changes.filter((item) => !isDirective(item) && !known.has(identity(item, mergeKey)));
  return [...kept, ...added].slice(0, original.length);
}

/** What the patch has of a list must stand in the order that it says, deletions aside. */
function checkOrder(changes: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  if (order.length === 0 || changes.length === 0) return;
  const items = mergeKey === undefined ? changes : changes.filter((item) => !isDeleted(asObject(item)));
  let next = 0;
  let place = 0;
  while (next < items.length && place < order.length) {
    const item = items[next] ?? null;
    if (isJsonObject(item) && getMember(item, directive) !== undefined) {
      next++;
      continue;
    }
    if (identity(item, mergeKey) === identity(order[place] ?? null, mergeKey)) next++;
    place++;
  }
  if (next < items.length && place >= order.length) {
    throw failed(
      `The order in patch list:\n${formatGoValue(changes)}\n doesn't match ${setElementOrder} list:\n${formatGoValue(order)}\n`,
    );
  }
}

function asObject(item: JsonValue): JsonObject {
  if (isJsonObject(item)) return item;
  throw wrongType("map[string]interface {}", item);
}

function isDeleted(item: JsonObject): boolean {
  return getMember(item, directive) === "delete";
}

/** The value of the merge key, or the item itself when there is none. */
function identity(item: JsonValue, mergeKey: string | undefined): JsonValue {
  if (mergeKey === undefined) return item;
  const object = asObject(item);
  const value = getMember(object, mergeKey);
  if (value !== undefined) return value;
  throw failed(`map: ${formatGoValue(object)} does not contain declared merge key: ${mergeKey}`);
}

/** Whether the items are objects: they must be of one type, and no lists. */
function areObjects(original: JsonArray, patch: JsonArray): boolean {
  const items = [...original, ...patch];
  const [first] = items;
  if (first === undefined) throw failed("no elements in any of the given slices");
  if (isJsonArray(first)) {
    throw new ApiStatusError(failure("Invalid", "the server rejected our request due to an error in our request", {}));
  }
  const type = goType(first);
  if (first === null || items.some((item) => goType(item) !== type)) {
    throw failed(`list element types are not identical: ${formatGoValue([original, patch])}`);
  }
  return isJsonObject(first);
}

function mergeList(original: JsonArray, patch: JsonArray, field: MessageField, isDeletion: boolean): JsonArray {
  if (original.length === 0 && patch.length === 0) return original;
  if (!areObjects(original, patch)) {
    if (!isDeletion) return arrange([...new Set([...original, ...patch])], patch, original, undefined);
    const deleted = new Set(patch);
    return original.filter((item) => !deleted.has(item));
  }
  const { patchMergeKey: mergeKey } = field;
  if (mergeKey === undefined) throw failed(`cannot merge lists without merge key for ${goKindOf(field)}`);
  const { kept, changes } = applyItemDirectives(
    original as readonly JsonObject[],
    patch as readonly JsonObject[],
    mergeKey,
  );
  const merged = mergeItems(kept, changes, mergeKey, elementType(field));
  return arrange(merged, changes, kept, mergeKey);
}

function goKindOf({ type }: MessageField): string {
  return type.includes(".") ? "struct" : type;
}

/** Deletes and replaces what items with a `$patch` say; the changes are without those items. */
function applyItemDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { readonly kept: readonly JsonObject[]; readonly changes: readonly JsonObject[] } {
  const changes: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let isReplaced = false;
  for (const item of patch) {
    const what = getMember(item, directive);
    if (what === undefined) changes.push(item);
    else if (what === "delete") deleted.add(identity(item, mergeKey));
    else if (what === "replace") isReplaced = true;
    else if (what === "merge") throw failed("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(what, item);
  }
  if (isReplaced) return { kept: changes, changes: [] };
  const kept = original.filter((item) => {
    const key = getMember(item, mergeKey);
    return key === undefined || !deleted.has(key);
  });
  return { kept, changes };
}

function mergeItems(
  original: readonly JsonObject[],
  changes: readonly JsonObject[],
  mergeKey: string,
  type: string,
): JsonObject[] {
  const merged = [...original];
  const places = new Map<JsonValue, number>();
  for (const [index, item] of merged.entries()) {
    const key = getMember(item, mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, index);
  }
  for (const change of changes) {
    const key = identity(change, mergeKey);
    const place = places.get(key);
    const item = place === undefined ? undefined : merged[place];
    if (place === undefined || item === undefined) places.set(key, merged.push(change) - 1);
    else merged[place] = mergeObject(item, change, type);
  }
  return merged;
}

/**
 * Puts a merged list into order: what the patch has as the patch has it, and between that what only the original has,
 * each before the first item that it preceded in the original.
 */
function arrange(
  merged: JsonArray,
  patchOrder: JsonArray,
  originalOrder: JsonArray,
  mergeKey: string | undefined,
): JsonArray {
  const inPatch = ranks(patchOrder, mergeKey);
  const inOriginal = ranks(originalOrder, mergeKey);
  const items = merged.map((item) => ({ item, key: identity(item, mergeKey) }));
  const patched = sortByRank(
    items.filter(({ key }) => inPatch.has(key)),
    inPatch,
  );
  const others = sortByRank(
    items.filter(({ key }) => !inPatch.has(key)),
    inOriginal,
  );
  const arranged: JsonValue[] = [];
  let next = 0;
  for (const { item, key } of patched) {
    const rank = inOriginal.get(key) ?? -1;
    for (let other = others[next]; other !== undefined && isBefore(other, rank, inOriginal); other = others[next]) {
      arranged.push(other.item);
      next++;
    }
    arranged.push(item);
  }
  return [...arranged, ...others.slice(next).map(({ item }) => item)];
}

interface KeyedItem {
  readonly item: JsonValue;
  readonly key: JsonValue;
}

type Ranks = ReadonlyMap<JsonValue, number>;

function ranks(items: JsonArray, mergeKey: string | undefined): Ranks {
  const places = new Map<JsonValue, number>();
  for (const [index, item] of items.entries()) {
    const key = identity(item, mergeKey);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}

function isBefore({ key }: KeyedItem, rank: number, inOriginal: Ranks): boolean {
  const own = inOriginal.get(key);
  return own !== undefined && own < rank;
}

/** What has no rank comes last and backwards, as Kubernetes' sort leaves it. */
function sortByRank(items: readonly KeyedItem[], order: Ranks): KeyedItem[] {
  const rankOf = ({ key }: KeyedItem): number => order.get(key) ?? Number.POSITIVE_INFINITY;
  const known = items.filter(({ key }) => order.has(key)).sort((a, b) => rankOf(a) - rankOf(b));
  return [...known, ...items.filter(({ key }) => !order.has(key)).reverse()];
}
