import { type JsonValue, jsonEquals } from "@slipway/objects";
import { readYamlDocuments } from "@slipway/objects/yaml";
import * as cdk8s from "cdk8s";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDocuments } from "./format-documents.ts";

const format = (...documents: readonly unknown[]): string => [...formatDocuments(documents)].join("");
const theirs = (...documents: readonly unknown[]): string => cdk8s.Yaml.stringify(...documents);

class Point {
  readonly x = 1;
  readonly y = { z: [2] };
  get sum(): number {
    return 3;
  }
}

const shared = { a: [1] };
const circle: Record<string, unknown> = { name: "circle" };
circle.self = circle;
const deep = (depth: number): unknown => (depth === 0 ? "end" : [deep(depth - 1)]);
// biome-ignore lint/suspicious/noSparseArray: that is the case
const withHole = [1, , 2];

describe("the same bytes as cdk8s:", () => {
  test.for<{ what: string; documents: readonly unknown[] }>([
    { what: "no documents", documents: [] },
    { what: "undefined, null and empty documents", documents: [undefined, { a: 1 }, null, {}, [], undefined] },
    { what: "undefined inside", documents: [{ a: undefined, b: [undefined, withHole], c: { d: undefined } }] },
    {
      what: "scalars",
      documents: ["a", "", 0, -0, false, 1.5, 10n ** 30n, Number.NaN, -Infinity, "y", "12:30"],
    },
    { what: "numbers", documents: [{ a: [1e21, 1e-7, 5e-324, Number.NaN, Infinity, 9007199254740993n, 2 ** 53] }] },
    { what: "a mapping without a prototype", documents: [Object.assign(Object.create(null), { a: 1 })] },
    {
      what: "members called __proto__ and constructor",
      documents: [JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
    },
    { what: "half of a surrogate pair", documents: [{ "\ud83d": "\ud83d" }] },
    { what: "a long key", documents: [{ ["k".repeat(1025)]: { a: [1] } }] },
    { what: "dates", documents: [{ at: new Date(1e12) }, new Date(0), [new Date(Date.UTC(2001, 0, 1))]] },
    { what: "bytes", documents: [{ a: Buffer.from("hello"), b: new Uint8Array([0, 255]), c: new Float64Array(1) }] },
    {
      what: "maps and sets",
      documents: [
        {
          a: new Map<unknown, unknown>([
            ["x", 1],
            [{ y: 2 }, [3]],
          ]),
          b: new Set([1, "y"]),
        },
      ],
    },
    { what: "boxed scalars", documents: [{ a: Object("y"), b: Object(1), c: Object(true), d: Object(5n) }] },
    { what: "an instance of a class", documents: [{ point: new Point() }, new Point(), [new (class {})()]] },
    {
      what: "toJSON",
      documents: [{ a: { toJSON: () => ({ b: 1 }) }, c: Object.assign([1], { toJSON: () => "two" }) }],
    },
    {
      what: "iterators",
      documents: [
        {
          b: {
            *[Symbol.iterator]() {
              yield 1;
            },
          },
        },
      ],
    },
    {
      what: "what stands in two places has an anchor",
      documents: [{ a: shared, b: [shared, shared.a] }, { c: shared }],
    },
    { what: "so has what is empty", documents: [((none) => ({ a: none, b: none }))({})] },
    { what: "a cycle", documents: [circle] },
    { what: "depth 600", documents: [deep(600)] },
    { what: "an error with its fields", documents: [Object.assign(new Error("not a field"), { code: "X" })] },
  ])("$what", ({ documents }) => {
    expect(format(...documents)).toBe(theirs(...documents));
  });
});

test("trees are not searched: what stands in two places is written twice, the rest is as without saying so", () => {
  const formatTrees = (...documents: readonly unknown[]): string =>
    [...formatDocuments(documents, { areTrees: true })].join("");
  expect(formatTrees({ a: shared, b: shared })).toBe("a:\n  a:\n    - 1\nb:\n  a:\n    - 1\n");
  const documents = [undefined, { a: [undefined, "y"] }, { at: new Date(1e12) }, circle, deep(600)];
  expect(formatTrees(...documents)).toBe(theirs(...documents));
  expect(() => formatTrees({ a: () => 1 })).toThrow("a: a function cannot be written as YAML.");
});

describe("where kubectl reads cdk8s's bytes as something else, text is quoted", () => {
  test.for<{ text: string; written: string }>([
    { text: "0o17", written: '"0o17"' },
    { text: "0b-1", written: '"0b-1"' },
    { text: "+.INF", written: "+.INF" },
    { text: "a\u2028", written: '"a\u2028"' },
    { text: "a\u{feff}b", written: '"a\\ufeffb"' },
  ])("$text", ({ text, written }) => {
    const isOurs = written !== text;
    expect(format({ a: text })).toBe(`a: ${isOurs ? written : JSON.stringify(text)}\n`);
    expect(format({ a: text }) !== theirs({ a: text })).toBe(isOurs);
  });

  test("so is a text alone that has lines: kubectl takes none at the margin", () => {
    expect(theirs("a\nb")).toBe("|-\na\nb\n");
    expect(format("a\nb")).toBe('"a\\nb"\n');
  });

  test("the key << would be a merge, also beside what only the library can write", () => {
    const value = { "<<": { a: 1 }, at: new Date(0) };
    expect(theirs(value)).toMatch(/^<<:/);
    expect(format(value)).toBe('"<<":\n  a: 1\nat: 1970-01-01\n');
    expect(format({ "<<": { a: 1 } })).toBe('"<<":\n  a: 1\n');
    expect(format({ a: shared, b: shared, c: "0o17" })).toBe('a: &a1\n  a:\n    - 1\nb: *a1\nc: "0o17"\n');
  });
});

describe("refused with its path:", () => {
  test.for<{ document: unknown; message: string }>([
    { document: { spec: { ports: [{ run: () => 1 }] } }, message: "spec.ports[0].run: a function" },
    { document: [Symbol("s")], message: "[0]: a symbol" },
    { document: () => 1, message: "the value: a function" },
    { document: { a: [Number.NaN, undefined], b: () => 1 }, message: "b: a function" },
    { document: { at: new Date(0), b: { c: new Point(), d: () => 1 } }, message: "b.d: a function" },
    { document: Object.assign(new Point(), { z: Symbol("s") }), message: "z: a symbol" },
    {
      document: { kind: "Pod", metadata: { name: "p", namespace: "n" }, spec: { f: () => 1 } },
      message: "Pod/n/p: spec.f: a function",
    },
  ])("$message", ({ document, message }) => {
    expect(() => theirs(document)).toThrow("Tag not resolved for");
    expect(() => format({ before: 1 }, document)).toThrow(
      expect.objectContaining({
        code: "INVALID_VALUE",
        message: `${message} cannot be written as YAML. Put data there.`,
      }),
    );
  });
});

test("pieces are whole documents, made as they are taken", () => {
  let made = 0;
  function* documents(): Generator<unknown> {
    for (; made < 1000; made += 1) yield { index: made, data: "x".repeat(1000) };
  }
  const chunks = formatDocuments(documents());
  const first = chunks.next().value ?? "";
  expect(made).toBeLessThan(70);
  const rest = [...chunks];
  expect(rest.length).toBeGreaterThan(10);
  expect(rest.every((chunk) => chunk.startsWith("---\n"))).toBe(true);
  expect(readYamlDocuments([first, ...rest].join(""), { source: "x" })).toHaveLength(1000);
});

const words =
  "y N yes on OFF true null ~ = << ! & * | > % @ ` - ? : , # --- ... -a a: 0 0o17 089 0x1F 0b-1 1_000 +1 . 1e3 12:30 2001-01-01 v1".split(
    " ",
  );
const pieces = [
  "\n",
  " ",
  "\t",
  ": ",
  " #",
  "- ",
  "'",
  '"',
  "\\",
  "a",
  "---",
  "\r",
  "\0",
  "\x85",
  "\u2028",
  "\ufeff",
  "é",
  "😀",
  "{",
  "0",
  "e",
  ".",
];
const text = fc.oneof(
  fc.constantFrom(...words),
  fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 8 }).map((each) => each.join("")),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const scalar = fc.oneof(
  { arbitrary: text, weight: 4 },
  fc.double(),
  fc.bigInt(),
  fc.constantFrom(null, undefined, true, false),
);

