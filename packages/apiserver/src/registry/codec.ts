import {
  byCodeUnit,
  formatJson,
  isJsonObject,
  type KubernetesObject,
  type MutableJsonObject,
  type ObjectMeta,
  parseJson,
  sortMembers,
} from "@slipway/objects";
import { orderMetadata } from "../object-meta.ts";
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

/** @param members order of the top-level members of built-in kinds; `undefined`: all members sorted, as custom resources. */
export function objectCodec(members: readonly string[] | undefined): ObjectCodec {
  const arrange = members === undefined ? sorted : typed(members);
  return {
    arrange,
    encode(object) {
      const unversioned = { ...object, metadata: { ...object.metadata, resourceVersion: "" } };
      return new TextEncoder().encode(formatJson(arrange(unversioned)));
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

function typed(members: readonly string[]): (object: KubernetesObject) => KubernetesObject {
  return (object) => {
    const arranged: MutableJsonObject = {
      kind: object.kind,
      apiVersion: object.apiVersion,
      metadata: orderMetadata(sortMaps(object.metadata)),
    };
    const rest = Object.keys(object).filter((name) => !members.includes(name) && !Object.hasOwn(arranged, name));
    for (const name of [...members, ...rest.sort(byCodeUnit)]) {
      const value = object[name];
      if (value !== undefined) arranged[name] = isJsonObject(value) ? sortMembers(value) : value;
    }
    return arranged as KubernetesObject;
  };
}

function sortMaps(metadata: ObjectMeta): ObjectMeta {
  const sorted: MutableJsonObject = { ...metadata };
  for (const name of ["labels", "annotations"]) {
    const value = metadata[name];
    if (value !== undefined) sorted[name] = sortMembers(value);
  }
  return sorted;
}
