import type { JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import { dropNulls } from "./nulls.ts";
import { parseStructuralSchema, type StructuralSchema } from "./structural.ts";

function schemaOf(raw: JsonValue): StructuralSchema {
  const { problems, schema } = parseStructuralSchema(raw, { rules: "lenient" });
  if (schema === undefined) throw new Error(problems.join());
  return schema;
}

/** As a server reads a body. */
function read(value: JsonValue, schema: StructuralSchema): JsonValue {
  return applyDefaults(dropNulls(value, schema), schema);
}

const text = { type: "string" };
const widget = schemaOf({
  type: "object",
  properties: {
    size: { type: "integer", default: 1 },
    note: { type: "string", nullable: true },
    noteDefault: { type: "string", nullable: true, default: "filled" },
    title: text,
    attributes: { type: "object", additionalProperties: text },
    nested: {
      type: "object",
      properties: {
        enabled: { type: "boolean", default: false },
        timeouts: {
          type: "object",
          default: {},
          properties: { connect: { ...text, default: "5s" }, read: { ...text, default: "30s", nullable: true } },
        },
      },
    },
    items: { type: "array", items: { type: "object", properties: { key: { ...text, default: "none" }, value: text } } },
    numbers: { type: "array", items: { type: "integer", default: 7 } },
    named: { type: "object", additionalProperties: { type: "object", default: {}, properties: { x: { default: 1 } } } },
    config: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: text } } },
    },
  },
});
const always = { noteDefault: "filled", size: 1 };
const timeouts = { connect: "5s", read: "30s" };

describe("nulls and defaults, as kube-apiserver 1.36 reads a body", () => {
  test.for<{ rule: string; value: JsonValue; is: JsonValue }>([
    { rule: "absent members get their defaults", value: {}, is: always },
    { rule: "null is absent where it is not allowed and there is a default", value: { size: null }, is: always },
    {
      rule: "null stays where it is allowed, in spite of a default",
      value: { noteDefault: null },
      is: { noteDefault: null, size: 1 },
    },
    { rule: "null stays where it is allowed", value: { note: null }, is: { ...always, note: null } },
    { rule: "null without a default is dropped", value: { title: null }, is: always },
    { rule: "an absent parent gets no nested defaults", value: { title: "x" }, is: { ...always, title: "x" } },
    { rule: "an empty parent does", value: { nested: {} }, is: { ...always, nested: { enabled: false, timeouts } } },
    { rule: "a parent that is null is absent", value: { nested: null }, is: always },
    {
      rule: "a parent that is defaulted gets nested defaults",
      value: { nested: { timeouts: null } },
      is: { ...always, nested: { enabled: false, timeouts } },
    },
    {
      rule: "nested null stays where it is allowed",
      value: { nested: { timeouts: { read: null } } },
      is: { ...always, nested: { enabled: false, timeouts: { connect: "5s", read: null } } },
    },
    {
      rule: "items get their defaults",
      value: { items: [{ value: "v" }, {}, { key: null }] },
      is: { ...always, items: [{ key: "none", value: "v" }, { key: "none" }, { key: "none" }] },
    },
    {
      rule: "null as an item stays, for validation to refuse",
      value: { items: [null] },
      is: { ...always, items: [null] },
    },
    { rule: "unless items have a default", value: { numbers: [null, 1] }, is: { ...always, numbers: [7, 1] } },
    {
      rule: "null as a value of a map is dropped",
      value: { attributes: { a: null, b: "c" } },
      is: { ...always, attributes: { b: "c" } },
    },
    {
      rule: "unless such values have a default",
      value: { named: { a: null, b: {} } },
      is: { ...always, named: { a: { x: 1 }, b: { x: 1 } } },
    },
    {
      rule: "nulls without a schema stay",
      value: { config: { a: null, b: [null], known: { a: null } } },
      is: { ...always, config: { a: null, b: [null], known: {} } },
    },
    {
      rule: "false, 0 and empty text are values",
      value: { size: 0, title: "" },
      is: { ...always, size: 0, title: "" },
    },
    {
      rule: "a value of another type stays as it is",
      value: { nested: [], items: {} },
      is: { ...always, nested: [], items: {} },
    },
  ])("$rule", ({ is, value }) => {
    const before = structuredClone(value);
    expect(read(value, widget)).toEqual(is);
    expect(value).toEqual(before);
  });

  test("nested defaults, nulls and lists together (fault C-21)", () => {
    const schema = schemaOf({
      properties: {
        spec: {
          properties: {
            a: { properties: { x: { default: 1 } } },
            b: { default: {}, properties: { x: { default: 1 } } },
            c: { nullable: true, default: {} },
            d: { default: 5 },
            l: { items: { properties: { y: { default: 2 } } } },
          },
        },
      },
    });
    expect(read({ spec: { c: null, d: null, l: [{}, { y: null }] } }, schema)).toEqual({
      spec: { b: { x: 1 }, c: null, d: 5, l: [{ y: 2 }, { y: 2 }] },
    });
  });

  test("explicit null against a default (fault B-27)", () => {
    const schema = schemaOf({
      properties: {
        foo: { type: "string", nullable: true, default: "d" },
        bar: { type: "string", default: "d" },
        absent: { type: "string", default: "d" },
      },
    });
    expect(read({ foo: null, bar: null }, schema)).toEqual({ foo: null, bar: "d", absent: "d" });
  });
});

describe("what is shared", () => {
  test("everything, when nothing is missing", () => {
    const value = { ...always, nested: { enabled: true, timeouts }, items: [{ key: "k" }] };
    expect(read(value, widget)).toBe(value);
  });

  test("the parts that gain nothing", () => {
    const value = { items: [{ key: "k" }] };
    expect((read(value, widget) as typeof value).items).toBe(value.items);
  });

  test("defaults, which cannot be changed", () => {
    const schema = schemaOf({ properties: { a: { default: { list: [1] } } } });
    const [first, second] = [{}, {}].map((value) => applyDefaults(value, schema) as { a: { list: number[] } });
    expect(first?.a).toBe(second?.a);
    expect(() => first?.a.list.push(2)).toThrow(TypeError);
  });
});

test("a default may be called like a member of object prototypes", () => {
  const schema = schemaOf(JSON.parse('{"properties":{"__proto__":{"default":{"a":1}},"constructor":{"default":2}}}'));
  const value = applyDefaults({}, schema) as object;
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
