import type { JsonObject, JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { parseStructuralSchema, type StructuralSchema } from "./structural.ts";

/** The schema of a resource whose spec has one property `a`. */
function withProperty(a: JsonValue): JsonObject {
  return { type: "object", properties: { spec: { type: "object", properties: { a } } } };
}

const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const A = "properties[spec].properties[a]";

function lenient(raw: JsonValue): StructuralSchema {
  const { problems, schema } = parseStructuralSchema(raw, { rules: "lenient" });
  expect(problems).toEqual([]);
  if (schema === undefined) throw new Error("no schema");
  return schema;
}

describe("structural rules, as kube-apiserver 1.36 words them", () => {
  test.for<{ rule: string; raw: JsonValue; problems: string[] }>([
    {
      rule: "a root has a type",
      raw: { properties: {} },
      problems: ["type: Required value: must not be empty at the root"],
    },
    {
      rule: "the root is an object",
      raw: { type: "string" },
      problems: ['type: Invalid value: "string": must be object at the root'],
    },
    {
      rule: "a property has a type",
      raw: withProperty({}),
      problems: [`${A}.type: Required value: must not be empty for specified object fields`],
    },
    {
      rule: "an item has a type",
      raw: withProperty({ type: "array", items: {} }),
      problems: [`${A}.items.type: Required value: must not be empty for specified array items`],
    },
    {
      rule: "there are six types",
      raw: withProperty({ type: "text" }),
      problems: [
        `${A}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    },
    {
      rule: "an array has items",
      raw: withProperty({ type: "array" }),
      problems: [`${A}.items: Required value: must be specified`],
    },
    {
      rule: "properties and additionalProperties exclude each other",
      raw: withProperty({ ...object({ b: { type: "string" } }), additionalProperties: { type: "string" } }),
      problems: [`${A}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
    },
    {
      rule: "additionalProperties may be false",
      raw: withProperty({ type: "object", additionalProperties: false }),
      problems: [],
    },
    {
      rule: "the root has no additionalProperties",
      raw: { type: "object", additionalProperties: { type: "string" } },
      problems: ["additionalProperties: Forbidden: must not be used at the root"],
    },
    {
      rule: "what cannot be read is told alone",
      raw: withProperty({ $ref: "#/definitions/x" }),
      problems: [`${A}.$ref: Forbidden: $ref is not supported`],
    },
    {
      rule: "keywords that apiextensions does not support, all at once",
      raw: {
        type: "object",
        definitions: { x: { type: "string" } },
        dependencies: { a: ["b"] },
        patternProperties: { "^a": { type: "string" } },
      },
      problems: [
        "patternProperties: Forbidden: patternProperties is not supported",
        "dependencies: Forbidden: dependencies is not supported",
        "definitions: Forbidden: definitions is not supported",
      ],
    },
    {
      rule: "uniqueItems is not supported",
      raw: withProperty({ type: "array", uniqueItems: true, items: { type: "string" } }),
      problems: [
        `${A}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    },
    {
      rule: "no type inside anyOf",
      raw: withProperty({ type: "string", anyOf: [{ type: "string" }] }),
      problems: [`${A}.anyOf[0].type: Forbidden: must be empty to be structural`],
    },
    {
      rule: "junctors may restrict what is not declared outside",
      raw: withProperty({ type: "object", allOf: [{ properties: { b: { minimum: 1 } } }] }),
      problems: [],
    },
    {
      rule: "no description, default or nullable inside not",
      raw: withProperty({ type: "string", not: { description: "x", default: "y", nullable: true } }),
      problems: [
        `${A}.not.default: Forbidden: must be undefined to be structural`,
        `${A}.not.description: Forbidden: must be empty to be structural`,
        `${A}.not.nullable: Forbidden: must be false to be structural`,
      ],
    },
    {
      rule: "int-or-string may spell out its types in anyOf",
      raw: withProperty({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
      problems: [],
    },
    {
      rule: "and in anyOf of the first allOf",
      raw: withProperty({
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "^x" }],
      }),
      problems: [],
    },
    {
      rule: "metadata is restricted in its names only",
      raw: object({ metadata: object({ labels: { type: "object" } }) }),
      problems: [
        "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
      ],
    },
    {
      rule: "which it may be",
      raw: object({ metadata: object({ name: { type: "string", maxLength: 5 } }) }),
      problems: [],
    },
    {
      rule: "apiVersion is a string",
      raw: object({ apiVersion: { type: "integer" } }),
      problems: ['properties[apiVersion].type: Invalid value: "integer": must be string'],
    },
    {
      rule: "defaults are valid and declared",
      raw: object({
        spec: object({
          a: { type: "integer", default: "x" },
          b: { type: "string", enum: ["q"], default: "r" },
          c: { ...object({ y: { type: "string" } }), default: { z: 1 } },
        }),
      }),
      problems: [
        `${A}.default: Invalid value: "string":  in body must be of type integer: "string"`,
        'properties[spec].properties[b].default: Unsupported value: "r": supported values: "q"',
        'properties[spec].properties[c].default: Invalid value: {"z":1}: must not have unknown fields',
      ],
    },
    {
      rule: "patterns compile",
      raw: withProperty({ type: "string", pattern: "(" }),
      problems: [
        `${A}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      ],
    },
    {
      rule: "an embedded resource is an object with properties",
      raw: withProperty({ type: "string", "x-kubernetes-embedded-resource": true }),
      problems: [
        `${A}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`,
        `${A}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
      ],
    },
    {
      rule: "unknown fields are preserved or not mentioned",
      raw: withProperty({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
      problems: [`${A}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
    },
    {
      rule: "int-or-string may stand beside a type",
      raw: withProperty({ type: "string", "x-kubernetes-int-or-string": true }),
      problems: [],
    },
    {
      rule: "there are three list types",
      raw: withProperty({ type: "array", "x-kubernetes-list-type": "bag", items: { type: "string" } }),
      problems: [`${A}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
    },
    {
      rule: "a list type is for arrays",
      raw: withProperty({ type: "object", "x-kubernetes-list-type": "set" }),
      problems: [`${A}.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified`],
    },
    {
      rule: "a list of type map has keys",
      raw: withProperty({ type: "array", "x-kubernetes-list-type": "map", items: object({ b: { type: "string" } }) }),
      problems: [`${A}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
    },
    {
      rule: "which are required or have defaults",
      raw: withProperty({
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
        items: object({ b: { type: "string" } }),
      }),
      problems: [
        `${A}.items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    },
    {
      rule: "and are declared",
      raw: withProperty({
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["c"],
        items: { ...object({ b: { type: "string" } }), required: ["c"] },
      }),
      problems: [`${A}.x-kubernetes-list-map-keys: Invalid value: ["c"]: entries must all be names of item properties`],
    },
    {
      rule: "objects in a set are atomic",
      raw: withProperty({ type: "array", "x-kubernetes-list-type": "set", items: object({ b: { type: "string" } }) }),
      problems: [
        `${A}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    },
    {
      rule: "items of a set are not nullable",
      raw: withProperty({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } }),
      problems: [`${A}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`],
    },
    {
      rule: "a map type is for objects",
      raw: withProperty({ type: "string", "x-kubernetes-map-type": "atomic" }),
      problems: [`${A}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`],
    },
  ])("$rule", ({ problems, raw }) => {
    const parsed = parseStructuralSchema(raw);
    expect(parsed.problems).toEqual(problems);
    expect(parsed.schema === undefined).toBe(problems.length > 0);
  });

  test("paths begin where the schema stands", () => {
    const { problems } = parseStructuralSchema({ type: "string" }, { path: "spec.validation.openAPIV3Schema" });
    expect(problems).toEqual([
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ]);
  });
});

describe("what cannot be read is refused under both rules", () => {
  test.for<{ rule: string; raw: JsonValue; problems: string[] }>([
    { rule: "a schema is an object", raw: "x", problems: ["Invalid value: must be an object"] },
    {
      rule: "keywords have their JSON type",
      raw: {
        type: "object",
        title: 1,
        nullable: "yes",
        minimum: "1",
        maxLength: 1.5,
        required: "a",
        enum: {},
        anyOf: {},
      },
      problems: [
        "enum: Invalid value: must be a list",
        "title: Invalid value: must be a string",
        "nullable: Invalid value: must be true or false",
        "required: Invalid value: must be a list",
        "minimum: Invalid value: must be a number",
        "maxLength: Invalid value: must be an integer",
        "anyOf: Invalid value: must be a list of schemas",
      ],
    },
    {
      rule: "lists have items of their JSON type",
      raw: { type: "object", required: [1], "x-kubernetes-validations": ["self"], allOf: ["x"] },
      problems: [
        "required: Invalid value: must be a list of strings",
        "allOf[0]: Invalid value: must be an object",
        "x-kubernetes-validations: Invalid value: must be a list of objects",
      ],
    },
    {
      rule: "properties are an object of schemas",
      raw: { type: "object", properties: { a: [], b: { type: ["string", "null"] } } },
      problems: [
        "properties[a]: Invalid value: must be an object",
        "properties[b].type: Invalid value: must be a string",
      ],
    },
    {
      rule: "items are one schema",
      raw: withProperty({ type: "array", items: [{ type: "string" }] }),
      problems: [`${A}.items: Forbidden: items must be a schema object and not an array`],
    },
    {
      rule: "inside junctors as well",
      raw: { type: "object", not: { anyOf: [{ additionalItems: {} }, { id: "x" }, { $schema: "x" }] } },
      problems: [
        "not.anyOf[0].additionalItems: Forbidden: additionalItems is not supported",
        "not.anyOf[1].id: Forbidden: id is not supported",
        "not.anyOf[2].$schema: Forbidden: $schema is not supported",
      ],
    },
  ])("$rule", ({ problems, raw }) => {
    expect(parseStructuralSchema(raw, { rules: "lenient" }).problems).toEqual(problems);
    expect(parseStructuralSchema(raw).problems.toSorted()).toEqual(problems.toSorted());
  });
});

describe("a lenient reading", () => {
  test("needs no types", () => {
    const schema = lenient({ properties: { a: { items: { properties: { b: {} } } } } });
    expect(schema.type).toBeUndefined();
    expect(schema.properties.get("a")?.items?.properties.has("b")).toBe(true);
  });

  test("takes a type, list type or map type it does not know for absent", () => {
    const schema = lenient({ type: "text", "x-kubernetes-list-type": "bag", "x-kubernetes-map-type": "x" });
    expect([schema.type, schema.listType, schema.mapType]).toEqual([undefined, undefined, undefined]);
  });

  test("ignores unknown keywords, null ones and empty forbidden ones", () => {
    const schema = lenient({
      "x-cozystack-options": { source: "x" },
      readOnly: true,
      type: null,
      definitions: {},
      $ref: "",
      items: null,
    });
    expect(schema.type).toBeUndefined();
    expect(schema.items).toBeUndefined();
  });

  test("keeps a pattern that cannot be compiled, which then matches nothing", () => {
    const { pattern } = lenient({ type: "string", pattern: "(?=x)" });
    expect(pattern?.matches("x")).toBe(false);
    expect(pattern?.problem).toBe("error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
  });

  test("a default of null is no default", () => {
    expect(lenient({ default: null }).default).toBeUndefined();
    expect(lenient({ default: false }).default).toBe(false);
  });
});

describe("schemas are untrusted", () => {
  test("names of object prototypes are ordinary names", () => {
    const raw: JsonObject = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}',
    );
    const { properties } = lenient(raw);
    expect([...properties].map(([name, { type }]) => [name, type])).toEqual([
      ["__proto__", "string"],
      ["constructor", "integer"],
    ]);
    expect(lenient(JSON.parse('{"__proto__":{"type":"object"}}')).type).toBeUndefined();
  });

  test("depth is bounded, however a schema nests", () => {
    let raw: JsonValue = { type: "string" };
    for (let level = 0; level < 50_000; level += 1) raw = { not: raw };
    expect(parseStructuralSchema(raw, { rules: "lenient" }).problems).toEqual([
      "Forbidden: must not nest deeper than 200 levels of JSON",
    ]);
    let value: JsonValue = 1;
    for (let level = 0; level < 50_000; level += 1) value = [value];
    expect(parseStructuralSchema(withProperty({ default: value })).problems).toHaveLength(1);
  });

  test("size is bounded", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 150_000 }, (_, index) => [`p${index}`, { type: "string" }]),
    );
    expect(parseStructuralSchema({ type: "object", properties }).problems).toEqual([
      "Forbidden: must not have more than 200000 values",
    ]);
  });

  test("patterns share a bound on what they compile to", () => {
    const large = { type: "string", pattern: "[a-z]{1000}".repeat(300) };
    const problems = parseStructuralSchema(
      object({ a: large, b: large, c: { ...large, pattern: "x".repeat(10_001) } }),
    ).problems;
    expect(problems).toHaveLength(2);
    expect(problems.every((problem) => problem.endsWith("error parsing regexp: expression too large"))).toBe(true);
  });

  test("the result is frozen, and the input neither frozen nor shared", () => {
    const raw = { type: "object", default: { list: [{}] }, required: ["a"], properties: { a: { enum: [{ x: 1 }] } } };
    const before = structuredClone(raw);
    const schema = lenient(raw);
    raw.default.list.push({});
    expect(schema.default).toEqual(before.default);
    for (const part of [schema, schema.default, schema.required, schema.properties.get("a")?.enum?.[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(raw)).toBe(false);
  });
});
