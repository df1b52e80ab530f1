import { createValue, DuplicateIdentitiesError, duplicates, type JsonObject } from "@slipway/objects";

const web = (apiVersion: string): JsonObject => ({
  apiVersion,
  kind: "Ingress",
  metadata: { name: "web", namespace: "shop" },
});
const compiled = ["extensions/v1beta1", "networking.k8s.io/v1", "networking.k8s.io/v1beta1"].map(
  (apiVersion, index) => ({
    value: createValue(web(apiVersion)),
    instance: "shop",
    component: `web-${index}`,
    transformer: "example.com/ingress@1.0.0",
  }),
);

const rows = duplicates(compiled);
if (rows.length > 0) console.log(new DuplicateIdentitiesError(rows).message);
