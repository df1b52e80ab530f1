import { byCodeUnit, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import type { RestStorage } from "../registry/rest.ts";
import type { Resource } from "../resource.ts";
import { danglingReferences, openApiV3Document, openApiV3Index } from "./openapi-v3.ts";

const never = (): never => {
  throw new Error("not called");
};

function storageWith(...abilities: readonly (keyof RestStorage)[]): RestStorage {
  return { get: never, ...Object.fromEntries(abilities.map((ability) => [ability, never])) };
}

const whole = storageWith("list", "watch", "create", "update", "delete", "deleteCollection");
const groupVersion = { group: "record.example.dev", version: "v1" };
const info = { title: "Record", version: "1" };

const widget: Resource = {
  ...groupVersion,
  names: { kind: "Widget", plural: "widgets", singular: "widget" },
  namespaced: true,
  storage: whole,
  statusStorage: storageWith("update"),
  missingKind: "refuse",
  order: "sorted",
  openApi: {
    schemaName: "dev.example.record.v1.Widget",
    schema: {
      description: "A rich kind.",
      type: "object",
      required: ["spec"],
      properties: {
        spec: { type: "object", properties: { size: { type: "integer" } }, "x-kubernetes-validations": [] },
        status: { $ref: "#/components/schemas/dev.example.record.v1.WidgetStatus" },
      },
      "x-kubernetes-group-version-kind": [{ group: "other", kind: "Wrong", version: "v1" }],
    },
    definitions: {
      "dev.example.record.v1.WidgetStatus": {
        type: "object",
        properties: {
          conditions: {
            type: "array",
            items: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Condition" },
          },
        },
        "x-kubernetes-group-version-kind": [{ group: "record.example.dev", kind: "Widget", version: "v1" }],
      },
    },
  },
};

const zone: Resource = {
  ...widget,
  names: { kind: "Zone", listKind: "ZoneSet", plural: "zones", singular: "zone" },
  namespaced: false,
  storage: storageWith("list"),
  statusStorage: undefined,
  openApi: {
    schemaName: "dev.example.record.v1.Zone",
    schema: { "x-kubernetes-preserve-unknown-fields": true },
  },
};

const other: Resource = { ...widget, version: "v2" };
const document = openApiV3Document(groupVersion, [zone, widget, other], info);

function member(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let found = value;
  for (const name of path) found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

function keys(value: JsonValue | undefined): string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

function names(parameters: JsonValue | undefined): JsonValue[] {
  return isJsonArray(parameters) ? parameters.map((parameter) => member(parameter, "name") ?? null) : [];
}

const schemas = member(document, "components", "schemas") as JsonObject;
const paths = member(document, "paths") as JsonObject;
const base = "/apis/record.example.dev/v1";

describe("the document is complete in itself (fault C-11)", () => {
  test("every reference leads somewhere", () => {
    expect(danglingReferences(document)).toEqual([]);
  });

  test("and the check would see one that does not", () => {
    const broken = {
      ...document,
      extra: [{ $ref: "#/components/schemas/io.example.apps~1v1.Foo" }, { $ref: "elsewhere" }],
    };
    expect(danglingReferences(broken)).toEqual(["#/components/schemas/io.example.apps~1v1.Foo", "elsewhere"]);
  });

  test("names of schemas have dots only", () => {
    expect(keys(schemas).filter((name) => !/^[A-Za-z0-9.]+$/.test(name))).toEqual([]);
  });

  test("every kind has its mark, once", () => {
    const marks = Object.values(schemas).flatMap((schema) => {
      const mark = member(schema, "x-kubernetes-group-version-kind");
      return isJsonArray(mark) ? mark.map((kind) => JSON.stringify(kind)) : [];
    });
    expect(new Set(marks).size).toBe(marks.length);
    for (const kind of ["Widget", "WidgetList", "Zone", "ZoneSet", "DeleteOptions"]) {
      expect(marks).toContain(JSON.stringify({ group: "record.example.dev", kind, version: "v1" }));
    }
    expect(marks.join()).not.toContain("Wrong");
  });

  test("also when two resources have one kind", () => {
    const twin: Resource = {
      ...widget,
      names: { ...widget.names, plural: "twins" },
      openApi: { schemaName: "dev.example.record.v1.Twin", schema: { type: "object" } },
    };
    const twins = openApiV3Document(groupVersion, [widget, twin], info);
    const marked = Object.values(member(twins, "components", "schemas") as JsonObject).filter((schema) =>
      JSON.stringify(member(schema, "x-kubernetes-group-version-kind") ?? "").includes('"Widget"'),
    );
    expect(marked).toHaveLength(1);
  });

  test("the core group's document marks DeleteOptions once", () => {
    const core = openApiV3Document({ group: "", version: "v1" }, [{ ...zone, group: "" }], info);
    expect(keys(member(core, "paths"))).toEqual(["/api/v1/zones", "/api/v1/zones/{name}"]);
    expect(
      member(
        core,
        "components",
        "schemas",
        "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
        "x-kubernetes-group-version-kind",
      ),
    ).toHaveLength(1);
  });

  test("members come in a fixed order", () => {
    expect(keys(document)).toEqual(["openapi", "info", "paths", "components"]);
    expect(keys(schemas)).toEqual(keys(schemas).toSorted(byCodeUnit));
    expect(keys(paths)).toEqual(keys(paths).toSorted(byCodeUnit));
    expect(JSON.stringify(openApiV3Document(groupVersion, [widget, zone], info))).toBe(JSON.stringify(document));
  });
});

describe("schemas of kinds", () => {
  test("are what the resource says, with apiVersion, kind and metadata", () => {
    const schema = schemas["dev.example.record.v1.Widget"];
    expect(schema).toMatchObject({
      description: "A rich kind.",
      type: "object",
      required: ["spec"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
        spec: { type: "object", properties: { size: { type: "integer" } }, "x-kubernetes-validations": [] },
      },
    });
  });

  test("are objects, whatever the resource says", () => {
    expect(schemas["dev.example.record.v1.Zone"]).toMatchObject({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });

  test("their lists refer to them", () => {
    expect(schemas["dev.example.record.v1.ZoneList"]).toMatchObject({
      required: ["items"],
      properties: { items: { type: "array", items: { $ref: "#/components/schemas/dev.example.record.v1.Zone" } } },
    });
  });

  test("other versions are left out", () => {
    expect(keys(paths).filter((path) => !path.startsWith(base))).toEqual([]);
  });
});

describe("operations are those that the storage is able to do", () => {
  test.for<{ path: string; methods: string[] }>([
    { path: `${base}/widgets`, methods: ["get"] },
    { path: `${base}/namespaces/{namespace}/widgets`, methods: ["get", "post", "delete"] },
    { path: `${base}/namespaces/{namespace}/widgets/{name}`, methods: ["get", "put", "patch", "delete"] },
    { path: `${base}/namespaces/{namespace}/widgets/{name}/status`, methods: ["get", "put", "patch"] },
    { path: `${base}/zones`, methods: ["get"] },
    { path: `${base}/zones/{name}`, methods: ["get"] },
  ])("$path", ({ methods, path }) => {
    expect(keys(paths[path]).filter((name) => name !== "parameters")).toEqual(methods);
  });

  test("no more paths than these", () => {
    expect(keys(paths)).toHaveLength(6);
  });

  const item = `${base}/namespaces/{namespace}/widgets/{name}`;
  const collection = `${base}/namespaces/{namespace}/widgets`;
  const listOptions = [
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "timeoutSeconds",
  ];

  test.for<{ path: string; method: string; action: string; parameters: string[] }>([
    {
      path: collection,
      method: "get",
      action: "list",
      parameters: ["allowWatchBookmarks", ...listOptions, "sendInitialEvents", "watch"].toSorted(byCodeUnit),
    },
    { path: `${base}/zones`, method: "get", action: "list", parameters: listOptions },
    { path: collection, method: "post", action: "post", parameters: ["dryRun", "fieldManager", "fieldValidation"] },
    {
      path: collection,
      method: "delete",
      action: "deletecollection",
      parameters: [...listOptions, "dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"].toSorted(
        byCodeUnit,
      ),
    },
    { path: item, method: "get", action: "get", parameters: ["resourceVersion"] },
    { path: item, method: "put", action: "put", parameters: ["dryRun", "fieldManager", "fieldValidation"] },
    { path: item, method: "patch", action: "patch", parameters: ["dryRun", "fieldManager", "fieldValidation"] },
    {
      path: item,
      method: "delete",
      action: "delete",
      parameters: ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
    },
  ])("$action $path", ({ action, method, parameters, path }) => {
    const operation = member(paths[path], method);
    expect(names(member(operation, "parameters"))).toEqual(parameters);
    expect(member(operation, "x-kubernetes-action")).toBe(action);
    expect(member(operation, "x-kubernetes-group-version-kind")).toEqual({
      group: "record.example.dev",
      version: "v1",
      kind: path.includes("zones") ? "Zone" : "Widget",
    });
  });

  test("ids of operations are unique", () => {
    const ids = Object.values(paths).flatMap((path) =>
      keys(path).flatMap((method) => member(path, method, "operationId") ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("listRecordExampleDevV1NamespacedWidget");
    expect(ids).toContain("readRecordExampleDevV1NamespacedWidgetStatus");
    expect(ids).toContain("listRecordExampleDevV1WidgetForAllNamespaces");
    expect(ids).toContain("deleteRecordExampleDevV1CollectionNamespacedWidget");
    expect(ids).toContain("readRecordExampleDevV1Zone");
  });

  test("paths name their parameters", () => {
    expect(names(member(paths[item], "parameters"))).toEqual(["name", "namespace", "pretty"]);
    expect(names(member(paths[`${base}/zones/{name}`], "parameters"))).toEqual(["name", "pretty"]);
    expect(names(member(paths[collection], "parameters"))).toEqual(["namespace", "pretty"]);
  });

  test("a patch has the two content types that tell kubectl how to apply, and no more", () => {
    expect(keys(member(paths[item], "patch", "requestBody", "content"))).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
    ]);
  });

  test("or those that are asked for; apply brings force", () => {
    const patchTypes = ["application/apply-patch+yaml", "application/merge-patch+json"];
    const applying = openApiV3Document(groupVersion, [widget], info, { patchTypes: () => patchTypes });
    const patch = member(applying, "paths", item, "patch");
    expect(keys(member(patch, "requestBody", "content"))).toEqual(patchTypes);
    expect(names(member(patch, "parameters"))).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
  });
});

test("the index names each document by its hash", () => {
  expect(
    openApiV3Index([
      { group: "b.example.dev", version: "v1", hash: "FF" },
      { group: "", version: "v1", hash: "A/" },
    ]),
  ).toEqual({
    paths: {
      "api/v1": { serverRelativeURL: "/openapi/v3/api/v1?hash=A%2F" },
      "apis/b.example.dev/v1": { serverRelativeURL: "/openapi/v3/apis/b.example.dev/v1?hash=FF" },
    },
  });
});
