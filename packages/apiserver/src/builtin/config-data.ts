import {
  type FieldError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  type KubernetesObject,
} from "@slipway/objects";

const keyPattern = /^[-._a-zA-Z0-9]+$/;

/** What a key of a ConfigMap or Secret must be. @see Kubernetes, apimachinery's IsConfigMapKey */
function keyProblems(key: string): string[] {
  const problems: string[] = [];
  if (new TextEncoder().encode(key).length > 253) problems.push("must be no more than 253 bytes");
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

export function dataErrors(object: KubernetesObject, fields: readonly string[]): FieldError[] {
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
      bytes += String(value).length;
    }
  }
  if (bytes > maxDataBytes) {
    errors.push({ type: "FieldValueTooLong", field: "", detail: `may not be more than ${maxDataBytes} bytes` });
  }
  return errors;
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

/** @see Kubernetes, ValidateSecret in pkg/apis/core/validation */
export function secretTypeErrors(object: KubernetesObject): FieldError[] {
  const type = typeof object.type === "string" ? object.type : "";
  const data = mapOf(object.data);
  const required = (key: string): FieldError => ({ type: "FieldValueRequired", field: `data[${key}]` });
  if (type === "kubernetes.io/basic-auth") {
    const keys = ["username", "password"]; // one of them is enough
    return keys.some((key) => Object.hasOwn(data, key)) ? [] : keys.map(required);
  }
  const keys = Object.hasOwn(requiredKeys, type) ? (requiredKeys[type] ?? []) : [];
  return keys.filter((key) => !Object.hasOwn(data, key)).map(required);
}

/** UTF-8 text as base64. `btoa` takes bytes as characters, so the text is encoded first. */
export function textToBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
