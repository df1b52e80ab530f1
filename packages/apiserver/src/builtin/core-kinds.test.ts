import type { JsonObject } from "@slipway/objects";
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
