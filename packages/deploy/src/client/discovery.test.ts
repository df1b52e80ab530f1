import { formatJson, type GroupVersionKind, type JsonObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { Api } from "./api.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import type { TransportRequest } from "./transport.ts";

interface Server {
  readonly discovery: Discovery;
  /** Paths asked for, in their order. */
  readonly asked: string[];
  /** Documents by path; what is not there is 404 in plain text. */
  readonly documents: Record<string, JsonObject | number>;
}

function server(documents: Server["documents"]): Server {
  const asked: string[] = [];
  const api = new Api({
    userAgent: "test",
    onWarning: () => {},
    maxAnswerBytes: 1_000_000,
    transport: {
      async send({ path, headers }: TransportRequest) {
        asked.push(path);
        const wantsIndex = headers.accept?.startsWith("application/json;g=apidiscovery.k8s.io;v=v2;") === true;
        expect(wantsIndex).toBe(path === "/api" || path === "/apis");
        const document = documents[path] ?? 404;
        const isMissing = typeof document === "number";
        return {
          status: isMissing ? document : 200,
          headers: { "content-type": isMissing ? "text/plain" : "application/json" },
          body: (async function* () {
            yield new TextEncoder().encode(isMissing ? "no such page" : formatJson(document));
          })(),
        };
      },
    },
  });
  return { discovery: createDiscovery(api), asked, documents };
}

/** A document of aggregated discovery with kinds as `resource:Kind`, with `*` before those without namespaces. */
function index(groups: Readonly<Record<string, readonly string[]>>, freshness = "Current"): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: Object.entries(groups).map(([name, kinds]) => ({
      metadata: name === "" ? {} : { name },
      versions: [
        {
          version: "v1",
          freshness,
          resources: kinds.map((text) => {
            const [resource = "", kind = ""] = text.replace("*", "").split(":");
            const scope = text.startsWith("*") ? "Cluster" : "Namespaced";
            return { resource, responseKind: { group: name, version: "v1", kind }, scope };
          }),
        },
      ],
    })),
  };
}

function list(...resources: JsonObject[]): JsonObject {
  return { kind: "APIResourceList", apiVersion: "v1", resources };
}

const pod: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };
const node: GroupVersionKind = { group: "", version: "v1", kind: "Node" };
const widget: GroupVersionKind = { group: "g.example", version: "v1", kind: "Widget" };

const aggregated = {
  "/api": index({ "": ["pods:Pod", "*nodes:Node"] }),
  "/apis": index({ "g.example": ["widgets:Widget"] }),
};

test("aggregated discovery is asked once per half, and only for the half that is needed", async () => {
  const { discovery, asked } = server(aggregated);
  expect(await discovery.find(pod)).toEqual({ ...pod, resource: "pods", namespaced: true });
  expect(await discovery.find(node)).toEqual({ ...node, resource: "nodes", namespaced: false });
  expect(asked).toEqual(["/api"]);
  expect(await discovery.find(widget)).toEqual({ ...widget, resource: "widgets", namespaced: true });
  await Promise.all([discovery.find(widget), discovery.find(pod)]);
  expect(asked).toEqual(["/api", "/apis"]);
});

test("callers at the same time share one request", async () => {
  const { discovery, asked } = server(aggregated);
  await Promise.all(Array.from({ length: 20 }, () => discovery.find(widget)));
  expect(asked).toEqual(["/apis"]);
});

test("a kind that is not there yet is looked for again, once", async () => {
  const { discovery, asked, documents } = server({ ...aggregated, "/apis": index({}) });
  await expect(discovery.find(widget)).rejects.toMatchObject({ code: "INVALID_OBJECT" });
  expect(asked).toEqual(["/apis"]); // just read: no second time
  await expect(discovery.find(widget)).rejects.toMatchObject({
    message: expect.stringMatching(/^Widget in g\.example\/v1: the server has no such kind\./),
  });
  expect(asked).toEqual(["/apis", "/apis"]);
  documents["/apis"] = index({ "g.example": ["widgets:Widget"] });
  expect(await discovery.find(widget)).toMatchObject({ resource: "widgets" });
  await discovery.find(widget);
  expect(asked).toEqual(["/apis", "/apis", "/apis"]);
});

test("many that miss at the same time renew what is kept once", async () => {
  const { discovery, asked } = server(aggregated);
  await discovery.find(widget);
  const misses = Array.from({ length: 20 }, (_, number) => discovery.find({ ...widget, kind: `Kind${number}` }));
  expect((await Promise.allSettled(misses)).every(({ status }) => status === "rejected")).toBe(true);
  expect(asked).toEqual(["/apis", "/apis"]);
});

test("what has proved wrong is asked for again", async () => {
  const { discovery, asked } = server(aggregated);
  await discovery.find(widget);
  await discovery.find(pod);
  discovery.forget(widget);
  await discovery.find(widget);
  await discovery.find(pod);
  expect(asked).toEqual(["/apis", "/api", "/apis"]);
});

test.for([
  ["it answers with the older documents", { kind: "APIGroupList", apiVersion: "v1", groups: [] }],
  ["there is no such page", 404],
  ["it has no such type", 406],
] as const)("without aggregated discovery the document of the group version is read: %s", async ([, root]) => {
  const { discovery, asked } = server({
    "/apis": root,
    "/apis/g.example/v1": list(
      { name: "widgets/status", kind: "Widget", namespaced: true },
      { name: "widgets", kind: "Widget", namespaced: true, verbs: ["get"] },
      { name: "zones", kind: "Zone", namespaced: false },
      { name: "widgets/scale", kind: "Scale", group: "autoscaling", version: "v1", namespaced: true },
    ),
  });
  expect(await discovery.find(widget)).toEqual({ ...widget, resource: "widgets", namespaced: true });
  expect(await discovery.find({ ...widget, kind: "Zone" })).toMatchObject({ resource: "zones", namespaced: false });
  expect(asked).toEqual(["/apis", "/apis/g.example/v1"]);
  await expect(discovery.find({ ...widget, kind: "Scale" })).rejects.toMatchObject({ code: "INVALID_OBJECT" });
  await expect(discovery.find({ ...widget, version: "v2" })).rejects.toMatchObject({ code: "INVALID_OBJECT" });
});

test("a group version that the index has only as stale is asked for itself, and its refusal told", async () => {
  const { discovery, asked, documents } = server({
    "/apis": index({ "g.example": [] }, "Stale"),
    "/apis/g.example/v1": 503,
  });
  await expect(discovery.find(widget)).rejects.toMatchObject({ status: { reason: "ServiceUnavailable" } });
  documents["/apis/g.example/v1"] = list({ name: "widgets", kind: "Widget", namespaced: true });
  expect(await discovery.find(widget)).toMatchObject({ resource: "widgets" });
  expect(asked).toEqual(["/apis", "/apis/g.example/v1", "/apis/g.example/v1"]);
});

test("a refusal is told and not kept", async () => {
  const { discovery, documents } = server({ "/apis": 403 });
  await expect(discovery.find(widget)).rejects.toMatchObject({ status: { code: 403 } });
  documents["/apis"] = aggregated["/apis"];
  expect(await discovery.find(widget)).toMatchObject({ resource: "widgets" });
});

test("one caller's abort leaves the request to the others", async () => {
  const { discovery, asked } = server(aggregated);
  const controller = new AbortController();
  const reason = new Error("enough");
  const aborted = discovery.find(widget, { signal: controller.signal });
  const other = discovery.find(widget);
  controller.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  expect(await other).toMatchObject({ resource: "widgets" });
  expect(asked).toEqual(["/apis"]);
});
