import type { JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { type PruneOptions, prune } from "./prune.ts";
import { parseStructuralSchema, type StructuralSchema } from "./structural.ts";

function schemaOf(raw: JsonValue): StructuralSchema {
  const { problems, schema } = parseStructuralSchema(raw, { rules: "lenient" });
  if (schema === undefined) throw new Error(problems.join());
  return schema;
}

const text = { type: "string" };
const resource = schemaOf({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        ports: { type: "array", items: { type: "object", properties: { name: text } } },
        attributes: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
        anything: { type: "object", additionalProperties: true },
        nothing: { type: "object", additionalProperties: false },
        config: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { a: text } } },
        },
        configs: {
          type: "array",
          "x-kubernetes-preserve-unknown-fields": true,
          items: { type: "object", properties: { known: { type: "object", properties: { a: text } } } },
        },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object", properties: { a: text } } },
        },
        untyped: {},
        list: { type: "array" },
      },
    },
  },
});

describe("what is dropped", () => {
  test.for<{ rule: string; value: JsonValue; pruned: JsonValue; unknown: string[]; options?: PruneOptions }>([
    {
      rule: "unknown members at every level, reported in order of their paths",
      value: { z: 1, spec: { size: 1, colour: "red", ports: [{ name: "a" }, { nope: 1, name: "b" }] } },
      pruned: { spec: { size: 1, ports: [{ name: "a" }, { name: "b" }] } },
      unknown: ["spec.colour", "spec.ports[1].nope", "z"],
    },
    {
      rule: "apiVersion, kind and metadata stay at the root of a resource",
      value: { apiVersion: "v1", kind: "X", metadata: { any: 1 }, status: {} },
      pruned: { apiVersion: "v1", kind: "X", metadata: { any: 1 } },
      unknown: ["status"],
      options: { isResourceRoot: true },
    },
    {
      rule: "but not below it",
      value: { spec: { apiVersion: "v1", kind: "X", metadata: {} } },
      pruned: { spec: {} },
      unknown: ["spec.apiVersion", "spec.kind", "spec.metadata"],
      options: { isResourceRoot: true },
    },
    {
      rule: "keys of maps stay, their values are pruned",
      value: { spec: { attributes: { "a.b/c": { a: "x", b: 1 }, "": {} } } },
      pruned: { spec: { attributes: { "a.b/c": { a: "x" }, "": {} } } },
      unknown: ["spec.attributes.a.b/c.b"],
    },
    {
      rule: "further members that may be anything keep scalars and lists; objects lose their members",
      value: { spec: { anything: { w: null, x: { y: 1 }, z: [1, { a: 1 }, {}] } } },
      pruned: { spec: { anything: { w: null, x: {}, z: [1, {}, {}] } } },
      unknown: ["spec.anything.x.y", "spec.anything.z[1].a"],
    },
    {
      rule: "further members that are forbidden stay, for validation to refuse",
      value: { spec: { nothing: { x: 1 } } },
      pruned: { spec: { nothing: { x: 1 } } },
      unknown: [],
    },
    {
      rule: "preserved members stay, declared ones among them are pruned",
      value: { spec: { config: { any: { thing: [1] }, known: { a: "x", b: 1 } } } },
      pruned: { spec: { config: { any: { thing: [1] }, known: { a: "x" } } } },
      unknown: ["spec.config.known.b"],
    },
    {
      rule: "a list that preserves does so for its items",
      value: { spec: { configs: [{ x: 1, known: { b: 1 } }] } },
      pruned: { spec: { configs: [{ x: 1, known: {} }] } },
      unknown: ["spec.configs[0].known.b"],
    },
    {
      rule: "embedded resources keep what makes them resources",
      value: {
        spec: { template: { apiVersion: "v1", kind: "X", metadata: { a: 1 }, spec: { a: "x", c: 1 }, more: 1 } },
      },
      pruned: { spec: { template: { apiVersion: "v1", kind: "X", metadata: { a: 1 }, spec: { a: "x" } } } },
      unknown: ["spec.template.more", "spec.template.spec.c"],
    },
    {
      rule: "metadata of embedded resources goes to who asked for it, and its paths come last",
      value: { spec: { template: { metadata: { colour: 1 }, spec: { zzz: 1 } } } },
      pruned: { spec: { template: { metadata: { name: "read" }, spec: {} } } },
      unknown: ["spec.template.spec.zzz", "spec.template.metadata.colour"],
      options: {
        embedded: {
          metadata: (_, path) => ({ value: { name: "read" }, unknown: [`${path}.colour`] }),
          name: () => {},
        },
      },
    },
    {
      rule: "an object where the schema has a scalar loses all members",
      value: { spec: { size: { a: 1 } } },
      pruned: { spec: { size: {} } },
      unknown: ["spec.size.a"],
    },
    {
      rule: "items without a schema lose their members, also where the schema has no list at all",
      value: { spec: { list: [{ a: [{ b: 1 }] }, 1], size: [[{ c: 1 }]], config: [{ d: 1 }] } },
      pruned: { spec: { list: [{}, 1], size: [[{}]], config: [{ d: 1 }] } },
      unknown: ["spec.list[0].a", "spec.size[0][0].c"],
    },
    { rule: "scalars are none of its business", value: { spec: 5 }, pruned: { spec: 5 }, unknown: [] },
    {
      rule: "paths begin where the value stands",
      value: { spec: { x: 1 } },
      pruned: { spec: {} },
      unknown: ["items[0].spec.x"],
      options: { path: "items[0]" },
    },
  ])("$rule", ({ options, pruned, unknown, value }) => {
    const before = structuredClone(value);
    expect(prune(value, resource, options)).toEqual({ value: pruned, unknown });
    expect(value).toEqual(before);
  });

  test("names of object prototypes are unknown like any other", () => {
    const value = JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":1}}');
    const pruned = prune(value, resource);
    expect(pruned.unknown).toEqual(["spec.__proto__", "spec.constructor"]);
    expect(Object.getPrototypeOf(pruned.value)).toBe(Object.prototype);
  });

  test("and can be declared", () => {
    const schema = schemaOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object"}}}'));
    const { value, unknown } = prune(JSON.parse('{"__proto__":{"a":1},"b":1}'), schema);
    expect(unknown).toEqual(["__proto__.a", "b"]);
    expect(JSON.stringify(value)).toBe('{"__proto__":{}}');
  });
});

describe("what is shared", () => {
  test("everything, when nothing is dropped", () => {
    const value = { spec: { size: 1, ports: [{ name: "a" }] } };
    expect(prune(value, resource).value).toBe(value);
  });

  test("the parts that lose nothing", () => {
    const value = { spec: { x: 1, ports: [{ name: "a" }] } };
    const pruned = prune(value, resource).value as typeof value;
    expect(pruned.spec.ports).toBe(value.spec.ports);
  });
});
