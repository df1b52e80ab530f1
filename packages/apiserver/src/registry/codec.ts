import { formatJson, type JsonObject, type KubernetesObject, parseJson, sortMembers } from "@slipway/objects";
import { printTypedObject, TypedObjectError } from "../handlers/typed-object.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { dropNulls } from "../schema/nulls.ts";
import { prune } from "../schema/prune.ts";
import type { StructuralSchema } from "../schema/structural.ts";

/**
 * Objects to the bytes that are stored, and back. Bytes carry no resourceVersion, since the storage's revision is it;
 * an empty one keeps its place, so that members stand where real servers have them.
 */
export interface ObjectCodec {
  encode(object: KubernetesObject): Uint8Array;
  decode(bytes: Uint8Array, revision: number): KubernetesObject;
  /** The object with its members where `decode` has them, after others have been added. */
  arrange(object: KubernetesObject): KubernetesObject;
}

/** @param message the type of a built-in kind, as which it is printed; `undefined`: all members sorted, as custom resources. */
export function objectCodec(message: string | undefined): ObjectCodec {
  const arrange = message === undefined ? sorted : typed(message);
  return {
    arrange,
    encode(object) {
      // Some version has to be there, for the place that it takes.
      const arranged = arrange({ ...object, metadata: { ...object.metadata, resourceVersion: "0" } });
      const unversioned = { ...arranged, metadata: { ...arranged.metadata, resourceVersion: "" } };
      return new TextEncoder().encode(formatJson(unversioned));
    },
    decode(bytes, revision) {
      const object = parseJson(new TextDecoder().decode(bytes)) as KubernetesObject;
      return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    },
  };
}

function sorted(object: KubernetesObject): KubernetesObject {
  return sortMembers(object) as KubernetesObject;
}

/** One version of a kind that is stored in another. The two share everything but apiVersion and unknown fields. */
export interface VersionPair {
  readonly served: { readonly apiVersion: string; readonly schema: StructuralSchema };
  readonly stored: { readonly apiVersion: string; readonly schema: StructuralSchema };
}

/**
 * Reads and writes in the served version what is kept in the stored one (conversion strategy `None`): fields that a
 * version does not have are dropped on the way. What is read has the defaults of the stored version; those of the served
 * one are for what clients send.
 */
export function convertingCodec(codec: ObjectCodec, { served, stored }: VersionPair): ObjectCodec {
  return {
    encode: (object) => codec.encode(inVersion(object, stored)),
    decode: (bytes, revision) => inVersion(withDefaults(codec.decode(bytes, revision), stored, codec), served),
    arrange: codec.arrange,
  };
}

function inVersion(object: KubernetesObject, { apiVersion, schema }: VersionPair["served"]): KubernetesObject {
  const { value } = prune({ ...object, apiVersion }, schema, { isResourceRoot: true });
  return dropNulls(value, schema) as KubernetesObject;
}

function withDefaults(
  object: KubernetesObject,
  { schema }: VersionPair["stored"],
  codec: ObjectCodec,
): KubernetesObject {
  const filled = applyDefaults(object, schema) as KubernetesObject;
  return filled === object ? object : codec.arrange(filled);
}

function typed(message: string): (object: KubernetesObject) => KubernetesObject {
  return ({ kind, apiVersion, ...object }) => ({ kind, apiVersion, ...printed(object, message) }) as KubernetesObject;
}

/** What does not fit its type is kept as it is: it was not refused, and so must not be lost. */
function printed(object: JsonObject, message: string): JsonObject {
  try {
    return printTypedObject(object, message);
  } catch (error) {
    if (!(error instanceof TypedObjectError)) throw error;
    return sortMembers(object) as JsonObject;
  }
}
