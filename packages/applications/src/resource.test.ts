import type { RestStorage } from "@slipway/apiserver";
import { prune } from "@slipway/apiserver";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { expect, test } from "vitest";
import type { Definition } from "./definition.ts";
import { applicationResource, publishedSpec } from "./resource.ts";

const definition = { kind: "Redis", plural: "redises", singular: "redis" } as Definition;
const storage = {} as RestStorage;
const resource = applicationResource(definition, storage);

test("a kind is served in its group, in the way of aggregated servers", () => {
  expect(resource).toMatchObject({
    group: "apps.cozystack.io",
    version: "v1alpha1",
    names: { kind: "Redis", plural: "redises", singular: "redis" },
    namespaced: true,
    missingKind: "fill",
    order: "typed",
    explicitGroupVersion: true,
  });
  expect(resource.statusStorage).toBeUndefined();
});

test("every reference in the published schema resolves", () => {
  const { schemaName, schema, definitions = {} } = resource.openApi;
  expect(schemaName).toBe("com.github.cozystack.cozystack.pkg.apis.apps.v1alpha1.Redis");
  const refs = referencesOf([schema, ...Object.values(definitions)]);
  expect(refs.length).toBeGreaterThan(0);
  for (const ref of refs) expect(Object.keys(definitions)).toContain(ref.replace("#/components/schemas/", ""));
});

function referencesOf(value: JsonValue): string[] {
  if (isJsonArray(value)) return value.flatMap(referencesOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "$ref" && typeof member === "string" ? [member] : referencesOf(member ?? null),
  );
}

test("beside the spec nothing unknown is kept", () => {
  const { schema } = resource;
  if (schema === undefined) throw new Error("no schema");
  const body = {
    appVersion: "1",
    spec: { anything: [1, null, { deep: true }] },
    status: { version: "1", nope: 1, conditions: [{ type: "Ready", odd: 1 }] },
    extra: 1,
  };
  const { value, unknown } = prune(body, schema, { isResourceRoot: true });
  expect(unknown).toEqual(["extra", "status.conditions[0].odd", "status.nope"]);
  expect(value).toMatchObject({ appVersion: "1", spec: body.spec });
});

const open = { "x-kubernetes-preserve-unknown-fields": true };

test("a spec without a schema is an open object", () => {
  expect(publishedSpec(undefined)).toEqual({ type: "object", ...open });
});

test.for<readonly [string, JsonObject, JsonObject]>([
  ["no word about further members", { type: "object" }, { type: "object", ...open }],
  ["true", { type: "object", additionalProperties: true }, { type: "object", ...open }],
  ["true without a type", { additionalProperties: true }, { type: "object", ...open }],
  ["false", { type: "object", additionalProperties: false }, { type: "object" }],
  [
    "a schema",
    { type: "object", additionalProperties: { type: "string" } },
    { type: "object", additionalProperties: { type: "string" } },
  ],
])("at the root: %s", ([, schema, published]) => {
  expect(publishedSpec(schema)).toEqual(published);
});

const boolean = { additionalProperties: false };

test.for<readonly [string, JsonObject]>([
  ["properties", { properties: { a: boolean } }],
  ["items", { items: boolean }],
  ["additionalProperties", { additionalProperties: boolean }],
  ["allOf", { allOf: [boolean] }],
  ["anyOf", { anyOf: [boolean] }],
  ["oneOf", { oneOf: [boolean] }],
  ["not", { not: boolean }],
  ["deeper", { properties: { a: { items: { properties: { b: { anyOf: [{ not: boolean }] } } } } } }],
])("no boolean additionalProperties below %s", ([, schema]) => {
  expect(JSON.stringify(publishedSpec(schema))).not.toMatch(/"additionalProperties":(true|false)/);
});

test("a property that is called like a keyword is a property", () => {
  const schema = {
    type: "object",
    properties: { additionalProperties: { type: "boolean", default: true }, items: { type: "string" } },
  };
  expect(publishedSpec(schema)).toEqual({ ...schema, ...open });
});

test("vendor keywords stay", () => {
  const schema = {
    type: "object",
    properties: { c: { type: "string", "x-cozystack-options": { source: "storageclass" } } },
    "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
  };
  expect(publishedSpec(schema)).toEqual({ ...schema, ...open });
});
