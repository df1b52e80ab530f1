import { ApiStatusError, type JsonObject, type JsonValue } from "@slipway/objects";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

/** What kube-apiserver 1.36 makes of the same patches. */
interface Row {
  readonly rule: string;
  readonly kind?: string;
  readonly original: JsonObject;
  readonly patch: JsonObject;
}

const service = (...ports: JsonValue[]): JsonObject => ({ spec: { ports } });
const http = { name: "http", port: 80, protocol: "TCP" };
const https = { name: "https", port: 443, protocol: "TCP" };

const merged: readonly (Row & { readonly result: JsonObject })[] = [
  {
    rule: "objects are merged, null removes",
    original: { data: { a: "1", b: "2" } },
    patch: { data: { a: null, z: "1" } },
    result: { data: { b: "2", z: "1" } },
  },
  {
    rule: "null for what is not there does nothing, also inside what is new",
    original: {},
    patch: { data: { a: null }, binaryData: null },
    result: { data: {} },
  },
  {
    rule: "another type replaces",
    original: { data: { a: "1" } },
    patch: { data: "x" },
    result: { data: "x" },
  },
  {
    rule: "$patch: replace takes the object as it is",
    original: { data: { a: "1" } },
    patch: { data: { $patch: "replace", b: "2" } },
    result: { data: { b: "2" } },
  },
  {
    rule: "$patch: delete empties the object",
    original: { data: { a: "1" } },
    patch: { data: { $patch: "delete" } },
    result: { data: {} },
  },
  {
    rule: "a directive in what is new leaves nothing",
    original: {},
    patch: { data: { $patch: "delete" } },
    result: {},
  },
  {
    rule: "$retainKeys keeps what it names",
    original: { data: { a: "1", b: "2", c: "3" } },
    patch: { data: { $retainKeys: ["a", "d"], d: "4" } },
    result: { data: { a: "1", d: "4" } },
  },
  {
    rule: "a member called __proto__ is an ordinary member",
    original: { data: { a: "1" } },
    patch: { data: JSON.parse('{"__proto__":"x"}') },
    result: { data: JSON.parse('{"a":"1","__proto__":"x"}') },
  },
  {
    rule: "items of a merged list are found by their key",
    kind: "Service",
    original: service(http, https),
    patch: service({ port: 443, targetPort: 8443 }),
    result: service(http, { ...https, targetPort: 8443 }),
  },
  {
    rule: "new items come before what is there",
    kind: "Service",
    original: service(http),
    patch: service({ port: 9 }),
    result: service({ port: 9 }, http),
  },
  {
    rule: "$patch: delete in an item deletes it",
    kind: "Service",
    original: service(http, https),
    patch: service({ port: 80, $patch: "delete" }),
    result: service(https),
  },
  {
    rule: "$patch: replace in an item replaces the list",
    kind: "Service",
    original: service(http, https),
    patch: service({ $patch: "replace" }, { port: 9 }),
    result: service({ port: 9 }),
  },
  {
    rule: "$setElementOrder sorts; what it does not name keeps its place",
    kind: "Service",
    original: service({ port: 1 }, { port: 2 }, { port: 3 }),
    patch: { spec: { "$setElementOrder/ports": [{ port: 3 }, { port: 9 }, { port: 1 }], ports: [{ port: 9 }] } },
    result: service({ port: 2 }, { port: 3 }, { port: 9 }, { port: 1 }),
  },
  {
    rule: "kubectl's patch for a changed port: the new one takes the place of the old one",
    kind: "Service",
    original: service(http, https),
    patch: {
      spec: {
        "$setElementOrder/ports": [{ port: 80 }, { port: 8443 }],
        ports: [
          { name: "https", port: 8443 },
          { $patch: "delete", port: 443 },
        ],
      },
    },
    result: service(http, { name: "https", port: 8443 }),
  },
  {
    rule: "a port of somebody else stays in front of one that replaces another",
    kind: "Service",
    original: service({ port: 81 }, { port: 82 }),
    patch: {
      spec: { "$setElementOrder/ports": [{ port: 80 }], ports: [{ port: 82, $patch: "delete" }, { port: 80 }] },
    },
    result: service({ port: 81 }, { port: 80 }),
  },
  {
    rule: "scalars of a merged list are a set",
    original: { metadata: { finalizers: ["x/a", "x/b"] } },
    patch: { metadata: { finalizers: ["x/c", "x/b"] } },
    result: { metadata: { finalizers: ["x/c", "x/a", "x/b"] } },
  },
  {
    rule: "$deleteFromPrimitiveList takes scalars out",
    original: { metadata: { finalizers: ["x/a", "x/b"] } },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["x/a"] } },
    result: { metadata: { finalizers: ["x/b"] } },
  },
  {
    rule: "and null for it removes the list",
    original: { metadata: { finalizers: ["x/a"] } },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
    result: { metadata: {} },
  },
  {
    rule: "$setElementOrder of scalars",
    original: { metadata: { finalizers: ["x/a", "x/b", "x/c"] } },
    patch: { metadata: { "$setElementOrder/finalizers": ["x/c", "x/a"] } },
    result: { metadata: { finalizers: ["x/b", "x/c", "x/a"] } },
  },
  {
    rule: "every other list is replaced",
    kind: "ServiceAccount",
    original: { secrets: [{ name: "a" }], imagePullSecrets: [{ name: "a" }] },
    patch: { secrets: [{ name: "b" }], imagePullSecrets: [{ name: "b" }] },
    result: { secrets: [{ name: "b" }, { name: "a" }], imagePullSecrets: [{ name: "b" }] },
  },
  {
    rule: "owner references are told apart by uid",
    original: { metadata: { ownerReferences: [{ uid: "1", name: "a" }] } },
    patch: { metadata: { ownerReferences: [{ uid: "1", name: "b" }] } },
    result: { metadata: { ownerReferences: [{ uid: "1", name: "b" }] } },
  },
];

