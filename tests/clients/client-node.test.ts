import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { widgetDefinition } from "./definitions.ts";
import { type ServedCluster, serveCluster } from "./served-cluster.ts";

const namespace = "default";
const place = { group: "example.com", version: "v1", namespace, plural: "widgets" };
const widget = (name: string, size = 1) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace },
  spec: { size },
});

let served: ServedCluster;
let core: CoreV1Api;
let custom: CustomObjectsApi;
let any: KubernetesObjectApi;
beforeAll(async () => {
  served = await serveCluster({ definitions: [widgetDefinition] });
  const config = new KubeConfig();
  config.loadFromFile(served.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  custom = config.makeApiClient(CustomObjectsApi);
  any = KubernetesObjectApi.makeApiClient(config);
});
afterAll(() => served[Symbol.asyncDispose]());

/** What the server refuses with, as the client hands it over. */
async function refusal(work: Promise<unknown>): Promise<{ code: number; reason: string; message: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!(error instanceof ApiException)) throw new Error("was not refused", { cause: error });
  const { reason, message } = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
  return { code: error.code, reason, message };
}

describe("a custom kind", () => {
  test("is created with defaults, read, listed, replaced and deleted", async () => {
    const created = await custom.createNamespacedCustomObject({ ...place, body: widget("a", 2) });
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { size: 2, color: "blue" } });
    expect(await custom.getNamespacedCustomObject({ ...place, name: "a" })).toEqual(created);
    expect((await custom.listNamespacedCustomObject(place)).items).toEqual([created]);
    const replaced = await custom.replaceNamespacedCustomObject({
      ...place,
      name: "a",
      body: { ...created, spec: { size: 5 } },
    });
    expect(replaced).toMatchObject({ metadata: { generation: 2 }, spec: { size: 5, color: "blue" } });
    const status = await custom.replaceNamespacedCustomObjectStatus({
      ...place,
      name: "a",
      body: { ...replaced, spec: { size: 9 }, status: { phase: "Ready" } },
    });
    expect(status).toMatchObject({ metadata: { generation: 2 }, spec: { size: 5 }, status: { phase: "Ready" } });
    expect(await custom.deleteNamespacedCustomObject({ ...place, name: "a" })).toMatchObject({ status: "Success" });
    expect((await custom.listNamespacedCustomObject(place)).items).toEqual([]);
  });

  test.for<[what: string, work: () => Promise<unknown>, code: number, reason: string]>([
    ["a missing object", () => custom.getNamespacedCustomObject({ ...place, name: "none" }), 404, "NotFound"],
    ["an invalid one", () => custom.createNamespacedCustomObject({ ...place, body: widget("b", 0) }), 422, "Invalid"],
    [
      "a stale version",
      async () => {
        const old = await custom.createNamespacedCustomObject({ ...place, body: widget("stale") });
        await custom.replaceNamespacedCustomObject({ ...place, name: "stale", body: { ...old, spec: { size: 2 } } });
        return custom.replaceNamespacedCustomObject({ ...place, name: "stale", body: { ...old, spec: { size: 3 } } });
      },
      409,
      "Conflict",
    ],
    [
      "a name that is taken",
      async () => {
        await custom.createNamespacedCustomObject({ ...place, body: widget("taken") });
        return custom.createNamespacedCustomObject({ ...place, body: widget("taken") });
      },
      409,
      "AlreadyExists",
    ],
  ])("%s is refused with a Status", async ([, work, code, reason]) => {
    expect(await refusal(work())).toMatchObject({ code, reason });
  });

  test("is patched by JSON patch and merge patch", async () => {
    await custom.createNamespacedCustomObject({ ...place, body: widget("patched") });
    const name = "patched";
    const byJson = await custom.patchNamespacedCustomObject(
      { ...place, name, body: [{ op: "replace", path: "/spec/size", value: 7 }] },
      setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
    );
    expect(byJson.spec).toEqual({ size: 7, color: "blue" });
    const byMerge = await custom.patchNamespacedCustomObject(
      { ...place, name, body: { spec: { color: "red" } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    expect(byMerge.spec).toEqual({ size: 7, color: "red" });
    const strategic = custom.patchNamespacedCustomObject(
      { ...place, name, body: { spec: { color: "red" } } },
      setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
    );
    expect(await refusal(strategic)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
  });

  test("is listed in pages that show one moment", async () => {
    for (const name of ["p1", "p2", "p3"]) {
      await custom.createNamespacedCustomObject({
        ...place,
        body: { ...widget(name), metadata: { name, labels: { page: "yes" } } },
      });
    }
    const names: string[] = [];
    let token: string | undefined;
    do {
      const page = await custom.listNamespacedCustomObject({
        ...place,
        labelSelector: "page=yes",
        limit: 1,
        ...(token && { _continue: token }),
      });
      names.push(...page.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
      token = page.metadata._continue ?? page.metadata.continue;
      await custom.deleteNamespacedCustomObject({ ...place, name: "p3" }).catch(() => {});
    } while (token);
    expect(names).toEqual(["p1", "p2", "p3"]);
  });
});

describe("core kinds", () => {
  test("a ConfigMap goes through every verb", async () => {
    const body = { metadata: { name: "settings" }, data: { a: "1" } };
    const created = await core.createNamespacedConfigMap({ namespace, body });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const read = await core.readNamespacedConfigMap({ namespace, name: "settings" });
    expect(read).toEqual(created);
    await core.replaceNamespacedConfigMap({ namespace, name: "settings", body: { ...read, data: { a: "2" } } });
    const { items } = await core.listConfigMapForAllNamespaces({ fieldSelector: "metadata.name=settings" });
    expect(items).toMatchObject([{ data: { a: "2" } }]);
    await core.deleteNamespacedConfigMap({ namespace, name: "settings" });
    expect(await refusal(core.readNamespacedConfigMap({ namespace, name: "settings" }))).toMatchObject({ code: 404 });
  });

  test("a Secret takes text and gives base64", async () => {
    const created = await core.createNamespacedSecret({
      namespace,
      body: { metadata: { name: "word" }, stringData: { password: "secret" } },
    });
    expect(created.data).toEqual({ password: Buffer.from("secret").toString("base64") });
  });

  test.for([
    [PatchStrategy.JsonPatch, [{ op: "remove", path: "/spec/ports/0" }], [443]],
    [PatchStrategy.MergePatch, { spec: { ports: [{ name: "c", port: 9, protocol: "TCP" }] } }, [9]],
    [PatchStrategy.StrategicMergePatch, { spec: { ports: [{ name: "c", port: 9, protocol: "TCP" }] } }, [9, 80, 443]],
  ] as const)("a Service is changed by %s", async ([strategy, body, ports]) => {
    const name = `web-${strategy.replace(/^application\/|\+json$/g, "")}`;
    await core.createNamespacedService({
      namespace,
      body: {
        metadata: { name },
        spec: {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 443 },
          ],
        },
      },
    });
    const patched = await core.patchNamespacedService(
      { namespace, name, body },
      setHeaderOptions("Content-Type", strategy),
    );
    expect(patched.spec?.ports?.map(({ port }) => port)).toEqual(ports);
  });

  test("a Namespace takes its contents along", async () => {
    await core.createNamespace({ body: { metadata: { name: "short-lived" } } });
    await core.createNamespacedConfigMap({ namespace: "short-lived", body: { metadata: { name: "inside" } } });
    await core.deleteNamespace({ name: "short-lived" });
    await expect
      .poll(() => core.listConfigMapForAllNamespaces({ fieldSelector: "metadata.namespace=short-lived" }))
      .toMatchObject({ items: [] });
    await expect
      .poll(async () => (await core.listNamespace()).items.map(({ metadata }) => metadata?.name))
      .toEqual(["default"]);
  });
});

test("the client that takes objects of any kind finds ours by discovery", async () => {
  const created = await any.create(widget("found"));
  expect(await any.read({ ...created, metadata: { name: "found", namespace } })).toMatchObject({ spec: { size: 1 } });
  const { items } = await any.list("example.com/v1", "Widget", namespace);
  expect(items.map(({ metadata }) => metadata?.name)).toContain("found");
  await any.delete(created);
  expect(await refusal(any.read({ ...created, metadata: { name: "found", namespace } }))).toMatchObject({ code: 404 });
});

test("a dry run says what would be, and does nothing", async () => {
  const dry = await custom.createNamespacedCustomObject({ ...place, body: widget("dry"), dryRun: "All" });
  expect(dry.spec).toEqual({ size: 1, color: "blue" });
  expect(await refusal(custom.getNamespacedCustomObject({ ...place, name: "dry" }))).toMatchObject({ code: 404 });
});

test("nothing has gone wrong inside", () => {
  expect(served.errors).toEqual([]);
});
