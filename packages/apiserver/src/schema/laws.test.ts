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
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom<JsonValue>(null, true, 0, -1, 1.5, 2 ** 60, 10n ** 17n, 10n ** 30n, "", "x", "10.0.0.1", "é😀"),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map(objectOf),
}));

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

const { schema: rawSchema } = fc.letrec<{ schema: JsonObject; schemas: JsonArray; properties: JsonObject }>((tie) => ({
  schemas: fc.array(tie("schema"), { maxLength: 3 }),
  properties: fc.array(fc.tuple(name, tie("schema")), { maxLength: 4 }).map(objectOf),
  schema: fc
    .record(
      {
        type: maybe(fc.constantFrom("array", "boolean", "integer", "number", "object", "string")),
        format: maybe(fc.constantFrom("int32", "float", "ipv4", "date", "uri", "x")),
        nullable: maybe(fc.boolean()),
        default: maybe(value),
        properties: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.constant(undefined), tie("properties")),
        additionalProperties: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.constantFrom(undefined, true, false), tie("schema")),
        items: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.constant(undefined), tie("schema")),
        required: maybe(fc.array(name, { maxLength: 2 })),
        enum: maybe(fc.array(value, { maxLength: 3 })),
        pattern: maybe(fc.constantFrom("^x", "(", "(a+)+$", "(?=x)")),
        minimum: maybe(fc.constantFrom(0, 0.5, -3)),
        exclusiveMinimum: maybe(fc.boolean()),
        maximum: maybe(fc.constantFrom(0, 2.5, 1e30)),
        multipleOf: maybe(fc.constantFrom(0, 0.5, 2, -1)),
        minLength: maybe(fc.integer({ min: -1, max: 3 })),
        maxLength: maybe(fc.integer({ min: -1, max: 3 })),
        minItems: maybe(fc.integer({ min: -1, max: 3 })),
        maxItems: maybe(fc.integer({ min: -1, max: 3 })),
        minProperties: maybe(fc.integer({ min: -1, max: 3 })),
        maxProperties: maybe(fc.integer({ min: -1, max: 3 })),
        uniqueItems: maybe(fc.boolean()),
        anyOf: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant(undefined), tie("schemas")),
        oneOf: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant(undefined), tie("schemas")),
        allOf: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant(undefined), tie("schemas")),
        not: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant(undefined), tie("schema")),
        "x-kubernetes-preserve-unknown-fields": maybe(fc.constant(true)),
        "x-kubernetes-int-or-string": maybe(fc.boolean()),
        "x-kubernetes-embedded-resource": maybe(fc.boolean()),
        "x-kubernetes-list-type": maybe(fc.constantFrom("atomic", "set", "map")),
        "x-kubernetes-list-map-keys": maybe(fc.array(name, { maxLength: 2 })),
      },
      { requiredKeys: [] },
    )
    .map((raw): JsonObject => Object.fromEntries(Object.entries(raw).filter(([, member]) => member !== undefined))),
}));

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
