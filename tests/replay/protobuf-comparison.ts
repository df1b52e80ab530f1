import { isJsonArray, isJsonObject, type JsonValue } from "@slipway/objects";

/** The wrapper of every Kubernetes answer in protobuf: four bytes, then a message of type and object. */
const magic = [0x6b, 0x38, 0x73, 0x00];

/** `metadata.managedFields`, in every object. */
const MANAGED_FIELDS = 17;

/**
 * An answer in protobuf as a value, without knowledge of its messages: fields by their number, what is text as text. What
 * else the comparison of JSON leaves out is left out here too. `undefined` when it is no answer in protobuf.
 */
export function readProtobuf(bytes: Uint8Array): JsonValue | undefined {
  if (!magic.every((byte, index) => bytes[index] === byte)) return undefined;
  const message = readMessage(bytes.subarray(magic.length));
  if (message === undefined) return undefined;
  return JSON.stringify(message).includes('"APIResourceList"') ? sorted(message) : message;
}

function readMessage(bytes: Uint8Array): JsonValue | undefined {
  const fields: Record<string, JsonValue[]> = {};
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const key = varint();
    if (key === undefined || key < 8n) return undefined;
    const [field, type] = [Number(key >> 3n), Number(key & 7n)];
    let value: JsonValue;
    if (type === 0) {
      const number = varint();
      if (number === undefined) return undefined;
      value = isTime(number) ? "(time)" : String(number);
    } else if (type === 2) {
      const length = varint();
      if (length === undefined || at + Number(length) > bytes.length) return undefined;
      value = readPart(bytes.subarray(at, at + Number(length)));
      at += Number(length);
    } else return undefined;
    if (field !== MANAGED_FIELDS) fields[field] = [...(fields[field] ?? []), value];
  }
  return fields;
}

/** Text when it can be read as text, else a message, else bytes. */
function readPart(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes).toString("utf8");
  const isText = [...text].every((letter) => letter >= " " && letter !== "\ufffd");
  if (isText) return text;
  return readMessage(bytes) ?? Buffer.from(bytes).toString("hex");
}

/** Seconds since 1970 in this half of the century. */
function isTime(value: bigint): boolean {
  return value > 1_500_000_000n && value < 3_000_000_000n;
}

/** The resources of a list have no order. */
function sorted(value: JsonValue): JsonValue {
  if (isJsonArray(value)) {
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member ?? null)]));
}
