import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffObjects, formatDifference } from "./diff.ts";
import type { JsonObject, JsonValue } from "./json.ts";

const draw = (before: JsonObject, after: JsonObject): string[] => diffObjects(before, after).map(formatDifference);
const containers = (...list: readonly JsonValue[]): JsonObject => ({ spec: { containers: list } });

test.for<{ rule: string; before: JsonObject; after: JsonObject; lines: readonly string[] }>([
  { rule: "nothing", before: { a: 1, b: [{ c: 2 }] }, after: { b: [{ c: 2 }], a: 1 }, lines: [] },
  {
    rule: "a changed field",
    before: { spec: { replicas: 1 } },
    after: { spec: { replicas: 2 } },
    lines: ["spec.replicas: 1 → 2"],
  },
  {
    rule: "what is only on one side, as a whole",
    before: { a: { b: 1 } },
    after: { c: { d: [1] } },
    lines: ['a: removed {"b":1}', 'c: added {"d":[1]}'],
  },
  { rule: "another type", before: { a: "1" }, after: { a: 1 }, lines: ['a: "1" → 1'] },
  {
    rule: "null, absent and empty are three",
    before: { a: null, b: null, c: {} },
    after: { b: {}, c: null },
    lines: ["a: removed null", "b: null → {}", "c: {} → null"],
  },
  {
    rule: "keys that are no names are quoted",
    before: { metadata: { labels: { "app.kubernetes.io/name": "a" } } },
    after: { metadata: { labels: { "app.kubernetes.io/name": "b" } } },
    lines: ['metadata.labels["app.kubernetes.io/name"]: "a" → "b"'],
  },
  { rule: "big integers by value", before: { a: 2 ** 60, b: 1n }, after: { a: 2n ** 60n, b: 2n }, lines: ["b: 1 → 2"] },
])("$rule", ({ before, after, lines }) => {
  expect(draw(before, after)).toEqual(lines);
});

describe("amounts of resources", () => {
  test.for<{ rule: string; before: JsonObject; after: JsonObject; lines: readonly string[] }>([
    {
      rule: "compare by value",
      before: { resources: { limits: { cpu: "1000m", memory: "1Gi" }, requests: { cpu: 0.5, "nvidia.com/gpu": 1 } } },
      after: { resources: { limits: { cpu: 1, memory: "1024Mi" }, requests: { cpu: "500m", "nvidia.com/gpu": "1" } } },
      lines: [],
    },
    {
      rule: "differ when it does",
      before: { limits: { cpu: "1000m" }, emptyDir: { sizeLimit: "1Gi" } },
      after: { limits: { cpu: "2" }, emptyDir: { sizeLimit: "1G" } },
      lines: ['limits.cpu: "1000m" → "2"', 'emptyDir.sizeLimit: "1Gi" → "1G"'],
    },
    {
      rule: "are none elsewhere",
      before: { env: { value: "1000m" } },
      after: { env: { value: "1" } },
      lines: ['env.value: "1000m" → "1"'],
    },
    {
      rule: "that cannot be read are text",
      before: { limits: { cpu: "x" } },
      after: { limits: { cpu: "y" } },
      lines: ['limits.cpu: "x" → "y"'],
    },
  ])("$rule", ({ before, after, lines }) => {
    expect(draw(before, after)).toEqual(lines);
  });
});

describe("lists", () => {
  test.for<{ rule: string; before: JsonObject; after: JsonObject; lines: readonly string[] }>([
    {
      rule: "with a key are compared by it",
      before: containers({ name: "a", image: "x" }, { name: "b" }),
      after: containers({ name: "new" }, { name: "a", image: "y" }),
      lines: [
        'spec.containers[name="a"].image: "x" → "y"',
        'spec.containers[name="b"]: removed {"name":"b"}',
        'spec.containers[name="new"]: added {"name":"new"}',
      ],
    },
    {
      rule: "in another order say so",
      before: containers({ name: "a" }, { name: "b" }),
      after: containers({ name: "b" }, { name: "a" }),
      lines: ['spec.containers: name="a" name="b" → name="b" name="a"'],
    },
    {
      rule: "of ports go by number and protocol, which is TCP when absent",
      before: {
        ports: [
          { port: 80, name: "http" },
          { port: 80, protocol: "UDP" },
        ],
      },
      after: {
        ports: [
          { port: 80, protocol: "TCP", name: "web" },
          { port: 80, protocol: "UDP" },
        ],
      },
      lines: [
        'ports[port=80,protocol="TCP"].name: "http" → "web"',
        'ports[port=80,protocol="TCP"].protocol: added "TCP"',
      ],
    },
    {
      rule: "whose items lack the key, or share it, are compared by position",
      before: containers({ name: "a" }, { name: "a" }),
      after: containers({ name: "a" }, { image: "x" }, { name: "c" }),
      lines: [
        'spec.containers[1].name: removed "a"',
        'spec.containers[1].image: added "x"',
        'spec.containers[2]: added {"name":"c"}',
      ],
    },
    {
      rule: "of scalars are one value",
      before: { args: ["a", "b"] },
      after: { args: ["b"] },
      lines: ['args: ["a","b"] → ["b"]'],
    },
    {
      rule: "without a known key go by position",
      before: { rules: [{ a: 1 }] },
      after: { rules: [{ a: 2 }] },
      lines: ["rules[0].a: 1 → 2"],
    },
    {
      rule: "that become empty lose their items",
      before: { env: [{ name: "A" }] },
      after: { env: [] },
      lines: ['env[name="A"]: removed {"name":"A"}'],
    },
  ])("$rule", ({ before, after, lines }) => {
    expect(draw(before, after)).toEqual(lines);
  });
});

describe("a Secret", () => {
  const secret = (members: JsonObject): JsonObject => ({ apiVersion: "v1", kind: "Secret", ...members });

  test("B-25 is compared as the server keeps it", () => {
    const written = secret({ stringData: { a: "é" }, data: { a: "eQ==", b: "" } });
    expect(draw(written, secret({ data: { a: "w6k=", b: "" } }))).toEqual([]);
  });

  test("shows that a value differs, and not which it is", () => {
    const [before, after] = [secret({ data: { a: "eA==", b: "eA==" } }), secret({ stringData: { a: "y" } })];
    expect(draw(before, after)).toEqual(['data.a: "*** (before)" → "*** (after)"', 'data.b: removed "***"']);
    expect(diffObjects(before, after, { showSecrets: true }).map(formatDifference)).toEqual([
      'data.a: "eA==" → "eQ=="',
      'data.b: removed "eA=="',
    ]);
  });
});

test("an object does not differ from itself, and differs from another in both directions alike", () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(object, object, (a, b) => {
      expect(diffObjects(a, a)).toEqual([]);
      expect(diffObjects(a, structuredClone(a))).toEqual([]);
      const paths = (x: JsonObject, y: JsonObject): Set<string> => new Set(diffObjects(x, y).map(({ path }) => path));
      expect(paths(a, b)).toEqual(paths(b, a));
    }),
  );
});
