import { describe, expect, test } from "vitest";
import { type StorageVerb, startTestCluster, type TestCluster } from "./testing.ts";

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const used = "/api/v1/namespaces/default/configmaps";
const unused = "/apis/test.example/v1/namespaces/default/widgets";
const verbs: readonly StorageVerb[] = ["revision", "get", "list", "create", "update", "delete", "compact"];

/** A cluster whose storage answers nothing any more; ConfigMaps have been read before, widgets have not. */
async function down(how: "fails" | "stalls"): Promise<TestCluster> {
  const cluster = await startTestCluster({ definitions: [widgets], operation: { requestTimeoutMs: 100 } });
  await cluster.request("POST", used, { body: { metadata: { name: "a" } } });
  await cluster.request("GET", used);
  for (const verb of verbs) {
    if (how === "fails") cluster.faults.fail(verb, Number.POSITIVE_INFINITY);
    else cluster.faults.stall(verb, Number.POSITIVE_INFINITY);
  }
  return cluster;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

describe.for(["fails", "stalls"] as const)("when the storage %s", (how) => {
  test.for([
    ["/api"],
    ["/apis"],
    ["/apis", aggregated],
    ["/api", aggregated],
    ["/api/v1"],
    ["/apis/test.example"],
    ["/apis/test.example/v1"],
    ["/openapi/v2"],
    ["/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"],
    ["/openapi/v3"],
    ["/openapi/v3/api/v1"],
    ["/openapi/v3/apis/test.example/v1"],
    ["/version"],
    ["/livez/ping"],
    ["/readyz?exclude=storage"],
    [`${used}/a`],
    [used],
    [`${used}?limit=1`],
    [used, "application/json;as=Table;g=meta.k8s.io;v=v1"],
    [`${used}?resourceVersion=0`],
  ] as const)("GET %s %s is answered", async ([path, accept = "application/json"]) => {
    await using cluster = await down(how);
    const answer = await cluster.request("GET", path, { headers: { accept } });
    expect([answer.status, answer.text.length > 1]).toEqual([200, true]);
  });

  const failure = how === "fails" ? 500 : 504;
  test.for([
    ["GET", "/readyz"],
    ["GET", "/livez"],
    ["GET", "/readyz/storage"],
    ["GET", unused],
    ["GET", `${unused}/a`],
    ["DELETE", `${unused}/a`],
    ["POST", used],
    ["PUT", `${used}/a`],
    ["PATCH", `${used}/a`],
    ["DELETE", `${used}/a`],
    ["DELETE", used],
  ] as const)(`%s %s is ${failure}, and never "not found"`, async ([method, path]) => {
    await using cluster = await down(how);
    const body = { metadata: { name: method === "POST" ? "b" : "a" }, data: { changed: "yes" } };
    const answer = await cluster.request(method, path, {
      ...(method === "GET" || method === "DELETE" ? {} : { body }),
      headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
    });
    expect(answer.status).toBe(failure);
    expect(answer.text).not.toMatch(/SQLITE|disk/);
    expect(cluster.server.openRequests()).toEqual({ readOnly: 0, mutating: 0, longRunning: 0 });
    cluster.faults.clear();
    await new Promise(setImmediate); // what was given up ends before the storage is closed
  });
});

test("a watch that needs a storage that fails says so and ends; one in memory goes on", async () => {
  await using cluster = await down("fails");
  const events: unknown[] = [];
  for await (const event of cluster.stream(`${unused}?watch=1`)) events.push(event);
  expect(events).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 500, reason: "InternalError" } }]);

  const watch = cluster.stream(`${used}?watch=1`)[Symbol.asyncIterator]();
  expect((await watch.next()).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
  const next = watch.next();
  cluster.faults.clear();
  await cluster.request("POST", used, { body: { metadata: { name: "b" } } });
  expect((await next).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });
  await watch.return?.();
});

test("a storage that is back is used again, by kinds that could not be read before too", async () => {
  await using cluster = await down("fails");
  expect((await cluster.request("GET", unused)).status).toBe(500);
  cluster.faults.clear();
  expect((await cluster.request("GET", unused)).status).toBe(200);
  expect((await cluster.request("GET", "/readyz")).status).toBe(200);
});
