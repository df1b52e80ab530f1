import type { JsonObject, KubernetesObject } from "@slipway/objects";
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
        action: "Make",
        reportingComponent: "maker",
        reportingInstance: "maker-1",
        eventTime: "2026-01-02T03:04:00.000000Z",
      },
      cells: ["5s", "Normal", "Made", "widget", "", "maker, maker-1", "", "5s", 1, "e"],
    },
    {
      rule: "of a series",
      event: {
        involvedObject,
        type: "Warning",
        reason: "Made",
        action: "Make",
        reportingComponent: "maker",
        reportingInstance: "maker-1",
        eventTime: "2026-01-02T03:03:05.000000Z",
        series: { count: 7, lastObservedTime: "2026-01-02T03:04:03.000000Z" },
      },
      cells: ["2s", "Warning", "Made", "widget/a", "spec.size", "maker, maker-1", "", "60s", 7, "e"],
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

describe("a lease", () => {
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2026-01-02T03:04:05.000001Z" };
  const messageOf = (answer: { json(): unknown }): string => (answer.json() as Body).message;

  test("keeps what its holder writes, and times to the microsecond", async () => {
    await using cluster = await startTestCluster();
    const created = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    expect(created.status).toBe(201);
    expect(created.json()).toMatchObject({ kind: "Lease", apiVersion: "coordination.k8s.io/v1", spec });
    expect(created.json()).not.toHaveProperty("metadata.generation");
  });

  test.for([
    { field: "leaseDurationSeconds", value: 0, text: "Invalid value: 0: must be greater than 0" },
    { field: "leaseTransitions", value: -1, text: "Invalid value: -1: must be greater than or equal to 0" },
  ])("with $field $value is refused, on create and on update", async ({ field, value, text }) => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "l" }, spec: { ...spec, [field]: value } };
    const whole = `Lease.coordination.k8s.io "l" is invalid: spec.${field}: ${text}`;
    const refused = await cluster.request("POST", path, { body });
    expect([refused.status, messageOf(refused)]).toEqual([422, whole]);
    await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    const update = await cluster.request("PATCH", `${path}/l`, { body: { spec: { [field]: value } }, headers });
    expect([update.status, messageOf(update)]).toEqual([422, whole]);
  });

  test.for([
    { renewTime: "2026-01-02T03:04:05Z", why: 'cannot parse "Z" as ".000000"' },
    { renewTime: "now", why: 'cannot parse "now" as "2006"' },
  ])("renewed at $renewTime is not read", async ({ renewTime, why }) => {
    await using cluster = await startTestCluster();
    const refused = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec: { renewTime } } });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toContain(`as "2006-01-02T15:04:05.000000Z07:00": ${why}`);
  });

  test("is made by a PUT, and replaced by one with its version alone", async () => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "l" }, spec };
    const created = await cluster.request("PUT", `${path}/l`, { body });
    expect(created.status).toBe(201);
    expect((await cluster.request("PUT", `${path}/l`, { body })).status).toBe(422);
    const taken = { ...(created.json() as Body), spec: { ...spec, holderIdentity: "b" } };
    expect((await cluster.request("PUT", `${path}/l`, { body: taken })).status).toBe(200);
    expect((await cluster.request("PUT", `${path}/l`, { body: taken })).status).toBe(409);
  });

  test("keeps nothing of coordinated elections: there is nobody to choose", async () => {
    await using cluster = await startTestCluster();
    const coordinated = { ...spec, strategy: "OldestEmulationVersion", preferredHolder: "b" };
    const created = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec: coordinated } });
    expect((created.json() as Body).spec).toEqual(spec);
    const replaced = { ...(created.json() as Body), spec: coordinated };
    expect(((await cluster.request("PUT", `${path}/l`, { body: replaced })).json() as Body).spec).toEqual(spec);
  });

  test("as a table shows who holds it", async () => {
    await using cluster = await startTestCluster({ startTime: new Date("2026-01-02T03:04:05Z") });
    await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    await cluster.request("POST", path, { body: { metadata: { name: "m" } } });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = (await cluster.request("GET", path, { headers: { accept } })).json() as Body;
    expect(table.columnDefinitions.map(({ name }: Body) => name)).toEqual(["Name", "Holder", "Age"]);
    expect(table.rows.map(({ cells }: Body) => cells.slice(0, 2))).toEqual([
      ["l", "a"],
      ["m", ""],
    ]);
  });

  test("goes with its namespace", { timeout: 20_000 }, async () => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    const inShop = path.replace("default", "shop");
    await cluster.request("POST", inShop, { body: { metadata: { name: "l" }, spec } });
    await cluster.request("DELETE", "/api/v1/namespaces/shop");
    await expect
      .poll(async () => (await cluster.request("GET", "/api/v1/namespaces/shop")).status, { timeout: 15_000 })
      .toBe(404);
    expect(((await cluster.request("GET", "/apis/coordination.k8s.io/v1/leases")).json() as Body).items).toEqual([]);
  });

  test("is served beside what definitions add to its group, and not replaced by them", async () => {
    const definition = (kind: string, plural: string): KubernetesObject => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: `${plural}.coordination.k8s.io`,
        annotations: { "api-approved.kubernetes.io": "https://example.org" },
      },
      spec: {
        group: "coordination.k8s.io",
        scope: "Namespaced",
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    const definitions = [definition("Lease", "leases"), definition("Turn", "turns")];
    await using cluster = await startTestCluster({ definitions });
    const { resources } = (await cluster.request("GET", "/apis/coordination.k8s.io/v1")).json() as Body;
    expect(resources.map(({ name }: Body) => name).sort()).toEqual(["leases", "turns"]);
    const created = await cluster.request("POST", path, { body: { metadata: { name: "l" }, spec } });
    expect(created.json()).toMatchObject({ spec });
  });
});

