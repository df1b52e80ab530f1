import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createValue } from "./compiled.ts";
import {
  formatIdentity,
  formatObjectKey,
  groupOf,
  identityOf,
  identityOfCompiled,
  objectKey,
  parseObjectKey,
} from "./identity.ts";
import type { JsonObject } from "./json.ts";

test.for([
  { identity: ["apps/v1", "Deployment", "web-system", "web"], text: "apps/v1 Deployment web-system/web" },
  { identity: ["apps/v1", "Deployment", "", "web"], text: "apps/v1 Deployment web" },
  { identity: ["", "Deployment", "n", "web"], text: "Deployment n/web" },
] as const)("$text", ({ identity: [apiVersion, kind, namespace, name], text }) => {
  expect(formatIdentity({ apiVersion, kind, namespace, name })).toBe(text);
});

test.for([
  { apiVersion: "v1", group: "" },
  { apiVersion: "", group: "" },
  { apiVersion: "apps/v1", group: "apps" },
  { apiVersion: "a/b/v1", group: "a" },
])("the group of $apiVersion ends at its first slash", ({ apiVersion, group }) => {
  expect(groupOf(apiVersion)).toBe(group);
});

describe("of an object", () => {
  const read = (object: JsonObject) => [
    identityOf(object),
    identityOfCompiled({ value: createValue(object), instance: "", component: "", transformer: "" }),
  ];

  test("is what it says", () => {
    const identity = { apiVersion: "v1", kind: "Pod", namespace: "n", name: "p" };
    expect(read({ apiVersion: "v1", kind: "Pod", metadata: { namespace: "n", name: "p" } })).toEqual([
      identity,
      identity,
    ]);
  });

  test.for<{ rule: string; object: JsonObject }>([
    { rule: "no kind", object: { apiVersion: "v1", metadata: { name: "p" } } },
    { rule: "no name", object: { apiVersion: "v1", kind: "Pod", metadata: { generateName: "p" } } },
    { rule: "no metadata", object: { apiVersion: "v1", kind: "Pod" } },
    { rule: "a name that is no text", object: { apiVersion: "v1", kind: "Pod", metadata: { name: 1 } } },
  ])("with $rule there is none", ({ object }) => {
    expect(read(object)).toEqual([undefined, undefined]);
  });
});

describe("a key", () => {
  test("A-25 is the same under every version of a group", () => {
    const hpa = { kind: "HorizontalPodAutoscaler", namespace: "n", name: "h" };
    const key = objectKey({ apiVersion: "autoscaling/v1", ...hpa });
    expect(key).toBe("autoscaling/HorizontalPodAutoscaler/n/h");
    expect(objectKey({ apiVersion: "autoscaling/v2", ...hpa })).toBe(key);
    expect(objectKey({ apiVersion: "example.com/v2", ...hpa })).not.toBe(key);
  });

  test.for([
    { group: "rbac.authorization.k8s.io", kind: "ClusterRole", namespace: "", name: "system:node_ops:a__b" },
    { group: "rbac.authorization.k8s.io", kind: "Role", namespace: "n", name: "x_y" },
    { group: "", kind: "ConfigMap", namespace: "n", name: "a.b.c" },
    { group: "", kind: "ConfigMap", namespace: "n/m", name: "%2F%" },
  ])("B-13 $name is read back", (parts) => {
    expect(parseObjectKey(formatObjectKey(parts))).toEqual(parts);
  });

  test("is read back whatever the parts are, and nothing else is read", () => {
    const part = fc.oneof(fc.string(), fc.stringMatching(/^[/%2F5]*$/));
    fc.assert(
      fc.property(part, part, part, part, (group, kind, namespace, name) => {
        const parts = { group, kind, namespace, name };
        expect(parseObjectKey(formatObjectKey(parts))).toEqual(parts);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a/%25F]*$/), (text) => {
        const parts = parseObjectKey(text);
        expect(parts === undefined || formatObjectKey(parts) === text).toBe(true);
      }),
    );
  });
});
