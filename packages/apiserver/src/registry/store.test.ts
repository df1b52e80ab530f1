import type { KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { createMemoryStorage } from "../storage/memory-storage.ts";
import { startTestCluster } from "../testing.ts";
import { Store } from "./store.ts";
import { customResourceStrategy } from "./strategy.ts";

const context = {
  user: { name: "admin", groups: [] },
  signal: new AbortController().signal,
  warn: (text: string): never => {
    throw new Error(`unexpected warning: ${text}`);
  },
};
const write = { dryRun: false, fieldManager: "test" };

/** A store whose generated names end in `suffixes`, one after the other. */
function storeWith(suffixes: readonly string[]): { readonly store: Store; readonly used: () => number } {
  let used = 0;
  const store = new Store({
    storage: createMemoryStorage(),
    host: {
      now: () => new Date("2026-01-02T03:04:05Z"),
      uuid: () => crypto.randomUUID(),
      random: () => 0,
      nameSuffix: () => suffixes[used++] ?? "spare",
      logError: () => {},
    },
    group: "test.example",
    version: "v1",
    kind: "Widget",
    resource: "widgets",
    namespaced: true,
    strategy: customResourceStrategy({ statusSubresource: false }),
    garbageCollection: false,
  });
  return { store, used: () => used };
}

function widget(metadata: KubernetesObject["metadata"]): KubernetesObject {
  return { apiVersion: "test.example/v1", kind: "Widget", metadata: { namespace: "default", ...metadata } };
}

describe("generateName", () => {
  test("tries eight names", async () => {
    const { store, used } = storeWith([..."aaaaaaa"].map((letter) => letter.repeat(5)).concat("bbbbb"));
    await store.create(context, widget({ name: "run-aaaaa" }), write);
    const created = await store.create(context, widget({ generateName: "run-" }), write);
    expect([created.metadata.name, used()]).toEqual(["run-bbbbb", 8]);
  });

  test("gives up after the eighth and tells the client to come back", async () => {
    const { store, used } = storeWith("aaaaaaaaaa".split("").map((letter) => letter.repeat(5)));
    await store.create(context, widget({ name: "run-aaaaa" }), write);
    await expect(store.create(context, widget({ generateName: "run-" }), write)).rejects.toMatchObject({
      status: {
        code: 409,
        reason: "AlreadyExists",
        message:
          'widgets.test.example "run-aaaaa" already exists, the server was not able to generate a unique name for the object',
        details: { name: "run-aaaaa", group: "test.example", kind: "widgets", retryAfterSeconds: 1 },
      },
    });
    expect(used()).toBe(8);
  });

  test("does not try again for another mistake", async () => {
    const { store, used } = storeWith([]);
    await expect(store.create(context, widget({ generateName: "Run-" }), write)).rejects.toMatchObject({
      status: { code: 422 },
    });
    expect(used()).toBe(1);
  });

  test("keeps 58 characters of a long prefix, also in a dry run", async () => {
    const { store } = storeWith(["aaaaa", "bbbbb"]);
    const metadata = { generateName: "a".repeat(80) };
    const tried = await store.create(context, widget(metadata), { ...write, dryRun: true });
    expect(tried.metadata.name).toBe(`${"a".repeat(58)}aaaaa`);
    const created = await store.create(context, widget(metadata), write);
    expect(created.metadata.name).toBe(`${"a".repeat(58)}bbbbb`);
  });

  test("counts for nothing beside a name", async () => {
    const { store, used } = storeWith([]);
    const created = await store.create(context, widget({ name: "a", generateName: "run-" }), write);
    expect([created.metadata.name, used()]).toEqual(["a", 0]);
  });
});

describe("PUT and PATCH of what is not there", () => {
  const maps = "/api/v1/namespaces/default/configmaps/a";
  const services = "/api/v1/namespaces/default/services/a";
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } };

  test.for([
    ["PUT", "application/json"],
    ["PATCH", "application/merge-patch+json"],
  ] as const)("%s creates nothing", async ([method, type]) => {
    await using cluster = await startTestCluster();
    const answer = await cluster.request(method, maps, { body: map, headers: { "content-type": type } });
    expect(answer.json()).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
    expect((await cluster.request("GET", maps)).status).toBe(404);
  });

  test("but PUT creates an object of a kind that allows it, whatever version it names", async () => {
    await using cluster = await startTestCluster();
    const body = { ...service, metadata: { name: "a", resourceVersion: "77" } };
    const created = await cluster.request("PUT", services, { body });
    expect([created.status, created.json()]).toEqual([
      201,
      expect.objectContaining({ metadata: expect.objectContaining({ name: "a", namespace: "default" }) }),
    ]);
    expect((await cluster.request("PUT", services, { body: service })).status).toBe(200);
  });

  test("which a dry run only tries, and PATCH never does", async () => {
    await using cluster = await startTestCluster();
    expect((await cluster.request("PUT", `${services}?dryRun=All`, { body: service })).status).toBe(201);
    const headers = { "content-type": "application/merge-patch+json" };
    expect((await cluster.request("PATCH", services, { body: service, headers })).status).toBe(404);
  });

  test.for([
    [
      "another uid",
      services,
      { ...service, metadata: { name: "a", uid: "u" } },
      409,
      'Operation cannot be fulfilled on services "a": Precondition failed: UID in precondition: u, UID in object meta: ',
    ],
    [
      "another name",
      services,
      { ...service, metadata: { name: "b" } },
      400,
      "the name of the object (b) does not match the name on the URL (a)",
    ],
    [
      "a namespace that is not there",
      services.replace("default", "nowhere"),
      service,
      404,
      'namespaces "nowhere" not found',
    ],
    [
      "what is invalid",
      services.replace(/a$/, "A_"),
      { ...service, metadata: { name: "A_" } },
      422,
      /metadata.name: Invalid value/,
    ],
  ] as const)("and not %s", async ([, path, body, code, message]) => {
    await using cluster = await startTestCluster();
    const answer = (await cluster.request("PUT", path, { body })).json() as { code: number; message: string };
    expect(answer.code).toBe(code);
    expect(answer.message).toMatch(message);
  });

  test("and only for who may create", async () => {
    await using cluster = await startTestCluster({ allows: ({ verb }) => verb !== "create" });
    const answer = await cluster.request("PUT", services, { body: service });
    expect(answer.json()).toMatchObject({
      code: 403,
      message:
        'services "a" is forbidden: User "admin" cannot create resource "services" in API group "" in the namespace "default"',
    });
    expect((await cluster.request("GET", services)).status).toBe(404);
  });
});