const core = "/api/v1/namespaces/default";

describe("answers are printed as Go prints them", () => {
  const metadata =
    '"metadata":{"name":"a","namespace":"default","uid":"00000000-0000-4000-8000-000000000003","resourceVersion":"2",' +
    '"creationTimestamp":"2026-01-01T00:00:00Z"}';

  test.for<{ rule: string; path: string; body: JsonObject; text: string }>([
    {
      rule: "maps by their keys, numbers too",
      path: `${core}/configmaps`,
      body: { metadata: { name: "a" }, data: { b: "<", "9": "", "10": "" } },
      text: `{"kind":"ConfigMap","apiVersion":"v1",${metadata},"data":{"10":"","9":"","b":"\\u003c"}}\n`,
    },
    {
      rule: "structs as they are written, and times that were never set as null",
      path: `${core}/events`,
      body: {
        metadata: { name: "a" },
        involvedObject: { uid: "u", namespace: "default", name: "n", kind: "K" },
        lastTimestamp: null,
      },
      text:
        `{"kind":"Event","apiVersion":"v1",${metadata},` +
        '"involvedObject":{"kind":"K","namespace":"default","name":"n","uid":"u"},"source":{},"firstTimestamp":null,' +
        '"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}\n',
    },
    {
      rule: "structs inside structs",
      path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      body: { metadata: { name: "a" }, spec: { renewTime: "2020-01-01T00:00:00.000001Z", holderIdentity: "h" } },
      text:
        `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1",${metadata},` +
        '"spec":{"holderIdentity":"h","renewTime":"2020-01-01T00:00:00.000001Z"}}\n',
    },
  ])("$rule", async ({ path, body, text }) => {
    await using cluster = await startTestCluster();
    expect((await cluster.request("POST", path, { body })).text).toBe(text);
    expect((await cluster.request("GET", `${path}/a`)).text).toBe(text);
    const [, items] = (await cluster.request("GET", path)).text.split('"items":');
    // In a list items do not say what they are.
    expect(items).toBe(`[${text.trim().replace(/"kind":"[^"]*","apiVersion":"[^"]*",/, "")}]}\n`);
  });

  test("a service account that is deleted is shown once more", async () => {
    await using cluster = await startTestCluster();
    await cluster.request("POST", `${core}/serviceaccounts`, { body: { metadata: { name: "a" } } });
    const deleted = await cluster.request("DELETE", `${core}/serviceaccounts/a`);
    expect(deleted.json()).toMatchObject({ kind: "ServiceAccount", metadata: { name: "a" } });
  });
});