/** `undefined` is null to whoever reads it, and -0 is 0. */
function asRead(value: unknown): JsonValue {
  if (value === undefined) return null;
  if (typeof value === "number") return value + 0;
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (Array.isArray(value)) return value.map(asRead);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asRead(member)]));
}

function isReadAs(yaml: string, value: unknown): boolean {
  try {
    const [document] = readYamlDocuments(yaml, { source: "x" });
    return jsonEquals(asRead(document?.value), asRead(value));
  } catch {
    return false;
  }
}

/** Those we escape though kubectl may read them, and what it reads in a way of its own at the margin. */
const escapedAnyway = /[\ufeff\u2028\u2029]|^\s+\{/m;

test("random values: the bytes are those of cdk8s, unless kubectl would read something else from them", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      scalar,
      tie("list"),
      fc.dictionary(text, tie("value"), { minKeys: 1, maxKeys: 3 }),
      tie("list").map((shared) => ({ a: shared, b: [shared] })),
    ),
    list: fc.array(tie("value"), { maxLength: 3 }),
  })).value;
  fc.assert(
    fc.property(value, (document) => {
      const ours = format(document);
      const peers = theirs(document);
      if (ours === peers || typeof document === "string" || escapedAnyway.test(peers)) return;
      if (isReadAs(peers, document)) throw new Error(`differs needlessly:\n${ours}\nfrom:\n${peers}`);
    }),
    { numRuns: 5000 },
  );
});
