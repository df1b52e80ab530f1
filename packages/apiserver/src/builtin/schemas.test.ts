import { getMember, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";
import { expect, test } from "vitest";
import type { MessageField } from "../protobuf/field.ts";
import { kubernetesFields } from "../protobuf/kubernetes-fields.ts";
import {
  configMapSchema,
  eventSchema,
  leaseSchema,
  namespaceSchema,
  secretSchema,
  serviceAccountSchema,
  serviceSchema,
} from "./schemas.ts";

const schemas = {
  "coordination.v1.Lease": leaseSchema,
  "core.v1.ConfigMap": configMapSchema,
  "core.v1.Event": eventSchema,
  "core.v1.Namespace": namespaceSchema,
  "core.v1.Secret": secretSchema,
  "core.v1.Service": serviceSchema,
  "core.v1.ServiceAccount": serviceAccountSchema,
};

/** Kubernetes' table says what is read and how it is patched, the schema what is checked and what OpenAPI tells kubectl. */
test.for(Object.entries(schemas))("the schema of %s has the fields of Kubernetes' type", ([message, schema]) => {
  expect(differences(schema, message, message)).toEqual([]);
});

function differences(schema: JsonObject, message: string, path: string): string[] {
  const fields = Object.entries(kubernetesFields[message] ?? {}).filter(([name]) => name !== "metadata");
  const properties = getMember(schema, "properties");
  const known = isJsonObject(properties) ? properties : {};
  const extra = Object.keys(known).filter((name) => !fields.some(([field]) => field === name));
  return [
    ...extra.map((name) => `${path}.${name} is no field`),
    ...fields.flatMap(([name, field]) => fieldDifferences(known[name], field, `${path}.${name}`)),
  ];
}

const types: Readonly<Record<string, string>> = {
  bool: "boolean",
  bytes: "string",
  int32: "integer",
  int64: "integer",
  MicroTime: "string",
  string: "string",
  Time: "string",
};

function fieldDifferences(schema: JsonValue | undefined, field: MessageField, path: string): string[] {
  if (!isJsonObject(schema)) return [`${path} is missing`];
  const patch = [schema["x-kubernetes-patch-strategy"], schema["x-kubernetes-patch-merge-key"]];
  const problems =
    patch[0] === field.patchStrategy && patch[1] === field.patchMergeKey ? [] : [`${path} is merged by ${patch}`];
  const inner =
    field.form === "list" ? schema.items : field.form === "map" ? schema.additionalProperties : (schema as JsonValue);
  if (!isJsonObject(inner)) return [...problems, `${path} is no ${field.form}`];
  if (field.type === "IntOrString") return problems;
  if (field.type.includes(".")) return [...problems, ...differences(inner, field.type, path)];
  return inner.type === types[field.type] ? problems : [...problems, `${path} is ${inner.type}, not ${field.type}`];
}
