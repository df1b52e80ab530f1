import type { TestResponse } from "@slipway/apiserver/testing";
import {
  ApiStatusError,
  conflict,
  type JsonObject,
  type JsonValue,
  type KubeClient,
  type KubernetesObject,
  MODIFIED_SINCE_READ,
} from "@slipway/objects";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { applicationPath, monitorKind, type Platform, releaseKind, startPlatform } from "./platform.ts";

const namespace = "tenant-a";
let platform: Platform;
/** Set by a test to stand between applications and cluster. */
let intercept: Partial<KubeClient> = {};
let suffixes: string[] = [];

beforeEach(async () => {
  intercept = {};
  suffixes = [];
  platform = await startPlatform({
    namespaces: [namespace, "tenant-root"],
    throughClient: (client) =>
      new Proxy(client, { get: (own, name: keyof KubeClient) => intercept[name] ?? own[name] }),
    nameSuffix: () => suffixes.shift() ?? "zzzzz",
  });
});
afterEach(() => platform[Symbol.asyncDispose]());

const path = (name?: string, plural = "redises", inNamespace = namespace) => applicationPath(plural, inNamespace, name);

function redis(name: string, spec: JsonValue = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "apps.cozystack.io/v1alpha1", kind: "Redis", metadata: { name, ...metadata }, spec };
}

const post = (body: JsonValue, query = "") => platform.request("POST", `${path()}${query}`, { body });
const put = (name: string, body: JsonValue, query = "") => platform.request("PUT", `${path(name)}${query}`, { body });
const merge = (name: string, body: JsonValue, query = "") => patch(name, "merge-patch", body, query);
const patch = (name: string, type: string, body: JsonValue, query = "", plural = "redises") =>
  platform.request("PATCH", `${path(name, plural)}${query}`, {
    headers: { "content-type": `application/${type}+json` },
    body,
  });

async function created(name: string, spec: JsonValue = {}, metadata: JsonObject = {}): Promise<KubernetesObject> {
  const response = await post(redis(name, spec, metadata));
  expect(response.text).toContain(`"name":"${name}"`);
  expect(response.status).toBe(201);
  return response.json() as KubernetesObject;
}

async function release(name: string): Promise<KubernetesObject> {
  const found = await platform.client.get({ ...releaseKind, namespace, name });
  if (found === undefined) throw new Error(`no release ${name}`);
  return found;
}

const values = async (name: string): Promise<JsonValue | undefined> =>
  ((await release(name)).spec as JsonObject).values;

async function changeRelease(name: string, change: (live: KubernetesObject) => KubernetesObject): Promise<void> {
  await platform.client.update(change(await release(name)));
}

function refusal(response: TestResponse): JsonObject {
  const status = response.json() as JsonObject;
  expect(status).toMatchObject({ kind: "Status", status: "Failure", code: response.status });
  expect(response.text).not.toMatch(/helm/i);
  return status;
}

