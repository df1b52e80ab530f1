import {
  byCodeUnit,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";
import { readTime } from "../go-time.ts";
import { goKind } from "../object-meta.ts";
import type { MessageField } from "../protobuf/field.ts";
import { kubernetesFields } from "../protobuf/kubernetes-fields.ts";
import { zeroOf } from "../protobuf/zero.ts";
import { goType } from "./go-value.ts";

/** A value that does not fit its field. The text is that of Go's decoder. */
export class TypedObjectError extends Error {
  override readonly name: string = "TypedObjectError";
  /** Go goes on reading after a value of the wrong type, and tells of it at the end; of a time that is none at once. */
  readonly isTold: boolean;

  constructor(message: string, isTold = true) {
    super(message);
    this.isTold = isTold;
  }
}

export interface TypedObject {
  readonly object: JsonObject;
  /** Paths of members that the kind does not have: `spec.ports[0].nope`. They are not in `object`. */
  readonly unknown: readonly string[];
}

/** Go has two decoders with words of their own: one for bodies, one for the result of a strategic merge patch. */
export type TypedSource = "body" | "patch";

/**
 * An object of a kind of Kubernetes as Go reads it into its type and prints it again: values of the wrong type are
 * refused; null counts as nothing; what is empty is left out or added, as `omitempty` has it; times are in UTC. Members
 * stand in the order of the type. `apiVersion` and `kind` are not looked at.
 *
 * @param message the name of the kind in {@link kubernetesFields}
 * @throws {TypedObjectError}
 */
export function readTypedObject(value: JsonObject, message: string, source: TypedSource): TypedObject {
  const reader = new TypedReader(source);
  const { apiVersion, kind, ...rest } = value;
  const object = reader.struct(rest, { type: message, shown: "", path: [] });
  reader.tell();
  return {
    object: { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }), ...object },
    unknown: source === "patch" ? reader.unknown.sort(byCodeUnit) : reader.unknown,
  };
}

/**
 * The object as Go prints its type: members in the order of the type, maps sorted, and null for a time that was never set
 * where the type has one.
 *
 * @throws {TypedObjectError} when the object is none of the type
 */
export function printTypedObject(value: JsonObject, message: string): JsonObject {
  const reader = new TypedReader("body", true);
  const printed = reader.struct(value, { type: message, shown: "", path: [] });
  reader.tell();
  return printed;
}

/** Where a struct stands. */
interface StructPlace {
  /** Its message. */
  readonly type: string;
  /** Its path with indexes, for people: `spec.ports[0]`. */
  readonly shown: string;
  /** Its path without, as Go's errors have it. */
  readonly path: readonly string[];
}

/** Where a value stands. */
interface Place {
  readonly field: MessageField;
  readonly shown: string;
  readonly path: readonly string[];
  /** The message that has the field. */
  readonly owner: string;
}

class TypedReader {
  readonly unknown: string[] = [];
  readonly #source: TypedSource;
  readonly #prints: boolean;
  #untold: TypedObjectError | undefined;

  constructor(source: TypedSource, prints = false) {
    this.#source = source;
    this.#prints = prints;
  }

  struct(value: JsonObject, { type, shown, path }: StructPlace): JsonObject {
    const fields = kubernetesFields[type] ?? {};
    const read = new Map<string, JsonValue>();
    for (const [name, member = null] of this.#inTurn(value, fields)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const shownMember = shown === "" ? name : `${shown}.${name}`;
      if (field === undefined) this.unknown.push(shownMember);
      else if (member !== null) {
        const value = this.#tryValue(member, { field, shown: shownMember, path: [...path, name], owner: type });
        if (value !== undefined) read.set(name, value);
      }
    }
    const object: MutableJsonObject = {};
    for (const [name, field] of Object.entries(fields)) {
      const member = read.get(name) ?? (field.form === "always" ? zeroValue(field.type) : null);
      if (member !== null && (field.form !== "value" || !isZero(member)) && !isEmptyCollection(field, member)) {
        object[name] = member;
      } else if (this.#prints && field.form === "always" && (field.type === "Time" || field.type === "MicroTime")) {
        object[name] = null;
      }
    }
    return object;
  }

