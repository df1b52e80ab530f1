import {
  expired,
  type JsonObject,
  type JsonValue,
  type KubeClient,
  type KubernetesObject,
  unknownResource,
} from "@slipway/objects";
import { afterEach, beforeEach, expect, test } from "vitest";
import { applicationPath, monitorKind, type Platform, releaseKind, startPlatform } from "./platform.ts";

const namespace = "tenant-a";
let platform: Platform;
let intercept: Partial<KubeClient> = {};

beforeEach(async () => {
  intercept = {};
  platform = await startPlatform({
    namespaces: [namespace, "tenant-root"],
    throughClient: (client) =>
      new Proxy(client, { get: (own, name: keyof KubeClient) => intercept[name] ?? own[name] }),
  });
});
afterEach(() => platform[Symbol.asyncDispose]());

interface Event {
  readonly type: string;
  readonly object: KubernetesObject;
}

const path = (name?: string, plural = "redises") => applicationPath(plural, namespace, name);
const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async function create(name: string, metadata: JsonObject = {}, plural = "redises"): Promise<KubernetesObject> {
  const body = { metadata: { name, ...metadata }, spec: {} };
  const response = await platform.request("POST", path(undefined, plural), { body });
  expect(response.status).toBe(201);
  return response.json() as KubernetesObject;
}

const merge = async (name: string, body: JsonValue, address = path(name)) =>
  platform.request("PATCH", address, { headers: { "content-type": "application/merge-patch+json" }, body });
const remove = (name: string) => platform.request("DELETE", path(name));

async function listVersion(plural = "redises"): Promise<string> {
  const list = (await platform.request("GET", path(undefined, plural))).json() as KubernetesObject;
  return list.metadata.resourceVersion ?? "";
}

/** Opens a watch and hands out its events one by one. Whatever is not asked for stays unread. */
function open(query: string, plural = "redises", address = path(undefined, plural)): Watch {
  return new Watch(platform.stream(`${address}?watch=true&${query}`)[Symbol.asyncIterator]());
}

class Watch implements AsyncDisposable {
  readonly #events: AsyncIterator<JsonValue>;

  constructor(events: AsyncIterator<JsonValue>) {
    this.#events = events;
  }

  async next(): Promise<Event | undefined> {
    const { done, value } = await this.#events.next();
    return done === true ? undefined : (value as unknown as Event);
  }

  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      taken.push(describe(event));
    }
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events.return?.();
  }
}

/** `ADDED db`, and of the workloads what their condition says. */
function describe({ type, object }: Event): string {
  if (type === "BOOKMARK") {
    const { annotations } = object.metadata;
    return annotations?.["k8s.io/initial-events-end"] === "true" ? "END" : "BOOKMARK";
  }
  if (type === "ERROR") return `ERROR ${(object as unknown as JsonObject).reason}`;
  const { conditions = [] } = object.status as { conditions?: JsonObject[] };
  const workloads = conditions.find((condition) => condition.type === "WorkloadsReady");
  return [type, object.metadata.name, ...(workloads === undefined ? [] : [workloads.status])].join(" ");
}

async function monitor(name: string, kind: string, application: string, inNamespace = namespace): Promise<void> {
  await platform.client.create({
    apiVersion: "cozystack.io/v1alpha1",
    kind: "WorkloadMonitor",
    metadata: {
      name,
      namespace: inNamespace,
      labels: {
        "apps.cozystack.io/application.kind": kind,
        "apps.cozystack.io/application.group": "apps.cozystack.io",
        "apps.cozystack.io/application.name": application,
      },
    },
    spec: { selector: { app: application } },
  });
}

async function report(name: string, operational: boolean, inNamespace = namespace): Promise<void> {
  const address = `/apis/cozystack.io/v1alpha1/namespaces/${inNamespace}/workloadmonitors/${name}/status`;
  const status = { operational, availableReplicas: 1, observedReplicas: 1 };
  expect((await merge(name, { status }, address)).status).toBe(200);
}

test("from a list: what happens afterwards, with rising resourceVersions", async () => {
  await create("a");
  await using watch = open(`resourceVersion=${await listVersion()}`);
  await create("c");
  await merge("c", { spec: { replicas: 3 } });
  await remove("c");
  const events = [await watch.next(), await watch.next(), await watch.next()];
  expect(events.map((event) => event && describe(event))).toEqual(["ADDED c", "MODIFIED c", "DELETED c"]);
  const versions = events.map((event) => BigInt(event?.object.metadata.resourceVersion ?? "0"));
  expect(versions).toEqual([...versions].sort((a, b) => (a < b ? -1 : 1)));
  expect(new Set(versions).size).toBe(3);
  expect(events[0]?.object).toMatchObject({ kind: "Redis", apiVersion: "apps.cozystack.io/v1alpha1" });
});

test("what happened between the list and the watch is not lost, deletions included", async () => {
  await create("a");
  await create("b");
  const version = await listVersion();
  await remove("a");
  await merge("b", { spec: { replicas: 3 } });
  await using watch = open(`resourceVersion=${version}`);
  expect(await watch.take(2)).toEqual(["DELETED a", "MODIFIED b"]);
});

