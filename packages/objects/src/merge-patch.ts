import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "./json.ts";

export interface MergePatchOptions {
  /**
   * Merge as kube-apiserver does (evanphx/json-patch 4): nulls are dropped from objects inside lists as well, unless
   * the list takes the place of an object.
   * @default false
   */
  readonly lenient?: boolean | undefined;
}

/**
 * `target` with a JSON merge patch applied: null deletes a member, objects merge, everything else replaces.
 *
 * Neither argument is changed. The result shares what the patch does not touch; when nothing changes it is `target`.
 * Nulls inside a newly added object are dropped. A member that is `undefined` is absent, on both sides.
 *
 * @see RFC 7396, section 2
 */
export function mergePatch(
  target: JsonValue | undefined,
  patch: JsonValue,
  options: MergePatchOptions = {},
): JsonValue {
  if (isJsonArray(patch)) return options.lenient === true && !isJsonObject(target) ? withoutNulls(patch) : patch;
  if (!isJsonObject(patch)) return patch;
  return mergeObjects(isJsonObject(target) ? target : undefined, patch, options);
}

function mergeObjects(target: JsonObject | undefined, patch: JsonObject, options: MergePatchOptions): JsonObject {
  let result: MutableJsonObject | undefined;
  for (const [name, change] of Object.entries(patch)) {
    if (change === undefined) continue;
    const present = target === undefined ? undefined : getMember(target, name);
    if (change === null) {
      if (present === undefined) continue;
      result ??= { ...target };
      delete result[name];
    } else {
      const merged = mergePatch(present, change, options);
      if (merged === present) continue;
      result ??= { ...target };
      setMember(result, name, merged);
    }
  }
  return result ?? target ?? {};
}

/** Null items stay, null members of objects at any depth go. */
function withoutNulls(list: JsonArray): JsonArray {
  return list.map((item) => mergePatch(undefined, item, { lenient: true }));
}
