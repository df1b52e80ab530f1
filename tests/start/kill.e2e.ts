import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ControlPlaneProcess, startProcess } from "../support/control-plane-process.ts";

const repository = resolve(import.meta.dirname, "../..");
const kills = Number(process.env.SLIPWAY_KILLS ?? "20");
const writers = 6;

/** What one writer has done to its one object. Only it touches the object. */
interface History {
  readonly path: string;
  readonly collection: string;
  /** The last state whose answer was read; `undefined`: the object is gone, or was never there. */
  acknowledged: { readonly resourceVersion: string; readonly value: number } | undefined;
  /** A write was sent whose answer was not read: its outcome is open. */
  pending: { readonly value: number | undefined } | undefined;
  /** Every value that was ever sent. */
  readonly sent: Set<number>;
  acknowledgements: number;
}

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "slipway-kill-"));
});
afterAll(async () => {
  await rm(data, { recursive: true, force: true });
});

function start(): Promise<ControlPlaneProcess> {
  const bin = join(repository, "packages/cli/dist/bin.js");
  const definitions = join(repository, "examples/platform/definitions");
  return startProcess(process.execPath, [bin, "dev", "--port", "0", "--data", data, "--definitions", definitions], {
    cwd: repository,
  });
}

function historyOf(index: number): History {
  const [group, plural] = index % 2 === 0 ? ["/api/v1", "configmaps"] : ["/apis/apps.cozystack.io/v1alpha1", "redises"];
  const collection = `${group}/namespaces/tenant-root/${plural}`;
  return {
    collection,
    path: `${collection}/writer-${index}`,
    acknowledged: undefined,
    pending: undefined,
    sent: new Set(),
    acknowledgements: 0,
  };
}

function objectOf({ collection, path, acknowledged }: History, value: number): unknown {
  const name = path.slice(collection.length + 1);
  const metadata = { name, resourceVersion: acknowledged?.resourceVersion };
  return collection.endsWith("configmaps")
    ? { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value: String(value) } }
    : { apiVersion: "apps.cozystack.io/v1alpha1", kind: "Redis", metadata, spec: { replicas: value } };
}

// biome-ignore lint/suspicious/noExplicitAny: an object of either kind, as the server gave it
function replicasOf(object: any): number {
  return object.kind === "ConfigMap" ? Number(object.data.value) : object.spec.replicas;
}

/** Writes until the connection breaks: create, update and delete in turn, each logged when its answer was read. */
async function writeUntilCut({ client }: ControlPlaneProcess, history: History, next: () => number): Promise<void> {
  for (;;) {
    const value = next();
    const remove = history.acknowledged !== undefined && value % 7 === 0;
    history.pending = { value: remove ? undefined : value };
    if (!remove) history.sent.add(value);
    try {
      const response = remove
        ? await client.send("DELETE", history.path)
        : history.acknowledged === undefined
          ? await client.send("POST", history.collection, objectOf(history, value))
          : await client.send("PUT", history.path, objectOf(history, value));
      if (response.status >= 300) throw new Refused(response.text);
      history.pending = undefined;
      history.acknowledgements++;
      history.acknowledged = remove ? undefined : { resourceVersion: response.body.metadata.resourceVersion, value };
    } catch (error) {
      if (error instanceof Refused) throw error;
      return;
    }
  }
}

class Refused extends Error {}

/** What is there after the restart must be the last acknowledged state, or the outcome of the one open write. */
async function check({ client }: ControlPlaneProcess, history: History): Promise<void> {
  const { status, body } = await client.send("GET", history.path);
  expect([200, 404]).toContain(status);
  const found =
    status === 404 ? undefined : { resourceVersion: body.metadata.resourceVersion, value: replicasOf(body) };
  if (found !== undefined) expect(history.sent, `${history.path} holds what was never sent`).toContain(found.value);
  const outcomes = [history.acknowledged?.value, ...(history.pending === undefined ? [] : [history.pending.value])];
  expect(outcomes, `${history.path}: an acknowledged write is lost`).toContain(found?.value);
  if (history.acknowledged !== undefined && found?.value === history.acknowledged.value) {
    expect(found.resourceVersion).toBe(history.acknowledged.resourceVersion);
  }
  history.acknowledged = found;
  history.pending = undefined;
}

/** Nothing beside what the writers have made: their objects, and the releases behind their applications. */
async function checkNothingElse({ client }: ControlPlaneProcess, histories: readonly History[]): Promise<void> {
  const names = async (path: string): Promise<string[]> =>
    (await client.send("GET", path)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  for (const { collection } of histories.slice(0, 2)) {
    const possible = histories.map(({ path, collection: of }) => path.slice(of.length + 1));
    for (const name of await names(collection)) expect(possible).toContain(name);
  }
  const applications = await names("/apis/apps.cozystack.io/v1alpha1/namespaces/tenant-root/redises");
  const releases = await names("/apis/helm.toolkit.fluxcd.io/v2/namespaces/tenant-root/helmreleases");
  expect(releases).toEqual(applications.map((name) => `redis-${name}`));
}

test(`${kills} kills in the middle of writes lose no acknowledged write and invent none`, {
  timeout: 900_000,
}, async () => {
  const histories = Array.from({ length: writers }, (_, index) => historyOf(index));
  let counter = 0;
  let acknowledged = 0;
  for (let kill = 0; kill < kills; kill++) {
    const controlPlane = await start();
    for (const history of histories) await check(controlPlane, history);
    await checkNothingElse(controlPlane, histories);
    const target = acknowledged + 25 + ((kill * 37) % 120);
    const writing = histories.map((history) => writeUntilCut(controlPlane, history, () => ++counter));
    // Killed while requests are open: as soon as so many more writes have been acknowledged.
    while (histories.reduce((sum, history) => sum + history.acknowledgements, 0) < target) {
      await Promise.race([...writing, new Promise((done) => setImmediate(done))]);
    }
    expect(await controlPlane.stop("SIGKILL")).toBe("SIGKILL");
    await Promise.all(writing);
    acknowledged = histories.reduce((sum, history) => sum + history.acknowledgements, 0);
  }
  const last = await start();
  for (const history of histories) await check(last, history);
  await checkNothingElse(last, histories);
  expect(await last.stop("SIGTERM")).toBe(0);
  expect(acknowledged).toBeGreaterThan(kills * 25);
});
