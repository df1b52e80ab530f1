import type { JsonObject } from "@slipway/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMessage } from "../protobuf/decode-message.ts";
import { kubernetesFields } from "../protobuf/kubernetes-fields.ts";
import { readTypedObject, TypedObjectError } from "./typed-object.ts";

const read = (kind: string, value: JsonObject): JsonObject => readTypedObject(value, `core.v1.${kind}`, "body").object;

test.for<{ rule: string; kind: string; value: JsonObject; object: JsonObject }>([
  {
    rule: "nulls and what is empty are left out",
    kind: "ConfigMap",
    value: { metadata: { name: "c", labels: {}, annotations: null, finalizers: [] }, data: {}, immutable: null },
    object: { metadata: { name: "c" } },
  },
  {
    rule: "false behind a pointer stays",
    kind: "ConfigMap",
    value: { immutable: false },
    object: { metadata: {}, immutable: false },
  },
  {
    rule: "null in a map is its zero value",
    kind: "ConfigMap",
    value: { metadata: { labels: { a: null } }, data: { a: null } },
    object: { metadata: { labels: { a: "" } }, data: { a: "" } },
  },
  {
    rule: "structs are always there",
    kind: "Service",
    value: { spec: { ports: [{ port: 80 }, null] } },
    object: {
      metadata: {},
      spec: {
        ports: [
          { port: 80, targetPort: 0 },
          { port: 0, targetPort: 0 },
        ],
      },
      status: { loadBalancer: {} },
    },
  },
  {
    rule: "members stand in the order of the type",
    kind: "Secret",
    value: { type: "x", data: { a: "MQ==" }, metadata: { uid: "u", name: "s" }, kind: "Secret", apiVersion: "v1" },
    object: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", uid: "u" },
      data: { a: "MQ==" },
      type: "x",
    },
  },
  {
    rule: "times are in UTC and in whole seconds, or in microseconds",
    kind: "Event",
    value: { firstTimestamp: "2026-11-30T12:00:00.9+02:00", eventTime: "2026-11-30T12:00:00.000123+02:00" },
    object: {
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: "2026-11-30T10:00:00Z",
      eventTime: "2026-11-30T10:00:00.000123Z",
      reportingComponent: "",
      reportingInstance: "",
    },
  },
])("$rule", ({ kind, value, object }) => {
  expect(JSON.stringify(read(kind, value))).toBe(JSON.stringify(object));
});

test("unknown members are named and dropped", () => {
  const value = { metadata: { foo: 1 }, spec: { ports: [{ port: 1, q: 1 }], z: 1 }, Spec: {}, constructor: 1 };
  const { object, unknown } = readTypedObject(value, "core.v1.Service", "body");
  expect(unknown).toEqual(["metadata.foo", "spec.ports[0].q", "spec.z", "Spec", "constructor"]);
  expect(object).not.toHaveProperty("Spec");
});