test.for(["", "resourceVersion=0", initial, `${initial}&resourceVersion=`])(
  "the present state first, then the mark: %s",
  async (query) => {
    await create("a");
    await create("b");
    await using watch = open(`${query}&allowWatchBookmarks=true`);
    expect(await watch.take(3)).toEqual(["ADDED a", "ADDED b", "END"]);
    await create("c");
    expect(await watch.take(1)).toEqual(["ADDED c"]);
  },
);

test("with a resourceVersion too, initial events are the whole state", async () => {
  await create("a");
  await create("b");
  await using watch = open(`${initial}&resourceVersion=${await listVersion()}`);
  expect(await watch.take(3)).toEqual(["ADDED a", "ADDED b", "END"]);
});

test("nothing there: the mark alone, once, with a resourceVersion to go on from", async () => {
  await using watch = open(initial);
  const mark = await watch.next();
  expect(mark && describe(mark)).toBe("END");
  const { resourceVersion } = mark?.object.metadata ?? {};
  expect(BigInt(resourceVersion ?? "0")).toBeGreaterThan(0n);
  await create("a");
  expect(await watch.take(1)).toEqual(["ADDED a"]);
  await using resumed = open(`resourceVersion=${resourceVersion}`);
  expect(await resumed.take(1)).toEqual(["ADDED a"]);
});

test("an object that stops matching is DELETED, one that starts is ADDED", async () => {
  await create("a", { labels: { tier: "db" } });
  await create("b", { labels: { tier: "web" } });
  await using watch = open("labelSelector=tier%3Ddb&allowWatchBookmarks=true");
  expect(await watch.take(2)).toEqual(["ADDED a", "END"]);
  await merge("a", { metadata: { labels: { tier: "web" } } });
  await merge("b", { metadata: { labels: { tier: "db" } } });
  await merge("a", { metadata: { labels: { tier: "cache" } } });
  await merge("b", { spec: { replicas: 3 } });
  expect(await watch.take(3)).toEqual(["DELETED a", "ADDED b", "MODIFIED b"]);
});

test.for([
  ["metadata.name%3Da", ["ADDED a", "END"]],
  ["metadata.name%21%3Da", ["ADDED b", "END"]],
  ["metadata.namespace%3Dtenant-b", ["END"]],
] as const)("field selector %s", async ([fields, expected]) => {
  await create("a");
  await create("b");
  await using watch = open(`fieldSelector=${fields}&allowWatchBookmarks=true`);
  expect(await watch.take(expected.length)).toEqual(expected);
});

test("over all namespaces", async () => {
  await create("a");
  const elsewhere = applicationPath("redises", "tenant-root");
  await platform.request("POST", elsewhere, { body: { metadata: { name: "b" }, spec: {} } });
  await using watch = open("", "redises", "/apis/apps.cozystack.io/v1alpha1/redises");
  expect(await watch.take(2)).toEqual(["ADDED a", "ADDED b"]);
});

test("a release that is labelled with another kind and back leaves and comes", async () => {
  await create("a");
  await using watch = open(`resourceVersion=${await listVersion()}`);
  const label = async (kind: string): Promise<void> => {
    const live = await platform.client.get({ ...releaseKind, namespace, name: "redis-a" });
    if (live === undefined) throw new Error("no release");
    const labels = { ...live.metadata.labels, "apps.cozystack.io/application.kind": kind };
    await platform.client.update({ ...live, metadata: { ...live.metadata, labels } });
  };
  await label("Postgres");
  await label("Redis");
  expect(await watch.take(2)).toEqual(["DELETED a", "ADDED a"]);
});

test("monitors that are there already count at once and make no events of their own", async () => {
  await create("a");
  await monitor("m", "Redis", "a");
  await report("m", true);
  await using watch = open(initial);
  expect(await watch.take(2)).toEqual(["ADDED a True", "END"]);
  await create("b");
  expect(await watch.take(1)).toEqual(["ADDED b"]);
});

test("a monitor's change is a MODIFIED with the release's resourceVersion, a deleted one does not count", async () => {
  const { metadata } = await create("a");
  await create("b");
  await using watch = open(initial);
  expect(await watch.take(3)).toEqual(["ADDED a", "ADDED b", "END"]);
  await monitor("m", "Redis", "a");
  const event = await watch.next();
  expect(event && describe(event)).toBe("MODIFIED a Unknown");
  expect(event?.object.metadata.resourceVersion).toBe(metadata.resourceVersion);
  const bookmark = await watch.next();
  expect(bookmark?.type).toBe("BOOKMARK");
  expect(BigInt(bookmark?.object.metadata.resourceVersion ?? "0")).toBeGreaterThan(
    BigInt(metadata.resourceVersion ?? "0"),
  );
  await report("m", false);
  expect(await watch.take(2)).toEqual(["MODIFIED a False", "BOOKMARK"]);
  await platform.client.delete({ ...monitorKind, namespace, name: "m" });
  expect(await watch.take(2)).toEqual(["MODIFIED a", "BOOKMARK"]);
});

