import {
  type FieldError,
  isJsonObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  jsonEquals,
  type KubernetesObject,
  parseJson,
} from "@slipway/objects";
import { goKind } from "../object-meta.ts";

const keyPattern = /^[-._a-zA-Z0-9]+$/;

/** What a key of a ConfigMap or Secret must be. @see Kubernetes, apimachinery's IsConfigMapKey */
function keyProblems(key: string): string[] {
  const problems: string[] = [];
  if (utf8Length(key) > 253) problems.push("must be no more than 253 characters");
  if (!keyPattern.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME', " +
        " or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === ".") problems.push("must not be '.'");
  else if (key === "..") problems.push("must not be '..'");
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

/** Kubernetes' limit for all values of one ConfigMap or Secret, in bytes. */
const maxDataBytes = 1024 * 1024;

function mapOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * @param options.base64 which of the fields hold bytes
 * @param options.whole what is too long when all values together are
 */
export function dataErrors(
  object: KubernetesObject,
  fields: readonly string[],
  { base64, whole }: { readonly base64: readonly string[]; readonly whole: string },
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [index, field] of fields.entries()) {
    const others = fields.slice(index + 1);
    for (const [key, value] of Object.entries(mapOf(object[field]))) {
      for (const detail of keyProblems(key)) {
        errors.push({ type: "FieldValueInvalid", field: `${field}[${key}]`, value: key, detail });
      }
      const other = others.find((name) => Object.hasOwn(mapOf(object[name]), key));
      if (other !== undefined) {
        const detail = `duplicate of key present in ${other}`;
        errors.push({ type: "FieldValueInvalid", field: `${field}[${key}]`, value: key, detail });
      }
      bytes += base64.includes(field) ? decodedLength(String(value)) : utf8Length(String(value));
    }
  }
  if (bytes > maxDataBytes) {
    errors.push({ type: "FieldValueTooLong", field: whole, detail: `may not be more than ${maxDataBytes} bytes` });
  }
  return errors;
}

function decodedLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** `immutable: true` can be set but not taken back, and then the data stays as it is. */
export function immutableErrors(
  object: KubernetesObject,
  old: KubernetesObject,
  fields: readonly string[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const forbidden = (field: string): FieldError => ({
    type: "FieldValueForbidden",
    field,
    detail: "field is immutable when `immutable` is set",
  });
  const errors = object.immutable === true ? [] : [forbidden("immutable")];
  for (const field of fields) if (!jsonEquals(mapOf(object[field]), mapOf(old[field]))) errors.push(forbidden(field));
  return errors;
}

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function base64Errors(object: KubernetesObject, field: string): FieldError[] {
  return Object.entries(mapOf(object[field])).flatMap(([key, value]) =>
    typeof value === "string" && base64Pattern.test(value)
      ? []
      : [
          {
            type: "FieldValueInvalid" as const,
            field: `${field}[${key}]`,
            value: "<value omitted>",
            detail: "must be base64 (RFC 4648, section 4)",
          },
        ],
  );
}

/** Keys that the data of a Secret must have, by its type. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};
/** What has to be JSON. */
const jsonTypes: readonly string[] = ["kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson"];
const accountName = "kubernetes.io/service-account.name";

/** @see Kubernetes, ValidateSecret in pkg/apis/core/validation */
export function secretTypeErrors(object: KubernetesObject): FieldError[] {
  const type = typeof object.type === "string" ? object.type : "";
  const data = mapOf(object.data);
  const required = (key: string): FieldError => ({ type: "FieldValueRequired", field: `data[${key}]` });
  if (type === "kubernetes.io/basic-auth") {
    const keys = ["username", "password"]; // one of them is enough
    return keys.some((key) => Object.hasOwn(data, key)) ? [] : keys.map(required);
  }
  if (type === "kubernetes.io/service-account-token") {
    const field = `metadata.annotations[${accountName}]`;
    return (object.metadata.annotations?.[accountName] ?? "") === "" ? [{ type: "FieldValueRequired", field }] : [];
  }
  const keys = Object.hasOwn(requiredKeys, type) ? (requiredKeys[type] ?? []) : [];
  return keys.flatMap((key) => {
    const isMissing = type === "kubernetes.io/ssh-auth" ? (data[key] ?? "") === "" : !Object.hasOwn(data, key);
    if (isMissing) return [required(key)];
    return jsonTypes.includes(type) ? jsonErrors(String(data[key]), `data[${key}]`) : [];
  });
}

function jsonErrors(base64: string, field: string): FieldError[] {
  const refused = (detail: string): FieldError[] => [
    { type: "FieldValueInvalid", field, value: "<secret contents redacted>", detail },
  ];
  try {
    const value = parseJson(new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))));
    if (value === null || isJsonObject(value)) return [];
    return refused(`json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refused(error.reason);
  }
}

/** UTF-8 text as base64. `btoa` takes bytes as characters, so the text is encoded first. */
export function textToBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
