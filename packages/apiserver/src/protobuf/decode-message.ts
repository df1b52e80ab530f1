import {
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  type MutableJsonObject,
  parseJson,
  setMember,
} from "@slipway/objects";
import type { MessageField } from "./field.ts";
import { kubernetesFields } from "./kubernetes-fields.ts";
import { layoutOf, type MessageLayout, ProtobufError, readText, readWire, type WireValue } from "./wire.ts";
import { zeroOf } from "./zero.ts";

/** Nesting that JSON inside a message may have. */
const maxJsonDepth = 512;

const layouts: ReadonlyMap<string, MessageLayout> = new Map(
  Object.entries(kubernetesFields).map(([name, fields]) => [name, layoutOf(fields)]),
);

/** @param message its name in {@link kubernetesFields} */
export function messageLayout(message: string): MessageLayout {
  const layout = layouts.get(message);
  if (layout === undefined) throw new TypeError(`there is no message ${message}`);
  return layout;
}

/**
 * A message as Go prints it in JSON: bytes are base64, times RFC 3339, and what `omitempty` leaves out is absent.
 * Fields that the table does not know are dropped. No message of the table contains itself, so nesting is bounded.
 *
 * @param message its name in {@link kubernetesFields}
 * @throws {ProtobufError}
 */
export function decodeMessage(bytes: Uint8Array, message: string): JsonObject {
  return decodeFields(bytes, messageLayout(message));
}

function decodeFields(bytes: Uint8Array, layout: MessageLayout): JsonObject {
  const wire = readWire(bytes, layout);
  const object: MutableJsonObject = {};
  for (const { name, field, index } of layout.fields) {
    const value = fieldValue(field, wire[index]);
    if (value !== undefined) object[name] = value;
  }
  return object;
}

/** `undefined` when JSON leaves the field out. */
function fieldValue({ form, type }: MessageField, values: readonly WireValue[] | undefined): JsonValue | undefined {
  switch (form) {
    case "list":
      return values?.map((value) => decodeValue(value, type));
    case "map":
      return values && mapOf(values, type);
    case "pointer":
      return values && singleValue(values, type);
    case "always":
      return values === undefined ? zeroOf(type) : singleValue(values, type);
    case "value": {
      const value = values === undefined ? null : singleValue(values, type);
      return value === null || value === "" || value === 0 || value === false ? undefined : value;
    }
    default:
      throw new TypeError(`unhandled form ${form satisfies never}`);
  }
}

/** Of several values the last one counts; several messages are read as if they were one, as protobuf has it. */
function singleValue(values: readonly WireValue[], type: string): JsonValue {
  const last = values.at(-1);
  if (last === undefined) return zeroOf(type);
  if (values.length === 1 || !layouts.has(type)) return decodeValue(last, type);
  return decodeValue(concatenate(values.filter((value) => typeof value !== "bigint")), type);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const entryLayouts = {
  bytes: layoutOf({
    key: { number: 1, form: "always", type: "string" },
    value: { number: 2, form: "always", type: "bytes" },
  }),
  string: layoutOf({
    key: { number: 1, form: "always", type: "string" },
    value: { number: 2, form: "always", type: "string" },
  }),
} as const;

function mapOf(entries: readonly WireValue[], type: string): JsonObject {
  const object: MutableJsonObject = {};
  for (const entry of entries) {
    const { key, value = "" } = decodeFields(entry as Uint8Array, entryLayouts[type as keyof typeof entryLayouts]);
    setMember(object, key as string, value);
  }
  return object;
}

const numbers: ReadonlyMap<string, (value: bigint) => JsonValue> = new Map([
  ["bool", (value: bigint): JsonValue => value !== 0n],
  ["int32", (value: bigint): JsonValue => Number(BigInt.asIntN(32, value))],
  ["int64", (value: bigint): JsonValue => (Number.isSafeInteger(Number(value)) ? Number(value) : value)],
]);

/** How each type is read that is neither a number nor a message of the table. */
const forms: ReadonlyMap<string, (bytes: Uint8Array) => JsonValue> = new Map([
  ["bytes", toBase64],
  ["string", readText],
  ["FieldsV1", fieldsV1],
  ["IntOrString", intOrString],
  ["MicroTime", (bytes: Uint8Array): JsonValue => time(bytes, "microseconds")],
  ["Time", (bytes: Uint8Array): JsonValue => time(bytes, "seconds")],
]);

function decodeValue(value: WireValue, type: string): JsonValue {
  if (typeof value === "bigint") return numbers.get(type)?.(value) ?? null;
  const read = forms.get(type);
  if (read !== undefined) return read(value);
  return value.length === 0 ? zeroOf(type) : decodeMessage(value, type);
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  const step = 0x8000; // more arguments at once would overflow the stack
  for (let start = 0; start < bytes.length; start += step) {
    binary += String.fromCharCode(...bytes.subarray(start, start + step));
  }
  return btoa(binary);
}

const fieldsV1Layout = layoutOf({ raw: { number: 1, form: "always", type: "string" } });

/** Carries JSON as it is. */
function fieldsV1(bytes: Uint8Array): JsonValue {
  const { raw } = decodeFields(bytes, fieldsV1Layout);
  if (typeof raw !== "string" || raw === "") return null;
  try {
    return parseJson(raw, { maxDepth: maxJsonDepth });
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError)) throw cause;
    throw new ProtobufError(`json: ${cause.reason}`, { cause });
  }
}

const intOrStringLayout = layoutOf({
  type: { number: 1, form: "always", type: "int64" },
  intVal: { number: 2, form: "always", type: "int32" },
  strVal: { number: 3, form: "always", type: "string" },
});

function intOrString(bytes: Uint8Array): JsonValue {
  const { type, intVal = 0, strVal = "" } = decodeFields(bytes, intOrStringLayout);
  if (type === 0) return intVal;
  if (type === 1) return strVal;
  throw new ProtobufError(`impossible IntOrString.Type ${type}`);
}

const timestampLayout = layoutOf({
  seconds: { number: 1, form: "always", type: "int64" },
  nanos: { number: 2, form: "always", type: "int32" },
});

/** Seconds from 1970 back to the year 1, the zero of Go's times, and on to the year 10000. */
const zeroTime = -62_135_596_800;
const endOfTime = 253_402_300_800;

/** RFC 3339 in UTC; `null` for Go's zero time, which is no bytes at all on the wire. */
function time(bytes: Uint8Array, precision: "seconds" | "microseconds"): JsonValue {
  if (bytes.length === 0) return null;
  const { seconds, nanos } = decodeFields(bytes, timestampLayout);
  const inRange = typeof seconds === "number" && seconds >= zeroTime && seconds < endOfTime;
  if (!inRange || typeof nanos !== "number" || nanos < 0 || nanos >= 1_000_000_000) {
    throw new ProtobufError(`a time is out of range: ${seconds} seconds and ${nanos} nanoseconds after 1970`);
  }
  if (seconds === zeroTime && nanos === 0) return null;
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  return precision === "seconds" ? `${date}Z` : `${date}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;
}