describe("create", () => {
  test("an existing name is 409 on the application", async () => {
    await created("db");
    const response = await post(redis("db"));
    expect(response.status).toBe(409);
    expect(refusal(response)).toMatchObject({
      reason: "AlreadyExists",
      message: 'redises.apps.cozystack.io "db" already exists',
      details: { name: "db", group: "apps.cozystack.io", kind: "redises" },
    });
  });

  test("a name that leads to another kind's release is 409 and says whose", async () => {
    const nodes = { metadata: { name: "x" }, spec: {} };
    expect((await platform.request("POST", path(undefined, "kubernetesnodeses"), { body: nodes })).status).toBe(201);
    const cluster = { metadata: { name: "nodes-x" }, spec: {} };
    const response = await platform.request("POST", path(undefined, "kuberneteses"), { body: cluster });
    expect(response.status).toBe(409);
    expect(refusal(response)).toMatchObject({
      reason: "AlreadyExists",
      message:
        'kuberneteses.apps.cozystack.io "nodes-x" already exists: ' +
        'it would be stored as what KubernetesNodes "x" is stored as',
    });
    expect((await platform.request("GET", path("nodes-x", "kuberneteses"))).status).toBe(404);
  });

  test("a name whose release belongs to nobody is 409 as well", async () => {
    await platform.client.create({
      apiVersion: "helm.toolkit.fluxcd.io/v2",
      kind: "HelmRelease",
      metadata: { name: "redis-db", namespace },
      spec: { interval: "5m", chartRef: { kind: "HelmChart", name: "x" } },
    });
    expect(refusal(await post(redis("db"))).message).toMatch(/belongs to no application$/);
  });

  test("a namespace that does not exist is 404", async () => {
    const response = await platform.request("POST", path(undefined, "redises", "nowhere"), { body: redis("db") });
    expect(refusal(response)).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
  });

  test("a resourceVersion is refused, 0 is none", async () => {
    expect(refusal(await post(redis("db", {}, { resourceVersion: "5" })))).toMatchObject({
      code: 400,
      message: "resourceVersion should not be set on objects to be created",
    });
    expect((await post(redis("db", {}, { resourceVersion: "0" }))).status).toBe(201);
  });

  test("what the server decides is not the client's", async () => {
    const sent = { uid: "1", creationTimestamp: "2001-01-01T00:00:00Z", finalizers: ["a/b"], generation: 7 };
    const { metadata } = await created("db", {}, sent);
    expect(metadata.uid).not.toBe("1");
    expect(metadata.creationTimestamp).not.toBe("2001-01-01T00:00:00Z");
    expect((await release("redis-db")).metadata.finalizers).toBeUndefined();
  });

  test("keys too long to be stored are refused in the user's own words, all at once", async () => {
    const long = "a".repeat(46);
    const metadata = { labels: { [long]: "x", team: "not valid!" }, annotations: { [long]: "x" } };
    const status = refusal(await post(redis("db", { replicas: "three" }, metadata)));
    expect(status).toMatchObject({ code: 422, reason: "Invalid" });
    const { causes } = status.details as { causes: { field: string; message: string }[] };
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      `metadata.labels: Invalid value: "${long}": name part must be no more than 45 bytes`,
      expect.stringMatching(/^metadata\.labels: Invalid value: "not valid!": a valid label must be/),
      `metadata.annotations: Invalid value: "${long}": name part must be no more than 45 bytes`,
      expect.stringMatching(/^spec\.replicas: Invalid value: "string": spec\.replicas in body must be of type integer/),
    ]);
    expect((await created("ok", {}, { labels: { ["a".repeat(45)]: "x" } })).metadata.labels).toBeDefined();
  });
});

describe("generateName", () => {
  test("gives the prefix five characters", async () => {
    suffixes = ["abcde"];
    const response = await platform.request("POST", path(), { body: { metadata: { generateName: "gen-" } } });
    expect((response.json() as KubernetesObject).metadata.name).toBe("gen-abcde");
    expect((await release("redis-gen-abcde")).metadata.labels).toMatchObject({
      "apps.cozystack.io/application.name": "gen-abcde",
    });
  });

  test("is cut so that the release's name fits", async () => {
    const body = { metadata: { generateName: "a".repeat(80) } };
    const response = await platform.request("POST", path(undefined, "virtualprivateclouds"), { body });
    expect(response.status).toBe(201);
    expect((response.json() as KubernetesObject).metadata.name).toBe(`${"a".repeat(28)}zzzzz`);
  });

  test("is tried again when the name is taken, and says so when none is free", async () => {
    await created("gen-taken");
    const body = { metadata: { generateName: "gen-" } };
    suffixes = ["taken", "taken", "free1"];
    const response = await platform.request("POST", path(), { body });
    expect((response.json() as KubernetesObject).metadata.name).toBe("gen-free1");
    suffixes = Array.from({ length: 20 }, () => "taken");
    const exhausted = refusal(await platform.request("POST", path(), { body }));
    expect(exhausted).toMatchObject({
      code: 409,
      message:
        'redises.apps.cozystack.io "gen-taken" already exists, ' +
        "the server was not able to generate a unique name for the object",
      details: { retryAfterSeconds: 1 },
    });
    expect(suffixes).toHaveLength(12);
  });
});

