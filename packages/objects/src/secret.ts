import { groupOf } from "./identity.ts";
import { getMember, isJsonObject, type JsonObject, type JsonValue, type MutableJsonObject, setMember } from "./json.ts";

/** Whether this is a Secret of Kubernetes. */
export function isSecret(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value) || getMember(value, "kind") !== "Secret") return false;
  const apiVersion = getMember(value, "apiVersion");
  return typeof apiVersion !== "string" || groupOf(apiVersion) === "";
}

/**
 * A Secret as the server keeps it: `stringData` is in `data`, in base64, where it wins over what was there. Anything else,
 * and a Secret whose `stringData` is no map of strings, is returned as it is.
 */
export function normalizeSecret(object: JsonObject): JsonObject {
  const plain = isSecret(object) ? getMember(object, "stringData") : undefined;
  const encoded = getMember(object, "data") ?? {};
  if (!isJsonObject(plain) || !isJsonObject(encoded)) return object;
  const data: MutableJsonObject = { ...encoded };
  for (const [name, text] of Object.entries(plain)) {
    if (typeof text !== "string") return object;
    setMember(data, name, encodeBase64(text));
  }
  const { stringData: _, ...rest } = object;
  return { ...rest, data };
}

/** Of the UTF-8 bytes of `text`. */
function encodeBase64(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
