import type { JsonArray, JsonObject, JsonValue, MutableJsonObject } from "@slipway/objects";
import { setMember } from "@slipway/objects";

/** `object` with every member replaced by what `rewrite` makes of it; `undefined` drops it. Shared when nothing changed. */
export function rewriteMembers(
  object: JsonObject,
  rewrite: (name: string, member: JsonValue) => JsonValue | undefined,
): JsonObject {
  let copy: MutableJsonObject | undefined;
  const names = Object.keys(object);
  for (const [index, name] of names.entries()) {
    const member = object[name];
    if (member === undefined) continue;
    const rewritten = rewrite(name, member);
    if (copy === undefined) {
      if (rewritten === member) continue;
      copy = pick(object, names.slice(0, index));
    }
    if (rewritten !== undefined) setMember(copy, name, rewritten);
  }
  return copy ?? object;
}

function pick(object: JsonObject, names: readonly string[]): MutableJsonObject {
  const picked: MutableJsonObject = {};
  for (const name of names) {
    const member = object[name];
    if (member !== undefined) setMember(picked, name, member);
  }
  return picked;
}

/** `list` with every item replaced by what `rewrite` makes of it. Shared when nothing changed. */
export function rewriteItems(list: JsonArray, rewrite: (item: JsonValue, index: number) => JsonValue): JsonArray {
  const rewritten = list.map(rewrite);
  return rewritten.every((item, index) => item === list[index]) ? list : rewritten;
}
