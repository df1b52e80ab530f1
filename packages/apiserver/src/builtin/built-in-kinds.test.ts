import type { JsonObject, KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster } from "../testing.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, whatever they are
type Body = any;

describe("finalize of a namespace", () => {
  const address = "/api/v1/namespaces/shop/finalize";

  test("is a PUT of the namespace, and nothing else", async () => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
      const headers = { "content-type": "application/merge-patch+json" };
      expect((await cluster.request(method, address, { body: {}, headers })).status).toBe(405);
    }
    const { resources } = (await cluster.request("GET", "/api/v1")).json() as Body;
    expect(resources).toContainEqual({
      name: "namespaces/finalize",
      singularName: "",
      namespaced: false,
      kind: "Namespace",
      verbs: ["update"],
    });
  });

  test("takes the finalizers, and keeps the status and the name label", async () => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    const body = {
      metadata: { name: "shop" },
      spec: { finalizers: ["kubernetes", "shop.example/hold"] },
      status: { phase: "Terminating" },
    };
    expect((await cluster.request("PUT", address, { body })).json()).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "shop" } },
      spec: body.spec,
      status: { phase: "Active" },
    });
  });

  test("ends a namespace that is going away when none is left", async () => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    const hold = { metadata: { name: "shop" }, spec: { finalizers: ["shop.example/hold"] } };
    await cluster.request("PUT", address, { body: hold });
    const marked = (await cluster.request("DELETE", "/api/v1/namespaces/shop")).json() as Body;
    expect(marked.status).toEqual({ phase: "Terminating" });
    expect(marked.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    // The controller takes its own hold off, never that of others.
    const body = { metadata: { name: "shop" }, spec: {} };
    expect((await cluster.request("PUT", address, { body })).status).toBe(200);
    expect((await cluster.request("GET", "/api/v1/namespaces/shop")).status).toBe(404);
  });
});

/** Cells as kube-apiserver's printers have them, wide ones included. */
describe("an event as a table", () => {
  const now = new Date("2026-01-02T03:04:05Z");
  const involvedObject = { kind: "Widget", name: "a", namespace: "default", fieldPath: "spec.size" };

  test.for<{ rule: string; event: JsonObject; cells: JsonObject[string][] }>([
    {
      rule: "of the older form",
      event: {
        involvedObject,
        reason: "Made",
        message: " made it \n",
        type: "Normal",
        source: { component: "maker", host: "node" },
        firstTimestamp: "2026-01-02T03:03:05Z",
        lastTimestamp: "2026-01-02T03:03:35Z",
        count: 3,
      },
      cells: ["30s", "Normal", "Made", "widget/a", "spec.size", "maker, node", "made it", "60s", 3, "e"],
    },
    {
      rule: "of the newer form, which happened once",
      event: {
        involvedObject: { kind: "Widget", namespace: "default" },
        reason: "Made",
        type: "Normal",
        reportingComponent: "maker",
        eventTime: "2026-01-02T03:04:00.000000Z",
      },
      cells: ["5s", "Normal", "Made", "widget", "", "maker", "", "5s", 1, "e"],
    },
    {
      rule: "of a series",
      event: {
        involvedObject,
        type: "Warning",
        eventTime: "2026-01-02T03:03:05.000000Z",
        series: { count: 7, lastObservedTime: "2026-01-02T03:04:03.000000Z" },
      },
      cells: ["2s", "Warning", "", "widget/a", "spec.size", "", "", "60s", 7, "e"],
    },
  ])("$rule", async ({ event, cells }) => {
    await using cluster = await startTestCluster({ startTime: now });
    const path = "/api/v1/namespaces/default/events";
    const created = await cluster.request("POST", path, { body: { metadata: { name: "e" }, ...event } });
    expect(created.status).toBe(201);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = (await cluster.request("GET", path, { headers: { accept } })).json() as Body;
    expect(table.rows[0].cells).toEqual(cells);
    expect(
      table.columnDefinitions.filter(({ priority }: Body) => priority === 0).map(({ name }: Body) => name),
    ).toEqual(["Last Seen", "Type", "Reason", "Object", "Message"]);
  });
});

