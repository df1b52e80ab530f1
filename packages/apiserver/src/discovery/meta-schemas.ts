import type { JsonObject } from "@slipway/objects";
import type { GroupVersion } from "./discovery.ts";

const PREFIX = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/** Names below `components.schemas` of what every kind shares. */
export type MetaSchemaName =
  | "Condition"
  | "DeleteOptions"
  | "FieldsV1"
  | "ListMeta"
  | "ManagedFieldsEntry"
  | "ObjectMeta"
  | "OwnerReference"
  | "Patch"
  | "Preconditions"
  | "Status"
  | "StatusCause"
  | "StatusDetails"
  | "Time";

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

export function metaRef(name: MetaSchemaName): JsonObject {
  return schemaRef(PREFIX + name);
}

/** A reference that has a description beside it; `$ref` alone may not. */
function described(description: string, name: MetaSchemaName): JsonObject {
  return { description, allOf: [metaRef(name)] };
}

function text(description: string): JsonObject {
  return { description, type: "string" };
}

function requiredText(description: string): JsonObject {
  return { description, type: "string", default: "" };
}

function flag(description: string): JsonObject {
  return { description, type: "boolean" };
}

function integer(description: string, format: "int32" | "int64"): JsonObject {
  return { description, type: "integer", format };
}

function textMap(description: string): JsonObject {
  return { description, type: "object", additionalProperties: { type: "string", default: "" } };
}

function atomicList(description: string, items: JsonObject): JsonObject {
  return { description, type: "array", items, "x-kubernetes-list-type": "atomic" };
}

export const apiVersionProperty: JsonObject = text(
  "Group and version of this object: group/version, or version alone in the core group.",
);
export const kindProperty: JsonObject = text("Kind of this object, in CamelCase. It cannot change.");

const deleteOptions: JsonObject = {
  description: "How to delete.",
  type: "object",
  properties: {
    apiVersion: apiVersionProperty,
    dryRun: atomicList("The only value is All: everything is checked, nothing is deleted.", {
      type: "string",
      default: "",
    }),
    gracePeriodSeconds: integer("Seconds until the deletion. Not negative; zero is at once.", "int64"),
    kind: kindProperty,
    orphanDependents: flag("Deprecated: use propagationPolicy. True leaves the dependents of the object alone."),
    preconditions: described("Must hold for the deletion to happen; otherwise the answer is 409.", "Preconditions"),
    propagationPolicy: text(
      "What happens to dependents: Orphan leaves them, Background deletes them afterwards, Foreground before the object.",
    ),
  },
};

const status: JsonObject = {
  description: "Answer to a request that does not answer with an object.",
  type: "object",
  properties: {
    apiVersion: apiVersionProperty,
    code: integer("HTTP status.", "int32"),
    details: described("More about the reason. Not every reason has them.", "StatusDetails"),
    kind: kindProperty,
    message: text("What happened, for people to read."),
    metadata: { ...described("Metadata of a list.", "ListMeta"), default: {} },
    reason: text("Why, in one word for programs to read. Absent when unknown."),
    status: text("Success or Failure."),
  },
};

