import { describe, expect, test } from "vitest";
import { type Compiled, createValue, type Value } from "./compiled.ts";
import type { JsonValue } from "./json.ts";
import { newResource, Resource, resources } from "./resource.ts";

const provenance = { instance: "shop", component: "web", transformer: "cdk8s-plus-33.Deployment" };
const compiled = (json: JsonValue | undefined): Compiled => ({ value: createValue(json), ...provenance });
const resource = (json: JsonValue | undefined): Resource => new Resource(compiled(json));

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "web-system", labels: { a: "1" }, annotations: { b: "2" } },
};

test("the accessors read the object, and the provenance is passed on", () => {
  const web = resource(deployment);
  expect(web).toMatchObject(provenance);
  expect([web.apiVersion, web.kind, web.namespace, web.name]).toEqual(["apps/v1", "Deployment", "web-system", "web"]);
  expect([web.labels, web.annotations]).toEqual([{ a: "1" }, { b: "2" }]);
  expect(`${web}`).toBe("Deployment/web-system/web");
});

test.for<{ rule: string; json: JsonValue | undefined }>([
  { rule: "nothing", json: undefined },
  { rule: "null", json: null },
  { rule: "text", json: "x" },
  { rule: "a list", json: [1] },
  { rule: "an empty object", json: {} },
  {
    rule: "an object with other types",
    json: { apiVersion: 1, kind: [], metadata: { name: {}, namespace: null, labels: "x" } },
  },
  { rule: "metadata that is text", json: { metadata: "name" } },
])("of $rule everything is empty", ({ json }) => {
  const empty = resource(json);
  expect([empty.apiVersion, empty.kind, empty.namespace, empty.name]).toEqual(["", "", "", ""]);
  expect([empty.labels, empty.annotations]).toEqual([undefined, undefined]);
  expect(empty.gvk).toEqual({ group: "", version: "", kind: "" });
  expect(empty.toString()).toBe("/");
});

test("a value that fails makes them empty too, and only exporting tells why", () => {
  const failing: Value = {
    exists: () => true,
    lookup: () => failing,
    toJSON: () => {
      throw new Error("broken");
    },
  };
  const broken = new Resource({ ...provenance, value: failing });
  expect([broken.kind, broken.labels]).toEqual(["", undefined]);
  expect(() => broken.toJSON()).toThrow("broken");
  expect(() => broken.toUnstructured()).toThrow("broken");
});

test.for([
  { apiVersion: "v1", group: "", version: "v1" },
  { apiVersion: "apps/v1", group: "apps", version: "v1" },
  { apiVersion: "a/b/v1", group: "a/b", version: "v1" },
  { apiVersion: "/v1", group: "", version: "v1" },
  { apiVersion: "apps/", group: "apps", version: "" },
])("$apiVersion is split at its last slash", ({ apiVersion, group, version }) => {
  expect(resource({ apiVersion, kind: "X" }).gvk).toEqual({ group, version, kind: "X" });
});

test("one label that is no string makes all of them unknown", () => {
  expect(resource({ metadata: { labels: { a: "1", b: 2 } } }).labels).toBeUndefined();
  expect(resource({ metadata: { labels: {} } }).labels).toEqual({});
});

test("without a namespace the summary leaves it out", () => {
  expect(resource({ kind: "Namespace", metadata: { name: "shop" } }).toString()).toBe("Namespace/shop");
});

describe("export", () => {
  test("happens again on every call", () => {
    let calls = 0;
    const value: Value = {
      ...createValue(deployment),
      lookup: (path) => createValue(deployment).lookup(path),
      exists: () => true,
      toJSON: () => {
        calls += 1;
        return deployment;
      },
    };
    const web = new Resource({ ...provenance, value });
    expect([JSON.stringify(web), web.toUnstructured(), web.toUnstructured()]).toEqual([
      JSON.stringify(deployment),
      deployment,
      deployment,
    ]);
    expect(calls).toBe(3);
    expect([web.kind, web.name]).toEqual(["Deployment", "web"]);
    expect(calls).toBe(3);
  });

  test("gives a copy of its own", () => {
    const web = resource(deployment);
    expect(web.toUnstructured()).not.toBe(deployment);
  });

  test.for<{ json: JsonValue }>([{ json: [] }, { json: "x" }, { json: null }])("of $json is no object", ({ json }) => {
    expect(() => resource(json).toUnstructured()).toThrow("the exported JSON is not an object");
  });
});

test("what is not there is wrapped as nothing, and skipped in lists", () => {
  expect(newResource(undefined)).toBeUndefined();
  const [a, b] = [compiled({ kind: "A" }), compiled({ kind: "B" })];
  expect(resources([a, undefined, b, null]).map(({ kind }) => kind)).toEqual(["A", "B"]);
});

describe("a plain value", () => {
  test("is looked into by members and indexes, and never by what is inherited", () => {
    const value = createValue({ a: [{ b: 1 }], __proto__: { c: 1 } });
    expect(value.lookup(["a", 0, "b"]).toJSON()).toBe(1);
    for (const path of [["a", 1], ["a", "0"], ["constructor"], ["a", 0, "b", "c"], ["x", "y"]]) {
      expect(value.lookup(path).exists(), path.join()).toBe(false);
    }
  });

  test("that is absent throws when it is exported", () => {
    expect(() => createValue(undefined).toJSON()).toThrow(TypeError);
    expect(createValue(null).exists()).toBe(true);
  });
});
