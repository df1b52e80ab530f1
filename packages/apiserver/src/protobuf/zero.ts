import type { JsonObject, JsonValue } from "@slipway/objects";
import { kubernetesFields } from "./kubernetes-fields.ts";

const scalars: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["bool", false],
  ["bytes", ""],
  ["int32", 0],
  ["int64", 0],
  ["string", ""],
  ["FieldsV1", null],
  ["IntOrString", 0],
  ["MicroTime", null],
  ["Time", null],
]);

function zeroMessage(type: string): JsonObject {
  const shown = Object.entries(kubernetesFields[type] ?? {}).filter(([, { form }]) => form === "always");
  const zero = (inner: string): JsonValue => (scalars.has(inner) ? (scalars.get(inner) ?? null) : zeroMessage(inner));
  return Object.fromEntries(shown.map(([name, field]) => [name, zero(field.type)]));
}

const messages: ReadonlyMap<string, JsonObject> = new Map(
  Object.keys(kubernetesFields).map((type) => [type, zeroMessage(type)]),
);

/** How Go prints a value of this type that was never set; `null` for a time. */
export function zeroOf(type: string): JsonValue {
  return messages.get(type) ?? scalars.get(type) ?? null;
}
