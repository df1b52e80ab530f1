import type { JsonObject, KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "./testing.ts";

const text = { type: "string" };
const integer = { type: "integer" };

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...more };
}

interface VersionOptions {
  readonly deprecated?: boolean;
  readonly stored?: boolean;
}

function version(name: string, schema: JsonObject, { deprecated = false, stored = false }: VersionOptions): JsonObject {
  const subresources = {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  };
  return { name, deprecated, served: true, storage: stored, subresources, schema: { openAPIV3Schema: schema } };
}

function definition(versions: readonly JsonObject[]): KubernetesObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boats.test.example" },
    spec: { group: "test.example", scope: "Namespaced", names: { kind: "Boat", plural: "boats" }, versions },
  };
}

const base = (of: string): string => `/apis/test.example/${of}/namespaces/default/boats`;
const boat = (of: string, spec: JsonObject): JsonObject => ({
  apiVersion: `test.example/${of}`,
  kind: "Boat",
  metadata: { name: "a" },
  spec,
});

async function send(cluster: TestCluster, method: string, path: string, body?: JsonObject): Promise<KubernetesObject> {
  const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  return (await cluster.request(method, path, { body, headers })).json() as KubernetesObject;
}

describe("a kind in two versions", () => {
  const versions = [
    version("v2", object({ spec: object({ zeal: { ...text, default: "high" }, size: integer }) }), { stored: true }),
    version("v1", object({ spec: object({ size: integer, zeal: text, old: { ...text, default: "yes" } }) }), {}),
  ];

  test("has the defaults of the version that is stored, whichever is read", async () => {
    await using cluster = await startTestCluster({ definitions: [definition(versions)] });
    expect((await send(cluster, "POST", base("v1"), boat("v1", { size: 1 }))).spec).toEqual({ size: 1, zeal: "high" });
    expect((await send(cluster, "GET", `${base("v1")}/a`)).spec).toEqual({ size: 1, zeal: "high" });
    expect((await send(cluster, "GET", `${base("v2")}/a`)).spec).toEqual({ size: 1, zeal: "high" });
  });

  test("tells fields of the other version from those that nobody knows", async () => {
    await using cluster = await startTestCluster({ definitions: [definition(versions)] });
    const answer = await cluster.request("POST", base("v2"), { body: boat("v1", { old: "x", odd: 1 }) });
    expect(answer.status).toBe(400);
    expect(answer.headers.warning).toEqual(['299 - "unknown field \\"spec.odd\\""']);
  });
});

test("members that only a default has stand in order", async () => {
  const schema = object({ spec: object({ b: text, a: { ...text, default: "x" } }) });
  const before = object({ spec: object({ b: text }) });
  await using earlier = await startTestCluster({
    definitions: [definition([version("v1", before, { stored: true })])],
  });
  await send(earlier, "POST", base("v1"), boat("v1", { b: "y" }));
  await using cluster = await startTestCluster({
    storage: earlier.storage,
    namespaces: [],
    definitions: [definition([version("v1", schema, { stored: true })])],
  });
  expect((await cluster.request("GET", `${base("v1")}/a`)).text).toContain('"spec":{"a":"x","b":"y"}');
});

test.for<{ rule: string; versions: readonly (readonly [name: string, deprecated: boolean])[]; warning: string }>([
  {
    rule: "nothing better",
    versions: [
      ["v2", true],
      ["v1", false],
    ],
    warning: "test.example/v2 Boat is deprecated",
  },
  {
    rule: "the best of what is better",
    versions: [
      ["v1beta1", true],
      ["v1", false],
      ["v3", true],
      ["v2", false],
      ["v1alpha1", false],
    ],
    warning: "test.example/v1beta1 Boat is deprecated; use test.example/v2 Boat",
  },
])("a deprecated version names $rule", async ({ versions, warning }) => {
  const all = versions.map(([name, deprecated], index) =>
    version(name, object({}), { deprecated, stored: index === 0 }),
  );
  await using cluster = await startTestCluster({ definitions: [definition(all)] });
  const answer = await cluster.request("GET", base(versions[0]?.[0] ?? ""));
  expect(answer.headers.warning).toEqual([`299 - "${warning}"`]);
});

describe("a change of the status", () => {
  const stored = version(
    "v1",
    object({
      spec: object({ size: { ...integer, maximum: 5 } }),
      status: object({ replicas: integer, list: { type: "array", "x-kubernetes-list-type": "set", items: text } }),
    }),
    { stored: true },
  );
  const lenient = version("v2", object({ spec: object({ size: integer }) }), {});

  async function withBoat(): Promise<TestCluster> {
    const cluster = await startTestCluster({ definitions: [definition([stored, lenient])] });
    await send(cluster, "POST", base("v2"), boat("v2", { size: 9 }));
    return cluster;
  }

  test("does not mind what is wrong elsewhere", async () => {
    await using cluster = await withBoat();
    const answer = await send(cluster, "PATCH", `${base("v1")}/a/status`, { status: { replicas: 1 } });
    expect(answer).toMatchObject({ spec: { size: 9 }, status: { replicas: 1 } });
  });

  test.for<[status: JsonObject, message: string]>([
    [
      { replicas: "x" },
      'status.replicas: Invalid value: "string": replicas in body must be of type integer: "string", ' +
        ".status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64",
    ],
    [{ list: ["a", "a"] }, 'status.list[1]: Duplicate value: "a"'],
  ])("to %j is refused", async ([status, message]) => {
    await using cluster = await withBoat();
    const answer = await send(cluster, "PATCH", `${base("v1")}/a/status`, { status });
    expect(answer).toMatchObject({ code: 422, message: expect.stringContaining(message) });
  });

  test("has no say in metadata, not even in the uid", async () => {
    await using cluster = await withBoat();
    const body = { metadata: { uid: "x", labels: { a: "b" } }, status: {} };
    const { metadata } = await send(cluster, "PATCH", `${base("v1")}/a/status`, body);
    expect(metadata).toMatchObject({ uid: expect.stringMatching(/^0{8}-/) });
    expect(metadata.labels).toBeUndefined();
  });
});

