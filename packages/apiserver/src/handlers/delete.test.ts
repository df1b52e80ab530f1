import type { JsonObject, JsonValue, KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing.ts";

const widgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: ".spec.mode" }, { jsonPath: ".spec.deep.on" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};
const base = "/apis/test.example/v1/namespaces/default/widgets";

async function withWidgets(
  specs: Readonly<Record<string, JsonObject>>,
  garbageCollection = false,
): Promise<TestCluster> {
  const cluster = await startTestCluster({ definitions: [widgets], garbageCollection });
  for (const [name, spec] of Object.entries(specs)) {
    const body = { apiVersion: "test.example/v1", kind: "Widget", metadata: { name }, spec };
    expect((await cluster.request("POST", base, { body })).status).toBe(201);
  }
  return cluster;
}

async function namesIn(cluster: TestCluster, query = ""): Promise<string[]> {
  return namesOf((await cluster.request("GET", base + query)).json());
}

/** Of an answer that is a list: the server says so, the compiler cannot. */
function namesOf(list: JsonValue): string[] {
  return (list as unknown as { items: KubernetesObject[] }).items.map(({ metadata }) => metadata.name ?? "");
}

/** Of an answer that is an object or a list: the server says so, the compiler cannot. */
function metadataOf(answer: JsonValue): JsonObject {
  return (answer as unknown as { metadata: JsonObject }).metadata;
}