describe("dry-run", () => {
  test("answers and stores nothing, whatever the verb", async () => {
    await created("db", { replicas: 1 });
    const before = await platform.storage.revision();
    const dry = "?dryRun=All";
    expect((await post(redis("new"), dry)).status).toBe(201);
    expect((await put("db", redis("db", { replicas: 5 }), dry)).json()).toMatchObject({ spec: { replicas: 5 } });
    expect((await merge("db", { spec: { replicas: 6 } }, dry)).json()).toMatchObject({ spec: { replicas: 6 } });
    expect((await platform.request("DELETE", `${path("db")}${dry}`)).status).toBe(200);
    expect((await post(redis("db"), dry)).status).toBe(409);
    expect(await platform.storage.revision()).toBe(before);
    expect(await values("redis-db")).toEqual({ replicas: 1 });
    expect((await platform.request("GET", path("new"))).status).toBe(404);
  });
});

describe("PUT", () => {
  test("stores what was sent, and answers with defaults", async () => {
    await created("db", { replicas: 1, size: "2Gi" });
    const response = await put("db", redis("db", { replicas: 2 }));
    expect(response.json()).toMatchObject({ spec: { replicas: 2, size: "1Gi" } });
    expect(await values("redis-db")).toEqual({ replicas: 2 });
  });

  test("of the same content writes nothing", async () => {
    const { metadata } = await created("db", { replicas: 1 }, { labels: { a: "1" } });
    const before = await platform.storage.revision();
    const response = await put("db", redis("db", { replicas: 1 }, { labels: { a: "1" } }));
    expect((response.json() as KubernetesObject).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(await platform.storage.revision()).toBe(before);
  });

  test("with a stale resourceVersion is a conflict, with the present one or none it is not", async () => {
    const { metadata } = await created("db", { replicas: 1 });
    const stale = { resourceVersion: metadata.resourceVersion ?? "" };
    const second = (await put("db", redis("db", { replicas: 2 }, stale))).json() as KubernetesObject;
    const response = await put("db", redis("db", { replicas: 3 }, stale));
    expect(response.status).toBe(409);
    expect(refusal(response)).toMatchObject({
      reason: "Conflict",
      message: `Operation cannot be fulfilled on redises.apps.cozystack.io "db": ${MODIFIED_SINCE_READ}`,
      details: { name: "db", group: "apps.cozystack.io", kind: "redises" },
    });
    expect(await values("redis-db")).toEqual({ replicas: 2 });
    const present = { resourceVersion: second.metadata.resourceVersion ?? "" };
    expect((await put("db", redis("db", { replicas: 4 }, present))).status).toBe(200);
    expect((await put("db", redis("db", { replicas: 5 }))).status).toBe(200);
  });

  test("with another uid is a conflict", async () => {
    await created("db");
    const response = await put("db", redis("db", {}, { uid: "1" }));
    expect(refusal(response)).toMatchObject({ code: 409, reason: "Conflict" });
  });

  test("of a missing object is 404", async () => {
    expect(refusal(await put("ghost", redis("ghost")))).toMatchObject({
      code: 404,
      message: 'redises.apps.cozystack.io "ghost" not found',
    });
  });

  test("keeps everything on the release that is not the application's", async () => {
    await created("db", { replicas: 1 }, { labels: { team: "blue" }, annotations: { note: "one" } });
    await changeRelease("redis-db", (live) => ({
      ...live,
      metadata: {
        ...live.metadata,
        labels: { ...live.metadata.labels, foreign: "label", "sharding.fluxcd.io/key": "shard7" },
        annotations: { ...live.metadata.annotations, "helm.sh/resource-policy": "keep" },
        finalizers: ["finalizers.fluxcd.io"],
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "y" }],
      },
      spec: {
        ...(live.spec as JsonObject),
        suspend: true,
        dependsOn: [{ name: "o" }],
        values: { _cluster: { a: 1 }, replicas: 1 },
      },
    }));
    const before = await release("redis-db");
    const response = await put("db", redis("db", { replicas: 2 }, { labels: { team: "red" } }));
    expect(response.status).toBe(200);
    expect(response.text).not.toContain("_cluster");
    const after = await release("redis-db");
    expect(after.metadata).toMatchObject({
      labels: { ...before.metadata.labels, "apps.cozystack.io-team": "red" },
      finalizers: ["finalizers.fluxcd.io"],
      ownerReferences: before.metadata.ownerReferences,
    });
    expect(after.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
    expect(after.spec).toEqual({
      ...(before.spec as JsonObject),
      values: { _cluster: { a: 1 }, replicas: 2 },
    });
  });

  test("of a terminating application keeps the finalizer that holds it", async () => {
    await created("db");
    await changeRelease("redis-db", (live) => ({
      ...live,
      metadata: { ...live.metadata, finalizers: ["finalizers.fluxcd.io"] },
    }));
    await platform.request("DELETE", path("db"));
    const response = await put("db", redis("db", { replicas: 3 }));
    expect((response.json() as KubernetesObject).metadata.deletionTimestamp).toBeDefined();
    expect((await release("redis-db")).metadata.finalizers).toEqual(["finalizers.fluxcd.io"]);
  });
});

