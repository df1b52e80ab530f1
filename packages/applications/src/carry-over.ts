import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";

/**
 * `stored` with exactly the differences between `shown` and `changed` applied.
 *
 * A client patches what it was shown: the stored values with defaults filled in and reserved keys hidden. What it
 * did not touch stays as it is stored: defaults that were only shown stay out, hidden members stay in. Lists are
 * aligned: equal items at both ends keep their stored form, items between them are carried over one by one when
 * their number is the same, and otherwise by equality.
 *
 * `undefined` is an absent value. The result shares what did not change.
 */
export function carryOver(
  stored: JsonValue | undefined,
  shown: JsonValue | undefined,
  changed: JsonValue | undefined,
): JsonValue | undefined {
  if (jsonEquals(shown, changed)) return stored;
  if (isJsonObject(shown) && isJsonObject(changed)) {
    return carryMembers(isJsonObject(stored) ? stored : {}, shown, changed);
  }
  if (isJsonArray(stored) && isJsonArray(shown) && isJsonArray(changed) && stored.length === shown.length) {
    return carryItems(stored, shown, changed);
  }
  return changed;
}

function carryMembers(stored: JsonObject, shown: JsonObject, changed: JsonObject): JsonObject {
  const result: MutableJsonObject = { ...stored };
  for (const name of new Set([...Object.keys(shown), ...Object.keys(changed)])) {
    const present = getMember(stored, name);
    const next = carryOver(present, getMember(shown, name), getMember(changed, name));
    if (next === present) continue;
    if (next === undefined) delete result[name];
    else setMember(result, name, next);
  }
  return result;
}

function carryItems(stored: JsonArray, shown: JsonArray, changed: JsonArray): JsonArray {
  const shorter = Math.min(shown.length, changed.length);
  let head = 0;
  while (head < shorter && jsonEquals(shown[head], changed[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && jsonEquals(shown.at(-1 - tail), changed.at(-1 - tail))) tail += 1;
  const middle = (list: JsonArray): JsonArray => list.slice(head, list.length - tail);
  return [
    ...stored.slice(0, head),
    ...carryMiddle(middle(stored), middle(shown), middle(changed)),
    ...stored.slice(stored.length - tail),
  ];
}

function carryMiddle(stored: JsonArray, shown: JsonArray, changed: JsonArray): JsonArray {
  const used = new Set<number>();
  return changed.map((item, index) => {
    if (shown.length === changed.length) return carryOver(stored[index], shown[index], item) ?? item;
    const from = shown.findIndex((candidate, at) => !used.has(at) && jsonEquals(candidate, item));
    if (from === -1) return item;
    used.add(from);
    return stored[from] ?? item;
  });
}

/**
 * As {@link carryOver}, until what is shown of the result is what the client asked for.
 *
 * One pass is not always enough: a map's default is shown only while the map is absent, so adding one key to it would
 * make the default's own keys vanish. They are then carried over too. What cannot be had is left: a default that the
 * client removed is shown again.
 *
 * @param show what is shown of stored values
 */
export function carryOverShown(
  stored: JsonValue | undefined,
  changed: JsonValue | undefined,
  show: (values: JsonValue | undefined) => JsonValue | undefined,
): JsonValue | undefined {
  let result = stored;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const shown = show(result);
    const next = carryOver(result, shown, changed);
    if (jsonEquals(next, result)) return next;
    result = next;
  }
  return result;
}

/** Each pass settles at least one level of nesting, and three are more than any shipped schema needs. */
const maxPasses = 8;
