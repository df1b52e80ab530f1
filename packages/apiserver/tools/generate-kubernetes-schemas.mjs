import { readFileSync } from "node:fs";
import { join } from "node:path";

// Prints src/discovery/kubernetes-schemas.ts: `node tools/generate-kubernetes-schemas.mjs FOLDER | npx biome format
// --stdin-file-path=x.ts`, where FOLDER holds the module k8s.io/kubernetes as the Go module cache lays it out (`go mod
// download k8s.io/kubernetes@VERSION`, `go env GOMODCACHE`). Its documents name every kind that DeleteOptions are for; ours
// name those of the document, so marks are left out.

const version = "v1.36.3";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const roots = [
  "io.k8s.api.autoscaling.v1.Scale",
  ...["Condition", "DeleteOptions", "ListMeta", "ObjectMeta", "Patch", "Status"].map((name) => meta + name),
];
const files = ["api__v1_openapi.json", "apis__apps__v1_openapi.json"];

const [modules] = process.argv.slice(2);
if (modules === undefined) throw new Error("usage: node tools/generate-kubernetes-schemas.mjs FOLDER");

const known = Object.assign(
  {},
  ...files.map((file) => {
    const path = join(modules, `k8s.io/kubernetes@${version}/api/openapi-spec/v3`, file);
    return JSON.parse(readFileSync(path, "utf8")).components.schemas;
  }),
);

const schemas = {};

function add(name) {
  if (name in schemas) return;
  const { "x-kubernetes-group-version-kind": _, ...schema } = known[name];
  schemas[name] = schema;
  for (const [, reference] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) add(reference);
}

for (const root of roots) add(root);

const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
process.stdout.write(`// Written by tools/generate-kubernetes-schemas.mjs from the OpenAPI documents of Kubernetes ${version},
// Copyright The Kubernetes Authors, Apache License 2.0. Do not edit.
import type { JsonObject } from "@slipway/objects";

/** What documents of every group version share, by name below \`components.schemas\`. */
export const kubernetesSchemas: Readonly<Record<string, JsonObject>> = ${JSON.stringify(sorted)};
`);
