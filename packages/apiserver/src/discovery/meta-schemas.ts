import type { JsonObject } from "@slipway/objects";
import type { GroupVersion } from "./discovery.ts";
import { kubernetesSchemas } from "./kubernetes-schemas.ts";

const PREFIX = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/** The schemas of `meta/v1` that operations and kinds refer to. */
export type MetaSchemaName = "DeleteOptions" | "ListMeta" | "ObjectMeta" | "Patch" | "Status";

export const scaleSchemaName = "io.k8s.api.autoscaling.v1.Scale";

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

export function metaRef(name: MetaSchemaName): JsonObject {
  return schemaRef(PREFIX + name);
}

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

export const apiVersionProperty: JsonObject = {
  description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  type: "string",
};
export const kindProperty: JsonObject = {
  description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
  type: "string",
};
export const metadataProperty: JsonObject = {
  description: `Standard object's metadata. More info: ${conventions}#metadata`,
  allOf: [metaRef("ObjectMeta")],
};
export const listMetadataProperty: JsonObject = {
  description: `Standard list metadata. More info: ${conventions}#types-kinds`,
  allOf: [metaRef("ListMeta")],
};

/** What an embedded resource has beside its schema. */
export const embeddedProperties: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: "string",
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: "string",
  },
  metadata: metadataProperty,
};

export function itemsDescription(plural: string): string {
  return `List of ${plural}. More info: ${conventions}`;
}

/** What documents of `groupVersion` share, by full names; with `scale` also autoscaling/v1 Scale. */
export function metaSchemas(
  { group, version }: GroupVersion,
  { scale }: { readonly scale: boolean },
): ReadonlyMap<string, JsonObject> {
  const core = { group: "", kind: "DeleteOptions", version: "v1" };
  const own = { group, kind: "DeleteOptions", version };
  const isCore = group === "" && version === "v1";
  const marks: Readonly<Record<string, readonly JsonObject[]>> = {
    [`${PREFIX}DeleteOptions`]: isCore ? [core] : [core, own],
    [`${PREFIX}Status`]: [{ group: "", kind: "Status", version: "v1" }],
    [scaleSchemaName]: [{ group: "autoscaling", kind: "Scale", version: "v1" }],
  };
  const schemas = new Map<string, JsonObject>();
  for (const [name, schema] of Object.entries(kubernetesSchemas)) {
    if (name.startsWith(scaleSchemaName) && !scale) continue;
    const mark = marks[name];
    schemas.set(name, mark === undefined ? schema : { ...schema, "x-kubernetes-group-version-kind": mark });
  }
  return schemas;
}
