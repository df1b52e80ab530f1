import { ApiStatusError, badRequest, type FieldError, failure, type KubernetesObject } from "@slipway/objects";
import { NestedValueError, nestedInteger, nestedText, pathSegments, withNested } from "../nested-value.ts";
import type { Getter, RestStorage, Updater } from "./rest.ts";
import { unclassified } from "./unclassified.ts";

/**
 * Where a kind keeps what autoscaling/v1 Scale shows. Paths are of plain members, with a leading dot:
 * `.spec.replicas`.
 */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Of the text of a label selector. @default the scale has no selector */
  readonly labelSelectorPath?: string | undefined;
}

/** Marks a scale whose object has no number of replicas, as kube-apiserver does: a patch must then give one. */
const unsetReplicas = -2147483648;
const maxInt32 = 2147483647;

/**
 * The `/scale` of the objects in `main`: reads them as Scale and writes the number of replicas, under all the rules
 * that `main` has for its objects.
 *
 * Rejects with `InternalError` for an object without a number of replicas, and with `BadRequest` for a patch of one that
 * sets none.
 * @see Kubernetes, apiextensions' ScaleREST
 */
export function scaleStorage(main: Getter & Updater, paths: ScalePaths): RestStorage {
  return {
    async get(context, key, request) {
      const object = await main.get(context, key, request);
      const scale = unclassifiedErrors(() => toScale(object, paths));
      if (scale.spec.replicas === unsetReplicas) {
        throw internalError(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
      }
      return printed(scale);
    },
    async update(context, key, change, request) {
      const rescale = async (current: KubernetesObject): Promise<KubernetesObject> => {
        const scale = unclassifiedErrors(() => toScale(current, paths));
        return withScale(current, await change(withoutZero(scale)), paths);
      };
      const written = await main.update(context, key, rescale, request);
      return printed(unclassifiedErrors(() => toScale(written, paths)));
    },
  };
}

interface Scale extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

/** @throws {NestedValueError} */
function toScale(object: KubernetesObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector =
    paths.labelSelectorPath === undefined ? undefined : nestedText(object, pathSegments(paths.labelSelectorPath));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: { replicas: asInt32(nestedInteger(object, pathSegments(paths.specReplicasPath)) ?? unsetReplicas) },
    status: {
      replicas: asInt32(nestedInteger(object, pathSegments(paths.statusReplicasPath)) ?? 0),
      ...(selector === undefined || selector === "" ? {} : { selector }),
    },
  };
}

/** As clients see it: no number counts as zero. */
function printed(scale: Scale): KubernetesObject {
  return scale.spec.replicas === unsetReplicas ? { ...scale, spec: {} } : withoutZero(scale);
}

/** Go leaves the zero of `spec.replicas` out. */
function withoutZero(scale: Scale): KubernetesObject {
  return scale.spec.replicas === 0 ? { ...scale, spec: {} } : scale;
}

/** The object with the replicas and the lock of the scale. Without a resourceVersion there is no lock. */
function withScale(object: KubernetesObject, scale: KubernetesObject, paths: ScalePaths): KubernetesObject {
  const replicas = nestedInteger(scale, ["spec", "replicas"]) ?? 0;
  if (replicas === unsetReplicas) {
    throw badRequest(`the spec replicas field "${paths.specReplicasPath}" cannot be empty`);
  }
  const scaled = unclassifiedErrors(() => withNested(object, pathSegments(paths.specReplicasPath), replicas));
  const { resourceVersion = "", uid = "" } = scale.metadata;
  return {
    ...scaled,
    metadata: {
      ...object.metadata,
      ...(resourceVersion === "" ? {} : { resourceVersion }),
      // A PUT that names another object is refused where the lock is checked.
      ...(uid === "" ? {} : { uid }),
    },
  } as KubernetesObject;
}

function asInt32(value: number | bigint): number {
  return Number(BigInt.asIntN(32, BigInt(value)));
}

/** What an object must have where its scale is kept, beside what its schema asks: numbers from 0 to 2147483647. */
export function scaleErrors(
  object: KubernetesObject,
  paths: ScalePaths,
  parts: readonly ("spec" | "status")[],
): FieldError[] {
  return [
    ...(parts.includes("spec") ? replicasErrors(object, paths.specReplicasPath) : []),
    ...(parts.includes("status") ? replicasErrors(object, paths.statusReplicasPath) : []),
    ...(parts.includes("status") ? selectorErrors(object, paths.labelSelectorPath) : []),
  ];
}

function replicasErrors(object: KubernetesObject, field: string): FieldError[] {
  const refused = (value: number | bigint, detail: string): FieldError[] => [
    { type: "FieldValueInvalid", field, value, detail },
  ];
  try {
    const replicas = nestedInteger(object, pathSegments(field)) ?? 0;
    if (replicas < 0) return refused(replicas, "should be a non-negative integer");
    return replicas > maxInt32 ? refused(replicas, `should be less than or equal to ${maxInt32}`) : [];
  } catch (error) {
    if (!(error instanceof NestedValueError)) throw error;
    return refused(0, error.message);
  }
}

function selectorErrors(object: KubernetesObject, field: string | undefined): FieldError[] {
  if (field === undefined) return [];
  try {
    nestedText(object, pathSegments(field));
    return [];
  } catch (error) {
    if (!(error instanceof NestedValueError)) throw error;
    return [{ type: "FieldValueInvalid", field, value: "", detail: error.message }];
  }
}

function unclassifiedErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof NestedValueError ? unclassified(error.message) : error;
  }
}

function internalError(why: string): ApiStatusError {
  return new ApiStatusError(
    failure("InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] }),
  );
}
