import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { JsonObject } from "@slipway/objects";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeMessage } from "./decode-message.ts";
import { openEnvelope } from "./envelope.ts";
import { kubernetesFields } from "./kubernetes-fields.ts";
import { ProtobufError } from "./wire.ts";

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Bodies as Go's serializer writes them, and the same objects as Go prints them in JSON. */
const bodies: readonly { readonly message: string; readonly body: string; readonly object: JsonObject }[] = [
  {
    message: "core.v1.Namespace",
    body: "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhkKEQoBbhIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==",
    object: { kind: "Namespace", apiVersion: "v1", metadata: { name: "n" }, spec: {}, status: {} },
  },
  {
    message: "core.v1.ConfigMap",
    body: "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEi8KEQoBYxIAGgAiACoAMgA4AEIAEgYKAWESAWISBgoCw6kSABoKCgNiaW4SAwD/ARoAIgA=",
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "c" },
      data: { a: "b", é: "" },
      binaryData: { bin: "AP8B" },
    },
  },
  {
    message: "core.v1.Secret",
    body: "azhzAAoMCgJ2MRIGU2VjcmV0EisKEQoBcxIAGgAiACoAMgA4AEIAEgwKAXASB2h1bnRlcjIaBk9wYXF1ZSgAGgAiAA==",
    object: {
      kind: "Secret",
      apiVersion: "v1",
      metadata: { name: "s" },
      immutable: false,
      data: { p: "aHVudGVyMg==" },
      type: "Opaque",
    },
  },
  {
    message: "core.v1.ServiceAccount",
    body: "azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSJwoSCgJzYRIAGgAiACoAMgA4AEIAEg8KABIAGgF4IgAqADIAOgAgABoAIgA=",
    object: {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: { name: "sa" },
      secrets: [{ name: "x" }],
      automountServiceAccountToken: false,
    },
  },
  {
    message: "core.v1.Service",
    body: "azhzAAoNCgJ2MRIHU2VydmljZRKCAQobCgFzEgAaACIAKgAyADgAQgBaCAoDYXBwEgFzEl8KEgoBYRIAGFAiBwgAEJA/GgAoAAodCgASABhRIgoIARAAGgRodHRwKP///////////wESCAoDYXBwEgFzGgAiCUNsdXN0ZXJJUDoAQgBSAFoAYABoAXIECgIIAIoBABoCCgAaACIA",
    object: {
      kind: "Service",
      apiVersion: "v1",
      metadata: { name: "s", labels: { app: "s" } },
      spec: {
        ports: [
          { name: "a", port: 80, targetPort: 8080 },
          { port: 81, targetPort: "http", nodePort: -1 },
        ],
        selector: { app: "s" },
        type: "ClusterIP",
        publishNotReadyAddresses: true,
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
        ipFamilyPolicy: "",
      },
      status: { loadBalancer: {} },
    },
  },
  {
    message: "core.v1.Event",
    body: "azhzAAoLCgJ2MRIFRXZlbnQSjwEKRAoBZRIAGgAiACoAMgA4AEIICPjWtdgGEABKDQj///////////8BEACKARkKAW0SABoAMgA6DAoKeyJmOmEiOnt9fUIAEhEKA1BvZBIAGgAiACoAMgA6ABoAIgAqBAoAEgAyADoAQANKAFIKCPjWtdgGEPjAB1oQCAISDAj41rXYBhCAyrXuAWIAcgB6ABoAIgA=",
    object: {
      kind: "Event",
      apiVersion: "v1",
      metadata: {
        name: "e",
        creationTimestamp: "2026-11-30T12:26:32Z",
        deletionTimestamp: "1969-12-31T23:59:59Z",
        managedFields: [{ manager: "m", fieldsV1: { "f:a": {} } }],
      },
      involvedObject: { kind: "Pod" },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      count: 3,
      eventTime: "2026-11-30T12:26:32.000123Z",
      series: { count: 2, lastObservedTime: "2026-11-30T12:26:32.500000Z" },
      reportingComponent: "",
      reportingInstance: "",
    },
  },
  {
    message: "coordination.v1.Lease",
    body: "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRJMChEKAWwSABoAIgAqADIAOABCABI3CgJtZRAPGgsI+Na12AYQgJTvOiIICPjWtdgGEAAoADIWT2xkZXN0RW11bGF0aW9uVmVyc2lvbhoAIgA=",
    object: {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: { name: "l" },
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2026-11-30T12:26:32.123456Z",
        renewTime: "2026-11-30T12:26:32.000000Z",
        leaseTransitions: 0,
        strategy: "OldestEmulationVersion",
      },
    },
  },
  {
    message: "coordination.v1.Lease",
    body: "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIZChEKAWwSABoAIgAqADIAOABCABIECgAiABoAIgA=",
    object: {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: { name: "l" },
      spec: { holderIdentity: "", renewTime: null },
    },
  },
  {
    message: "meta.v1.DeleteOptions",
    body: "azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIaCAASAwoBdRgAIgpCYWNrZ3JvdW5kKgNBbGwaACIA",
    object: {
      kind: "DeleteOptions",
      apiVersion: "v1",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
      orphanDependents: false,
      propagationPolicy: "Background",
      dryRun: ["All"],
    },
  },
];