  /** Of several mistakes the first is told: in the body, or for a patch in the type. */
  #inTurn(value: JsonObject, fields: Readonly<Record<string, unknown>>): [string, JsonValue | undefined][] {
    const members = Object.entries(value);
    if (this.#source === "body") return members;
    const turn = new Map(Object.keys(fields).map((name, index) => [name, index]));
    const turnOf = (name: string): number => turn.get(name) ?? turn.size;
    return members.sort(([a], [b]) => turnOf(a) - turnOf(b));
  }

  /** @throws {TypedObjectError} the first that was not told */
  tell(): void {
    if (this.#untold !== undefined) throw this.#untold;
  }

  #tryValue(value: JsonValue, place: Place): JsonValue | undefined {
    try {
      return this.#value(value, place);
    } catch (error) {
      if (!(error instanceof TypedObjectError) || error.isTold) throw error;
      this.#untold ??= error;
      return undefined;
    }
  }

  #value(value: JsonValue, place: Place): JsonValue {
    switch (place.field.form) {
      case "list":
        return this.#list(value, place);
      case "map":
        return this.#map(value, place);
      default:
        return this.#single(value, place);
    }
  }

  #list(value: JsonValue, place: Place): JsonArray {
    if (!isJsonArray(value)) throw this.#mismatch(value, "slice", `[]${goTypeName(place.field)}`, place);
    return value.map((item, index) => {
      const itemPlace = { ...place, shown: `${place.shown}[${index}]` };
      return item === null ? (zeroValue(place.field.type) ?? "") : this.#single(item, itemPlace);
    });
  }

  #map(value: JsonValue, place: Place): JsonObject {
    if (!isJsonObject(value)) throw this.#mismatch(value, "map", `map[string]${goTypeName(place.field)}`, place);
    const object: MutableJsonObject = {};
    const keys = this.#prints ? Object.keys(value).sort(byCodeUnit) : Object.keys(value);
    for (const key of keys) {
      const member = value[key] ?? null;
      setMember(object, key, member === null ? "" : this.#single(member, place));
    }
    return object;
  }

  #single(value: JsonValue, place: Place): JsonValue {
    const { field, shown, path } = place;
    switch (field.type) {
      case "string":
        return typeof value === "string" ? value : this.#refuse(value, "string", place);
      case "bool":
        return typeof value === "boolean" ? value : this.#refuse(value, "bool", place);
      case "int32":
      case "int64":
        return isInteger(value, field.type === "int32" ? 32 : 64) ? value : this.#refuse(value, field.type, place);
      case "bytes":
        return this.#bytes(value, place);
      case "IntOrString":
        if (typeof value === "string" || isInteger(value, 32)) return value;
        throw this.#customMismatch(value, "int32", place);
      case "Time":
      case "MicroTime":
        return this.#time(value, place);
      case "FieldsV1":
        return value;
      default:
        if (isJsonObject(value)) return this.struct(value, { type: field.type, shown, path });
        throw this.#mismatch(value, "struct", goTypeName(field), place);
    }
  }

  #bytes(value: JsonValue, place: Place): string {
    if (typeof value !== "string") throw this.#mismatch(value, "slice", "[]uint8", place);
    const wrong = firstWrongInBase64(value);
    if (wrong === undefined) return value.replace(/[\r\n]/g, "");
    const problem = `illegal base64 data at input byte ${wrong}`;
    if (this.#source === "body") throw new TypedObjectError(problem, false);
    throw new TypedObjectError(`error decoding from json: ${problem}`);
  }

  #time(value: JsonValue, place: Place): string {
    if (typeof value !== "string") throw this.#customMismatch(value, "string", place);
    return readTime(value, place.field.type === "MicroTime" ? "MicroTime" : "Time", (why) => {
      throw new TypedObjectError(why);
    });
  }

  #refuse(value: JsonValue, kind: string, place: Place): never {
    throw this.#mismatch(value, kind, goTypeName(place.field), place);
  }

  /** @param kind what Go's reflection calls the type that is wanted, and `type` its name. */
  #mismatch(value: JsonValue, kind: string, type: string, place: Place): TypedObjectError {
    return this.#source === "body" ? unmarshalError(value, type, place) : convertError(value, kind, type);
  }

  /** For types that read their JSON themselves. */
  #customMismatch(value: JsonValue, type: string, place: Place): TypedObjectError {
    if (this.#source === "body") return unmarshalError(value, type, place);
    return new TypedObjectError(`json: cannot unmarshal ${describe(value, type)} into Go value of type ${type}`);
  }
}

