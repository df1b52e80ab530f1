import { expect, test } from "vitest";
import { type ApiResource, collectionPath, creationPath, objectPath } from "./paths.ts";

const pods: ApiResource = { group: "", version: "v1", kind: "Pod", resource: "pods", namespaced: true };
const nodes: ApiResource = { group: "", version: "v1", kind: "Node", resource: "nodes", namespaced: false };
const releases: ApiResource = {
  group: "helm.toolkit.fluxcd.io",
  version: "v2",
  kind: "HelmRelease",
  resource: "helmreleases",
  namespaced: true,
};

test.for([
  ["all namespaces", collectionPath(pods, ""), "/api/v1/pods"],
  ["one namespace", collectionPath(pods, "a"), "/api/v1/namespaces/a/pods"],
  ["a group", collectionPath(releases, "a"), "/apis/helm.toolkit.fluxcd.io/v2/namespaces/a/helmreleases"],
  ["a kind without namespaces", collectionPath(nodes, ""), "/api/v1/nodes"],
  ["a namespace that does not count", collectionPath(nodes, "a"), "/api/v1/nodes"],
  ["a creation", creationPath(pods, "a"), "/api/v1/namespaces/a/pods"],
  ["an object", objectPath(pods, "a", "b"), "/api/v1/namespaces/a/pods/b"],
  ["an object without namespace", objectPath(nodes, "", "b"), "/api/v1/nodes/b"],
  ["names are encoded", objectPath(nodes, "", "a b?c#d&é"), "/api/v1/nodes/a%20b%3Fc%23d%26%C3%A9"],
  ["a colon stays", objectPath(nodes, "", "system:node"), "/api/v1/nodes/system:node"],
] as const)("%s", ([, path, expected]) => {
  expect(path).toBe(expected);
});

test.for([
  ["no name", () => objectPath(pods, "a", "")],
  ["a dot", () => objectPath(pods, "a", ".")],
  ["two dots", () => objectPath(pods, "a", "..")],
  ["a slash", () => objectPath(pods, "a", "b/c")],
  ["a percent sign", () => objectPath(pods, "a", "b%2fc")],
  ["a namespace of dots", () => collectionPath(pods, "..")],
  ["a namespace with a slash", () => objectPath(pods, "a/pods/b", "c")],
  ["an object of no namespace", () => objectPath(pods, "", "b")],
  ["a creation in no namespace", () => creationPath(pods, "")],
] as const)("%s is refused", ([, make]) => {
  expect(make).toThrow(expect.objectContaining({ code: "INVALID_OBJECT" }));
});
