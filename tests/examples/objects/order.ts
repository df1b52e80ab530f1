import { createValue, explainStages, findUses, formatReference, Resource, stages } from "@slipway/objects";

const objects = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: { template: { spec: { serviceAccountName: "web" } } },
  },
  { apiVersion: "example.com/v1", kind: "Database", metadata: { name: "orders", namespace: "shop" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web", namespace: "shop" } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
];
const rendered = { instance: "shop", component: "", transformer: "" };
const resourceOf = (object: (typeof objects)[number]): Resource =>
  new Resource({ ...rendered, value: createValue(object) });

const options = {
  weights: [{ group: "example.com", kind: "Database", weight: 90 }],
  edges: findUses(objects),
};
const gvkOf = (object: (typeof objects)[number]) => resourceOf(object).gvk;
const nameOf = (object: (typeof objects)[number]) => formatReference(resourceOf(object));
console.log(explainStages(stages(objects, gvkOf, options), gvkOf, nameOf, options));
