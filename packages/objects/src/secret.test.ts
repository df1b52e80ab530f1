import { expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { isSecret, normalizeSecret } from "./secret.ts";

const secret = { apiVersion: "v1", kind: "Secret" };

test("B-25 stringData moves to data, where it wins", () => {
  const written = { ...secret, stringData: { a: "é" }, data: { a: "eQ==", b: "" } };
  const kept = { ...secret, data: { a: "w6k=", b: "" } };
  expect(normalizeSecret(written)).toEqual(kept);
  expect(normalizeSecret(kept)).toBe(kept);
  expect(written.data.a).toBe("eQ==");
});

test("without data it becomes data, and the members keep their names", () => {
  const stringData: JsonObject = JSON.parse('{"__proto__":"x"}');
  expect(JSON.stringify(normalizeSecret({ ...secret, stringData }))).toBe(
    '{"apiVersion":"v1","kind":"Secret","data":{"__proto__":"eA=="}}',
  );
});

test.for<{ rule: string; object: JsonObject }>([
  { rule: "another kind", object: { apiVersion: "v1", kind: "ConfigMap", stringData: { a: "b" } } },
  { rule: "another group", object: { apiVersion: "example.com/v1", kind: "Secret", stringData: { a: "b" } } },
  { rule: "stringData that is no map of strings", object: { ...secret, stringData: { a: 1 } } },
  { rule: "no stringData", object: { ...secret, data: { a: "eQ==" } } },
])("$rule stays as it is", ({ object }) => {
  expect(normalizeSecret(object)).toBe(object);
});

test("no apiVersion may be the core group: who knows nothing hides too much rather than too little", () => {
  expect([isSecret({ kind: "Secret" }), isSecret(undefined), isSecret([])]).toEqual([true, false, false]);
});