/** The body counts where there is one, and then alone. */
describe("options of a delete", () => {
  test.for<{ rule: string; query?: string; body?: JsonValue; code: number; message: string }>([
    {
      rule: "an unknown policy in the query",
      query: "?propagationPolicy=Now",
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Now": supported values: "Foreground", "Background", "Orphan", "nil"',
    },
    {
      rule: "an unknown policy in the body",
      body: { propagationPolicy: "Now" },
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Now": supported values: "Foreground", "Background", "Orphan", "nil"',
    },
    {
      rule: "two ways to say what happens to dependents",
      body: { propagationPolicy: "Orphan", orphanDependents: true },
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    },
    {
      rule: "another dry run",
      query: "?dryRun=Some",
      code: 422,
      message: 'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    },
    {
      rule: "a period that is no number",
      query: "?gracePeriodSeconds=soon",
      code: 400,
      message: 'strconv.ParseInt: parsing "soon": invalid syntax',
    },
    {
      rule: "another kind",
      body: { apiVersion: "v1", kind: "ConfigMap" },
      code: 400,
      message: 'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    },
    {
      rule: "another kind that has no group",
      body: { apiVersion: "v1", kind: "Status" },
      code: 400,
      message: "converting (v1.Status) to (v1.DeleteOptions): unknown conversion",
    },
    {
      rule: "a body that is a list",
      body: [],
      code: 400,
      message: expect.stringContaining("cannot unmarshal array into Go value of type struct"),
    },
    {
      rule: "text for a period",
      body: { gracePeriodSeconds: "1" },
      code: 400,
      message: "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    },
    {
      rule: "a number for a uid",
      body: { preconditions: { uid: 1 } },
      code: 400,
      message: "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
    },
    {
      rule: "a precondition in the query that fails",
      query: "?uid=other",
      code: 409,
      message: expect.stringContaining("the UID in the precondition (other) does not match"),
    },
  ])("$rule", async ({ query = "", body, code, message }) => {
    await using cluster = await withWidgets({ a: {} });
    const answer = await cluster.request("DELETE", `${base}/a${query}`, { body });
    expect(answer.json()).toMatchObject({ code, message });
    expect(await namesIn(cluster)).toEqual(["a"]);
  });

  test.for<{ rule: string; query?: string; body?: JsonValue }>([
    { rule: "empty preconditions", query: "?uid=&resourceVersion=" },
    { rule: "a negative period", query: "?gracePeriodSeconds=-1" },
    { rule: "unknown members", body: { unknown: 1 } },
    { rule: "null", body: null },
    { rule: "the group's version", body: { apiVersion: "test.example/v1", kind: "DeleteOptions" } },
    { rule: "a query that would be refused, beside a body", query: "?dryRun=Some", body: {} },
  ])("are fine with $rule", async ({ query = "", body }) => {
    await using cluster = await withWidgets({ a: {} });
    expect((await cluster.request("DELETE", `${base}/a${query}`, { body })).status).toBe(200);
    expect(await namesIn(cluster)).toEqual([]);
  });

  test.for<{ query: string; finalizers: string[] | undefined; status: number }>([
    { query: "?propagationPolicy=Foreground", finalizers: ["foregroundDeletion"], status: 200 },
    { query: "?propagationPolicy=Orphan", finalizers: ["orphan"], status: 200 },
    { query: "?orphanDependents=true", finalizers: ["orphan"], status: 200 },
    { query: "?propagationPolicy=Background", finalizers: undefined, status: 200 },
    { query: "?orphanDependents=false", finalizers: undefined, status: 200 },
  ])("$query leaves the finalizers $finalizers, where a collector works", async ({ query, finalizers, status }) => {
    await using cluster = await withWidgets({ a: {} }, true);
    const answer = await cluster.request("DELETE", `${base}/a${query}`);
    expect(answer.status).toBe(status);
    expect(metadataOf(answer.json()).finalizers).toEqual(finalizers);
  });
});

describe("a collection is deleted", () => {
  const four = { a: { mode: "x" }, b: { mode: "y" }, c: { mode: "x" }, d: {} };

  test.for<{ rule: string; query: string; deleted: string[] }>([
    { rule: "whole", query: "", deleted: ["a", "b", "c", "d"] },
    { rule: "by a field", query: "?fieldSelector=spec.mode%3Dx", deleted: ["a", "c"] },
    { rule: "by a field that must be missing", query: "?fieldSelector=spec.mode%3D", deleted: ["d"] },
    { rule: "by a name", query: "?fieldSelector=metadata.name%3Db", deleted: ["b"] },
    { rule: "no further than the limit", query: "?limit=2", deleted: ["a", "b"] },
    {
      rule: "no further than the limit of what is selected",
      query: "?limit=1&fieldSelector=spec.mode%3Dx",
      deleted: ["a"],
    },
  ])("$rule, and the answer lists what was there", async ({ query, deleted }) => {
    await using cluster = await withWidgets(four);
    expect(namesOf((await cluster.request("DELETE", base + query)).json())).toEqual(deleted);
    expect(await namesIn(cluster)).toEqual(Object.keys(four).filter((name) => !deleted.includes(name)));
  });

  test.for([
    { query: "?fieldSelector=spec.other%3Dx", message: "field label not supported: spec.other" },
    { query: "?limit=few", message: 'strconv.ParseInt: parsing "few": invalid syntax' },
  ])("not at all with $query", async ({ query, message }) => {
    await using cluster = await withWidgets(four);
    expect((await cluster.request("DELETE", base + query)).json()).toMatchObject({ code: 400, message });
    expect(await namesIn(cluster)).toHaveLength(4);
  });

  test("page by page with the token of the answer", async () => {
    await using cluster = await withWidgets(four);
    const first = await cluster.request("DELETE", `${base}?limit=3&dryRun=All`);
    const token = String(metadataOf(first.json()).continue);
    expect(namesOf((await cluster.request("DELETE", `${base}?limit=3&continue=${token}`)).json())).toEqual(["d"]);
  });
});

/** KEP-4358 */
describe("declared fields select", () => {
  test.for<{ query: string; names: string[] }>([
    { query: "?fieldSelector=spec.mode%3Dx", names: ["a"] },
    { query: "?fieldSelector=spec.mode!%3Dx", names: ["b", "c"] },
    { query: "?fieldSelector=spec.deep.on%3Dtrue", names: ["b"] },
    { query: "?fieldSelector=spec.deep.on%3Dtrue,spec.mode%3Dx", names: [] },
    { query: "?fieldSelector=spec.deep.on%3D0.5", names: ["c"] },
  ])("$query", async ({ query, names }) => {
    await using cluster = await withWidgets({
      a: { mode: "x" },
      b: { mode: "y", deep: { on: true } },
      c: { deep: { on: 0.5 } },
    });
    expect(await namesIn(cluster, query)).toEqual(names);
  });

  test("what a watch sees, by what enters and leaves", async () => {
    await using cluster = await withWidgets({ a: { mode: "x" }, b: { mode: "y" } });
    const seen: string[] = [];
    for await (const event of cluster.stream(`${base}?watch=1&fieldSelector=spec.mode%3Dx`)) {
      // The server says so, the compiler cannot.
      const { type, object } = event as unknown as { type: string; object: KubernetesObject };
      seen.push(`${type} ${object.metadata.name}`);
      const change = ["b", "x", "a", "y"].slice((seen.length - 1) * 2);
      if (change[0] === undefined) break;
      await cluster.request("PATCH", `${base}/${change[0]}`, {
        headers: { "content-type": "application/merge-patch+json" },
        body: { spec: { mode: change[1] ?? "" } },
      });
    }
    expect(seen).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
  });

  test.for([
    ["an undeclared field of a custom kind", base, "field label not supported: spec.size"],
    [
      "of a core kind that declares none",
      "/api/v1/configmaps",
      '"spec.size" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ["of a core kind that declares some", "/api/v1/secrets", "field label not supported: spec.size"],
  ] as const)("%s is refused", async ([, path, message]) => {
    await using cluster = await withWidgets({});
    const answer = await cluster.request("GET", `${path}?fieldSelector=spec.size%3D1`);
    expect(answer.json()).toMatchObject({ code: 400, message });
  });

  test("a path into a list cannot be declared", async () => {
    const text = JSON.stringify(widgets).replace(".spec.mode", ".spec.modes[0]");
    await expect(startTestCluster({ definitions: [JSON.parse(text) as KubernetesObject] })).rejects.toMatchObject({
      code: "INVALID_SCHEMA",
      message:
        "CustomResourceDefinition/widgets.test.example: spec.versions[0].selectableFields[0].jsonPath is not a path of members such as .spec.mode. Correct the definition.",
    });
  });
});
