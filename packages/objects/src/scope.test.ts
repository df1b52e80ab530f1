import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { builtInScope, createScopes, definedScopes } from "./scope.ts";

interface ApiResource {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** What kube-apiserver 1.36.3 listed, with all alpha and beta features and versions on. */
const resources = readFileSync(resolve(import.meta.dirname, "../recordings/api-resources.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line): ApiResource => JSON.parse(line));

test("every kind that kube-apiserver serves has its scope", () => {
  expect(resources.length).toBeGreaterThan(70);
  for (const { group, kind, namespaced } of resources) {
    expect(builtInScope({ group, kind }), `${group}/${kind}`).toBe(namespaced ? "Namespaced" : "Cluster");
  }
});

test.for([
  { group: "", kind: "Namespace", scope: "Cluster" },
  { group: "", kind: "Pod", scope: "Namespaced" },
  { group: "rbac.authorization.k8s.io", kind: "ClusterRole", scope: "Cluster" },
  { group: "example.com", kind: "Pod", scope: undefined },
  { group: "apps", kind: "", scope: undefined },
  { group: "", kind: "constructor", scope: undefined },
])("$kind of $group is $scope", ({ scope, ...kind }) => {
  expect(builtInScope(kind)).toBe(scope);
});

describe("definitions in the set", () => {
  const definition = (kind: string, scope: string, apiVersion = "apiextensions.k8s.io/v1"): JsonObject => ({
    apiVersion,
    kind: "CustomResourceDefinition",
    spec: { group: "example.com", names: { kind }, scope },
  });

  test("tell the scopes of their kinds", () => {
    const odd = [
      {},
      { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      definition("X", "Else"),
    ];
    const objects = [
      definition("Widget", "Namespaced"),
      definition("Fleet", "Cluster"),
      definition("Y", "Cluster", "v1"),
      ...odd,
    ];
    expect(definedScopes(objects)).toEqual([
      { group: "example.com", kind: "Widget", scope: "Namespaced" },
      { group: "example.com", kind: "Fleet", scope: "Cluster" },
    ]);
  });

  test("come after what is built in, and before what the cluster says", () => {
    const scopeOf = createScopes([
      { group: "", kind: "Pod", scope: "Cluster" },
      ...definedScopes([definition("Widget", "Namespaced")]),
      { group: "example.com", kind: "Widget", scope: "Cluster" },
      { group: "example.com", kind: "Fleet", scope: "Cluster" },
    ]);
    expect(["Widget", "Fleet", "Other"].map((kind) => scopeOf({ group: "example.com", kind }))).toEqual([
      "Namespaced",
      "Cluster",
      undefined,
    ]);
    expect(scopeOf({ group: "", kind: "Pod" })).toBe("Namespaced");
  });
});