describe("a new object", () => {
  const notQualified = "name is neither a standard finalizer name nor is it fully qualified";
  const base64 = (text: string): string => btoa(text);

  test.for<{ rule: string; path: string; body: JsonObject; errors: string[] }>([
    {
      rule: "with a finalizer that has no domain",
      path: `${core}/configmaps`,
      body: { metadata: { name: "a", finalizers: ["kubernetes", "mine"] } },
      errors: [`metadata.finalizers[1]: Invalid value: "mine": ${notQualified}`],
    },
    {
      rule: "with too much data",
      path: `${core}/configmaps`,
      body: { metadata: { name: "a" }, data: { a: "x".repeat(1024 * 1024 + 1) } },
      errors: ["[]: Too long: may not be more than 1048576 bytes"],
    },
    {
      rule: "with too many bytes",
      path: `${core}/secrets`,
      body: { metadata: { name: "a" }, data: { a: base64("x".repeat(1024 * 1024 + 1)) } },
      errors: ["data: Too long: may not be more than 1048576 bytes"],
    },
    {
      rule: "of credentials that are no JSON",
      path: `${core}/secrets`,
      body: { metadata: { name: "a" }, type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("a") } },
      errors: [
        "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": invalid character 'a' looking for beginning of value",
      ],
    },
    {
      rule: "of credentials that are no object",
      path: `${core}/secrets`,
      body: { metadata: { name: "a" }, type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("[]") } },
      errors: [
        'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    },
    {
      rule: "of a token without its account",
      path: `${core}/secrets`,
      body: { metadata: { name: "a" }, type: "kubernetes.io/service-account-token" },
      errors: ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    },
    {
      rule: "of an empty key",
      path: `${core}/secrets`,
      body: { metadata: { name: "a" }, type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
      errors: ["data[ssh-privatekey]: Required value"],
    },
    {
      rule: "about something in another namespace",
      path: `${core}/events`,
      body: { metadata: { name: "a" }, involvedObject: { namespace: "other" } },
      errors: ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    },
    {
      rule: "of the newer form that lacks everything",
      path: `${core}/events`,
      body: { metadata: { name: "a" }, eventTime: "2020-01-01T00:00:00.000000Z", reportingComponent: "c" },
      errors: ["reportingInstance: Required value", "action: Required value", "reason: Required value"],
    },
    {
      rule: "of a namespace that is held by nobody's name",
      path: "/api/v1/namespaces",
      body: { metadata: { name: "a" }, spec: { finalizers: ["mine"] } },
      errors: [`spec.finalizers: Invalid value: "mine": ${notQualified}`],
    },
  ])("$rule is refused", async ({ path, body, errors }) => {
    await using cluster = await startTestCluster();
    const { message } = (await cluster.request("POST", path, { body })).json() as Body;
    const text = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
    expect(message).toMatch(/^(ConfigMap|Secret|Event|Namespace) "a" is invalid: /);
    expect(message.replace(/^.*? is invalid: /, "")).toBe(text);
  });

  test.for([
    [{ kind: "Secret" }, "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [{ kind: "Foo" }, 'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
    [{ apiVersion: "v2" }, 'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"'],
  ] as const)("that is %j is no ConfigMap", async ([type, why]) => {
    await using cluster = await startTestCluster();
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, ...type };
    const { code, message } = (await cluster.request("POST", `${core}/configmaps`, { body })).json() as Body;
    expect([code, message]).toEqual([
      400,
      `${body.kind} in version "${body.apiVersion}" cannot be handled as a ConfigMap: ${why}`,
    ]);
  });

  test("of nothing lacks a name", async () => {
    await using cluster = await startTestCluster();
    const answer = await cluster.request("POST", `${core}/configmaps`, { body: "null" });
    expect(answer.json()).toMatchObject({
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    });
  });
});

describe("a namespace", () => {
  const shop = "/api/v1/namespaces/shop";
  const headers = { "content-type": "application/merge-patch+json" };

  test("keeps finalizers that it is made with, and adds its own", async () => {
    await using cluster = await startTestCluster();
    const body = { metadata: { name: "shop" }, spec: { finalizers: ["a.example/b"] } };
    const { spec } = (await cluster.request("POST", "/api/v1/namespaces", { body })).json() as Body;
    expect(spec).toEqual({ finalizers: ["a.example/b", "kubernetes"] });
  });

  test("has the phase that goes with its deletion, and labels that come with a status", async () => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    const wrong = await cluster.request("PATCH", `${shop}/status`, {
      headers,
      body: { status: { phase: "Terminating" } },
    });
    expect(wrong.json()).toMatchObject({
      message:
        'Namespace "shop" is invalid: status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    });
    const body = {
      metadata: { labels: { a: "b" } },
      spec: {},
      status: { conditions: [{ type: "T", status: "True" }] },
    };
    expect((await cluster.request("PATCH", `${shop}/status`, { headers, body })).json()).toMatchObject({
      metadata: { labels: { a: "b" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active", conditions: [{ type: "T", status: "True", lastTransitionTime: null }] },
    });
    const deleted = (await cluster.request("DELETE", `${shop}?dryRun=All`)).json() as Body;
    expect(deleted.status).toMatchObject({ phase: "Terminating", conditions: [{ type: "T" }] });
  });

  test.for([
    [{ uid: "x" }, "UID in precondition: x, UID in object meta: 00000000-0000-4000-8000-000000000001"],
    [{ resourceVersion: "9" }, "ResourceVersion in precondition: 9, ResourceVersion in object meta: 1"],
  ] as const)("is not deleted with %j", async ([preconditions, why]) => {
    await using cluster = await startTestCluster({ namespaces: ["shop"] });
    expect((await cluster.request("DELETE", shop, { body: { preconditions } })).json()).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on namespaces "shop": Precondition failed: ${why}`,
    });
  });
});
