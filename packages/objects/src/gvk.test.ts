import { expect, test } from "vitest";
import { formatApiVersion, formatGroupKind, formatGroupResource, parseApiVersion } from "./gvk.ts";

test.for([
  { apiVersion: "v1", group: "", version: "v1" },
  { apiVersion: "apps/v1", group: "apps", version: "v1" },
  { apiVersion: "a.b.example.dev/v1beta1", group: "a.b.example.dev", version: "v1beta1" },
])("$apiVersion is group '$group', version $version, and back", ({ apiVersion, group, version }) => {
  expect(parseApiVersion(apiVersion)).toEqual({ group, version });
  expect(formatApiVersion(group, version)).toBe(apiVersion);
});

test("the core group leaves no dot", () => {
  expect(formatGroupResource({ group: "", resource: "pods" })).toBe("pods");
  expect(formatGroupResource({ group: "apps", resource: "deployments" })).toBe("deployments.apps");
  expect(formatGroupKind({ group: "", kind: "Pod" })).toBe("Pod");
  expect(formatGroupKind({ group: "apps", kind: "Deployment" })).toBe("Deployment.apps");
});