test.for(merged)("$rule", ({ kind = "ConfigMap", original, patch, result }) => {
  expect(strategicMergePatch(original, patch, `core.v1.${kind}`)).toEqual(result);
});

const refused: readonly (Row & { readonly code: number; readonly message: string })[] = [
  {
    rule: "an unknown directive",
    original: { data: { a: "1" } },
    patch: { data: { $patch: "foo", b: "2" } },
    code: 500,
    message: "unknown patch type: foo in map: map[$patch:foo b:2]",
  },
  {
    rule: "merge as the directive of an object",
    original: { data: { a: "1" } },
    patch: { data: { $patch: "merge" } },
    code: 500,
    message: "unknown patch type: merge in map: map[$patch:merge]",
  },
  {
    rule: "a directive that is no text",
    original: { data: { a: "1" } },
    patch: { data: { $patch: 5 } },
    code: 500,
    message: "unknown patch type: %!s(int64=5) in map: map[$patch:5]",
  },
  {
    rule: "merge as the directive of an item",
    kind: "Service",
    original: service(http),
    patch: service({ port: 80, $patch: "merge" }),
    code: 500,
    message: "merging lists cannot yet be specified in the patch",
  },
  {
    rule: "$retainKeys without what the patch sets",
    original: { data: { a: "1" } },
    patch: { data: { $retainKeys: ["a"], b: "2" } },
    code: 400,
    message: "invalid patch format of retainKeys",
  },
  {
    rule: "$retainKeys that is no list",
    original: { data: { a: "1" } },
    patch: { data: { $retainKeys: "a" } },
    code: 400,
    message: "invalid patch format of retainKeys",
  },
  {
    rule: "a deletion list without a field",
    original: { metadata: { finalizers: ["x/a"] } },
    patch: { metadata: { $deleteFromPrimitiveList: ["x/a"] } },
    code: 400,
    message: "invalid patch format of primitive list",
  },
  {
    rule: "an order without a field",
    original: { metadata: { finalizers: ["x/a"] } },
    patch: { metadata: { $setElementOrderX: [] } },
    code: 400,
    message: "invalid patch format of setElementOrder list",
  },
  {
    rule: "an order that is no list",
    original: { metadata: { finalizers: ["x/a"] } },
    patch: { metadata: { "$setElementOrder/finalizers": "x/a" } },
    code: 500,
    message: "expected a []interface {}, but received a string",
  },
  {
    rule: "an order that the patch does not keep",
    original: { metadata: { finalizers: ["x/a"] } },
    patch: { metadata: { "$setElementOrder/finalizers": ["x/a"], finalizers: ["x/b"] } },
    code: 500,
    message: "The order in patch list:\n[x/b]\n doesn't match $setElementOrder list:\n[x/a]\n",
  },
  {
    rule: "an order of a field that does not exist",
    original: {},
    patch: { "$setElementOrder/nope": [] },
    code: 500,
    message: 'unable to find api field in struct ConfigMap for the json field "nope"',
  },
  {
    rule: "an item without its key",
    kind: "Service",
    original: service(http),
    patch: service({ name: "x" }),
    code: 500,
    message: "map: map[name:x] does not contain declared merge key: port",
  },
  {
    rule: "items of different types",
    kind: "Service",
    original: service({ port: 80 }),
    patch: service(1),
    code: 500,
    message: "list element types are not identical: [[map[port:80]] [1]]",
  },
  {
    rule: "lists of lists",
    original: { metadata: { finalizers: [] } },
    patch: { metadata: { finalizers: [["x/a"]] } },
    code: 422,
    message: "the server rejected our request due to an error in our request",
  },
];