describe("PATCH", () => {
  test("stores the change and no default", async () => {
    await created("db", { replicas: 1 });
    expect((await merge("db", { spec: { external: true } })).json()).toMatchObject({
      spec: { replicas: 1, external: true, size: "1Gi" },
    });
    expect(await values("redis-db")).toEqual({ replicas: 1, external: true });
    const replace = [{ op: "replace", path: "/spec/authEnabled", value: false }];
    expect((await patch("db", "json-patch", replace)).status).toBe(200);
    expect(await values("redis-db")).toEqual({ replicas: 1, external: true, authEnabled: false });
  });

  test("that changes nothing writes nothing", async () => {
    await created("db", {});
    const before = await platform.storage.revision();
    for (const nothing of [{}, { spec: { replicas: 2 } }, { spec: { none: null } }, { status: { version: "9" } }]) {
      expect((await merge("db", nothing)).status).toBe(200);
    }
    expect(await platform.storage.revision()).toBe(before);
    expect(await values("redis-db")).toEqual({});
  });

  test("of labels leaves the values alone, hidden and big ones too", async () => {
    await created("db", { big: 1 });
    await changeRelease("redis-db", (live) => ({
      ...live,
      spec: { ...(live.spec as JsonObject), values: { _cluster: 1, big: 9007199254740993n, resources: null } },
    }));
    expect((await merge("db", { metadata: { labels: { a: "1" } } })).status).toBe(200);
    expect(await values("redis-db")).toEqual({ _cluster: 1, big: 9007199254740993n, resources: null });
    const shown = await merge("db", { spec: { replicas: 3 } });
    expect(shown.text).toContain('"big":9007199254740993');
    expect(await values("redis-db")).toEqual({ _cluster: 1, big: 9007199254740993n, resources: null, replicas: 3 });
  });

  test("of a map that is only a default keeps what the default shows", async () => {
    const body = { metadata: { name: "db" }, spec: {} };
    await platform.request("POST", path(undefined, "postgreses"), { body });
    const change = { spec: { postgresql: { parameters: { work_mem: "4MB" } } } };
    const response = await patch("db", "merge-patch", change, "", "postgreses");
    const parameters = { max_connections: "100", work_mem: "4MB" };
    expect(response.json()).toMatchObject({ spec: { postgresql: { parameters } } });
    expect(await values("postgres-db")).toEqual({ postgresql: { parameters } });
  });

  test("that removes the spec removes the values, and not the platform's", async () => {
    await created("db", { replicas: 3 });
    const remove = [{ op: "remove", path: "/spec" }];
    expect((await patch("db", "json-patch", remove)).json()).toMatchObject({ spec: { replicas: 2 } });
    expect(await values("redis-db")).toBeUndefined();
    await changeRelease("redis-db", (live) => ({
      ...live,
      spec: { ...(live.spec as JsonObject), values: { _cluster: 1, replicas: 3 } },
    }));
    await patch("db", "json-patch", remove);
    expect(await values("redis-db")).toEqual({ _cluster: 1 });
  });

  test("with a stale resourceVersion is a conflict", async () => {
    const { metadata } = await created("db");
    await merge("db", { spec: { replicas: 1 } });
    const { resourceVersion = "" } = metadata;
    const response = await merge("db", { metadata: { resourceVersion }, spec: { replicas: 3 } });
    expect(refusal(response)).toMatchObject({ code: 409, reason: "Conflict" });
  });

  test("twenty at once all arrive", async () => {
    await created("db");
    const changes = Array.from({ length: 20 }, (_, index) => ({ spec: { extra: { [`k${index}`]: index } } }));
    const responses = await Promise.all(changes.map((change) => merge("db", change)));
    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(Object.keys((await values("redis-db")) as JsonObject)).toEqual(["extra"]);
    expect(Object.keys(((await values("redis-db")) as { extra: JsonObject }).extra)).toHaveLength(20);
  });

  test("gives up after a bound when the cluster reports nothing but conflicts", async () => {
    await created("db");
    let attempts = 0;
    intercept.update = async () => {
      attempts += 1;
      throw conflict({ group: "helm.toolkit.fluxcd.io", resource: "helmreleases" }, "redis-db", MODIFIED_SINCE_READ);
    };
    expect(refusal(await merge("db", { spec: { replicas: 9 } }))).toMatchObject({ code: 409, reason: "Conflict" });
    expect(attempts).toBe(32);
  });
});