const shared: Readonly<Record<Exclude<MetaSchemaName, "DeleteOptions" | "Status">, JsonObject>> = {
  Condition: {
    description: "One aspect of the state of an object.",
    type: "object",
    required: ["type", "status", "lastTransitionTime", "reason", "message"],
    properties: {
      lastTransitionTime: described("When status last changed.", "Time"),
      message: requiredText("Details of the transition for people to read. May be empty."),
      observedGeneration: integer("The metadata.generation that this condition was computed from.", "int64"),
      reason: requiredText("Why the condition has its status, in CamelCase."),
      status: requiredText("True, False or Unknown."),
      type: requiredText("Name of the condition, in CamelCase."),
    },
  },
  FieldsV1: {
    description: "A set of fields as a trie: f:NAME a field, k:KEYS a list item by its keys, v:VALUE one by its value.",
    type: "object",
  },
  ListMeta: {
    description: "Metadata of a list.",
    type: "object",
    properties: {
      continue: text("Token of the next page. Absent on the last one."),
      remainingItemCount: integer(
        "How many items follow on later pages. Not known when selectors were given.",
        "int64",
      ),
      resourceVersion: text("Version at which the list was taken. Opaque; a watch from here misses nothing."),
      selfLink: text("Deprecated and not set any more."),
    },
  },
  ManagedFieldsEntry: {
    description: "The fields that one manager has set.",
    type: "object",
    properties: {
      apiVersion: text("Version that the field names are of."),
      fieldsType: text("Form of the field set. The only value is FieldsV1."),
      fieldsV1: described("The fields.", "FieldsV1"),
      manager: text("Who has set them."),
      operation: text("How: Apply or Update."),
      subresource: text("Through which subresource. Empty for the object itself."),
      time: described("When the manager last changed the set.", "Time"),
    },
  },
  ObjectMeta: {
    description: "Metadata that every object has.",
    type: "object",
    properties: {
      annotations: textMap("Any data, kept as it is and not searchable."),
      creationTimestamp: described("When the server created the object. Set by the server.", "Time"),
      deletionGracePeriodSeconds: integer(
        "Seconds between the request to delete and the deletion. Set by the server.",
        "int64",
      ),
      deletionTimestamp: described(
        "When the object is to be gone. Set by the server when it is asked to delete.",
        "Time",
      ),
      finalizers: {
        description: "Names that must all be removed before the object is deleted.",
        type: "array",
        items: { type: "string", default: "" },
        "x-kubernetes-list-type": "set",
        "x-kubernetes-patch-strategy": "merge",
      },
      generateName: text("Start of the name that the server makes up when name is empty."),
      generation: integer("Counts changes of the desired state. Set by the server.", "int64"),
      labels: textMap("Words to select objects by."),
      managedFields: atomicList("Who has set which fields. Kept by the server.", {
        default: {},
        allOf: [metaRef("ManagedFieldsEntry")],
      }),
      name: text("Unique among the objects of the kind in the namespace. It cannot change."),
      namespace: text("Within which name is unique. Empty for objects of the whole cluster. It cannot change."),
      ownerReferences: {
        description: "Objects that this one depends on. It is deleted when all of them are gone.",
        type: "array",
        items: { default: {}, allOf: [metaRef("OwnerReference")] },
        "x-kubernetes-list-map-keys": ["uid"],
        "x-kubernetes-list-type": "map",
        "x-kubernetes-patch-merge-key": "uid",
        "x-kubernetes-patch-strategy": "merge",
      },
      resourceVersion: text(
        "Changes with every change of the object. Opaque. Sent with an update, it must be the current one.",
      ),
      selfLink: text("Deprecated and not set any more."),
      uid: text("Unique over time and space. Set by the server."),
    },
  },
  OwnerReference: {
    description: "Names an object of the same namespace, or of the whole cluster.",
    type: "object",
    required: ["apiVersion", "kind", "name", "uid"],
    properties: {
      apiVersion: requiredText("Group and version of the owner."),
      blockOwnerDeletion: flag("Whether the owner, deleted in the foreground, waits for this object."),
      controller: flag("Whether the owner manages this object. At most one owner does."),
      kind: requiredText("Kind of the owner."),
      name: requiredText("Name of the owner."),
      uid: requiredText("UID of the owner."),
    },
    "x-kubernetes-map-type": "atomic",
  },
  Patch: { description: "The body of a PATCH request; the content type tells its form.", type: "object" },
  Preconditions: {
    description: "What must hold of the stored object for a request to go on.",
    type: "object",
    properties: {
      resourceVersion: text("The version that the object must have."),
      uid: text("The UID that the object must have."),
    },
  },
  StatusCause: {
    description: "One of several causes of a failure.",
    type: "object",
    properties: {
      field: text("The field at fault, as a path: items[0].name."),
      message: text("What is wrong, for people to read."),
      reason: text("What is wrong, in one word for programs to read."),
    },
  },
  StatusDetails: {
    description: "What a failure is about.",
    type: "object",
    properties: {
      causes: atomicList("All that is wrong.", { default: {}, allOf: [metaRef("StatusCause")] }),
      group: text("Group of the resource."),
      kind: text("The resource, or the kind where a body was refused."),
      name: text("Name of the object."),
      retryAfterSeconds: integer("After how many seconds to try again.", "int32"),
      uid: text("UID of the object."),
    },
  },
  Time: { description: "An RFC 3339 timestamp in UTC.", type: "string", format: "date-time" },
};

/** The schemas of `meta/v1` that documents of `groupVersion` refer to, by their full names. */
export function metaSchemas({ group, version }: GroupVersion): ReadonlyMap<string, JsonObject> {
  const core = { group: "", kind: "DeleteOptions", version: "v1" };
  const own = { group, kind: "DeleteOptions", version };
  const isCore = group === "" && version === "v1";
  const marked = {
    DeleteOptions: { ...deleteOptions, "x-kubernetes-group-version-kind": isCore ? [core] : [core, own] },
    Status: { ...status, "x-kubernetes-group-version-kind": [{ group: "", kind: "Status", version: "v1" }] },
  };
  return new Map(Object.entries({ ...shared, ...marked }).map(([name, schema]) => [PREFIX + name, schema]));
}