test.for(bodies)("$message is what Go prints: $body", ({ message, body, object }) => {
  const { apiVersion, kind, raw } = openEnvelope(fromBase64(body));
  const decoded = { kind, apiVersion, ...decodeMessage(raw, message) };
  expect(JSON.stringify(decoded)).toBe(JSON.stringify(object));
});

/** A message whose field `number` has these bytes. */
function field(number: number, bytes: Uint8Array | string): Uint8Array {
  const writer = new BinaryWriter().tag(number, WireType.LengthDelimited);
  return (typeof bytes === "string" ? writer.string(bytes) : writer.bytes(bytes)).finish();
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe("values", () => {
  const generation = (value: bigint): unknown => {
    const meta = new BinaryWriter().tag(7, WireType.Varint).int64(value).finish();
    return decodeMessage(meta, "meta.v1.ObjectMeta").generation;
  };

  test("integers beyond 2^53 keep their digits", () => {
    expect(generation(9_007_199_254_740_993n)).toBe(9_007_199_254_740_993n);
    expect(generation(-5n)).toBe(-5);
    expect(generation(0n)).toBeUndefined();
  });

  test("of two values the last one counts, of two messages both", () => {
    const named = join(field(1, "a"), field(1, "b"));
    expect(decodeMessage(named, "meta.v1.ObjectMeta")).toEqual({ name: "b" });
    const twice = join(field(1, field(1, "a")), field(1, field(3, "n")));
    expect(decodeMessage(twice, "core.v1.ConfigMap")).toEqual({ metadata: { name: "a", namespace: "n" } });
  });

  test("a message without any bytes is what Go prints of a zero", () => {
    const condition = { type: "", status: "", lastTransitionTime: null, reason: "", message: "" };
    expect(decodeMessage(field(2, ""), "core.v1.ServiceStatus")).toEqual({ loadBalancer: {}, conditions: [condition] });
  });

  test("a key called __proto__ is an ordinary key", () => {
    const data = field(2, join(field(1, "__proto__"), field(2, "x")));
    expect(Object.entries(decodeMessage(data, "core.v1.ConfigMap").data as object)).toEqual([["__proto__", "x"]]);
  });

  test("fields that the table does not have are skipped", () => {
    const newer = join(
      field(99, "later"),
      new BinaryWriter().tag(98, WireType.Bit64).fixed64(1).finish(),
      field(1, "a"),
    );
    expect(decodeMessage(newer, "meta.v1.ObjectMeta")).toEqual({ name: "a" });
  });

  test("many bytes are base64", () => {
    const bytes = new Uint8Array(100_000).fill(255);
    const { data } = decodeMessage(field(2, join(field(1, "k"), field(2, bytes))), "core.v1.Secret");
    expect((data as { k: string }).k).toBe(Buffer.from(bytes).toString("base64"));
  });
});

const secret = "core.v1.Secret";
const start = new Uint8Array([0x0a, 0x05]);
const time = (seconds: number, nanos: number): Uint8Array =>
  field(8, new BinaryWriter().tag(1, WireType.Varint).int64(seconds).tag(2, WireType.Varint).int32(nanos).finish());

test.for([
  { what: "a message that ends too early", bytes: start, message: secret, text: "unexpected EOF" },
  { what: "a varint that never ends", bytes: new Uint8Array(11).fill(255), message: secret, text: "proto: " },
  { what: "field 0", bytes: new Uint8Array([0]), message: secret, text: "proto: illegal tag" },
  { what: "wire type 7", bytes: new Uint8Array([0x0f]), message: secret, text: "proto: illegal tag" },
  {
    what: "a number for a message",
    bytes: new Uint8Array([8, 1]),
    message: secret,
    text: "proto: wrong wireType = 0 for field metadata",
  },
  { what: "a group", bytes: new Uint8Array([0xfb, 1, 0xfc, 1]), message: secret, text: "proto: groups are not" },
  { what: "half a group", bytes: new Uint8Array(3_000_000).fill(0x7b), message: secret, text: "proto: groups are not" },
  { what: "text that is not UTF-8", bytes: field(3, new Uint8Array([255])), message: secret, text: "not valid UTF-8" },
  { what: "a time after the year 9999", bytes: time(1e12, 0), message: "meta.v1.ObjectMeta", text: "out of range" },
  { what: "a time with negative nanoseconds", bytes: time(1, -1), message: "meta.v1.ObjectMeta", text: "out of range" },
  {
    what: "a port that is neither number nor text",
    bytes: field(4, new Uint8Array([8, 2])),
    message: "core.v1.ServicePort",
    text: "impossible IntOrString.Type 2",
  },
  {
    what: "managed fields that are not JSON",
    bytes: field(7, field(1, "{")),
    message: "meta.v1.ManagedFieldsEntry",
    text: "json: unexpected end",
  },
])("refused: $what", ({ bytes, message, text }) => {
  expect(() => decodeMessage(bytes, message)).toThrow(ProtobufError);
  expect(() => decodeMessage(bytes, message)).toThrow(text);
});

test("whatever the bytes are, they are read or refused", () => {
  const names = Object.keys(kubernetesFields);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.uint8Array({ maxLength: 60 }), (message, bytes) => {
      try {
        decodeMessage(bytes, message);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    }),
  );
});