test("a monitor's replicas are nobody's news", async () => {
  await create("a");
  await monitor("m", "Redis", "a");
  await report("m", true);
  await using watch = open("");
  expect(await watch.take(1)).toEqual(["ADDED a True"]);
  const address = `/apis/cozystack.io/v1alpha1/namespaces/${namespace}/workloadmonitors/m/status`;
  await merge("m", { status: { availableReplicas: 7 } }, address);
  await create("b");
  expect(await watch.take(1)).toEqual(["ADDED b"]);
});

test("what became of monitors between list and watch is told, also of those that are gone", async () => {
  await create("a");
  await create("b");
  await monitor("m", "Redis", "a");
  await monitor("n", "Redis", "b");
  const version = await listVersion();
  await report("m", false);
  await platform.client.delete({ ...monitorKind, namespace, name: "n" });
  await using watch = open(`resourceVersion=${version}`);
  expect(await watch.take(2)).toEqual(["MODIFIED a False", "MODIFIED b"]);
});

test("monitors of what the watch does not show are silent", async () => {
  await create("a", { labels: { tier: "db" } });
  await create("b");
  await using watch = open("labelSelector=tier%3Ddb");
  expect(await watch.take(1)).toEqual(["ADDED a"]);
  await monitor("m", "Redis", "b");
  await monitor("n", "Redis", "ghost");
  await monitor("o", "Redis", "a");
  expect(await watch.take(1)).toEqual(["MODIFIED a Unknown"]);
});

test.for([path(undefined, "tenants"), "/apis/apps.cozystack.io/v1alpha1/tenants"])(
  "a tenant's monitors are in the namespace it opens: %s",
  async (address) => {
    await platform.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant-a-sub" } });
    await create("sub", {}, "tenants");
    await using watch = open("", "tenants", address);
    expect(await watch.take(1)).toEqual(["ADDED sub"]);
    await monitor("here", "Tenant", "sub");
    await monitor("there", "Tenant", "sub", "tenant-a-sub");
    expect(await watch.take(1)).toEqual(["MODIFIED sub Unknown"]);
    await report("there", true, "tenant-a-sub");
    expect(await watch.take(1)).toEqual(["MODIFIED sub True"]);
  },
);

test.for(["HelmRelease", "WorkloadMonitor"])("a version no longer kept for %s is an Expired error", async (kind) => {
  await create("a");
  intercept.watch = async function* (target, options) {
    if (target.kind === kind) throw expired("too old resource version: 1 (100)");
    yield* platform.client.watch(target, options);
  };
  await using watch = open("resourceVersion=1");
  const events: string[] = [];
  for (let event = await watch.next(); event !== undefined; event = await watch.next()) events.push(describe(event));
  expect(events.at(-1)).toBe("ERROR Expired");
});

test("a cluster that knows no monitors is watched all the same, and the status says so", async () => {
  await create("a");
  const asked: string[] = [];
  intercept.list = async (kind, options) => {
    if (kind.kind === "WorkloadMonitor") throw unknownResource();
    return platform.client.list(kind, options);
  };
  intercept.watch = (kind, options) => {
    asked.push(kind.kind);
    return platform.client.watch(kind, options);
  };
  await using watch = open("");
  expect(await watch.take(1)).toEqual(["ADDED a Unknown"]);
  await create("b");
  expect(await watch.take(1)).toEqual(["ADDED b Unknown"]);
  expect(asked).toEqual(["HelmRelease"]);
});

test("a release that changes while a monitor is looked at is told once, by its own event", async () => {
  await create("a");
  await using watch = open(initial);
  expect(await watch.take(2)).toEqual(["ADDED a", "END"]);
  intercept.get = async (ref, options) => {
    intercept = {};
    await merge("a", { spec: { replicas: 3 } });
    return platform.client.get(ref, options);
  };
  await monitor("m", "Redis", "a");
  const event = await watch.next();
  expect(event && describe(event)).toBe("MODIFIED a Unknown");
  expect(event?.object.spec).toMatchObject({ replicas: 3 });
  await create("b");
  expect(await watch.take(1)).toEqual(["ADDED b"]);
});

test("values that turn into a text are still an application", async () => {
  await create("a");
  await using watch = open(`resourceVersion=${await listVersion()}`);
  const live = await platform.client.get({ ...releaseKind, namespace, name: "redis-a" });
  if (live === undefined) throw new Error("no release");
  await platform.client.update({ ...live, spec: { ...(live.spec as JsonObject), values: "text" } });
  expect(await watch.take(1)).toEqual(["MODIFIED a"]);
});

test("leaving the watch ends both watches on the cluster", async () => {
  await create("a");
  const ended: string[] = [];
  intercept.watch = async function* (kind, options) {
    try {
      yield* platform.client.watch(kind, options);
    } finally {
      ended.push(kind.kind);
    }
  };
  const watch = open("");
  expect(await watch.take(1)).toEqual(["ADDED a"]);
  await create("b");
  expect(await watch.take(1)).toEqual(["ADDED b"]);
  await watch[Symbol.asyncDispose]();
  await expect.poll(() => new Set(ended)).toEqual(new Set(["HelmRelease", "WorkloadMonitor"]));
});
