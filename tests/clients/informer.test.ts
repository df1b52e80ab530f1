import {
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  type ObjectCache,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { widgetDefinition } from "./definitions.ts";
import { type ServedCluster, serveCluster } from "./served-cluster.ts";

const path = "/apis/example.com/v1/namespaces/default/widgets";
const place = { group: "example.com", version: "v1", namespace: "default", plural: "widgets" };
const widget = (name: string, size = 1) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "default" },
  spec: { size },
});

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number };
}

let served: ServedCluster;
let config: KubeConfig;
let objects: CustomObjectsApi;
beforeAll(async () => {
  served = await serveCluster({ definitions: [widgetDefinition] });
  config = new KubeConfig();
  config.loadFromFile(served.kubeconfig);
  objects = config.makeApiClient(CustomObjectsApi);
});
afterAll(() => served[Symbol.asyncDispose]());

interface Running {
  readonly informer: Informer<Widget> & ObjectCache<Widget>;
  /** What it was told, oldest first: `add a`. */
  readonly events: string[];
  readonly errors: unknown[];
  /** How often it has listed. */
  lists: number;
  stop(): Promise<void>;
}

/** An informer as the README of the client has it: on an error it is started again. */
async function start(labelSelector?: string): Promise<Running> {
  const list = async () => {
    running.lists++;
    return objects.listNamespacedCustomObject({ ...place, ...(labelSelector && { labelSelector }) });
  };
  const informer = makeInformer<Widget>(config, path, list, labelSelector);
  let isStopped = false;
  const running: Running = {
    informer,
    events: [],
    errors: [],
    lists: 0,
    async stop() {
      isStopped = true;
      await informer.stop();
    },
  };
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, ({ metadata }) => running.events.push(`${verb} ${metadata?.name}`));
  }
  informer.on("error", (error) => {
    running.errors.push(error);
    setTimeout(() => !isStopped && void informer.start(), 20);
  });
  await informer.start();
  return running;
}

const sizes = ({ informer }: Running): Record<string, number> =>
  Object.fromEntries(informer.list("default").map(({ metadata, spec }) => [metadata?.name ?? "", spec.size]));

async function stored(): Promise<Record<string, number>> {
  const { items } = await served.cluster.client.list({ group: "example.com", version: "v1", kind: "Widget" });
  return Object.fromEntries(
    (items as unknown as Widget[]).map(({ metadata, spec }) => [metadata?.name ?? "", spec.size]),
  );
}

async function converge(running: Running): Promise<void> {
  const wanted = await stored();
  await vi.waitFor(() => expect(sizes(running)).toEqual(wanted), { timeout: 10_000, interval: 5 });
}

async function clear(): Promise<void> {
  await objects.deleteCollectionNamespacedCustomObject(place);
}

test("lists, watches, and hears of every change once", async () => {
  await clear();
  await objects.createNamespacedCustomObject({ ...place, body: widget("a") });
  const running = await start();
  await objects.createNamespacedCustomObject({ ...place, body: widget("b") });
  const { metadata } = await objects.getNamespacedCustomObject({ ...place, name: "a" });
  await objects.replaceNamespacedCustomObject({ ...place, name: "a", body: { ...widget("a", 2), metadata } });
  await objects.deleteNamespacedCustomObject({ ...place, name: "b" });
  await objects.createNamespacedCustomObject({ ...place, body: widget("c", 3) });
  await vi.waitFor(() => expect(running.events).toContain("add c"), { timeout: 10_000 });
  expect(running.events).toEqual(["add a", "add b", "update a", "delete b", "add c"]);
  expect(sizes(running)).toEqual({ a: 2, c: 3 });
  expect(running.lists).toBe(1);
  await running.stop();
});

test("with a selector, hears of what enters and leaves it", async () => {
  await clear();
  const running = await start("tier=gold");
  const label = async (name: string, tier: string): Promise<void> => {
    const body = [{ op: "add", path: "/metadata/labels", value: { tier } }];
    await objects.patchNamespacedCustomObject({ ...place, name, body });
  };
  for (const name of ["a", "b"]) await objects.createNamespacedCustomObject({ ...place, body: widget(name) });
  await label("a", "gold");
  await label("a", "lead");
  await label("b", "gold");
  await vi.waitFor(() => expect(running.events).toContain("add b"), { timeout: 10_000 });
  expect(running.events).toEqual(["add a", "delete a", "add b"]);
  await running.stop();
});

test("a watch that is broken off goes on where it was", async () => {
  await clear();
  const running = await start();
  await objects.createNamespacedCustomObject({ ...place, body: widget("a") });
  await converge(running);
  for (const how of ["connection", "end"] as const) {
    await vi.waitFor(() => expect(served.cluster.cutWatches(how)).toBeGreaterThan(0), { timeout: 10_000 });
    await objects.createNamespacedCustomObject({ ...place, body: widget(`after-${how}`) });
    await converge(running);
  }
  expect(running.events).toEqual(["add a", "add after-connection", "add after-end"]);
  expect(running.lists).toBe(1);
  await running.stop();
});

test("a version that is no longer kept makes it list again, and tells what it has missed", async () => {
  await clear();
  const running = await start();
  for (const name of ["a", "b"]) await objects.createNamespacedCustomObject({ ...place, body: widget(name) });
  await converge(running);
  await served.stop(); // so that nothing is seen of what follows
  const client = served.cluster.client;
  await client.delete({ group: "example.com", version: "v1", kind: "Widget", namespace: "default", name: "a" });
  await client.create(widget("c"));
  await served.cluster.expireHistory();
  await served.start();
  await converge(running);
  expect(running.events).toEqual(["add a", "add b", "delete a", "add c"]);
  expect(running.lists).toBe(2);
  await running.stop();
});

test("an ERROR event of 410 in the middle of a watch makes it list again", async () => {
  await clear();
  const running = await start();
  await objects.createNamespacedCustomObject({ ...place, body: widget("a") });
  await converge(running);
  expect(served.cluster.cutWatches("expired")).toBeGreaterThan(0);
  await objects.createNamespacedCustomObject({ ...place, body: widget("b") });
  await converge(running);
  expect(running.lists).toBe(2);
  await running.stop();
});

test("a server that is away for a while is found again", async () => {
  await clear();
  const running = await start();
  await objects.createNamespacedCustomObject({ ...place, body: widget("a") });
  await converge(running);
  await served.stop();
  await vi.waitFor(() => expect(running.errors).not.toEqual([]), { timeout: 10_000 });
  await served.cluster.client.create(widget("b"));
  await served.start();
  await converge(running);
  expect(running.events).toEqual(["add a", "add b"]);
  await running.stop();
});
