import type { KubernetesObject } from "@slipway/objects";
import { expect, test } from "vitest";
import type { Definition } from "./definition.ts";
import { MonitorBook } from "./surroundings.ts";

const redis = { kind: "Redis", release: { prefix: "redis-" } } as Definition;

function monitor(name: string, application: string | undefined, operational?: boolean): KubernetesObject {
  return {
    apiVersion: "cozystack.io/v1alpha1",
    kind: "WorkloadMonitor",
    metadata: {
      name,
      namespace: "a",
      creationTimestamp: "t",
      labels: application === undefined ? {} : { "apps.cozystack.io/application.name": application },
    },
    status: operational === undefined ? {} : { operational },
  };
}

const release = (name: string, namespace = "a"): KubernetesObject => ({
  apiVersion: "helm.toolkit.fluxcd.io/v2",
  kind: "HelmRelease",
  metadata: { name, namespace },
});

test("a book knows the monitors of each application", () => {
  const book = new MonitorBook();
  book.set(monitor("m1", "db", true));
  book.set(monitor("m2", "db"));
  book.set(monitor("m3", "other", false));
  book.set(monitor("m4", undefined));
  expect(book.of(redis, release("redis-db"))).toEqual({
    read: true,
    monitors: [{ operational: true, since: "t" }, { since: "t" }],
  });
  expect(book.of(redis, release("redis-none"))).toEqual({ read: true, monitors: [] });
  expect(book.of(redis, release("redis-db", "b"))).toEqual({ read: true, monitors: [] });
});

test("it tells which applications see a difference", () => {
  const book = new MonitorBook();
  const db = { namespace: "a", name: "db" };
  const other = { namespace: "a", name: "other" };
  expect(book.set(monitor("m", "db"))).toEqual([db]);
  expect(book.set(monitor("m", "db"))).toEqual([]);
  expect(book.set(monitor("m", "db", false))).toEqual([db]);
  expect(book.set(monitor("m", "other", false))).toEqual([db, other]);
  expect(book.of(redis, release("redis-db"))).toEqual({ read: true, monitors: [] });
  expect(book.set(monitor("m", undefined))).toEqual([other]);
  expect(book.delete(monitor("m", "other"))).toEqual([]);
  expect(book.set(monitor("n", undefined))).toEqual([]);
});

test("a deleted monitor does not count any more", () => {
  const book = new MonitorBook();
  book.set(monitor("m", "db", false));
  expect(book.delete(monitor("m", "db", false))).toEqual([{ namespace: "a", name: "db" }]);
  expect(book.of(redis, release("redis-db"))).toEqual({ read: true, monitors: [] });
});

test("a tenant's monitors are in the namespace it opens", () => {
  const tenant = { kind: "Tenant", release: { prefix: "tenant-" } } as Definition;
  const book = new MonitorBook();
  const there = monitor("m", "sub", true);
  book.set({ ...there, metadata: { ...there.metadata, namespace: "a-sub" } });
  expect(book.of(tenant, release("tenant-sub"))).toMatchObject({ monitors: [{ operational: true }] });
});

test("a book that could not be read says so for everyone", () => {
  const book = new MonitorBook();
  book.fail("boom");
  expect(book.of(redis, release("redis-db"))).toEqual({ read: false, why: "boom" });
});