test.for(refused)("refused: $rule", ({ kind = "ConfigMap", original, patch, code, message }) => {
  const status = statusOf(() => strategicMergePatch(original, patch, `core.v1.${kind}`));
  expect(status).toMatchObject({ code, message });
});

function statusOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (ApiStatusError.isApiStatusError(error)) return error.status;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("laws", () => {
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, 1, 1.5, true, "a", "b", "replace", "delete"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          "metadata",
          "spec",
          "ports",
          "port",
          "finalizers",
          "ownerReferences",
          "uid",
          "selector",
          "$patch",
          "$retainKeys",
          "$setElementOrder/ports",
          "$setElementOrder/finalizers",
          "$deleteFromPrimitiveList/finalizers",
          "__proto__",
        ),
        tie("value"),
        { maxKeys: 4 },
      ),
    ),
  })).value;
  const object = fc.dictionary(fc.constantFrom("metadata", "spec", "$patch", "status"), value, { maxKeys: 3 });

  test("whatever is sent is merged or refused with a Status, and nothing is changed", () => {
    fc.assert(
      fc.property(object, object, (original, patch) => {
        const before = JSON.stringify([original, patch]);
        try {
          strategicMergePatch(original, patch, "core.v1.Service");
        } catch (error) {
          if (!ApiStatusError.isApiStatusError(error)) throw error;
        }
        expect(JSON.stringify([original, patch])).toBe(before);
      }),
    );
  });

  test("an empty patch changes nothing", () => {
    fc.assert(
      fc.property(object, (original) => {
        expect(strategicMergePatch(original, {}, "core.v1.Service")).toEqual(original);
      }),
    );
  });

  test("many items are merged in a time that grows with their number", { timeout: 2_000 }, () => {
    const items = (from: number): JsonValue[] => Array.from({ length: 20_000 }, (_, index) => ({ port: from + index }));
    const { spec } = strategicMergePatch(service(...items(0)), service(...items(10_000)), "core.v1.Service");
    expect((spec as { ports: unknown[] }).ports).toHaveLength(30_000);
  });
});
