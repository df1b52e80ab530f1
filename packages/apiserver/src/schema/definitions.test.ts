import { readdirSync, readFileSync } from "node:fs";
import { type JsonValue, jsonEquals } from "@slipway/objects";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { applyDefaults } from "./defaults.ts";
import { dropNulls } from "./nulls.ts";
import { prune } from "./prune.ts";
import { parseStructuralSchema } from "./structural.ts";
import { validate } from "./validate.ts";

const folder = new URL("../../../../examples/platform/definitions/", import.meta.url);

interface Definition {
  readonly spec: { readonly application: { readonly openAPISchema: string } };
}

const definitions = readdirSync(folder).map((file) => {
  const { spec } = parse(readFileSync(new URL(file, folder), "utf8")) as Definition;
  return { file, raw: JSON.parse(spec.application.openAPISchema) as JsonValue };
});

/** Defaults that a definition gives without declaring them. */
const undeclared: Readonly<Record<string, readonly string[]>> = {
  "monitoring.yaml": ["vmagent.externalLabels.cluster", "vmagent.remoteWrite.urls"],
};

test("the platform has its kinds", () => {
  expect(definitions.length).toBe(31);
});

test.for(definitions)("$file: what the schema defaults, it knows and accepts", ({ file, raw }) => {
  const { problems, schema } = parseStructuralSchema(raw, { rules: "lenient" });
  expect(problems).toEqual([]);
  if (schema === undefined) throw new Error("no schema");
  const value = applyDefaults({}, schema);
  expect(validate(value, schema, "spec")).toEqual([]);
  expect(prune(value, schema).unknown).toEqual(undeclared[file] ?? []);
  expect(jsonEquals(dropNulls(value, schema), value)).toBe(true);
  expect(applyDefaults(value, schema)).toBe(value);
});