function unmarshalError(value: JsonValue, type: string, { owner, path }: Place): TypedObjectError {
  const struct = owner.slice(owner.lastIndexOf(".") + 1);
  const where = `Go struct field ${struct}.${path.join(".")} of type ${type}`;
  return new TypedObjectError(`json: cannot unmarshal ${describe(value, type)} into ${where}`, false);
}

/** A number that is none for an integer is named. */
function describe(value: JsonValue, type: string): string {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber && (type === "int32" || type === "int64") ? `number ${value}` : goKind(value);
}

function convertError(value: JsonValue, kind: string, type: string): TypedObjectError {
  const got = goType(value);
  const gotKind = got === "[]interface {}" ? "slice" : got === "map[string]interface {}" ? "map" : got;
  if (kind === "struct") return new TypedObjectError(`cannot restore struct from: ${gotKind}`);
  if (kind === "map" || kind === "slice") return new TypedObjectError(`cannot restore ${kind} from ${gotKind}`);
  // Go converts between its numbers, and makes text of a number that is a code point.
  const converts = got === "int64" || (got === "float64" && kind !== "string");
  return new TypedObjectError(
    converts && kind !== "bool" ? `cannot convert ${got} to ${type}` : `unrecognized type: ${kind}`,
  );
}

/** What Go's errors call the type of a value, or of an item. */
function goTypeName({ type, goName }: MessageField): string {
  if (goName !== undefined) return goName;
  if (type === "bytes") return "[]uint8";
  return type.includes(".") ? `v1.${type.slice(type.lastIndexOf(".") + 1)}` : type;
}

function isInteger(value: JsonValue, bits: 32 | 64): value is number | bigint {
  if (typeof value === "bigint") return bits === 64 && BigInt.asIntN(64, value) === value;
  return typeof value === "number" && Number.isSafeInteger(value) && (bits === 64 || (value | 0) === value);
}

/** Without the nulls that Go prints for times. */
function zeroValue(type: string): JsonValue {
  const isMessage = Object.hasOwn(kubernetesFields, type);
  return isMessage ? new TypedReader("body").struct({}, { type, shown: "", path: [] }) : zeroOf(type);
}

function isZero(value: JsonValue): boolean {
  return value === "" || value === 0 || value === false;
}

function isEmptyCollection({ form }: MessageField, value: JsonValue): boolean {
  if (form === "list") return isJsonArray(value) && value.length === 0;
  return form === "map" && isJsonObject(value) && Object.keys(value).length === 0;
}

/** Where Go's decoder stops, line breaks aside; `undefined` when it reads all. */
function firstWrongInBase64(text: string): number | undefined {
  const clean = text.replace(/[\r\n]/g, "");
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(clean)) return undefined;
  const wrong = text.search(/[^A-Za-z0-9+/=\r\n]/);
  if (wrong !== -1) return wrong;
  const padding = text.indexOf("=");
  return padding === -1 ? text.length - (clean.length % 4) : padding;
}
