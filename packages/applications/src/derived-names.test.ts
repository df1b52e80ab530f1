import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applicationName,
  foreignKeys,
  fromStoredKeys,
  maxNameLength,
  releaseName,
  tenantNamespace,
  tenantParents,
  toStoredKeys,
} from "./derived-names.ts";

test.for([
  ["redis-", "redis-db", "db"],
  ["redis-", "redis-redis-db", "redis-db"],
  ["redis-", "odd", "odd"],
  ["", "etcd", "etcd"],
] as const)("with prefix %j the release %s is the application %s", ([prefix, release, name]) => {
  expect(applicationName(prefix, release)).toBe(name);
});

test.for([
  { rule: "the root tenant is its own namespace", parent: "tenant-root", name: "root", namespace: "tenant-root" },
  { rule: "children of the root drop its name", parent: "tenant-root", name: "foo", namespace: "tenant-foo" },
  { rule: "others append", parent: "tenant-foo", name: "bar", namespace: "tenant-foo-bar" },
  { rule: "a parent that is no tenant is not refused", parent: "default", name: "bar", namespace: "default-bar" },
])("$rule", ({ parent, name, namespace }) => {
  expect(tenantNamespace(parent, "tenant-", name)).toBe(namespace);
  expect(tenantParents(namespace, "tenant-", name)).toContain(parent);
});

test("two parents may open the same namespace, and both are found", () => {
  expect(tenantParents("tenant-foo", "tenant-", "foo")).toEqual(["tenant-root", "tenant"]);
  expect(tenantParents("tenant-foo", "tenant-", "bar")).toEqual([]);
});

test("a prefix leaves the rest of 53 characters", () => {
  expect(maxNameLength("mysql-")).toBe(47);
  expect(maxNameLength("tenant-")).toBe(46);
  expect(maxNameLength("x".repeat(53))).toBe(0);
});

test("stored keys come back, sorted, and never mix with foreign ones", () => {
  const anyMap = fc.dictionary(fc.string(), fc.string());
  fc.assert(
    fc.property(anyMap, anyMap, (own, others) => {
      const foreign = foreignKeys(others);
      const stored = { ...foreign, ...toStoredKeys(own) };
      expect(fromStoredKeys(stored)).toEqual(own);
      expect(Object.keys(fromStoredKeys(stored)).length).toBe(Object.keys(own).length);
      expect(foreignKeys(stored)).toEqual(foreign);
    }),
  );
  expect(Object.keys(fromStoredKeys(toStoredKeys({ team: "b", "example.com/tier": "db" })))).toEqual([
    "example.com/tier",
    "team",
  ]);
});

test("a release name takes exactly the prefix", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (prefix, name) => {
      expect(applicationName(prefix, releaseName(prefix, name))).toBe(name);
    }),
  );
});
