import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { MessageField, MessageFields } from "./field.ts";

/** Bytes that are no message of the kind that was expected. The text says what is wrong with them. */
export class ProtobufError extends Error {
  override readonly name: string = "ProtobufError";
}

/** A field with its place among the fields of its message. */
interface PlacedField {
  readonly name: string;
  readonly field: MessageField;
  readonly index: number;
  readonly wireType: WireType;
}

/** The fields of one message, ready to be read. */
export interface MessageLayout {
  readonly fields: readonly PlacedField[];
  readonly byNumber: ReadonlyMap<number, PlacedField>;
}

const varints: ReadonlySet<string> = new Set(["bool", "int32", "int64"]);

/** Lists and maps of numbers do not occur in Kubernetes. */
function wireTypeOf({ form, type }: MessageField): WireType {
  return varints.has(type) && form !== "map" && form !== "list" ? WireType.Varint : WireType.LengthDelimited;
}

export function layoutOf(fields: MessageFields): MessageLayout {
  const placed = Object.entries(fields).map(([name, field], index) => {
    return { name, field, index, wireType: wireTypeOf(field) };
  });
  return { fields: placed, byNumber: new Map(placed.map((each) => [each.field.number, each])) };
}

/** A number, booleans included, as the bits of an int64; everything else as its bytes. */
export type WireValue = bigint | Uint8Array;

/**
 * The values of each field that was sent, at its index, in the order in which they came. Unknown fields are skipped;
 * groups, which Kubernetes does not use, are refused.
 *
 * @throws {ProtobufError}
 */
export function readWire(
  bytes: Uint8Array,
  { byNumber }: MessageLayout,
): readonly (readonly WireValue[] | undefined)[] {
  const values: WireValue[][] = [];
  if (bytes.length === 0) return values;
  const reader = new BinaryReader(bytes);
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const known = byNumber.get(number);
      if (known === undefined) {
        skip(reader, wireType);
        continue;
      }
      if (wireType !== known.wireType) {
        throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${known.name}`);
      }
      const value = wireType === WireType.Varint ? BigInt(reader.int64()) : reader.bytes();
      const earlier = values[known.index];
      if (earlier === undefined) values[known.index] = [value];
      else earlier.push(value);
    }
  } catch (cause) {
    throw malformed(cause);
  }
  return values;
}

function skip(reader: BinaryReader, wireType: WireType): void {
  if (wireType === WireType.StartGroup || wireType === WireType.EndGroup) {
    throw new ProtobufError("proto: groups are not supported");
  }
  reader.skip(wireType);
}

function malformed(cause: unknown): ProtobufError {
  if (cause instanceof ProtobufError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new ProtobufError(message === "premature EOF" ? "unexpected EOF" : `proto: ${message}`, { cause });
}

/** @throws {ProtobufError} when the bytes are not UTF-8: other characters in their place would be a loss. */
export function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ProtobufError("proto: a string is not valid UTF-8", { cause });
  }
}