describe("what is wrong may stay as it is", () => {
  const strict = (properties: JsonObject): JsonObject =>
    version("v1", object({ spec: object(properties, { maxProperties: 3 }) }), { stored: true });
  const short = { ...text, maxLength: 1 };
  const byName = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
  const named = { type: "array", ...byName, items: object({ name: text, word: short }, { required: ["name"] }) };
  const definitions = [
    definition([
      strict({
        a: short,
        map: { type: "object", additionalProperties: short },
        named,
        plain: { type: "array", items: short },
      }),
      version("v2", { type: "object", "x-kubernetes-preserve-unknown-fields": true }, {}),
    ]),
  ];
  const tooLong = (field: string): string => `spec.${field}: Too long: may not be more than 1 byte`;

  test.for<{ rule: string; before: JsonObject; change: JsonObject; errors: string[] }>([
    {
      rule: "beside a change of metadata",
      before: { a: "xx" },
      change: { metadata: { labels: { a: "b" } } },
      errors: [],
    },
    { rule: "beside a change of the spec", before: { a: "xx" }, change: { spec: { map: { k: "y" } } }, errors: [] },
    { rule: "but not changed", before: { a: "xx" }, change: { spec: { a: "yy" } }, errors: [tooLong("a")] },
    {
      rule: "in maps",
      before: { map: { k: "xx", l: "xx" } },
      change: { spec: { map: { l: "yy" } } },
      errors: [tooLong("map.l")],
    },
    {
      rule: "in items that are known by their keys",
      before: { named: [{ name: "m", word: "xx" }] },
      change: {
        spec: {
          named: [
            { name: "n", word: "yy" },
            { name: "m", word: "xx" },
          ],
        },
      },
      errors: [tooLong("named[0].word")],
    },
    {
      rule: "but not in other lists that change",
      before: { plain: ["xx"] },
      change: { spec: { plain: ["xx", "y"] } },
      errors: [tooLong("plain[0]")],
    },
  ])("$rule", async ({ before, change, errors }) => {
    await using cluster = await startTestCluster({ definitions });
    await send(cluster, "POST", base("v2"), boat("v2", before));
    const answer = await cluster.request("PATCH", `${base("v1")}/a`, {
      body: change,
      headers: { "content-type": "application/merge-patch+json" },
    });
    const { message } = answer.json() as { message?: string };
    expect(message?.replace(/^.*? is invalid: /, "") ?? "").toBe(errors.join(", "));
  });
});

describe("objects of another kind", () => {
  const embedded = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const set = { type: "array", "x-kubernetes-list-type": "set", items: text };
  const spec = object({ a: { ...text, maxLength: 1 }, set, embedded }, { required: ["b"] });
  const definitions = [definition([version("v1", object({ spec }), { stored: true })])];
  const other = (more: JsonObject): JsonObject => ({ ...boat("v1", more), kind: "Car" });
  const notBoat = 'kind: Invalid value: "Car": must be Boat';

  test.for([
    ["for its kind alone", { a: "xx" }, `Car.test.example "a" is invalid: ${notBoat}`],
    [
      "for its lists",
      { set: ["x", "x"] },
      `Car.test.example "a" is invalid: [${notBoat}, spec.set[1]: Duplicate value: "x"]`,
    ],
    [
      "for what it embeds",
      { embedded: { kind: "K" } },
      `Car.test.example "a" is invalid: [${notBoat}, spec.embedded.apiVersion: Required value]`,
    ],
  ] as const)("are refused %s", async ([, more, message]) => {
    await using cluster = await startTestCluster({ definitions });
    expect(await send(cluster, "POST", base("v1"), other(more))).toMatchObject({ code: 422, message });
  });

  test.for([
    ["Strict", "Object 'Kind' is missing in '{\"metadata\":{}}'"],
    ["Ignore", " in version \"v1\" cannot be handled as a Boat: Object 'Kind' is missing in '{\"metadata\":{}}'"],
  ] as const)("have one (fieldValidation=%s)", async ([validation, message]) => {
    await using cluster = await startTestCluster({ definitions });
    const answer = await send(cluster, "POST", `${base("v1")}?fieldValidation=${validation}`, { metadata: {} });
    expect(answer).toMatchObject({ code: 400, message: expect.stringContaining(message) });
  });

  test("are what they say they are when unknown fields are refused", async () => {
    await using cluster = await startTestCluster({ definitions });
    const body = { ...other({}), metadata: { name: "a", odd: 1 } };
    const { message } = await send(cluster, "POST", `${base("v1")}?fieldValidation=Strict`, body);
    expect(message).toBe(
      'Car in version "v1" cannot be handled as a Car: strict decoding error: unknown field "metadata.odd"',
    );
  });

  test("of another version are asked for it once their metadata is read", async () => {
    await using cluster = await startTestCluster({ definitions });
    const body = { ...boat("v1", {}), apiVersion: "test.example/v2", metadata: { labels: 1 } };
    const { message } = await send(cluster, "POST", base("v1"), body);
    expect(message).toMatch(/^Boat in version "v2" cannot be handled as a Boat: json: cannot unmarshal number/);
  });
});
