import { createScopes, definedScopes } from "@slipway/objects";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "tenants.example.com" },
  spec: { group: "example.com", names: { kind: "Tenant", plural: "tenants" }, scope: "Cluster" },
};
const scopeOf = createScopes(definedScopes([definition]));
console.log(scopeOf({ group: "apps", kind: "Deployment" }));
console.log(scopeOf({ group: "example.com", kind: "Tenant" }));
console.log(scopeOf({ group: "example.com", kind: "Other" }) ?? "not known");
