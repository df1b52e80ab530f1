import { parseStructuralSchema, type StructuralSchema } from "@slipway/apiserver";
import type { JsonObject, JsonValue } from "@slipway/objects";
import { expect, test } from "vitest";
import { showDefaults } from "./defaults.ts";

function schemaOf(properties: JsonObject, more: JsonObject = {}): StructuralSchema {
  const { schema, problems } = parseStructuralSchema({ type: "object", properties, ...more }, { rules: "lenient" });
  expect(problems).toEqual([]);
  if (schema === undefined) throw new Error("no schema");
  return schema;
}

interface Row {
  readonly rule: string;
  readonly schema: JsonObject;
  readonly values: JsonValue | undefined;
  readonly shown: JsonObject;
}

const integer = { type: "integer" };
const rows: readonly Row[] = [
  { rule: "no values", schema: { d: { ...integer, default: 5 } }, values: undefined, shown: { d: 5 } },
  { rule: "values that are no object", schema: { d: { ...integer, default: 5 } }, values: "x", shown: { d: 5 } },
  { rule: "a given value stays", schema: { d: { ...integer, default: 5 } }, values: { d: 1 }, shown: { d: 1 } },
  {
    rule: "null in the place of a scalar",
    schema: { d: { ...integer, default: 5 } },
    values: { d: null },
    shown: { d: 5 },
  },
  { rule: "null without a default", schema: { d: integer }, values: { d: null }, shown: { d: null } },
  {
    rule: "a scalar of the wrong type",
    schema: { d: { ...integer, default: 5 } },
    values: { d: "x" },
    shown: { d: "x" },
  },
  { rule: "unknown members", schema: {}, values: { n: { deep: [1, null] } }, shown: { n: { deep: [1, null] } } },
  {
    rule: "defaults below an absent object without a default",
    schema: { a: { type: "object", properties: { x: { ...integer, default: 1 } } } },
    values: {},
    shown: {},
  },
  {
    rule: "defaults below an object that is defaulted",
    schema: { b: { type: "object", default: {}, properties: { x: { ...integer, default: 1 } } } },
    values: {},
    shown: { b: { x: 1 } },
  },
  {
    rule: "an object of the wrong type",
    schema: { b: { type: "object", default: { y: 2 }, properties: { x: { ...integer, default: 1 } } } },
    values: { b: "oops" },
    shown: { b: { y: 2, x: 1 } },
  },
  {
    rule: "an object of the wrong type without a default",
    schema: { b: { type: "object", properties: { x: { ...integer, default: 1 } } } },
    values: { b: 5 },
    shown: { b: { x: 1 } },
  },
  {
    rule: "a map's default is not merged into a map that is given",
    schema: {
      groups: {
        type: "object",
        default: { md0: { min: 0 } },
        additionalProperties: { type: "object", properties: { max: { ...integer, default: 10 } } },
      },
    },
    values: { groups: { mine: { min: 3 } } },
    shown: { groups: { mine: { min: 3, max: 10 } } },
  },
  {
    rule: "an empty map stays empty",
    schema: { groups: { type: "object", default: { md0: {} }, additionalProperties: integer } },
    values: { groups: {} },
    shown: { groups: {} },
  },
  {
    rule: "a list of the wrong type",
    schema: { l: { type: "array", default: [22], items: integer } },
    values: { l: "22" },
    shown: { l: [22] },
  },
  {
    rule: "a list of the wrong type without a default",
    schema: { l: { type: "array", items: integer } },
    values: { l: { a: 1 } },
    shown: { l: [] },
  },
  {
    rule: "items",
    schema: { l: { type: "array", items: { type: "object", properties: { y: { ...integer, default: 2 } } } } },
    values: { l: [{}, { y: null }, null, "x"] },
    shown: { l: [{ y: 2 }, { y: 2 }, { y: 2 }, { y: 2 }] },
  },
  {
    rule: "null where the schema allows it",
    schema: { c: { type: "object", nullable: true, default: { x: 1 } } },
    values: { c: null },
    shown: { c: null },
  },
  {
    rule: "a schema that says by its keywords what it is for",
    schema: { a: { properties: { x: { ...integer, default: 1 } } }, l: { items: integer } },
    values: { a: null, l: 5 },
    shown: { a: { x: 1 }, l: [] },
  },
];

test.for(rows)("$rule", ({ schema, values, shown }) => {
  expect(showDefaults(values, schemaOf(schema))).toEqual(shown);
});

test("the root's own default does not count", () => {
  expect(showDefaults(undefined, schemaOf({}, { default: { a: 1 } }))).toEqual({});
});

test("members called like those of every object are ordinary", () => {
  const schema = schemaOf({ constructor: { ...integer, default: 1 }, toString: { ...integer, default: 2 } });
  expect(JSON.stringify(showDefaults({}, schema))).toBe('{"constructor":1,"toString":2}');
});

test("the values given are not changed", () => {
  const values = Object.freeze({ b: Object.freeze({}) });
  const schema = schemaOf({ b: { type: "object", properties: { x: { ...integer, default: 1 } } } });
  expect(showDefaults(values, schema)).toEqual({ b: { x: 1 } });
  expect(values).toEqual({ b: {} });
});
