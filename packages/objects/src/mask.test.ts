import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "./json.ts";
import { maskSecretPair, maskSecrets } from "./mask.ts";

const secret = (members: JsonObject): JsonObject => ({ apiVersion: "v1", kind: "Secret", ...members });
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

test.for<{ rule: string; value: JsonValue; masked: JsonValue }>([
  {
    rule: "values of data and stringData are hidden, their keys are not",
    value: secret({ type: "Opaque", data: { a: "eA==", b: "" }, stringData: { c: "x" } }),
    masked: secret({ type: "Opaque", data: { a: "***", b: "***" }, stringData: { c: "***" } }),
  },
  {
    rule: "the copy that kubectl keeps is hidden, other annotations are not",
    value: secret({ metadata: { name: "s", annotations: { [lastApplied]: '{"data":1}', b: "c" } } }),
    masked: secret({ metadata: { name: "s", annotations: { [lastApplied]: "***", b: "c" } } }),
  },
  {
    rule: "values of wrong types are hidden too",
    value: secret({ data: { a: { b: 1 } } }),
    masked: secret({ data: { a: "***" } }),
  },
  { rule: "so is data that is no map", value: secret({ data: "eA==" }), masked: secret({ data: "***" }) },
  { rule: "null has nothing to hide", value: secret({ data: null }), masked: secret({ data: null }) },
  {
    rule: "secrets in a list",
    value: { kind: "List", items: [secret({ data: { a: "b" } }), { kind: "ConfigMap", data: { a: "b" } }] },
    masked: { kind: "List", items: [secret({ data: { a: "***" } }), { kind: "ConfigMap", data: { a: "b" } }] },
  },
  { rule: "any other value", value: [{ kind: "ConfigMap" }], masked: [{ kind: "ConfigMap" }] },
])("$rule", ({ value, masked }) => {
  const before = JSON.stringify(value);
  expect(maskSecrets(value)).toEqual(masked);
  expect(JSON.stringify(value)).toBe(before);
});

test("in a pair, different values still differ and equal ones do not", () => {
  const [before, after] = maskSecretPair(
    secret({ data: { same: "x", other: "x", gone: "x" } }),
    secret({ data: { same: "x", other: "y", new: "x" } }),
  );
  expect(before.data).toEqual({ same: "***", other: "*** (before)", gone: "***" });
  expect(after.data).toEqual({ same: "***", other: "*** (after)", new: "***" });
});

test("a pair of other objects is left alone", () => {
  const pair = [{ kind: "ConfigMap", data: { a: "b" } }, { kind: "ConfigMap" }] as const;
  expect(maskSecretPair(...pair)).toEqual(pair);
});

test("nothing of a value is left, whatever it is", () => {
  const hidden = fc.string({ minLength: 8 }).map((text) => `hidden${text}`);
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 3 }), hidden), hidden, (data, annotation) => {
      const metadata = { annotations: { [lastApplied]: annotation } };
      const object = secret({ data, stringData: data, metadata });
      const texts = [maskSecrets(object), maskSecretPair(object, secret({ data: {} }))].map((value) =>
        JSON.stringify(value),
      );
      for (const text of texts) expect(text).not.toContain("hidden");
    }),
  );
});