describe("DELETE", () => {
  const remove = (name: string, body?: JsonValue, plural = "redises", inNamespace = namespace) =>
    platform.request("DELETE", path(name, plural, inNamespace), { body });

  test("removes the release", async () => {
    await created("db");
    const response = await remove("db");
    expect(response.json()).toMatchObject({ kind: "Status", status: "Success" });
    expect(await platform.client.get({ ...releaseKind, namespace, name: "redis-db" })).toBeUndefined();
    expect(refusal(await remove("db"))).toMatchObject({ code: 404 });
  });

  test("honours preconditions, in Kubernetes' words", async () => {
    const { metadata } = await created("db");
    expect(refusal(await remove("db", { preconditions: { uid: "1" } }))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on Redis.apps.cozystack.io "db": the UID in the precondition (1) does not match ' +
        `the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    });
    expect(refusal(await remove("db", { preconditions: { resourceVersion: "1" } }))).toMatchObject({
      code: 409,
      message: expect.stringMatching(/The object might have been modified$/),
    });
    const { uid = "", resourceVersion = "" } = metadata;
    expect((await remove("db", { preconditions: { uid, resourceVersion } })).status).toBe(200);
  });

  test("passes its options on", async () => {
    await created("db");
    let passed: JsonObject | undefined;
    intercept.delete = async (_ref, options) => {
      const { propagationPolicy, gracePeriodSeconds, dryRun } = options ?? {};
      passed = { propagationPolicy, gracePeriodSeconds, dryRun };
      return undefined;
    };
    await remove("db", { propagationPolicy: "Orphan", gracePeriodSeconds: 5, dryRun: ["All"] });
    expect(passed).toEqual({ propagationPolicy: "Orphan", gracePeriodSeconds: 5, dryRun: true });
  });

  test("does not take a release whose label names another application, before and after an update", async () => {
    await platform.client.create({
      apiVersion: "helm.toolkit.fluxcd.io/v2",
      kind: "HelmRelease",
      metadata: {
        name: "tenant-root",
        namespace: "tenant-root",
        labels: {
          "apps.cozystack.io/application.kind": "Tenant",
          "apps.cozystack.io/application.group": "apps.cozystack.io",
          "apps.cozystack.io/application.name": "tenant-root",
          "platform.cozystack.io/no-delete": "true",
        },
      },
      spec: { interval: "5m", chartRef: { kind: "HelmChart", name: "x" } },
    });
    expect((await platform.request("GET", path("root", "tenants", "tenant-root"))).status).toBe(200);
    expect((await remove("root", undefined, "tenants", "tenant-root")).status).toBe(404);
    const change = { metadata: { labels: { a: "b" } }, spec: { host: "example.org" } };
    const patched = await platform.request("PATCH", path("root", "tenants", "tenant-root"), {
      headers: { "content-type": "application/merge-patch+json" },
      body: change,
    });
    expect(patched.json()).toMatchObject({ metadata: { labels: { a: "b" } }, status: { namespace: "tenant-root" } });
    expect((await remove("root", undefined, "tenants", "tenant-root")).status).toBe(404);
  });

  test("of a collection is not offered", async () => {
    expect((await platform.request("DELETE", path())).status).toBe(405);
  });
});

describe("reads", () => {
  test("a release of another kind, of nobody, or in no namespace is 404", async () => {
    await created("db");
    await changeRelease("redis-db", (live) => ({
      ...live,
      metadata: {
        ...live.metadata,
        labels: { ...live.metadata.labels, "apps.cozystack.io/application.kind": "Postgres" },
      },
    }));
    expect((await platform.request("GET", path("db"))).status).toBe(404);
    expect((await platform.request("GET", path("db", "redises", "nowhere"))).status).toBe(404);
  });

  test("lists are sorted by namespace and name, and select by the users' labels and by name", async () => {
    await created("zeta", {}, { labels: { tier: "db" } });
    await created("alpha", {}, { labels: { tier: "web" } });
    const elsewhere = redis("beta", {}, { labels: { tier: "db" } });
    await platform.request("POST", path(undefined, "redises", "tenant-root"), { body: elsewhere });
    const names = async (query: string, address = "/apis/apps.cozystack.io/v1alpha1/redises") => {
      const list = (await platform.request("GET", `${address}${query}`)).json() as unknown as {
        items: KubernetesObject[];
      };
      return list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    };
    expect(await names("")).toEqual(["tenant-a/alpha", "tenant-a/zeta", "tenant-root/beta"]);
    expect(await names("?labelSelector=tier%3Ddb")).toEqual(["tenant-a/zeta", "tenant-root/beta"]);
    expect(await names("?labelSelector=tier%21%3Ddb")).toEqual(["tenant-a/alpha"]);
    expect(await names("?labelSelector=sharding.fluxcd.io/key")).toEqual([]);
    expect(await names(`?labelSelector=${"a".repeat(46)}%21%3Dx`, path())).toEqual(["tenant-a/alpha", "tenant-a/zeta"]);
    expect(await names("?fieldSelector=metadata.name%3Dbeta")).toEqual(["tenant-root/beta"]);
    expect(await names("?fieldSelector=metadata.name%21%3Dbeta")).toEqual(["tenant-a/alpha", "tenant-a/zeta"]);
    expect(await names("?fieldSelector=metadata.namespace%3Dtenant-root", path())).toEqual([]);
    const unknown = await platform.request("GET", `${path()}?fieldSelector=spec.replicas%3D1`);
    expect(refusal(unknown)).toMatchObject({
      code: 400,
      message: '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
  });

  test("an empty list has the cluster's resourceVersion, and never goes back", async () => {
    const version = async () => {
      const list = (await platform.request("GET", path())).json() as { metadata: { resourceVersion: string } };
      return BigInt(list.metadata.resourceVersion);
    };
    const empty = await version();
    expect(empty).toBeGreaterThan(0n);
    await created("db");
    const one = await version();
    expect(one).toBeGreaterThan(empty);
    await platform.request("DELETE", path("db"));
    expect(await version()).toBeGreaterThan(one);
  });

  test.for<JsonValue>(["text", [1], 5])(
    "values that are %j can be read, listed, repaired and deleted",
    async (broken) => {
      await created("db", { replicas: 1 });
      await changeRelease("redis-db", (live) => ({
        ...live,
        spec: { ...(live.spec as JsonObject), values: broken },
      }));
      expect((await platform.request("GET", path("db"))).json()).toMatchObject({ spec: { replicas: 2 } });
      expect((await platform.request("GET", path())).json()).toMatchObject({ items: [{ spec: { replicas: 2 } }] });
      expect((await merge("db", { metadata: { labels: { a: "b" } } })).status).toBe(200);
      expect(await values("redis-db")).toEqual(broken);
      expect((await merge("db", { spec: { replicas: 3 } })).status).toBe(200);
      expect(await values("redis-db")).toEqual({ replicas: 3 });
      expect((await platform.request("DELETE", path("db"))).status).toBe(200);
    },
  );
});

describe("the schema", () => {
  test("refuses several things at once and stores nothing", async () => {
    const response = await post(redis("db", { replicas: "three", version: "v1", resources: "big", size: 5 }));
    const status = refusal(response);
    expect(status).toMatchObject({ code: 422, reason: "Invalid" });
    const { causes } = status.details as { causes: { field: string }[] };
    expect(new Set(causes.map(({ field }) => field))).toEqual(
      new Set(["spec.replicas", "spec.version", "spec.resources"]),
    );
    expect((await platform.request("GET", path("db"))).status).toBe(404);
  });

  test("takes null for absent, and null is what is stored", async () => {
    await created("db", { replicas: null, resources: null, storageClass: null });
    expect(await values("redis-db")).toEqual({ replicas: null, resources: null, storageClass: null });
  });

  test("what was wrong before blocks no update, what becomes wrong does", async () => {
    await created("db");
    await changeRelease("redis-db", (live) => ({
      ...live,
      spec: { ...(live.spec as JsonObject), values: { version: "v1", replicas: "three" } },
    }));
    expect((await merge("db", { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await merge("db", { spec: { external: true } })).status).toBe(200);
    expect((await merge("db", { spec: { version: "v2" } })).status).toBe(422);
    expect((await merge("db", { spec: { size: true } })).status).toBe(422);
    expect((await merge("db", { spec: { replicas: 3 } })).status).toBe(200);
    expect(await values("redis-db")).toEqual({ version: "v1", external: true, replicas: 3 });
  });

  test.for([
    [[1], "array"],
    ["text", "string"],
    [5, "number"],
    [true, "bool"],
  ] as const)("spec %j is refused as Go does", async ([spec, type]) => {
    const message = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
    expect(refusal(await post(redis("db", spec as JsonValue)))).toMatchObject({ code: 400, message });
    await created("there");
    expect(refusal(await put("there", redis("there", spec as JsonValue)))).toMatchObject({ code: 400, message });
  });

  test("reserved keys are refused at the top, on every write", async () => {
    const message = "values key \"_x\" is reserved (keys starting with '_' are not allowed)";
    expect(refusal(await post(redis("db", { _x: 1 })))).toMatchObject({ code: 400, message });
    await created("there", { resources: { _deep: 1 } });
    expect(refusal(await put("there", redis("there", { _x: 1 })))).toMatchObject({ code: 400, message });
    expect(refusal(await merge("there", { spec: { _x: 1 } }))).toMatchObject({ code: 400, message });
  });
});

describe("workloads", () => {
  const condition = async (address: string): Promise<JsonObject | undefined> => {
    const { status } = (await platform.request("GET", address)).json() as { status: { conditions?: JsonObject[] } };
    return status.conditions?.find(({ type }) => type === "WorkloadsReady");
  };

  test("a monitor decides WorkloadsReady, in get and list alike", async () => {
    await created("db");
    expect(await condition(path("db"))).toBeUndefined();
    await monitor("m", "Redis", "db", true);
    expect(await condition(path("db"))).toMatchObject({ status: "True" });
    await monitor("n", "Redis", "db", false);
    await monitor("o", "Kafka", "db", true);
    expect(await condition(path("db"))).toMatchObject({ status: "False" });
    const { items } = (await platform.request("GET", path())).json() as unknown as { items: KubernetesObject[] };
    expect(items[0]?.status).toMatchObject({ conditions: [{ type: "WorkloadsReady", status: "False" }] });
    await platform.client.delete({ ...monitorKind, namespace, name: "n" });
    expect(await condition(path("db"))).toMatchObject({ status: "True" });
  });

  test("monitors that cannot be read make it Unknown", async () => {
    await created("db");
    intercept.list = async () => {
      throw new Error("boom");
    };
    expect(await condition(path("db"))).toMatchObject({
      status: "Unknown",
      reason: "Error",
      message: "Failed to check workload status: boom",
    });
  });

  test("a tenant counts the monitors and addresses of the namespace it opens", async () => {
    const client = platform.client;
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant-a-sub" } });
    await platform.request("POST", path(undefined, "tenants"), { body: { metadata: { name: "sub" }, spec: {} } });
    await monitor("here", "Tenant", "sub", false);
    await monitor("there", "Tenant", "sub", true, "tenant-a-sub");
    for (const [name, ingress] of Object.entries({
      two: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }],
      host: [{ hostname: "lb.example.org" }],
      none: [],
    })) {
      const service = { metadata: { name }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } };
      await platform.request("POST", "/api/v1/namespaces/tenant-a-sub/services", {
        body: { apiVersion: "v1", kind: "Service", ...service },
      });
      await platform.request("PATCH", `/api/v1/namespaces/tenant-a-sub/services/${name}/status`, {
        headers: { "content-type": "application/merge-patch+json" },
        body: { status: { loadBalancer: { ingress } } },
      });
    }
    const expected = {
      namespace: "tenant-a-sub",
      externalIPsCount: 1,
      conditions: [{ type: "WorkloadsReady", status: "True" }],
    };
    expect((await platform.request("GET", path("sub", "tenants"))).json()).toMatchObject({ status: expected });
    expect((await platform.request("GET", path(undefined, "tenants"))).json()).toMatchObject({
      items: [{ status: expected }],
    });
  });
});

async function monitor(
  name: string,
  kind: string,
  application: string,
  operational: boolean,
  inNamespace = namespace,
): Promise<void> {
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
  const address = `/apis/cozystack.io/v1alpha1/namespaces/${inNamespace}/workloadmonitors/${name}/status`;
  const response = await platform.request("PATCH", address, {
    headers: { "content-type": "application/merge-patch+json" },
    body: { status: { operational, availableReplicas: 1, observedReplicas: 1 } },
  });
  expect(response.status).toBe(200);
}

test("a failure of the cluster that is no refusal of ours passes in the application's words", async () => {
  await created("db");
  intercept.update = async () => {
    throw new ApiStatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Forbidden",
      message: 'helmreleases.helm.toolkit.fluxcd.io "redis-db" is forbidden: exceeded quota',
      details: { name: "redis-db", group: "helm.toolkit.fluxcd.io", kind: "helmreleases" },
      code: 403,
    });
  };
  expect(refusal(await merge("db", { spec: { replicas: 7 } }))).toMatchObject({
    code: 403,
    message: 'redises.apps.cozystack.io "db" is forbidden: exceeded quota',
  });
});