/** As kube-apiserver 1.36 words it, for a body and for the result of a strategic merge patch. */
test.for<{ kind: string; value: JsonObject; body: string; patch: string }>([
  {
    kind: "ConfigMap",
    value: { data: { a: 1 } },
    body: "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
    patch: "cannot convert int64 to string",
  },
  {
    kind: "ConfigMap",
    value: { data: { a: true } },
    body: "json: cannot unmarshal bool into Go struct field ConfigMap.data of type string",
    patch: "unrecognized type: string",
  },
  {
    kind: "ConfigMap",
    value: { data: [] },
    body: "json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string",
    patch: "cannot restore map from slice",
  },
  {
    kind: "ConfigMap",
    value: { data: "x" },
    body: "json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string",
    patch: "cannot restore map from string",
  },
  {
    kind: "ConfigMap",
    value: { metadata: [] },
    body: "json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
    patch: "cannot restore struct from: slice",
  },
  {
    kind: "ConfigMap",
    value: { metadata: { finalizers: "x" } },
    body: "json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string",
    patch: "cannot restore slice from string",
  },
  {
    kind: "ConfigMap",
    value: { immutable: "x" },
    body: "json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool",
    patch: "unrecognized type: bool",
  },
  {
    kind: "ServiceAccount",
    value: { secrets: ["x"] },
    body: "json: cannot unmarshal string into Go struct field ServiceAccount.secrets of type v1.ObjectReference",
    patch: "cannot restore struct from: string",
  },
  {
    kind: "Service",
    value: { spec: { ports: [{ port: "x" }] } },
    body: "json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32",
    patch: "unrecognized type: int32",
  },
  {
    kind: "Service",
    value: { spec: { ports: [{ port: 80.5 }] } },
    body: "json: cannot unmarshal number 80.5 into Go struct field ServicePort.spec.ports.port of type int32",
    patch: "cannot convert float64 to int32",
  },
  {
    kind: "Service",
    value: { spec: { type: 5 } },
    body: "json: cannot unmarshal number into Go struct field ServiceSpec.spec.type of type v1.ServiceType",
    patch: "cannot convert int64 to v1.ServiceType",
  },
  {
    kind: "Service",
    value: { spec: { ports: [{ port: 80, targetPort: true }] } },
    body: "json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32",
    patch: "json: cannot unmarshal bool into Go value of type int32",
  },
  {
    kind: "Secret",
    value: { data: { a: "!!" } },
    body: "illegal base64 data at input byte 0",
    patch: "error decoding from json: illegal base64 data at input byte 0",
  },
  {
    kind: "Event",
    value: { firstTimestamp: "x" },
    body: 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    patch: 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  },
  {
    kind: "Event",
    value: { firstTimestamp: 5 },
    body: "json: cannot unmarshal number into Go struct field Event.firstTimestamp of type string",
    patch: "json: cannot unmarshal number into Go value of type string",
  },
])("$kind $value", ({ kind, value, body, patch }) => {
  expect(() => readTypedObject(value, `core.v1.${kind}`, "body")).toThrow(refusal(body));
  expect(() => readTypedObject(value, `core.v1.${kind}`, "patch")).toThrow(refusal(patch));
});

function refusal(message: string): unknown {
  return expect.objectContaining({ name: TypedObjectError.name, message });
}

test("a time that is none is told before what has the wrong type, wherever it stands", () => {
  const event = { count: "x", firstTimestamp: "noon" };
  expect(() => readTypedObject(event, "core.v1.Event", "body")).toThrow('parsing time "noon"');
});

test("mistakes in a patch are told in the order of the type, unknown fields in that of their names", () => {
  const event = { type: 3, count: "x", firstTimestamp: "noon" };
  expect(() => readTypedObject(event, "core.v1.Event", "patch")).toThrow('parsing time "noon"');
  const { unknown } = readTypedObject({ z: 1, involvedObject: { y: 1, b: 1 }, a: 1 }, "core.v1.Event", "patch");
  expect(unknown).toEqual(["a", "involvedObject.b", "involvedObject.y", "z"]);
});

test("a MicroTime has six digits", () => {
  for (const eventTime of ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00.5Z", "2026-11-30T12:00:00.1234567Z"]) {
    expect(() => read("Event", { eventTime })).toThrow("2006-01-02T15:04:05.000000Z07:00");
  }
});

test("reading twice changes nothing more; what protobuf brings is typed already", () => {
  const kinds = Object.keys(kubernetesFields).filter((name) =>
    /^core\.v1\.(ConfigMap|Secret|Service|Event)$/.test(name),
  );
  fc.assert(
    fc.property(fc.constantFrom(...kinds), (message) => {
      const { object, unknown } = readTypedObject(decodeMessage(new Uint8Array(), message), message, "body");
      expect(unknown).toEqual([]);
      expect(readTypedObject(object, message, "body").object).toEqual(object);
    }),
  );
});