describe("a lease", () => {
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2026-01-02T03:04:05.000001Z" };
  const messageOf = (answer: { json(): unknown }): string => (answer.json() as Body).message;

  test("keeps what its holder writes, and times to the microsecond", async () => {
    await using cluster = await startTestCluster();
    const created = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    expect(created.status).toBe(201);
    expect(created.json()).toMatchObject({ kind: "Lease", apiVersion: "coordination.k8s.io/v1", spec });
    expect(created.json()).not.toHaveProperty("metadata.generation");
  });

  test.for([
    { field: "leaseDurationSeconds", value: 0, text: "Invalid value: 0: must be greater than 0" },
    { field: "leaseTransitions", value: -1, text: "Invalid value: -1: must be greater than or equal to 0" },
  ])("with $field $value is refused, on create and on update", async ({ field, value, text }) => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "l" }, spec: { ...spec, [field]: value } };
    const whole = `Lease.coordination.k8s.io "l" is invalid: spec.${field}: ${text}`;
    const refused = await cluster.request("POST", path, { body });
    expect([refused.status, messageOf(refused)]).toEqual([422, whole]);
    await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    const update = await cluster.request("PATCH", `${path}/l`, { body: { spec: { [field]: value } }, headers });
    expect([update.status, messageOf(update)]).toEqual([422, whole]);
  });

  test.for([
    { renewTime: "2026-01-02T03:04:05Z", why: 'cannot parse "2026-01-02T03:04:05Z"' },
    { renewTime: "now", why: 'cannot parse "now" as "2006"' },
  ])("renewed at $renewTime is not read", async ({ renewTime, why }) => {
    await using cluster = await startTestCluster();
    const refused = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec: { renewTime } } });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toContain(`as "2006-01-02T15:04:05.000000Z07:00": ${why}`);
  });

  test("is made by a PUT, and replaced by one with its version alone", async () => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "l" }, spec };
    const created = await cluster.request("PUT", `${path}/l`, { body });
    expect(created.status).toBe(201);
    expect((await cluster.request("PUT", `${path}/l`, { body })).status).toBe(422);
    const taken = { ...(created.json() as Body), spec: { ...spec, holderIdentity: "b" } };
    expect((await cluster.request("PUT", `${path}/l`, { body: taken })).status).toBe(200);
    expect((await cluster.request("PUT", `${path}/l`, { body: taken })).status).toBe(409);
  });

  test("keeps nothing of coordinated elections: there is nobody to choose", async () => {
    await using cluster = await startTestCluster();
    const coordinated = { ...spec, strategy: "OldestEmulationVersion", preferredHolder: "b" };
    const created = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec: coordinated } });
    expect((created.json() as Body).spec).toEqual(spec);
    const replaced = { ...(created.json() as Body), spec: coordinated };
    expect(((await cluster.request("PUT", `${path}/l`, { body: replaced })).json() as Body).spec).toEqual(spec);
  });

  test("as a table shows who holds it", async () => {
    await using cluster = await startTestCluster({ startTime: new Date("2026-01-02T03:04:05Z") });
    await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    await cluster.request("POST", path, { body: { metadata: { name: "m" } } });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = (await cluster.request("GET", path, { headers: { accept } })).json() as Body;
    expect(table.columnDefinitions.map(({ name }: Body) => name)).toEqual(["Name", "Holder", "Age"]);
    expect(table.rows.map(({ cells }: Body) => cells.slice(0, 2))).toEqual([
      ["l", "a"],
      ["m", ""],
    ]);
  });

  test("goes with its namespace", { timeout: 20_000 }, async () => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    const inShop = path.replace("default", "shop");
    await cluster.request("POST", inShop, { body: { metadata: { name: "l" }, spec } });
    await cluster.request("DELETE", "/api/v1/namespaces/shop");
    await expect
      .poll(async () => (await cluster.request("GET", "/api/v1/namespaces/shop")).status, { timeout: 15_000 })
      .toBe(404);
    expect(((await cluster.request("GET", "/apis/coordination.k8s.io/v1/leases")).json() as Body).items).toEqual([]);
  });

  test("is served beside what definitions add to its group, and not replaced by them", async () => {
    const definition = (kind: string, plural: string): KubernetesObject => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: `${plural}.coordination.k8s.io`,
        annotations: { "api-approved.kubernetes.io": "https://example.org" },
      },
      spec: {
        group: "coordination.k8s.io",
        scope: "Namespaced",
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    const definitions = [definition("Lease", "leases"), definition("Turn", "turns")];
    await using cluster = await startTestCluster({ definitions });
    const { resources } = (await cluster.request("GET", "/apis/coordination.k8s.io/v1")).json() as Body;
    expect(resources.map(({ name }: Body) => name).sort()).toEqual(["leases", "turns"]);
    const created = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    expect(created.json()).toMatchObject({ spec });
  });
});
