import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { MessageField, MessageFields } from "./field.ts";

/** Bytes that are no message of the kind that was expected. The text says what is wrong with them. */
export class ProtobufError extends Error {
  override readonly name: string = "ProtobufError";
}

/** The fields of one message, ready to be found by their numbers. */
export interface MessageLayout {
  readonly fields: MessageFields;
  readonly byNumber: ReadonlyMap<number, { readonly name: string; readonly wireType: WireType }>;
}

const varints: ReadonlySet<string> = new Set(["bool", "int32", "int64"]);

/** Lists and maps of numbers do not occur in Kubernetes. */
function wireTypeOf({ form, type }: MessageField): WireType {
  return varints.has(type) && form !== "map" && form !== "list" ? WireType.Varint : WireType.LengthDelimited;
}

export function layoutOf(fields: MessageFields): MessageLayout {
  const entries = Object.entries(fields).map(
    ([name, field]) => [field.number, { name, wireType: wireTypeOf(field) }] as const,
  );
  return { fields, byNumber: new Map(entries) };
}

/** A number, booleans included, as the bits of an int64; everything else as its bytes. */
export type WireValue = bigint | Uint8Array;

/**
 * The values of each field that was sent, by its name, in the order in which they came. Unknown fields are skipped;
 * groups, which Kubernetes does not use, are refused.
 *
 * @throws {ProtobufError}
 */
export function readWire(bytes: Uint8Array, { byNumber }: MessageLayout): ReadonlyMap<string, readonly WireValue[]> {
  const values = new Map<string, WireValue[]>();
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
      const earlier = values.get(known.name);
      if (earlier === undefined) values.set(known.name, [value]);
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
