import {
  badRequest,
  byCodeUnit,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type ObjectMeta,
  setMember,
} from "@slipway/objects";
import { readTime } from "./go-time.ts";

/** The fields of meta/v1 ObjectMeta, in the order of the Go struct, with the Go type that errors name. */
const fields = {
  name: "string",
  generateName: "string",
  namespace: "string",
  selfLink: "string",
  uid: "types.UID",
  resourceVersion: "string",
  generation: "int64",
  creationTimestamp: "v1.Time",
  deletionTimestamp: "v1.Time",
  deletionGracePeriodSeconds: "int64",
  labels: "map[string]string",
  annotations: "map[string]string",
  ownerReferences: "[]v1.OwnerReference",
  finalizers: "[]string",
  managedFields: "[]v1.ManagedFieldsEntry",
} as const;
type MetaField = keyof typeof fields;

const ownerReferenceFields: Readonly<Record<string, "string" | "types.UID" | "bool">> = {
  apiVersion: "string",
  kind: "string",
  name: "string",
  uid: "types.UID",
  controller: "bool",
  blockOwnerDeletion: "bool",
};

/** How Go's JSON decoder calls a value in its errors. */
export function goKind(value: JsonValue): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "number";
    default:
      return typeof value;
  }
}

export interface DecodedMetadata {
  readonly metadata: ObjectMeta;
  /** Paths of members that ObjectMeta does not have; they are dropped. */
  readonly unknown: readonly string[];
}

/**
 * Reads `metadata` as Go decodes ObjectMeta: unknown members are dropped, nulls and what is empty count as absent, a
 * null label or annotation value becomes `""`.
 *
 * @param path where errors say the metadata is: `ObjectMeta` for custom resources, `ObjectMeta.metadata` for typed ones.
 * @param describe turns the decoder's message into that of the answer.
 * @param at where the metadata is in the object, for the paths of unknown members.
 * @throws {ApiStatusError} `BadRequest` for a member of the wrong type.
 */
export function decodeMetadata(
  value: JsonValue | undefined,
  path: string,
  describe: (message: string) => string,
  at = "metadata",
): DecodedMetadata {
  if (value === undefined || value === null) return { metadata: {}, unknown: [] };
  const mismatch = (got: JsonValue, where: string, type: string): never => {
    const shown =
      type === "int64" && (typeof got === "number" || typeof got === "bigint") ? `number ${got}` : goKind(got);
    throw badRequest(describe(`json: cannot unmarshal ${shown} into Go ${where} of type ${type}`));
  };
  if (!isJsonObject(value)) {
    const where = path === "ObjectMeta" ? "value" : "struct field Application.metadata";
    return mismatch(value, where, "v1.ObjectMeta");
  }
  const decoded: MutableJsonObject = {};
  const unknown: string[] = [];
  // Custom resources are maps to Go, which it reads in the order of their keys.
  const names = path === "ObjectMeta" ? Object.keys(value).sort(byCodeUnit) : Object.keys(value);
  for (const name of names) {
    const member = value[name];
    if (!Object.hasOwn(fields, name)) {
      unknown.push(`${at}.${name}`);
      continue;
    }
    if (member === undefined || member === null || name === "selfLink") continue;
    const found: Mismatch = (got, type, below) => mismatch(got, structField(path, name, below), type);
    const refuseTime = (why: string): never => {
      throw badRequest(describe(why));
    };
    const field = decodeField(name as MetaField, member, { mismatch: found, refuseTime, unknown });
    // Go leaves out lists and maps that are empty.
    if (typeof field !== "object" || field === null || Object.keys(field).length > 0) decoded[name] = field;
  }
  return { metadata: decoded, unknown };
}

/** `ObjectMeta.name`; of what is below a struct in a list Go names that struct, and the whole path. */
function structField(path: string, name: string, below: string | undefined): string {
  if (below === undefined) return `struct field ${path}.${name}`;
  const [, ...outer] = path.split(".");
  return `struct field ${["OwnerReference", ...outer, name, below].join(".")}`;
}

/** @param below the member of an owner reference */
type Mismatch = (got: JsonValue, type: string, below?: string) => never;

interface Reading {
  readonly mismatch: Mismatch;
  readonly refuseTime: (why: string) => never;
  readonly unknown: string[];
}

function decodeField(name: MetaField, value: JsonValue, { mismatch, refuseTime, unknown }: Reading): JsonValue {
  const type = fields[name];
  switch (type) {
    case "string":
    case "types.UID":
      return typeof value === "string" ? value : mismatch(value, type);
    case "v1.Time":
      return typeof value === "string" ? readTime(value, "Time", refuseTime) : mismatch(value, "string");
    case "int64":
      return Number.isInteger(value) ? value : mismatch(value, type);
    case "map[string]string":
      return isJsonObject(value) ? stringMap(value, mismatch) : mismatch(value, type);
    case "[]string":
      if (!isJsonArray(value)) return mismatch(value, type);
      return value.map((item) => (item === null ? "" : typeof item === "string" ? item : mismatch(item, "string")));
    case "[]v1.OwnerReference":
      if (!isJsonArray(value)) return mismatch(value, type);
      return value.map((item, index) => ownerReference(item, index, mismatch, unknown));
    case "[]v1.ManagedFieldsEntry":
      return isJsonArray(value) ? value : mismatch(value, type);
    default:
      throw new TypeError(`unhandled type ${type satisfies never}`);
  }
}

function stringMap(value: JsonObject, mismatch: Mismatch): JsonObject {
  const map: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    setMember(map, key, item === null ? "" : typeof item === "string" ? item : mismatch(item, "string"));
  }
  return map;
}

function ownerReference(value: JsonValue, index: number, mismatch: Mismatch, unknown: string[]): JsonObject {
  if (value !== null && !isJsonObject(value)) return mismatch(value, "v1.OwnerReference");
  const reference: MutableJsonObject = { apiVersion: "", kind: "", name: "", uid: "" };
  for (const name of Object.keys(value ?? {})) {
    if (!Object.hasOwn(ownerReferenceFields, name)) unknown.push(`metadata.ownerReferences[${index}].${name}`);
  }
  for (const [name, type] of Object.entries(ownerReferenceFields)) {
    const member = getMember(value ?? {}, name);
    if (member === undefined || member === null) continue;
    const fits = type === "bool" ? typeof member === "boolean" : typeof member === "string";
    reference[name] = fits ? member : mismatch(member, type, name);
  }
  return reference;
}
