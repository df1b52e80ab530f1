import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  type MutableJsonObject,
  setMember,
} from "./json.ts";
import { isSecret } from "./secret.ts";

/** Stands for a value that must not be seen. */
export const MASK = "***";

const BEFORE: string = `${MASK} (before)`;
const AFTER: string = `${MASK} (after)`;

/** It holds a whole Secret again. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** `value` with all values of Secrets hidden, also of those in a List. Names of keys stay. The input is not changed. */
export function maskSecrets(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  if (isSecret(value)) return maskPair(value, undefined)[0];
  const items = getMember(value, "items");
  return isJsonArray(items) ? { ...value, items: items.map(maskSecrets) } : value;
}

/**
 * Two states of one object for a comparison. Of a Secret, equal values are hidden alike, and different ones so that they
 * still differ: `*** (before)` and `*** (after)`.
 */
export function maskSecretPair(before: JsonObject, after: JsonObject): readonly [JsonObject, JsonObject] {
  return isSecret(before) || isSecret(after) ? maskPair(before, after) : [before, after];
}

function maskPair(before: JsonObject, after: JsonObject | undefined): readonly [JsonObject, JsonObject] {
  const left: MutableJsonObject = { ...before };
  const right: MutableJsonObject = { ...after };
  for (const member of ["data", "stringData"]) {
    maskMembers(left, right, member, () => true);
  }
  const metadata: MutableJsonObject[] = [left, right].map((side) => {
    const present = getMember(side, "metadata");
    return isJsonObject(present) ? { ...present } : {};
  });
  const [leftMetadata = {}, rightMetadata = {}] = metadata;
  maskMembers(leftMetadata, rightMetadata, "annotations", (name) => name === LAST_APPLIED);
  if (isJsonObject(left.metadata)) left.metadata = leftMetadata;
  if (isJsonObject(right.metadata)) right.metadata = rightMetadata;
  return [left, right];
}

/** Hides the values inside `member` of both sides; all of it where it is no object. */
function maskMembers(
  left: MutableJsonObject,
  right: MutableJsonObject,
  member: string,
  hides: (name: string) => boolean,
): void {
  const [before, after] = [getMember(left, member), getMember(right, member)];
  if (before !== undefined) left[member] = maskValue(before, after, BEFORE, hides);
  if (after !== undefined) right[member] = maskValue(after, before, AFTER, hides);
}

function maskValue(
  value: JsonValue,
  other: JsonValue | undefined,
  different: string,
  hides: (name: string) => boolean,
): JsonValue {
  const hide = (mine: JsonValue, theirs: JsonValue | undefined): string =>
    theirs === undefined || jsonEquals(mine, theirs) ? MASK : different;
  if (value === null) return null;
  if (!isJsonObject(value)) return hide(value, other);
  const masked: MutableJsonObject = {};
  for (const [name, mine] of Object.entries(value)) {
    if (mine === undefined) continue;
    const theirs = isJsonObject(other) ? getMember(other, name) : undefined;
    setMember(masked, name, hides(name) ? hide(mine, theirs) : mine);
  }
  return masked;
}
