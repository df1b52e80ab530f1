import type { JsonValue, KubernetesObject } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { defaultColumns, humanDuration, printerColumns, toPartialObjectMetadata, toTable } from "./table.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe("durations for people", () => {
  test.for<[number, string]>([
    [-2, "<invalid>"],
    [Number.NaN, "<invalid>"],
    [-1.5, "0s"],
    [-1, "0s"],
    [0.9, "0s"],
    [45, "45s"],
    [119, "119s"],
    [2 * MINUTE, "2m"],
    [3 * MINUTE + 20, "3m20s"],
    [9 * MINUTE + 59, "9m59s"],
    [10 * MINUTE + 30, "10m"],
    [37 * MINUTE, "37m"],
    [3 * HOUR - 1, "179m"],
    [3 * HOUR, "3h"],
    [5 * HOUR + 12 * MINUTE, "5h12m"],
    [8 * HOUR + 30 * MINUTE, "8h"],
    [26 * HOUR, "26h"],
    [2 * DAY, "2d"],
    [3 * DAY + 4 * HOUR, "3d4h"],
    [8 * DAY + 4 * HOUR, "8d"],
    [120 * DAY, "120d"],
    [2 * YEAR, "2y"],
    [2 * YEAR + 30 * DAY, "2y30d"],
    [8 * YEAR + 30 * DAY, "8y"],
  ])("%d seconds are %s", ([seconds, text]) => {
    expect(humanDuration(seconds)).toBe(text);
  });
});

const now = new Date("2026-11-30T12:26:30Z");

const widget: KubernetesObject = {
  apiVersion: "record.example.dev/v1",
  kind: "Widget",
  metadata: {
    creationTimestamp: "2026-11-30T12:26:30Z",
    generation: 1,
    labels: { l: "1", a: "2" },
    managedFields: [
      {
        apiVersion: "record.example.dev/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": {} },
        manager: "record",
        operation: "Update",
        time: "2026-11-30T12:26:30Z",
      },
    ],
    name: "a",
    namespace: "rec-table",
    resourceVersion: "3441",
    uid: "6b36d085-1e02-446c-8c41-1e3c38b78be8",
  },
  spec: { mode: "Auto", nested: { enabled: true }, ratio: 1.5, size: 1, tags: ["x", "y"] },
  status: {
    conditions: [
      { status: "False", type: "Other" },
      { status: "True", type: "Ready" },
    ],
    phase: "Ready",
    updated: "2020-01-01T00:00:00Z",
  },
};

const widgetColumns = printerColumns([
  { name: "Size", type: "integer", jsonPath: ".spec.size", description: "The size of the widget." },
  { name: "Mode", type: "string", jsonPath: ".spec.mode" },
  { name: "Phase", type: "string", jsonPath: ".status.phase" },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Ratio", type: "number", jsonPath: ".spec.ratio", priority: 1 },
  { name: "Enabled", type: "boolean", jsonPath: ".spec.nested.enabled", priority: 1 },
  { name: "Tags", type: "string", jsonPath: ".spec.tags", priority: 1 },
  { name: "Updated", type: "date", jsonPath: ".status.updated", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
]);

describe("cells, as kube-apiserver 1.36 fills them", () => {
  test("of an object that has everything", () => {
    expect(widgetColumns.cells(widget, now)).toEqual([
      "a",
      1,
      "Auto",
      "Ready",
      "True",
      1.5,
      true,
      '["x","y"]',
      "6y335d",
      "0s",
    ]);
  });

  test("of an object that has little", () => {
    const little = { ...widget, spec: { mode: "Auto", size: 1 }, status: undefined };
    expect(widgetColumns.cells(little, now)).toEqual(["a", 1, "Auto", null, null, null, null, null, null, "0s"]);
  });

  test.for<{ rule: string; type: string; value: JsonValue; cell: JsonValue }>([
    { rule: "a string column shows numbers", type: "string", value: 1.5, cell: "1.5" },
    { rule: "and large fractions as Go does", type: "string", value: 1_000_000.5, cell: "1.0000005e+06" },
    { rule: "and integers in full", type: "string", value: 1_000_000, cell: "1000000" },
    { rule: "and large integers", type: "string", value: 10n ** 17n, cell: "100000000000000000" },
    { rule: "and booleans", type: "string", value: true, cell: "true" },
    { rule: "and objects, sorted", type: "string", value: { b: 1, a: [{}] }, cell: '{"a":[{}],"b":1}' },
    { rule: "null is no cell", type: "string", value: null, cell: null },
    { rule: "an integer column cuts off", type: "integer", value: 1.9, cell: 1 },
    { rule: "and has no text", type: "integer", value: "1", cell: null },
    { rule: "and takes large integers", type: "integer", value: 10n ** 17n, cell: 10n ** 17n },
    { rule: "a number column has no text", type: "number", value: "1.5", cell: null },
    { rule: "a boolean column has no text", type: "boolean", value: "true", cell: null },
    { rule: "a date column shows the age", type: "date", value: "2026-11-30T12:25:45Z", cell: "45s" },
    { rule: "also with another offset", type: "date", value: "2026-11-30T14:25:45+02:00", cell: "45s" },
    { rule: "what is no date is invalid", type: "date", value: "yesterday", cell: "<invalid>" },
    { rule: "no text is unknown", type: "date", value: "", cell: "<unknown>" },
    { rule: "a date column has no numbers", type: "date", value: 1, cell: null },
    { rule: "an unknown type is a string", type: "text", value: 1, cell: "1" },
  ])("$rule", ({ cell, type, value }) => {
    const columns = printerColumns([{ name: "C", type, jsonPath: ".spec.c" }]);
    expect(columns.cells({ ...widget, spec: { c: value } }, now)[1]).toEqual(cell);
  });

  test("a path that cannot be read makes empty cells", () => {
    const columns = printerColumns([{ name: "C", type: "string", jsonPath: "..c" }]);
    expect(columns.cells(widget, now)).toEqual(["a", null]);
  });
});

describe("columns", () => {
  test("have all five members, with a description made up where there is none", () => {
    expect(widgetColumns.columns.slice(1, 4)).toEqual([
      { name: "Size", type: "integer", format: "", description: "The size of the widget.", priority: 0 },
      {
        name: "Mode",
        type: "string",
        format: "",
        description: "Custom resource definition column (in JSONPath format): .spec.mode",
        priority: 0,
      },
      {
        name: "Phase",
        type: "string",
        format: "",
        description: "Custom resource definition column (in JSONPath format): .status.phase",
        priority: 0,
      },
    ]);
    expect(widgetColumns.columns[0]).toMatchObject({ name: "Name", type: "string", format: "name", priority: 0 });
  });

  test.for<{ rule: string; raw: JsonValue }>([
    { rule: "none", raw: [] },
    { rule: "no list", raw: { name: "x" } },
    { rule: "nothing that is a column", raw: [1, {}, { name: "x" }, { jsonPath: ".a" }] },
  ])("$rule: name and age", ({ raw }) => {
    const columns = printerColumns(raw);
    expect(columns).toBe(defaultColumns);
    expect(columns.columns.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Age", "date"],
    ]);
    expect(columns.cells(widget, new Date("2026-12-02T12:26:30Z"))).toEqual(["a", "2d"]);
  });
});

