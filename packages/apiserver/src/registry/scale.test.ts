import type { JsonObject, JsonValue, KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing.ts";

function definition(scope: "Namespaced" | "Cluster", paths: JsonObject): KubernetesObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "fleets.test.example" },
    spec: {
      group: "test.example",
      scope,
      names: { kind: "Fleet", plural: "fleets" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {}, scale: paths },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
      ],
    },
  };
}

const allPaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
const fleets = definition("Namespaced", allPaths);
const base = "/apis/test.example/v1/namespaces/default/fleets";

async function withFleet(spec: JsonObject, status?: JsonObject): Promise<TestCluster> {
  const cluster = await startTestCluster({ definitions: [fleets] });
  await ok(cluster.request("POST", base, { body: fleet("a", spec) }));
  if (status !== undefined) await ok(patch(cluster, `${base}/a/status`, { status }));
  return cluster;
}

function fleet(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: "test.example/v1", kind: "Fleet", metadata: { name }, spec };
}

function scale(replicas: JsonValue, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a", ...metadata }, spec: { replicas } };
}

type Answer = Awaited<ReturnType<TestCluster["request"]>>;

function patch(cluster: TestCluster, path: string, body: JsonValue): Promise<Answer> {
  return cluster.request("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, whatever they are
async function ok(answer: Promise<Answer>): Promise<any> {
  const { status, text, json } = await answer;
  if (status >= 300) throw new Error(text);
  return json();
}

describe("a scale", () => {
  test("shows the numbers of its object, members in the order of the type", async () => {
    await using cluster = await withFleet({ replicas: 3, size: "big" }, { replicas: 2, selector: "app=a" });
    const { metadata } = await ok(cluster.request("GET", `${base}/a`));
    const { text } = await cluster.request("GET", `${base}/a/scale`);
    expect(text).toBe(
      `${JSON.stringify({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: {
          name: "a",
          namespace: "default",
          uid: metadata.uid,
          resourceVersion: metadata.resourceVersion,
          creationTimestamp: metadata.creationTimestamp,
        },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: "app=a" },
      })}\n`,
    );
  });

  test("leaves the zero of the specification out, as Go does", async () => {
    await using cluster = await withFleet({ replicas: 0 });
    expect(await ok(cluster.request("GET", `${base}/a/scale`))).toMatchObject({ spec: {}, status: { replicas: 0 } });
  });

  test("is a Table with its own columns", async () => {
    await using cluster = await withFleet({ replicas: 3 });
    const table = await ok(
      cluster.request("GET", `${base}/a/scale`, {
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      }),
    );
    expect(table.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      "Name",
      "Desired",
      "Available",
      "Age",
    ]);
    expect(table.rows[0].cells.slice(0, 3)).toEqual(["a", 3, 0]);
  });

  test("of a cluster-scoped object has no namespace", async () => {
    await using cluster = await startTestCluster({ definitions: [definition("Cluster", allPaths)] });
    await ok(cluster.request("POST", "/apis/test.example/v1/fleets", { body: fleet("a", { replicas: 1 }) }));
    const scaled = await ok(patch(cluster, "/apis/test.example/v1/fleets/a/scale", { spec: { replicas: 2 } }));
    expect(scaled.spec).toEqual({ replicas: 2 });
    expect(scaled.metadata).not.toHaveProperty("namespace");
  });
});

describe("writing a scale", () => {
  test("changes the object, its generation and what watchers see, and nothing else", async () => {
    await using cluster = await withFleet({ replicas: 1, size: "big" }, { replicas: 1 });
    const before = await ok(cluster.request("GET", `${base}/a`));
    const written = await ok(cluster.request("PUT", `${base}/a/scale`, { body: scale(4) }));
    const after = await ok(cluster.request("GET", `${base}/a`));
    expect(after).toEqual({
      ...before,
      metadata: { ...before.metadata, generation: 2, resourceVersion: written.metadata.resourceVersion },
      spec: { replicas: 4, size: "big" },
    });
    const from = before.metadata.resourceVersion;
    for await (const event of cluster.stream(`${base}?watch=1&resourceVersion=${from}`)) {
      expect(event).toEqual({ type: "MODIFIED", object: after });
      break;
    }
  });

  test("with dryRun answers and stores nothing", async () => {
    await using cluster = await withFleet({ replicas: 1 });
    expect(await ok(cluster.request("PUT", `${base}/a/scale?dryRun=All`, { body: scale(9) }))).toMatchObject({
      spec: { replicas: 9 },
    });
    expect(await ok(cluster.request("GET", `${base}/a/scale`))).toMatchObject({ spec: { replicas: 1 } });
  });

  test("that says the same leaves the version alone", async () => {
    await using cluster = await withFleet({ replicas: 1 });
    const { metadata } = await ok(cluster.request("GET", `${base}/a`));
    expect(await ok(cluster.request("PUT", `${base}/a/scale`, { body: scale(1) }))).toMatchObject({
      metadata: { resourceVersion: metadata.resourceVersion },
    });
  });

  test("a body without apiVersion and kind is a Scale", async () => {
    await using cluster = await withFleet({ replicas: 1 });
    const body = { metadata: { name: "a" }, spec: { replicas: 2 } };
    expect(await ok(cluster.request("PUT", `${base}/a/scale`, { body }))).toMatchObject({ spec: { replicas: 2 } });
  });

  test.for<{ rule: string; body: JsonValue; status: number; message: string }>([
    {
      rule: "a stale version",
      body: scale(2, { resourceVersion: "1" }),
      status: 409,
      message:
        'Operation cannot be fulfilled on fleets.test.example "a": the object has been modified; please apply your changes to the latest version and try again',
    },
    {
      rule: "a negative number",
      body: scale(-1),
      status: 422,
      message: 'Fleet.test.example "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    },
    {
      rule: "text for a number",
      body: scale("2"),
      status: 400,
      message: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
    },
    {
      rule: "another kind",
      body: fleet("a", { replicas: 2 }),
      status: 400,
      message: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
    },
    {
      rule: "another name",
      body: scale(2, { name: "b" }),
      status: 400,
      message: "the name of the object (b) does not match the name on the URL (a)",
    },
  ])("$rule is refused", async ({ body, status, message }) => {
    await using cluster = await withFleet({ replicas: 1 });
    const answer = await cluster.request("PUT", `${base}/a/scale`, { body });
    expect(answer.json()).toMatchObject({ code: status, message });
    expect(await ok(cluster.request("GET", `${base}/a/scale`))).toMatchObject({ spec: { replicas: 1 } });
  });

  test("another uid is refused", async () => {
    await using cluster = await withFleet({ replicas: 1 });
    const answer = await cluster.request("PUT", `${base}/a/scale`, { body: scale(2, { uid: "other" }) });
    expect(answer.json()).toMatchObject({ code: 409, reason: "Conflict" });
  });

  test.for(["POST", "DELETE"])("%s is not supported", async (method) => {
    await using cluster = await withFleet({ replicas: 1 });
    const answer = await cluster.request(method, `${base}/a/scale`, { body: {} });
    expect(answer.json()).toMatchObject({
      code: 405,
      message: `${method === "POST" ? "create" : "delete"} is not supported on resources of kind "fleets.test.example"`,
    });
  });
});

describe("an object without a number of replicas", () => {
  test("has no scale to read, which is 500", async () => {
    await using cluster = await withFleet({});
    expect((await cluster.request("GET", `${base}/a/scale`)).json()).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
      details: { causes: [{ message: 'the spec replicas field ".spec.replicas" does not exist' }] },
    });
  });

  test("gets one from a write that gives it, and a patch must give it", async () => {
    await using cluster = await withFleet({});
    expect((await patch(cluster, `${base}/a/scale`, { spec: {} })).json()).toMatchObject({
      code: 400,
      message: 'the spec replicas field ".spec.replicas" cannot be empty',
    });
    expect(await ok(patch(cluster, `${base}/a/scale`, { spec: { replicas: 2 } }))).toMatchObject({
      spec: { replicas: 2 },
    });
  });
});

