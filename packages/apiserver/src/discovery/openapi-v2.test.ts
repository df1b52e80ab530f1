import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import type { RestStorage } from "../registry/rest.ts";
import type { Resource } from "../resource.ts";
import { openApiV2Document } from "./openapi-v2.ts";
import { openApiV3Document } from "./openapi-v3.ts";

const never = (): never => {
  throw new Error("not called");
};
const storage: RestStorage = { get: never, list: never, create: never, update: never, delete: never };

function kind(name: string, schema: JsonObject, more: Partial<Resource> = {}): Resource {
  return {
    group: "record.example.dev",
    version: "v1",
    names: { kind: name, plural: `${name.toLowerCase()}s`, singular: name.toLowerCase() },
    namespaced: true,
    storage,
    missingKind: "refuse",
    order: "sorted",
    openApi: { schemaName: `dev.example.record.v1.${name}`, schema },
    ...more,
  };
}

const info = { title: "Record", version: "1" };
const patchTypes = (): readonly string[] => ["application/merge-patch+json"];

/** A matcher, where the table has a value: vitest compares them, and the compiler does not know. */
const containing = (members: object): JsonValue => expect.objectContaining(members) as unknown as JsonValue;

// biome-ignore lint/suspicious/noExplicitAny: the document is looked at by the tests
function document(...kinds: readonly Resource[]): any {
  const versions = [...new Set(kinds.map(({ version }) => version))];
  return openApiV2Document(
    versions.map((version) => openApiV3Document({ group: "record.example.dev", version }, kinds, info, { patchTypes })),
  );
}

function specOf(schema: JsonObject): JsonObject {
  const { definitions } = document(kind("Widget", { type: "object", properties: { spec: schema } }));
  return definitions["dev.example.record.v1.Widget"].properties.spec;
}

/** What v2 cannot say is left out rather than said wrongly. */
describe("a schema", () => {
  test.for<{ rule: string; schema: JsonObject; expected: JsonObject }>([
    {
      rule: "loses junctors",
      schema: { type: "object", anyOf: [{ required: ["a"] }], oneOf: [{}], not: {}, allOf: [{}, {}] },
      expected: { type: "object" },
    },
    {
      rule: "that may be null has no type and no inside",
      schema: { type: "object", nullable: true, description: "d", properties: { a: { type: "string" } } },
      expected: { description: "d" },
    },
    {
      rule: "does not ask for what may be null",
      schema: {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "string", nullable: true }, b: { type: "string" } },
      },
      expected: { type: "object", properties: { a: {}, b: { type: "string" } }, required: ["b"] },
    },
    {
      rule: "of a map of what may be null asks for nothing",
      schema: { type: "object", required: ["a"], additionalProperties: { type: "string", nullable: true } },
      expected: { type: "object", additionalProperties: {} },
    },
    {
      rule: "that keeps unknown fields has no type and no inside",
      schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
      expected: { "x-kubernetes-preserve-unknown-fields": true },
    },
    {
      rule: "of a list without items has no type",
      schema: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "string" } },
      expected: { "x-kubernetes-preserve-unknown-fields": true },
    },
    {
      rule: "of an embedded resource refers to metadata by v2's address",
      schema: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
      expected: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: {
          spec: { type: "object" },
          apiVersion: containing({ type: "string" }),
          kind: containing({ type: "string" }),
          metadata: containing({
            $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
          }),
        },
        required: ["kind", "apiVersion"],
      },
    },
    {
      rule: "of an embedded resource that keeps unknown fields asks for nothing",
      schema: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      expected: { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    },
  ])("$rule", ({ schema, expected }) => {
    expect(specOf(schema)).toEqual(expected);
  });
});

describe("the document", () => {
  const widget = kind("Widget", { type: "object" }, { scaleStorage: storage });
  const blob = kind("Blob", { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: {} } });
  const swagger = document(widget, blob, kind("Widget", { type: "object" }, { version: "v2" }));
  const item = swagger.paths["/apis/record.example.dev/v1/namespaces/{namespace}/widgets/{name}"];

  test("is of version 2, with the information of the server", () => {
    expect(swagger).toMatchObject({ swagger: "2.0", info });
    expect(Object.keys(swagger.paths)).toContain("/apis/record.example.dev/v2/widgets");
  });

  test("every reference leads somewhere", () => {
    const references = JSON.stringify(swagger).matchAll(/"\$ref":"([^"]*)"/g);
    const wrong = Array.from(references, ([, reference = ""]) => reference).filter(
      (reference) => !Object.hasOwn(swagger.definitions, reference.replace("#/definitions/", "")),
    );
    expect(wrong).toEqual([]);
  });

  test("has nothing of version 3 left", () => {
    const left: JsonValue[] = [swagger];
    const found: string[] = [];
    for (let value = left.pop(); value !== undefined; value = left.pop()) {
      if (isJsonObject(value)) found.push(...Object.keys(value));
      if (isJsonObject(value) || isJsonArray(value)) {
        for (const member of Object.values(value)) if (member !== undefined) left.push(member);
      }
    }
    for (const name of ["components", "content", "requestBody", "nullable", "oneOf", "anyOf", "allOf"]) {
      expect(found).not.toContain(name);
    }
  });

  test("an operation names its body, its content types and its answers", () => {
    expect(item.patch).toMatchObject({
      consumes: ["application/merge-patch+json"],
      produces: ["application/json", "application/yaml"],
      schemes: ["https"],
      "x-kubernetes-action": "patch",
      responses: {
        200: { description: "OK", schema: { $ref: "#/definitions/dev.example.record.v1.Widget" } },
        401: { description: "Unauthorized" },
      },
    });
    expect(item.patch.parameters[0]).toEqual({
      name: "body",
      in: "body",
      required: true,
      schema: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch" },
    });
    expect(item.get.parameters).toEqual([expect.objectContaining({ name: "resourceVersion", type: "string" })]);
    expect(item.parameters).toContainEqual(expect.objectContaining({ name: "name", in: "path", type: "string" }));
  });

  test("a scale has the schema of a Scale", () => {
    const scale = swagger.paths["/apis/record.example.dev/v1/namespaces/{namespace}/widgets/{name}/scale"];
    expect(scale.get.responses[200].schema).toEqual({ $ref: "#/definitions/io.k8s.api.autoscaling.v1.Scale" });
  });

  test("a kind that may hold anything is an object, and no more", () => {
    expect(swagger.definitions["dev.example.record.v1.Blob"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "record.example.dev", kind: "Blob", version: "v1" }],
    });
  });

  test("what several versions share is marked with all of them", () => {
    const marks =
      swagger.definitions["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]["x-kubernetes-group-version-kind"];
    expect(marks.map(({ group, version }: JsonObject) => `${group}/${version}`)).toEqual([
      "/v1",
      "record.example.dev/v1",
      "record.example.dev/v2",
    ]);
  });
});
