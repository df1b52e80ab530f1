import type { JsonObject, KubernetesObject } from "@slipway/objects";

const size = { type: "integer", minimum: 1 };
const spec = { type: "object", required: ["size"], properties: { size, color: { type: "string", default: "blue" } } };
const status = { type: "object", properties: { phase: { type: "string" } } };

/** `widgets.example.com`, with a schema, a default and a status. */
export const widgetDefinition: KubernetesObject = definition("Widget", "widgets", "widget", "example.com", {
  schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
  subresources: { status: {} },
});

const time = { type: "string", format: "date-time" };
const text = { type: "string" };
const count = { type: "integer" };
const lease = {
  type: "object",
  properties: {
    holderIdentity: text,
    leaseDurationSeconds: count,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: count,
    strategy: text,
    preferredHolder: text,
  },
};

/** `leases.coordination.k8s.io`, as far as leader elections need them. */
export const leaseDefinition: KubernetesObject = definition("Lease", "leases", "lease", "coordination.k8s.io", {
  schema: { openAPIV3Schema: { type: "object", properties: { spec: lease } } },
});

function definition(
  kind: string,
  plural: string,
  singular: string,
  group: string,
  version: JsonObject,
): KubernetesObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes" },
    },
    spec: {
      group,
      names: { kind, plural, singular },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, ...version }],
    },
  };
}
