import { formatFieldError, type JsonObject, type JsonValue } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { parseStructuralSchema, type StructuralSchema } from "./structural.ts";
import { type ValidateOptions, validate } from "./validate.ts";

function schemaOf(raw: JsonValue): StructuralSchema {
  const { problems, schema } = parseStructuralSchema(raw, { rules: "lenient" });
  if (schema === undefined) throw new Error(problems.join());
  return schema;
}

function errorsOf(raw: JsonValue, value: JsonValue, path = "spec.p", options?: ValidateOptions): string[] {
  return validate(value, schemaOf(raw), path, options).map(formatFieldError);
}

const text = { type: "string" };
const integer = { type: "integer" };
const P = "spec.p";

describe("one sentence for each keyword, as kube-apiserver 1.36 words it", () => {
  test.for<{ rule: string; raw: JsonObject; value: JsonValue; errors: string[] }>([
    {
      rule: "minimum",
      raw: { ...integer, minimum: 0 },
      value: -1,
      errors: [`${P}: Invalid value: -1: ${P} in body should be greater than or equal to 0`],
    },
    {
      rule: "maximum",
      raw: { ...integer, maximum: 100 },
      value: 101,
      errors: [`${P}: Invalid value: 101: ${P} in body should be less than or equal to 100`],
    },
    {
      rule: "exclusive minimum; and a fractional factor refuses integers",
      raw: { type: "number", minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
      value: 0,
      errors: [
        `${P}: Invalid value: 0: factor MultipleOf declared for ${P} must be positive: 0`,
        `${P}: Invalid value: 0: ${P} in body should be greater than 0`,
      ],
    },
    {
      rule: "exclusive maximum",
      raw: { type: "number", maximum: 10, exclusiveMaximum: true },
      value: 10,
      errors: [`${P}: Invalid value: 10: ${P} in body should be less than 10`],
    },
    {
      rule: "multipleOf",
      raw: { type: "number", multipleOf: 0.5 },
      value: 0.7,
      errors: [`${P}: Invalid value: 0.7: ${P} in body should be a multiple of 0.5`],
    },
    {
      rule: "multipleOf of integers",
      raw: { ...integer, multipleOf: 2 },
      value: 3,
      errors: [`${P}: Invalid value: 3: ${P} in body should be a multiple of 2`],
    },
    {
      rule: "minLength",
      raw: { ...text, minLength: 2 },
      value: "a",
      errors: [`${P}: Invalid value: "a": ${P} in body should be at least 2 chars long`],
    },
    {
      rule: "maxLength",
      raw: { ...text, maxLength: 5 },
      value: "abcdef",
      errors: [`${P}: Too long: may not be more than 5 bytes`],
    },
    {
      rule: "maxLength of one",
      raw: { ...text, maxLength: 1 },
      value: "ab",
      errors: [`${P}: Too long: may not be more than 1 byte`],
    },
    { rule: "lengths are in code points", raw: { ...text, minLength: 2, maxLength: 2 }, value: "😀é", errors: [] },
    {
      rule: "pattern",
      raw: { ...text, pattern: "^[A-Za-z]" },
      value: "1abc",
      errors: [`${P}: Invalid value: "1abc": ${P} in body should match '^[A-Za-z]'`],
    },
    { rule: "a pattern may match anywhere", raw: { ...text, pattern: "b" }, value: "abc", errors: [] },
    {
      rule: "a text fails once: by its length before its pattern",
      raw: { ...text, minLength: 2, pattern: "^[A-Za-z]" },
      value: "1",
      errors: [`${P}: Invalid value: "1": ${P} in body should be at least 2 chars long`],
    },
    {
      rule: "a pattern that cannot be compiled",
      raw: { ...text, pattern: "(?=x)" },
      value: "x",
      errors: [
        `${P}: Invalid value: "x": ${P} in body should match '(?=x), but pattern is invalid: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\`'`,
      ],
    },
    {
      rule: "enum",
      raw: { ...text, enum: ["Auto", "Manual", "Off"] },
      value: "Fast",
      errors: [`${P}: Unsupported value: "Fast": supported values: "Auto", "Manual", "Off"`],
    },
    {
      rule: "enum and the wrong type",
      raw: { ...text, enum: ["Auto"] },
      value: 5,
      errors: [
        `${P}: Invalid value: "integer": ${P} in body must be of type string: "integer"`,
        `${P}: Unsupported value: 5: supported values: "Auto"`,
      ],
    },
    { rule: "enum of other values", raw: { enum: [1, true, null, { a: [1] }] }, value: { a: [1] }, errors: [] },
    {
      rule: "enum of numbers",
      raw: { ...integer, enum: [1, 2] },
      value: 3,
      errors: [`${P}: Unsupported value: 3: supported values: "1", "2"`],
    },
    {
      rule: "integer: text given",
      raw: integer,
      value: "5",
      errors: [`${P}: Invalid value: "string": ${P} in body must be of type integer: "string"`],
    },
    {
      rule: "integer: fraction given",
      raw: integer,
      value: 1.5,
      errors: [
        `${P}: Invalid value: "number": ${P} in body must be of type integer: "number"`,
        `<nil>: Invalid value: "": Checked value must be of type integer (default format) in ${P}`,
      ],
    },
    { rule: "integer: a whole number written otherwise", raw: integer, value: 3.0, errors: [] },
    { rule: "integer: 64 bits", raw: integer, value: 9_223_372_036_854_775_807n, errors: [] },
    {
      rule: "integer: beyond 64 bits",
      raw: integer,
      value: 9_223_372_036_854_775_808n,
      errors: [
        `${P}: Invalid value: "number": ${P} in body must be of type integer: "number"`,
        `<nil>: Invalid value: "": Checked value must be of type integer (default format) in ${P}`,
      ],
    },
    {
      rule: "bounds of 64 bits",
      raw: { ...integer, maximum: 5 },
      value: 9_007_199_254_740_993n,
      errors: [`${P}: Invalid value: 9007199254740993: ${P} in body should be less than or equal to 5`],
    },
    {
      rule: "integer: boolean given",
      raw: integer,
      value: true,
      errors: [`${P}: Invalid value: "boolean": ${P} in body must be of type integer: "boolean"`],
    },
    {
      rule: "string: list given",
      raw: text,
      value: ["x"],
      errors: [`${P}: Invalid value: "array": ${P} in body must be of type string: "array"`],
    },
    {
      rule: "boolean: text given",
      raw: { type: "boolean" },
      value: "true",
      errors: [`${P}: Invalid value: "string": ${P} in body must be of type boolean: "string"`],
    },
    {
      rule: "object: list given",
      raw: { type: "object" },
      value: [],
      errors: [`${P}: Invalid value: "array": ${P} in body must be of type object: "array"`],
    },
    {
      rule: "array: object given",
      raw: { type: "array" },
      value: {},
      errors: [`${P}: Invalid value: "object": ${P} in body must be of type array: "object"`],
    },
    {
      rule: "number: text given",
      raw: { type: "number" },
      value: "1.5",
      errors: [`${P}: Invalid value: "string": ${P} in body must be of type number: "string"`],
    },
    { rule: "number: integer given", raw: { type: "number" }, value: 1, errors: [] },
    {
      rule: "null",
      raw: text,
      value: null,
      errors: [`${P}: Invalid value: "null": ${P} in body must be of type string: "null"`],
    },
    { rule: "null where it is allowed", raw: { ...text, nullable: true, minLength: 1 }, value: null, errors: [] },
    { rule: "null without a type", raw: { minLength: 1 }, value: null, errors: [] },
    {
      rule: "int-or-string: boolean given",
      raw: { "x-kubernetes-int-or-string": true, anyOf: [integer, text] },
      value: true,
      errors: [
        `${P}: Invalid value: "boolean": ${P} in body must be of type integer,string: "boolean"`,
        `<nil>: Invalid value: "": "${P}" must validate at least one schema (anyOf)`,
        `${P}: Invalid value: "boolean": ${P} in body must be of type integer: "boolean"`,
      ],
    },
    {
      rule: "int-or-string: fraction given",
      raw: { "x-kubernetes-int-or-string": true, anyOf: [integer, text] },
      value: 1.5,
      errors: [
        `${P}: Invalid value: "number": ${P} in body must be of type integer,string: "number"`,
        `<nil>: Invalid value: "": "${P}" must validate at least one schema (anyOf)`,
        `${P}: Invalid value: "number": ${P} in body must be of type integer: "number"`,
        `<nil>: Invalid value: "": Checked value must be of type integer (default format) in ${P}`,
      ],
    },
    { rule: "int-or-string: either", raw: { "x-kubernetes-int-or-string": true }, value: "50%", errors: [] },
    {
      rule: "minItems",
      raw: { type: "array", minItems: 1 },
      value: [],
      errors: [`${P}: Invalid value: 0: ${P} in body should have at least 1 items`],
    },
    {
      rule: "maxItems",
      raw: { type: "array", maxItems: 5 },
      value: [1, 2, 3, 4, 5, 6],
      errors: [`${P}: Too many: 6: must have at most 5 items`],
    },
    {
      rule: "maxItems of one",
      raw: { type: "array", maxItems: 1 },
      value: [1, 2],
      errors: [`${P}: Too many: 2: must have at most 1 item`],
    },
    {
      rule: "uniqueItems",
      raw: { type: "array", uniqueItems: true },
      value: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      errors: [`${P}: Invalid value: "": ${P} in body shouldn't contain duplicates`],
    },
    {
      rule: "minProperties",
      raw: { type: "object", minProperties: 1 },
      value: {},
      errors: [`${P}: Invalid value: 0: ${P} in body should have at least 1 properties`],
    },
    {
      rule: "maxProperties",
      raw: { type: "object", maxProperties: 1 },
      value: { a: 1, b: 2 },
      errors: [`${P}: Too many: 2: must have at most 1 item`],
    },
    {
      rule: "a value of a map",
      raw: { type: "object", additionalProperties: { ...text, maxLength: 10 } },
      value: { "my.key": "abcdefghijklm", k: 5 },
      errors: [
        `${P}.my.key: Too long: may not be more than 10 bytes`,
        `${P}.k: Invalid value: "integer": ${P}.k in body must be of type string: "integer"`,
      ],
    },
    {
      rule: "a member that is forbidden",
      raw: { type: "object", additionalProperties: false, properties: { a: text } },
      value: { a: "x", b: 1 },
      errors: [`${P}: Invalid value: "b": ${P}.b in body is a forbidden property`],
    },
    {
      rule: "required, in the order of the schema",
      raw: { type: "object", required: ["second", "first"] },
      value: {},
      errors: [`${P}.second: Required value`, `${P}.first: Required value`],
    },
    {
      rule: "properties come before what is required",
      raw: {
        type: "array",
        items: { type: "object", required: ["name"], properties: { port: { ...integer, minimum: 1 } } },
      },
      value: [{ port: 0 }],
      errors: [
        `${P}[0].port: Invalid value: 0: ${P}[0].port in body should be greater than or equal to 1`,
        `${P}[0].name: Required value`,
      ],
    },
    {
      rule: "a format",
      raw: { ...text, format: "ipv4" },
      value: "10.0.0",
      errors: [`${P}: Invalid value: "10.0.0": ${P} in body must be of type ipv4: "10.0.0"`],
    },
    {
      rule: "a format is told as it is written",
      raw: { ...text, format: "date-time" },
      value: "x",
      errors: [`${P}: Invalid value: "x": ${P} in body must be of type date-time: "x"`],
    },
    { rule: "a format that is not checked", raw: { ...text, format: "invented" }, value: "anything", errors: [] },
    {
      rule: "a format where the type is wrong",
      raw: { ...text, format: "ipv4" },
      value: 5,
      errors: [`${P}: Invalid value: "int64": ${P} in body must be of type ipv4: "int64"`],
    },
    {
      rule: "int32",
      raw: { ...integer, format: "int32" },
      value: 3_000_000_000,
      errors: [`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in ${P}`],
    },
    {
      rule: "float",
      raw: { type: "number", format: "float" },
      value: 1e39,
      errors: [`<nil>: Invalid value: "": Checked value must be of type number with format float in ${P}`],
    },
    {
      rule: "a bound of a million",
      raw: { type: "number", maximum: 1_000_000.5 },
      value: 1_000_001.5,
      errors: [`${P}: Invalid value: 1.0000015e+06: ${P} in body should be less than or equal to 1.0000005e+06`],
    },
    {
      rule: "set: the second of equal items",
      raw: { type: "array", "x-kubernetes-list-type": "set", items: text },
      value: ["a", "b", "a", "a"],
      errors: [`${P}[2]: Duplicate value: "a"`],
    },
    {
      rule: "set: one and its text differ",
      raw: { "x-kubernetes-list-type": "set" },
      value: [1, "1", true, "true"],
      errors: [],
    },
    {
      rule: "map list: one key",
      raw: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      value: [{ name: "a" }, { name: "a", port: 5 }],
      errors: [`${P}[1]: Duplicate value: {"name":"a"}`],
    },
    {
      rule: "map list: two keys",
      raw: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["host", "path"] },
      value: [{ host: "h", path: "/" }, { path: "/", host: "h" }, { host: "h" }],
      errors: [`${P}[1]: Duplicate value: {"host":"h","path":"/"}`],
    },
    {
      rule: "map list: only objects",
      raw: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
      value: [{}, "x"],
      errors: [`${P}[1]: Invalid value: "x": must be an object for an array of list-type map`],
    },
    {
      rule: "lists below keys of maps: keys in brackets",
      raw: { additionalProperties: { "x-kubernetes-list-type": "set" } },
      value: { "a.b": [1, 1] },
      errors: [`${P}[a.b][1]: Duplicate value: 1`],
    },
    {
      rule: "oneOf: none",
      raw: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      value: {},
      errors: [
        `<nil>: Invalid value: "": "${P}" must validate one and only one schema (oneOf). Found none valid`,
        `${P}.a: Required value`,
      ],
    },
    {
      rule: "oneOf: two",
      raw: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      value: { a: 1, b: 2 },
      errors: [
        `<nil>: Invalid value: "": "${P}" must validate one and only one schema (oneOf). Found 2 valid alternatives`,
      ],
    },
    {
      rule: "anyOf: the branch that comes closest is told",
      raw: { anyOf: [{ properties: { e: { minimum: 10 } } }, { properties: { e: { maximum: 0 } } }] },
      value: { e: 5 },
      errors: [
        `<nil>: Invalid value: "": "${P}" must validate at least one schema (anyOf)`,
        `${P}.e: Invalid value: 5: ${P}.e in body should be greater than or equal to 10`,
      ],
    },
    {
      rule: "anyOf: also when it is not the first",
      raw: { anyOf: [{ type: "string" }, { type: "object", required: ["a"] }] },
      value: {},
      errors: [`<nil>: Invalid value: "": "${P}" must validate at least one schema (anyOf)`, `${P}.a: Required value`],
    },
    {
      rule: "allOf: none",
      raw: { allOf: [{ properties: { d: { maximum: 5 } } }] },
      value: { d: 9 },
      errors: [
        `${P}.d: Invalid value: 9: ${P}.d in body should be less than or equal to 5`,
        `<nil>: Invalid value: "": "${P}" must validate all the schemas (allOf). None validated`,
      ],
    },
    {
      rule: "allOf: some",
      raw: { allOf: [{ minimum: 1 }, { maximum: 5 }] },
      value: 9,
      errors: [
        `${P}: Invalid value: 9: ${P} in body should be less than or equal to 5`,
        `<nil>: Invalid value: "": "${P}" must validate all the schemas (allOf)`,
      ],
    },
    {
      rule: "not",
      raw: { not: { required: ["c", "d"] } },
      value: { c: 1, d: 2 },
      errors: [`<nil>: Invalid value: "": "${P}" must not validate the schema (not)`],
    },
    {
      rule: "what a junctor repeats is told once",
      raw: { ...text, allOf: [text, text] },
      value: 1,
      errors: [
        `${P}: Invalid value: "integer": ${P} in body must be of type string: "integer"`,
        `<nil>: Invalid value: "": "${P}" must validate all the schemas (allOf). None validated`,
      ],
    },
    {
      rule: "an embedded resource has apiVersion and kind",
      raw: { type: "object", "x-kubernetes-embedded-resource": true },
      value: {},
      errors: [`${P}.apiVersion: Required value`, `${P}.kind: Required value`],
    },
    {
      rule: "and they are well formed",
      raw: { type: "object", "x-kubernetes-embedded-resource": true },
      value: { apiVersion: "a/b/c", kind: "bad kind!" },
      errors: [
        `${P}.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
        `${P}.kind: Invalid value: "bad kind!": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    },
    {
      rule: "and text",
      raw: { type: "object", "x-kubernetes-embedded-resource": true },
      value: { apiVersion: 1, kind: "" },
      errors: [
        `${P}.apiVersion: Invalid value: 1: must be a string`,
        `${P}.kind: Invalid value: "": must not be empty`,
      ],
    },
  ])("$rule", ({ errors, raw, value }) => {
    expect(errorsOf(raw, value)).toEqual(errors);
  });
});

describe("where an error stands", () => {
  const raw = {
    type: "object",
    required: ["a"],
    additionalProperties: text,
    properties: { n: { ...integer, maximum: 1 } },
  };

  test("the object itself", () => {
    expect(errorsOf(raw, 1, "")).toEqual([
      '<nil>: Invalid value: "integer":  in body must be of type object: "integer"',
    ]);
    expect(errorsOf(raw, { n: 2, x: 1 }, "")).toEqual([
      'x: Invalid value: "integer": .x in body must be of type string: "integer"',
      "n: Invalid value: 2: n in body should be less than or equal to 1",
      "a: Required value",
    ]);
  });

  test("below something that sentences do not name, as on the status endpoint", () => {
    expect(errorsOf(raw, null, "", { under: "status" })).toEqual([
      'status: Invalid value: "null":  in body must be of type object: "null"',
    ]);
    expect(errorsOf({ ...raw, not: {} }, { n: 2 }, "", { under: "status" })).toEqual([
      'status: Invalid value: "": "" must not validate the schema (not)',
      "status.n: Invalid value: 2: n in body should be less than or equal to 1",
      "status.a: Required value",
    ]);
  });
});

test("schema first, embedded resources second, list types last", () => {
  const raw = {
    type: "object",
    properties: {
      tags: { "x-kubernetes-list-type": "set" },
      template: { "x-kubernetes-embedded-resource": true },
      size: { ...integer, minimum: 0 },
    },
  };
  expect(errorsOf(raw, { tags: [1, 1], template: { kind: "X" }, size: -1 }, "")).toEqual([
    "size: Invalid value: -1: size in body should be greater than or equal to 0",
    "template.apiVersion: Required value",
    "tags[1]: Duplicate value: 1",
  ]);
});

test("metadata of embedded resources goes to who asked for it", () => {
  const raw = { additionalProperties: { "x-kubernetes-embedded-resource": true } };
  const value = { a: { apiVersion: "v1", kind: "X", metadata: { name: "_" } } };
  const errors = errorsOf(raw, value, "spec", {
    embeddedMetadata: (metadata, field) => [{ type: "FieldValueInvalid", field, value: metadata, detail: "x" }],
  });
  expect(errors).toEqual(['spec[a].metadata: Invalid value: {"name":"_"}: x']);
});

describe("values and schemas are untrusted", () => {
  test("members called like those of object prototypes", () => {
    const raw = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["toString"]}',
    );
    expect(errorsOf(raw, JSON.parse('{"__proto__":1}'), "")).toEqual([
      '__proto__: Invalid value: "integer": __proto__ in body must be of type string: "integer"',
      "toString: Required value",
    ]);
  });

  test("a list may have more errors than a call may have arguments", () => {
    const value = Array.from({ length: 200_000 }, (_, index) => `x${index % 100_000}`);
    const raw = {
      items: { type: "integer" },
      "x-kubernetes-list-type": "set",
      allOf: [{ items: { type: "integer" } }],
    };
    expect(validate(value, schemaOf(raw), "").length).toBeGreaterThan(300_000 - 1);
  });

  test("junctors cannot take forever", { timeout: 15_000 }, () => {
    let raw: JsonObject = { pattern: "^x" };
    for (let level = 0; level < 12; level += 1) raw = { anyOf: [raw, raw] };
    const errors = errorsOf(
      { items: raw },
      Array.from({ length: 100_000 }, () => "y"),
      "",
    );
    expect(errors.at(-1)).toBe(
      "<nil>: Internal error: the object is too large to be validated against all of its schema",
    );
  });

  test("nor can patterns", { timeout: 15_000 }, () => {
    const errors = errorsOf({ pattern: "[a-c]{1000}".repeat(400) }, `${"a".repeat(1_000_000)}`);
    expect(errors).toHaveLength(1);
  });
});
