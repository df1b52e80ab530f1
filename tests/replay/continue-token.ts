import { isJsonObject, type JsonObject, parseJson } from "@slipway/objects";
import type { Bindings } from "./bindings.ts";

/** Whether two continue tokens say the same: the same form, the same place, versions that stand for each other. */
export function matchContinueToken(recorded: string, ours: string, bindings: Bindings): boolean {
  const [theirs, own] = [decode(recorded), decode(ours)];
  if (theirs === undefined || own === undefined) return false;
  if (theirs.v !== own.v || theirs.start !== own.start) return false;
  if (Object.keys(theirs).length !== Object.keys(own).length) return false;
  return bindings.matchStoreVersion(String(theirs.rv), String(own.rv), false);
}

function decode(token: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(token, "base64url").toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