const metadata = {
  name: "a",
  namespace: "rec-table",
  uid: "6b36d085-1e02-446c-8c41-1e3c38b78be8",
  resourceVersion: "3441",
  generation: 1,
  creationTimestamp: "2026-11-30T12:26:30Z",
  labels: { a: "2", l: "1" },
  managedFields: [
    {
      manager: "record",
      operation: "Update",
      apiVersion: "record.example.dev/v1",
      time: "2026-11-30T12:26:30Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": {} },
    },
  ],
};

describe("tables", () => {
  const columns = printerColumns([{ name: "Size", type: "integer", jsonPath: ".spec.size" }]);
  const definitions = columns.columns.map((column) => ({ ...column }));

  test("of a list, member for member", () => {
    const table = toTable([widget], columns, { now, resourceVersion: "9", continue: "t", remainingItemCount: 3 });
    expect(JSON.stringify(table)).toBe(
      JSON.stringify({
        kind: "Table",
        apiVersion: "meta.k8s.io/v1",
        metadata: { resourceVersion: "9", continue: "t", remainingItemCount: 3 },
        columnDefinitions: definitions,
        rows: [{ cells: ["a", 1], object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata } }],
      }),
    );
  });

  test("of an empty list", () => {
    const table = toTable([], columns, { now, resourceVersion: "9" });
    expect(table).toMatchObject({ metadata: { resourceVersion: "9" }, rows: [] });
    expect(Object.keys(table.metadata as object)).toEqual(["resourceVersion"]);
  });

  test("with whole objects", () => {
    const table = toTable([widget], columns, { now, resourceVersion: "9", includeObject: "Object" });
    expect(table.rows).toEqual([{ cells: ["a", 1], object: widget }]);
  });

  test("without objects", () => {
    const table = toTable([widget], columns, { now, resourceVersion: "9", includeObject: "None" });
    expect(table.rows).toEqual([{ cells: ["a", 1], object: null }]);
  });

  test("in the old version, down to the rows", () => {
    const table = toTable([widget], columns, { now, resourceVersion: "9", apiVersion: "meta.k8s.io/v1beta1" });
    expect(table).toMatchObject({
      apiVersion: "meta.k8s.io/v1beta1",
      rows: [{ object: { apiVersion: "meta.k8s.io/v1beta1" } }],
    });
  });

  test("of the later events of a watch have no definitions", () => {
    const table = toTable([widget], columns, { now, resourceVersion: "9", noHeaders: true });
    expect(table.columnDefinitions).toBeNull();
  });

  test("of a bookmark are a row of nulls", () => {
    const bookmark: KubernetesObject = {
      apiVersion: "record.example.dev/v1",
      kind: "Widget",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" }, resourceVersion: "3448" },
    };
    const table = toTable([bookmark], widgetColumns, { now, resourceVersion: "3448", noHeaders: true });
    expect(table).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "3448" },
      columnDefinitions: null,
      rows: [
        {
          cells: ["", null, null, null, null, null, null, null, null, null],
          object: {
            kind: "PartialObjectMetadata",
            apiVersion: "meta.k8s.io/v1",
            metadata: { resourceVersion: "3448", annotations: { "k8s.io/initial-events-end": "true" } },
          },
        },
      ],
    });
  });
});

describe("an object reduced to its metadata", () => {
  test("in the order of built-in kinds", () => {
    expect(JSON.stringify(toPartialObjectMetadata(widget))).toBe(
      JSON.stringify({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }),
    );
  });

  test("without what metadata does not define and what is empty", () => {
    const object: KubernetesObject = {
      ...widget,
      metadata: {
        labels: {},
        finalizers: [],
        generateName: "",
        creationTimestamp: JSON.parse("null"),
        colour: "red",
        ownerReferences: [{ uid: "u", name: "n", controller: false, kind: "K", apiVersion: "v1" }],
        name: "a",
      },
    };
    expect(JSON.stringify(toPartialObjectMetadata(object).metadata)).toBe(
      '{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":false}]}',
    );
  });
});
