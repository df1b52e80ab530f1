import { describe, expect, test } from "vitest";
import { type Compiled, createValue, type Value } from "./compiled.ts";
import { ExportError, exportResources } from "./export.ts";
import type { JsonValue } from "./json.ts";
import { Resource } from "./resource.ts";

const provenance = { instance: "shop", component: "web", transformer: "t" };

function exporting(toJSON: () => JsonValue, shown: JsonValue = {}): Resource {
  const value: Value = { exists: () => true, lookup: (path) => createValue(shown).lookup(path), toJSON };
  return new Resource({ ...provenance, value });
}

function failure(resources: readonly (Resource | undefined)[]): ExportError {
  try {
    exportResources(resources);
  } catch (error) {
    if (error instanceof ExportError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

test("each is exported once, in order, with the members as they come, and decoded from the same text", () => {
  const calls: number[] = [];
  const inputs = [0, 1, 2].map((index) =>
    exporting(() => {
      calls.push(index);
      return { z: index, a: { y: 1, b: 9007199254740993n } };
    }),
  );
  const results = exportResources(inputs);
  expect(calls).toEqual([0, 1, 2]);
  expect(results.map(({ json }) => json)).toEqual(
    [0, 1, 2].map((index) => `{"z":${index},"a":{"y":1,"b":9007199254740993}}`),
  );
  expect(results[1]).toEqual({
    json: '{"z":1,"a":{"y":1,"b":9007199254740993}}',
    object: { z: 1, a: { y: 1, b: 9007199254740993n } },
    ...provenance,
  });
});

test("a result holds no value and shares nothing with it", () => {
  const json = { kind: "A", metadata: { name: "a" } };
  const [result] = exportResources([exporting(() => json)]);
  expect(Object.keys(result ?? {})).toEqual(["json", "object", "instance", "component", "transformer"]);
  expect(result?.object.metadata).not.toBe(json.metadata);
});

describe("stops at the first that fails:", () => {
  const shown = { kind: "ConfigMap", metadata: { name: "c", namespace: "n" } };
  const cause = new RangeError("out of memory");
  const throwing = exporting(() => {
    throw cause;
  }, shown);

  test("a value that throws", () => {
    let later = 0;
    const last = exporting(() => {
      later += 1;
      return {};
    });
    const error = failure([exporting(() => ({})), throwing, last]);
    expect(error).toMatchObject({ code: "EXPORT_FAILED", index: 1, resource: "ConfigMap/n/c", step: "marshal", cause });
    expect(error.message).toBe("export resource 1 (ConfigMap/n/c): value export: out of memory");
    expect(later).toBe(0);
  });

  test.for<{ rule: string; toJSON: () => unknown; reason: string }>([
    { rule: "NaN", toJSON: () => ({ spec: [Number.NaN] }), reason: "spec[0]: NaN is no number in JSON" },
    { rule: "undefined", toJSON: () => undefined, reason: "undefined is no value in JSON" },
    { rule: "undefined in a list", toJSON: () => ({ a: [undefined] }), reason: "a[0]: undefined is no value in JSON" },
  ])("$rule", ({ toJSON, reason }) => {
    expect(failure([exporting(toJSON as () => JsonValue, shown)]).message).toBe(
      `export resource 0 (ConfigMap/n/c): value export: ${reason}`,
    );
  });

  test.for<{ json: JsonValue }>([{ json: [] }, { json: "x" }, { json: null }])(
    "$json, which is no object",
    ({ json }) => {
      const error = failure([exporting(() => json, shown)]);
      expect(error.step).toBe("decode");
      expect(error.message).toBe("export resource 0 (ConfigMap/n/c): json decode: the exported JSON is not an object");
    },
  );

  test("a missing resource", () => {
    const error = failure([undefined]);
    expect(error).toMatchObject({ index: 0, resource: "<nil>", step: "marshal" });
    expect(error.message).toBe("export resource 0 (<nil>): value export: nil resource");
  });

  test("a resource without a value", () => {
    const error = failure([new Resource(provenance as unknown as Compiled)]);
    expect(error.message).toBe("export resource 0 (<no value>): value export: resource has no value");
  });
});
