import type { JsonArray, JsonObject, JsonValue } from "@slipway/objects";
import { formatFieldError, jsonEquals } from "@slipway/objects";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import { dropNulls } from "./nulls.ts";
import { prune } from "./prune.ts";
import { parseStructuralSchema, type StructuralSchema } from "./structural.ts";
import { validate } from "./validate.ts";

/** Few names, so that values and schemas meet; two of them are members of object prototypes. */
const name = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "apiVersion", "kind", "metadata");

function objectOf(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const texts = members.map(([key, value]) => `${JSON.stringify(key)}:${text(value)}`);
  return JSON.parse(`{${texts.join()}}`) as JsonObject;
}

function text(value: JsonValue): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? Number(member) : member));
}

const { value } = fc.letrec<{ value: JsonValue; list: JsonArray; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<JsonValue>(null, true, 0, -1, 1.5, 2 ** 60, 10n ** 17n, 10n ** 30n, "", "x", "10.0.0.1", "é😀"),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map(objectOf),
}));

/** Keywords of one schema, without the schemas in it. */
const keywords: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      type: fc.constantFrom("array", "boolean", "integer", "number", "object", "object", "object", "string"),
      format: fc.constantFrom("int32", "float", "ipv4", "date", "uri", "x"),
      nullable: fc.boolean(),
      default: value,
      required: fc.array(name, { maxLength: 2 }),
      enum: fc.array(value, { maxLength: 3 }),
      pattern: fc.constantFrom("^x", "(", "(a+)+$", "(?=x)"),
      minimum: fc.constantFrom(0, 0.5, -3),
      exclusiveMinimum: fc.boolean(),
      maximum: fc.constantFrom(0, 2.5, 1e30),
      multipleOf: fc.constantFrom(0, 0.5, 2, -1),
      minLength: fc.integer({ min: -1, max: 3 }),
      maxLength: fc.integer({ min: -1, max: 3 }),
      minItems: fc.integer({ min: -1, max: 3 }),
      maxItems: fc.integer({ min: -1, max: 3 }),
      minProperties: fc.integer({ min: -1, max: 3 }),
      maxProperties: fc.integer({ min: -1, max: 3 }),
      uniqueItems: fc.boolean(),
      additionalProperties: fc.boolean(),
      "x-kubernetes-preserve-unknown-fields": fc.constant(true),
      "x-kubernetes-int-or-string": fc.boolean(),
      "x-kubernetes-embedded-resource": fc.boolean(),
      "x-kubernetes-list-type": fc.constantFrom("atomic", "set", "map"),
      "x-kubernetes-list-map-keys": fc.array(name, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  // Most schemas say little, or no value would fit any.
  .chain((all) => fc.subarray(Object.entries(all), { maxLength: 5 }))
  .map((some) => objectOf(some as [string, JsonValue][]));

function schemaOf(depth: number): fc.Arbitrary<JsonObject> {
  if (depth === 0) return keywords;
  const inner = schemaOf(depth - 1);
  const parts = fc.oneof(
    fc.array(fc.tuple(name, inner), { maxLength: 4 }).map((members): JsonObject => ({ properties: objectOf(members) })),
    inner.map((schema): JsonObject => ({ items: schema })),
    inner.map((schema): JsonObject => ({ additionalProperties: schema })),
    fc
      .tuple(fc.constantFrom("anyOf", "oneOf", "allOf"), fc.array(inner, { maxLength: 3 }))
      .map(([junctor, schemas]): JsonObject => ({ [junctor]: schemas })),
    inner.map((schema): JsonObject => ({ not: schema })),
  );
  return fc
    .tuple(keywords, fc.array(parts, { maxLength: 2 }))
    .map(([own, more]) => Object.assign({}, own, ...more) as JsonObject);
}

const rawSchema = schemaOf(3);

function parsed(raw: JsonObject): StructuralSchema {
  const { problems, schema } = parseStructuralSchema(raw, { rules: "lenient" });
  if (schema === undefined) throw new Error(problems.join());
  return schema;
}

/** `check` holds for schemas and values of all sorts, and changes neither. */
function law(check: (value: JsonValue, schema: StructuralSchema) => void): void {
  fc.assert(
    fc.property(rawSchema, value, (raw, given) => {
      const before = structuredClone({ raw, given });
      check(given, parsed(raw));
      expect(jsonEquals({ raw, given }, before)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
}

describe("laws", () => {
  test("pruning twice is pruning once", () => {
    law((given, schema) => {
      for (const options of [{}, { isResourceRoot: true }]) {
        const once = prune(given, schema, options);
        const twice = prune(once.value, schema, options);
        expect(twice.value).toBe(once.value);
        expect(twice.unknown).toEqual([]);
        expect(once.unknown.length === 0).toBe(once.value === given);
      }
    });
  });

  test("dropping nulls twice is dropping them once", () => {
    law((given, schema) => {
      const once = dropNulls(given, schema);
      expect(dropNulls(once, schema)).toBe(once);
    });
  });

  test("defaulting twice is defaulting once", () => {
    law((given, schema) => {
      const once = applyDefaults(given, schema);
      expect(applyDefaults(once, schema)).toBe(once);
    });
  });

  test("validation never throws, tells nothing twice and answers the same every time", () => {
    law((given, schema) => {
      const errors = validate(given, schema, "spec").map(formatFieldError);
      expect(new Set(errors).size).toBe(errors.length);
      expect(validate(given, schema, "spec").map(formatFieldError)).toEqual(errors);
    });
  });

  test("the structural rules judge anything at all", () => {
    fc.assert(
      fc.property(fc.oneof(rawSchema, value), (raw) => {
        const { problems, schema } = parseStructuralSchema(raw);
        expect(schema === undefined).toBe(problems.length > 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