describe("the envelope", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const prefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";

  test.for([
    { what: "nothing", body: bytes(""), text: "empty data" },
    { what: "JSON", body: bytes("{}"), text: prefix },
    { what: "half of the magic", body: bytes("k8"), text: prefix },
    { what: "the magic alone", body: bytes("k8s\0"), text: "empty body" },
    { what: "a broken envelope", body: bytes("k8s\0\x0a\x05"), text: "unexpected EOF" },
    { what: "an encoding", body: join(bytes("k8s\0"), field(3, "gzip")), text: 'content encoding "gzip"' },
  ])("refused: $what", ({ body, text }) => {
    expect(() => openEnvelope(body)).toThrow(ProtobufError);
    expect(() => openEnvelope(body)).toThrow(text);
  });

  test("need not name its kind", () => {
    const envelope = openEnvelope(join(bytes("k8s\0"), field(2, "raw")));
    expect(envelope).toEqual({ apiVersion: "", kind: "", raw: bytes("raw") });
  });
});

describe("the table", () => {
  const scalars = ["bool", "bytes", "int32", "int64", "string"];
  const ownForms = ["FieldsV1", "IntOrString", "MicroTime", "Time"];
  const messagesIn = (name: string): string[] =>
    Object.values(kubernetesFields[name] ?? {})
      .map(({ type }) => type)
      .filter((type) => type.includes("."));

  test("has every message that it refers to", () => {
    for (const [name, fields] of Object.entries(kubernetesFields)) {
      const types = Object.values(fields).map(({ type }) => type);
      const unknown = types.filter(
        (type) => ![...scalars, ...ownForms, ...Object.keys(kubernetesFields)].includes(type),
      );
      expect({ name, unknown }).toEqual({ name, unknown: [] });
    }
  });

  test("has no message that contains itself: nesting is bounded", () => {
    const depth = (name: string, above: readonly string[]): number => {
      expect(above).not.toContain(name);
      return 1 + Math.max(0, ...messagesIn(name).map((inner) => depth(inner, [...above, name])));
    };
    for (const name of Object.keys(kubernetesFields)) expect(depth(name, [])).toBeLessThan(8);
  });
});
