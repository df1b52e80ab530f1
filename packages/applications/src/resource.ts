import { parseStructuralSchema, type Resource, type RestStorage, type StructuralSchema } from "@slipway/apiserver";
import {
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KubeClient,
  type MutableJsonObject,
  setMember,
} from "@slipway/objects";
import type { Definition } from "./definition.ts";
import type { DefinitionSet } from "./definition-set.ts";
import { applicationGroup, applicationVersion } from "./derived-names.ts";
import { type ApplicationOptions, createApplicationStorage } from "./storage.ts";
import { applicationColumns } from "./table.ts";

/** Every kind of a set, ready to be served. */
export function applicationResources(set: DefinitionSet, client: KubeClient, options: ApplicationOptions): Resource[] {
  return set.kinds.map((definition) =>
    applicationResource(definition, createApplicationStorage(definition, client, options)),
  );
}

/** A definition as a kind that the API server serves. */
export function applicationResource(definition: Definition, storage: RestStorage): Resource {
  const { kind, plural, singular } = definition;
  const schemaName = `com.github.cozystack.cozystack.pkg.apis.apps.v1alpha1.${kind}`;
  return {
    group: applicationGroup,
    version: applicationVersion,
    names: { kind, plural, singular },
    namespaced: true,
    storage,
    schema: envelopeSchema(),
    missingKind: "fill",
    order: "typed",
    explicitGroupVersion: true,
    table: applicationColumns,
    openApi: {
      schemaName,
      schema: {
        description: `${kind} is an application: its spec becomes the values of a Helm release.`,
        type: "object",
        properties: {
          appVersion: { description: "Accepted and ignored.", type: "string" },
          spec: publishedSpec(definition.rawSchema),
          status: reference(`${schemaName}Status`),
        },
      },
      definitions: { [`${schemaName}Status`]: publishedStatus, [conditionName]: publishedCondition },
    },
  };
}

/** What a body may hold beside apiVersion, kind and metadata. The spec is a matter of the storage. */
function envelopeSchema(): StructuralSchema {
  const { schema, problems } = parseStructuralSchema(
    {
      type: "object",
      properties: {
        appVersion: { type: "string" },
        spec: { "x-kubernetes-preserve-unknown-fields": true },
        status: {
          ...publishedStatus,
          properties: { ...statusProperties, conditions: { type: "array", items: publishedCondition } },
        },
      },
    },
    { rules: "lenient" },
  );
  if (schema === undefined) throw new TypeError(`the schema of the envelope: ${problems.join("; ")}`);
  return schema;
}

const conditionName = "io.k8s.apimachinery.pkg.apis.meta.v1.Condition";

/** OpenAPI 3.0 ignores what stands beside a `$ref`, hence the list of one. */
function reference(name: string): JsonObject {
  return { default: {}, allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

const publishedCondition: JsonObject = {
  description: "Condition contains details for one aspect of the current state of this API Resource.",
  type: "object",
  required: ["type", "status", "lastTransitionTime", "reason", "message"],
  properties: {
    type: { description: "Type of the condition in CamelCase.", type: "string", default: "" },
    status: { description: "One of True, False, Unknown.", type: "string", default: "" },
    observedGeneration: { type: "integer", format: "int64" },
    lastTransitionTime: { description: "When the status last changed.", type: "string", format: "date-time" },
    reason: { description: "Why, for programs, in CamelCase.", type: "string", default: "" },
    message: { description: "Why, for people.", type: "string", default: "" },
  },
};

const statusProperties: JsonObject = {
  version: { description: "Version of the chart that was last tried.", type: "string" },
  conditions: {
    description: "Ready and Released as the release has them, and WorkloadsReady of its workloads.",
    type: "array",
    items: reference(conditionName),
  },
  namespace: { description: "Of a Tenant: the namespace it opens.", type: "string" },
  externalIPsCount: {
    description: "Of a Tenant: how many of its services have an external address.",
    type: "integer",
    format: "int32",
  },
};

const publishedStatus: JsonObject = {
  description: "What became of the application.",
  type: "object",
  properties: statusProperties,
};

/**
 * The schema of a spec as clients see it. A spec may hold more than its schema names, which is said unless the schema
 * itself says something about further members. Vendor keywords stay.
 */
export function publishedSpec(rawSchema: JsonObject | undefined): JsonObject {
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  if (rawSchema === undefined) return { type: "object", ...open };
  const schema = sanitize(rawSchema);
  return getMember(rawSchema, "additionalProperties") === undefined ? { ...schema, ...open } : schema;
}

const schemaKeywords = new Set(["additionalProperties", "items", "not"]);
const listKeywords = new Set(["allOf", "anyOf", "oneOf"]);

/**
 * A schema without boolean `additionalProperties` at any depth: one of them crashes the type checker of
 * kube-controller-manager, and with it the cluster's control plane. `true` becomes
 * `x-kubernetes-preserve-unknown-fields`, `false` goes.
 */
function sanitize(schema: JsonObject): JsonObject {
  const result: MutableJsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (keyword === "additionalProperties" && typeof value === "boolean") continue;
    if (keyword === "properties" && isJsonObject(value) && Object.keys(value).length === 0) continue;
    setMember(result, keyword, sanitizeKeyword(keyword, value));
  }
  if (getMember(schema, "additionalProperties") === true) {
    result["x-kubernetes-preserve-unknown-fields"] = true;
    if (getMember(schema, "type") === undefined) result.type = "object";
  }
  return result;
}

function sanitizeKeyword(keyword: string, value: JsonValue): JsonValue {
  const each = (item: JsonValue): JsonValue => (isJsonObject(item) ? sanitize(item) : item);
  if (keyword === "properties" && isJsonObject(value)) {
    const properties: MutableJsonObject = {};
    for (const [name, property] of Object.entries(value)) {
      if (property !== undefined) setMember(properties, name, each(property));
    }
    return properties;
  }
  if (schemaKeywords.has(keyword)) return each(value);
  if (listKeywords.has(keyword) && isJsonArray(value)) return value.map(each);
  return value;
}
