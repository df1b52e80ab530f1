import { decodeMessage, messageLayout } from "./decode-message.ts";
import { ProtobufError, readText, readWire, type WireValue } from "./wire.ts";

/** `k8s` and a zero: what every protobuf body of Kubernetes begins with. */
const magic: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** A protobuf body without its envelope. */
export interface Envelope {
  /** Empty when the body does not say. */
  readonly apiVersion: string;
  /** Empty when the body does not say. */
  readonly kind: string;
  /** The message of that kind. */
  readonly raw: Uint8Array;
}

/**
 * Reads the envelope of `application/vnd.kubernetes.protobuf`: four bytes of magic, then runtime.Unknown, whose content
 * type nobody reads.
 *
 * @throws {ProtobufError}
 * @see Kubernetes, apimachinery's serializer/protobuf
 */
export function openEnvelope(body: Uint8Array): Envelope {
  if (body.length === 0) throw new ProtobufError("empty data");
  if (magic.some((byte, index) => body[index] !== byte)) {
    const prefix = `[${magic.join(" ")}]`;
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix ${prefix}`);
  }
  if (body.length === magic.length) throw new ProtobufError("empty body");
  const layout = messageLayout("runtime.Unknown");
  const values = readWire(body.subarray(magic.length), layout);
  const bytesOf = (name: string): Uint8Array =>
    lastBytes(values[layout.fields.findIndex((field) => field.name === name)]);
  const contentEncoding = readText(bytesOf("contentEncoding"));
  if (contentEncoding !== "") {
    throw new ProtobufError(`content encoding "${contentEncoding}" is not supported: send the message as it is`);
  }
  const { apiVersion = "", kind = "" } = decodeMessage(bytesOf("typeMeta"), "runtime.TypeMeta");
  return { apiVersion: String(apiVersion), kind: String(kind), raw: bytesOf("raw") };
}

function lastBytes(values: readonly WireValue[] | undefined): Uint8Array {
  const last = values?.at(-1);
  return last instanceof Uint8Array ? last : new Uint8Array();
}