/** The objects' own writes are checked where the scale is kept. */
describe("an object whose scale", () => {
  test.for<{ rule: string; spec: JsonObject; message: string }>([
    {
      rule: "is beyond 32 bits",
      spec: { replicas: 3000000000 },
      message: ".spec.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647",
    },
    {
      rule: "is text",
      spec: { replicas: "2" },
      message:
        ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 2 is of the type string, expected int64",
    },
    {
      rule: "is null",
      spec: { replicas: null },
      message:
        ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: <nil> is of the type <nil>, expected int64",
    },
  ])("$rule is refused", async ({ spec, message }) => {
    await using cluster = await startTestCluster({ definitions: [fleets] });
    const answer = await cluster.request("POST", base, { body: fleet("a", spec) });
    expect(answer.json()).toMatchObject({ code: 422, message: `Fleet.test.example "a" is invalid: ${message}` });
  });

  test("has a selector that is no text is refused on /status", async () => {
    await using cluster = await withFleet({ replicas: 1 });
    expect((await patch(cluster, `${base}/a/status`, { status: { selector: { app: "a" } } })).json()).toMatchObject({
      code: 422,
      details: {
        causes: [
          {
            field: ".status.selector",
            message:
              'Invalid value: "": .status.selector accessor error: map[app:a] is of the type map[string]interface {}, expected string',
          },
        ],
      },
    });
  });
});

test.for<{ rule: string; paths: JsonObject; problem: string }>([
  {
    rule: "without a path",
    paths: { specReplicasPath: ".spec.replicas" },
    problem: "spec.versions[0].subresources.scale lacks specReplicasPath or statusReplicasPath",
  },
  {
    rule: "with a path into a list",
    paths: { ...allPaths, specReplicasPath: ".spec.pools[0].replicas" },
    problem: "spec.versions[0].subresources.scale.specReplicasPath is not a path of members such as .spec.replicas",
  },
])("a definition $rule is refused", async ({ paths, problem }) => {
  await expect(startTestCluster({ definitions: [definition("Namespaced", paths)] })).rejects.toMatchObject({
    code: "INVALID_SCHEMA",
    message: `CustomResourceDefinition/fleets.test.example: ${problem}. Correct the definition.`,
  });
});
