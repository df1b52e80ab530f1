import type { KubernetesObject } from "@slipway/objects";

const size = { type: "integer", minimum: 1 };
const spec = { type: "object", required: ["size"], properties: { size, color: { type: "string", default: "blue" } } };
const status = { type: "object", properties: { phase: { type: "string" } } };

/** `widgets.example.com`, with a schema, a default and a status. */
export const widgetDefinition: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets", singular: "widget" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
        subresources: { status: {} },
      },
    ],
  },
};
