import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
} from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { widgetDefinition } from "./definitions.ts";
import { serveCluster } from "./served-cluster.ts";

const finalizer = "example.com/clean-up";
const path = "/apis/example.com/v1/namespaces/default/widgets";
const place = { group: "example.com", version: "v1", namespace: "default", plural: "widgets" };

/**
 * A controller as they all are: it holds every widget by a finalizer, gives it a ConfigMap, and takes both away when the
 * widget is deleted.
 */
async function runController(config: KubeConfig): Promise<{ stop(): Promise<void> }> {
  const custom = config.makeApiClient(CustomObjectsApi);
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, path, () => custom.listNamespacedCustomObject(place));
  let isStopped = false;

  const write = (object: KubernetesObject, finalizers: readonly string[]) =>
    custom.replaceNamespacedCustomObject({
      ...place,
      name: object.metadata?.name ?? "",
      body: { ...object, metadata: { ...object.metadata, finalizers } },
    });
  const reconcile = async (name: string): Promise<void> => {
    const object = informer.get(name, "default");
    if (object === undefined || isStopped) return;
    const { finalizers = [], deletionTimestamp } = object.metadata ?? {};
    const held = finalizers.includes(finalizer);
    if (deletionTimestamp === undefined && !held) {
      await write(object, [...finalizers, finalizer]);
    } else if (deletionTimestamp === undefined) {
      await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name } } }).catch(unless(409));
    } else if (held) {
      await core.deleteNamespacedConfigMap({ namespace: "default", name }).catch(unless(404));
      await write(
        object,
        finalizers.filter((each) => each !== finalizer),
      ).catch(unless(404));
    }
  };
  /** One at a time for each name, as a work queue has it. */
  const turns = new Map<string, Promise<void>>();
  const enqueue = ({ metadata }: KubernetesObject): void => {
    const name = metadata?.name ?? "";
    const turn = (turns.get(name) ?? Promise.resolve()).then(() => reconcile(name));
    turns.set(
      name,
      turn.catch(() => void setTimeout(() => enqueue({ metadata: { name } }), 20)),
    );
  };
  informer.on("add", enqueue);
  informer.on("update", enqueue);
  informer.on("error", () => setTimeout(() => !isStopped && void informer.start(), 20));
  await informer.start();
  return {
    stop: () => {
      isStopped = true;
      return informer.stop();
    },
  };
}

function unless(code: number): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ApiException) || error.code !== code) throw error;
  };
}

test("nothing goes before its controller has cleaned up, whatever happens to the server meanwhile", async () => {
  await using served = await serveCluster({ definitions: [widgetDefinition] });
  const { cluster } = served;
  const config = new KubeConfig();
  config.loadFromFile(served.kubeconfig);
  const custom = config.makeApiClient(CustomObjectsApi);
  const controller = await runController(config);
  const names = Array.from({ length: 20 }, (_, index) => `widget-${index}`);
  for (const name of names) {
    const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: { size: 1 } };
    await custom.createNamespacedCustomObject({ ...place, body });
  }
  const widgets = () => cluster.client.list({ group: "example.com", version: "v1", kind: "Widget" });
  const configMaps = () => cluster.client.list({ group: "", version: "v1", kind: "ConfigMap" });
  const patient = { timeout: 20_000, interval: 10 };
  await expect
    .poll(
      async () => (await widgets()).items.every(({ metadata }) => metadata.finalizers?.includes(finalizer)),
      patient,
    )
    .toBe(true);
  await expect.poll(async () => (await configMaps()).items.length, patient).toBe(names.length);

  for (const [index, name] of names.entries()) {
    await custom.deleteNamespacedCustomObject({ ...place, name });
    if (index === 5) cluster.cutWatches("connection");
    if (index === 8) cluster.faults.fail("delete", 3);
    if (index === 11) {
      await cluster.expireHistory();
      cluster.cutWatches("expired");
    }
    if (index === 14) {
      await served.stop();
      await served.start();
    }
  }
  await expect.poll(async () => (await widgets()).items.length, patient).toBe(0);
  expect((await configMaps()).items).toEqual([]);
  await controller.stop();
});
