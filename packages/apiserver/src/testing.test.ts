import type { JsonValue, KubernetesObject, WatchEvent } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { createMemoryStorage } from "./storage/memory-storage.ts";
import { type StorageVerb, startTestCluster, type TestCluster, type WatchCut } from "./testing.ts";

const path = "/api/v1/namespaces/default/configmaps";
const kind = { group: "", version: "v1", kind: "ConfigMap" };
const configMap = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});
const create = (cluster: TestCluster, name: string) => cluster.request("POST", path, { body: { metadata: { name } } });

async function revisionOf(cluster: TestCluster): Promise<string> {
  const { resourceVersion } = await cluster.client.list(kind);
  return resourceVersion;
}

/** Everything until the end; the error, when that is how it ends. */
async function all<T>(events: AsyncIterable<T>): Promise<{ readonly events: T[]; readonly error: unknown }> {
  const seen: T[] = [];
  try {
    for await (const event of events) seen.push(event);
  } catch (error) {
    return { events: seen, error };
  }
  return { events: seen, error: undefined };
}

describe("the clock", () => {
  test("stands where it is told, for everything that the server dates", async () => {
    await using cluster = await startTestCluster();
    const created = await cluster.client.create(configMap("a"));
    expect(created.metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
    cluster.clock.advance(90_000);
    const { text } = await cluster.request("GET", `${path}/a`, {
      headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
    });
    expect(JSON.parse(text).rows[0].cells).toContain("90s");
    cluster.clock.set(new Date("2030-05-06T07:08:09.999Z"));
    expect((await cluster.client.create(configMap("b"))).metadata.creationTimestamp).toBe("2030-05-06T07:08:09Z");
  });

  test("two runs give the same answers", async () => {
    const run = async (): Promise<string> => {
      await using cluster = await startTestCluster();
      await cluster.request("POST", path, { body: { metadata: { generateName: "some-" } } });
      return (await cluster.request("GET", path)).text;
    };
    expect(await run()).toBe(await run());
  });
});

describe("faults", () => {
  test.for<[fault: string, ask: (cluster: TestCluster) => void, message: RegExp]>([
    ["fail", ({ faults }) => faults.fail("create", 2), /disk I\/O error/],
    ["fail with an error of the test", ({ faults }) => faults.fail("create", 2, new Error("mine")), /mine/],
    ["fillDisk", ({ faults }) => faults.fillDisk(2), /disk is full/],
  ])(
    "%s: the next calls are answered with 500, nothing is written, and the error is logged",
    async ([, ask, message]) => {
      await using cluster = await startTestCluster();
      ask(cluster);
      const statuses = [await create(cluster, "a"), await create(cluster, "a"), await create(cluster, "a")];
      expect(statuses.map(({ status }) => status)).toEqual([500, 500, 201]);
      expect(statuses[0]?.json()).toMatchObject({ kind: "Status", reason: "InternalError" });
      expect(statuses[0]?.text).not.toMatch(message);
      expect(cluster.logged.map(String)).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
    },
  );

  test.for<[verb: StorageVerb, method: string, url: string, body?: JsonValue]>([
    ["revision", "GET", "/readyz"],
    ["list", "GET", `${path}`],
    ["get", "PUT", `${path}/there`, { metadata: { name: "there" } }],
    ["create", "POST", path, { metadata: { name: "other" } }],
    ["update", "PUT", `${path}/there`, { metadata: { name: "there" }, data: { a: "b" } }],
    ["delete", "DELETE", `${path}/there`],
  ])("fail of %s is met by %s", async ([verb, method, url, body]) => {
    const storage = createMemoryStorage();
    await storage.create("//configmaps/default/there", new TextEncoder().encode(JSON.stringify(configMap("there"))));
    await using cluster = await startTestCluster({ storage });
    const ask = () => cluster.request(method, url, body === undefined ? {} : { body });
    cluster.faults.fail(verb);
    expect((await ask()).status).toBe(500);
    expect((await ask()).status).toBeLessThan(300);
  });

  test("fillDisk lets reads through, and concerns any kind of write", async () => {
    await using cluster = await startTestCluster();
    await create(cluster, "a");
    cluster.faults.fillDisk(2);
    expect((await cluster.request("GET", `${path}/a`)).status).toBe(200);
    expect((await cluster.request("DELETE", `${path}/a`)).status).toBe(500);
    expect((await create(cluster, "b")).status).toBe(500);
    expect((await create(cluster, "b")).status).toBe(201);
  });

  test("stall holds a call until it is released, and others go on", async () => {
    await using cluster = await startTestCluster();
    const stall = cluster.faults.stall("create");
    const order: string[] = [];
    const stalled = create(cluster, "a").then(() => order.push("stalled"));
    await stall.reached;
    await create(cluster, "b").then(() => order.push("other"));
    stall.release();
    await stalled;
    expect(order).toEqual(["other", "stalled"]);
  });

  test("clear takes back what was asked for and releases what waits", async () => {
    await using cluster = await startTestCluster();
    const stall = cluster.faults.stall("create");
    cluster.faults.fail("create", 5);
    const stalled = create(cluster, "a");
    await stall.reached;
    cluster.faults.clear();
    expect((await stalled).status).toBe(201);
    expect((await create(cluster, "b")).status).toBe(201);
  });

  test("an error of the server that no fault has made is thrown", async () => {
    const storage = createMemoryStorage();
    await using cluster = await startTestCluster({ storage });
    const broken = new Error("broken");
    storage.create = () => Promise.reject(broken);
    await expect(create(cluster, "a")).rejects.toMatchObject({ cause: broken });
  });
});

describe("watches", () => {
  test.for<[how: WatchCut, last: object[], error: object | undefined]>([
    ["connection", [], { code: "READ_FAILED" }],
    ["end", [], undefined],
    ["expired", [{ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }], undefined],
  ])("cut as %s: what has happened is delivered, then they end", async ([how, last, error]) => {
    await using cluster = await startTestCluster();
    const opened = all(cluster.stream(`${path}?watch=true&resourceVersion=${await revisionOf(cluster)}`));
    await create(cluster, "a");
    expect(cluster.cutWatches(how)).toBe(1);
    const ended = await opened;
    expect(ended.events).toMatchObject([{ type: "ADDED", object: { metadata: { name: "a" } } }, ...last]);
    if (error === undefined) expect(ended.error).toBeUndefined();
    else expect(ended.error).toMatchObject(error);
    expect(cluster.cutWatches(how)).toBe(0);
  });

  test.for<[how: WatchCut, error: object | undefined]>([
    ["connection", { code: "READ_FAILED" }],
    ["end", undefined],
    ["expired", { code: "API_STATUS", status: { reason: "Expired" } }],
  ])("those of the client are cut as %s too", async ([how, error]) => {
    await using cluster = await startTestCluster();
    const watching = all<WatchEvent>(cluster.client.watch(kind, { resourceVersion: await revisionOf(cluster) }));
    await create(cluster, "a");
    cluster.cutWatches(how);
    const ended = await watching;
    expect(ended.events).toMatchObject([{ type: "ADDED", object: { metadata: { name: "a" } } }]);
    if (error === undefined) expect(ended.error).toBeUndefined();
    else expect(ended.error).toMatchObject(error);
  });
});

describe("expireHistory", () => {
  test("refuses what starts earlier and leaves what is open", async () => {
    await using cluster = await startTestCluster();
    const before = await revisionOf(cluster);
    await create(cluster, "a");
    const page = (await cluster.request("GET", `/api/v1/namespaces?limit=1`)).json();
    expect(page).toMatchObject({ items: [{ metadata: { name: "default" } }] });
    const open = cluster.stream(`${path}?watch=true&resourceVersion=${before}`)[Symbol.asyncIterator]();
    expect((await open.next()).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    await cluster.expireHistory();

    const late = await all(cluster.stream(`${path}?watch=true&resourceVersion=${before}`));
    expect(late.events).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
    const list = await cluster.request("GET", `${path}?resourceVersion=${before}&resourceVersionMatch=Exact`);
    expect(list.status).toBe(410);
    await create(cluster, "b");
    expect((await open.next()).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });
    await open.return?.(undefined);
  });

  test("a continue token of before goes on only while nothing has changed", async () => {
    await using cluster = await startTestCluster();
    for (const name of ["a", "b", "c"]) await create(cluster, name);
    const { metadata } = JSON.parse((await cluster.request("GET", `${path}?limit=1`)).text);
    const next = () => cluster.request("GET", `${path}?limit=1&continue=${metadata.continue}`);
    await cluster.expireHistory();
    expect((await next()).status).toBe(200);
    await create(cluster, "d");
    await cluster.expireHistory();
    expect((await next()).status).toBe(410);
  });
});
