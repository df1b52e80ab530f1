import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, jsonEquals } from "./json.ts";
import { mergePatch } from "./merge-patch.ts";

const fromJson = (text: string): JsonValue => JSON.parse(text);

test.for([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
] as const)("RFC 7396, appendix A: %s with %s is %s", ([target, patch, result]) => {
  expect(mergePatch(fromJson(target), fromJson(patch))).toEqual(fromJson(result));
});

describe("what the RFC does not say", () => {
  test("__proto__ and constructor are members like others", () => {
    const result = mergePatch({}, fromJson('{"__proto__":{"a":1},"constructor":{"b":null}}'));
    expect(JSON.stringify(result)).toBe('{"__proto__":{"a":1},"constructor":{}}');
    expect(JSON.stringify(mergePatch(result, fromJson('{"__proto__":null}')))).toBe('{"constructor":{}}');
    expect(Object.prototype).not.toHaveProperty("a");
  });

  test("what the patch does not touch is shared, and an object that it does not change is returned", () => {
    const target = { touched: { a: 1 }, untouched: { b: 1 } };
    const result = mergePatch(target, { touched: { a: 2 } }) as JsonObject;
    expect(result.untouched).toBe(target.untouched);
    expect(mergePatch(target, { touched: { a: 1, c: null } })).toBe(target);
  });

  test("a member that is undefined is absent", () => {
    expect(mergePatch({ a: 1, b: 2 }, { a: undefined, b: null })).toEqual({ a: 1 });
    expect(mergePatch(undefined, { a: { b: null } })).toEqual({ a: {} });
  });

  test("nulls in the lists of a patch stay, unless it is lenient as kube-apiserver is", () => {
    const patch = fromJson('{"new":[{"a":null,"b":[{"c":null}]},null],"object":[{"a":null}]}');
    const target = { object: {} };
    expect(mergePatch(target, patch)).toEqual(patch);
    expect(mergePatch(target, patch, { lenient: true })).toEqual({ new: [{ b: [{}] }, null], object: [{ a: null }] });
  });
});

describe("laws", () => {
  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

  test("neither argument changes, and applying a patch again changes nothing", () => {
    fc.assert(
      fc.property(value, value, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = mergePatch(target, patch);
        expect(jsonEquals(mergePatch(once, patch), once)).toBe(true);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });
});
