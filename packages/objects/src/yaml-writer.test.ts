import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  type MutableJsonObject,
  setMember,
} from "./json.ts";
import { readJsonSequence } from "./json-reader.ts";
import { readYaml, readYamlDocuments } from "./yaml.ts";
import {
  createTidyYamlFormatter,
  createYamlFormatter,
  formatYamlChunks,
  formatYamlDocument,
  formatYamlStream,
} from "./yaml-writer.ts";

const asCdk8s = (value: unknown): string => stringify(value, { version: "1.1", keepUndefined: true, lineWidth: 0 });

test.for<{ rule: string; value: JsonValue; yaml: string }>([
  { rule: "members keep their order", value: { b: 1, a: "x" }, yaml: "b: 1\na: x\n" },
  { rule: "lists are indented", value: { a: [1, "b"] }, yaml: "a:\n  - 1\n  - b\n" },
  { rule: "mappings begin beside their dash", value: [{ a: 1, b: { c: 2 } }], yaml: "- a: 1\n  b:\n    c: 2\n" },
  { rule: "so do lists", value: [[1, [2]], []], yaml: "- - 1\n  - - 2\n- []\n" },
  { rule: "what is empty", value: { a: [], b: {}, c: "", d: null }, yaml: 'a: []\nb: {}\nc: ""\nd: null\n' },
  { rule: "an absent member is left out", value: { a: undefined, b: { c: undefined } }, yaml: "b: {}\n" },
  { rule: "numbers", value: [1.5, -0, 1e21, 1e-7, 5e-324], yaml: "- 1.5\n- -0\n- 1e+21\n- 1e-7\n- 5e-324\n" },
  {
    rule: "A-09 all digits",
    value: [9007199254740993n, -(2n ** 63n)],
    yaml: "- 9007199254740993\n- -9223372036854775808\n",
  },
  { rule: "a scalar", value: true, yaml: "true\n" },
  { rule: "blocks", value: { a: "x\ny\n", b: ["p\nq"] }, yaml: "a: |\n  x\n  y\nb:\n  - |-\n    p\n    q\n" },
  {
    rule: "A-23 names and labels that decode to something else",
    value: { metadata: { name: "y", labels: { v: "1e3", n: "0777" } } },
    yaml: 'metadata:\n  name: "y"\n  labels:\n    v: "1e3"\n    "n": "0777"\n',
  },
  { rule: "a key of 1024 characters", value: { ["k".repeat(1024)]: 1 }, yaml: `${"k".repeat(1024)}: 1\n` },
  {
    rule: "longer ones get a question mark",
    value: { ["k".repeat(1025)]: { a: 1, b: [2] }, ["l".repeat(1025)]: [1, 2], ["m".repeat(1025)]: "x\ny" },
    yaml: `? ${"k".repeat(1025)}\n: a: 1\n  b:\n    - 2\n? ${"l".repeat(1025)}\n: - 1\n  - 2\n? ${"m".repeat(1025)}\n: |-\n  x\n  y\n`,
  },
])("$rule", ({ value, yaml }) => {
  expect(formatYamlDocument(value)).toBe(yaml);
});

test("A-19 what stands in two places is written twice, without an anchor", () => {
  const shared = { x: [1] };
  expect(formatYamlDocument({ a: shared, b: shared })).toBe("a:\n  x:\n    - 1\nb:\n  x:\n    - 1\n");
});

test("members called __proto__ and constructor are ordinary, inherited ones are none", () => {
  const value: MutableJsonObject = Object.create({ inherited: 1 });
  setMember(value, "__proto__", { a: 1 });
  setMember(value, "constructor", 2);
  expect(formatYamlDocument({ value })).toBe("value:\n  __proto__:\n    a: 1\n  constructor: 2\n");
  expect(formatYamlDocument([Object.assign(Object.create({ inherited: 1 }), { a: undefined })])).toBe("- {}\n");
});

describe("refused with its path:", () => {
  const circle: MutableJsonObject = {};
  circle.spec = [circle];
  const deep = (depth: number): JsonValue => {
    let value: JsonValue = 1;
    for (let level = 0; level < depth; level += 1) value = [value];
    return value;
  };

  test.for<{ rule: string; value: unknown; message: string }>([
    { rule: "undefined in a list", value: { a: [1, undefined] }, message: "a[1]: undefined is no value in JSON" },
    { rule: "NaN", value: { spec: { n: Number.NaN } }, message: "spec.n: NaN is no number in JSON" },
    { rule: "an infinity", value: Number.POSITIVE_INFINITY, message: "the value: Infinity is no number in JSON" },
    { rule: "a function", value: [() => 1], message: "[0]: a function is no value in JSON" },
    { rule: "half of a surrogate pair", value: { a: "\ud83d" }, message: "a: it has half of a surrogate pair" },
    { rule: "the same in a key", value: { a: { "\ud83d": 1 } }, message: "a: a key has half of a surrogate pair" },
    { rule: "a date", value: { a: new Date(0) }, message: "a: a Date is no value in JSON" },
    { rule: "a cycle", value: circle, message: "spec[0]: it contains itself" },
    { rule: "depth 10,000", value: deep(10_000), message: `${"[0]".repeat(512)}: it nests deeper than 512 levels` },
  ])("$rule", ({ value, message }) => {
    const write = (): string => formatYamlDocument(value as JsonValue);
    expect(write).toThrow(
      expect.objectContaining({ code: "INVALID_VALUE", message: `${message}. Put a JSON value there.` }),
    );
  });

  test("512 levels are fine", () => {
    expect(readYaml(formatYamlDocument(deep(512)), { source: "x" })).toEqual(deep(512));
  });
});

test("leniently it writes all that cdk8s writes", () => {
  const value = { a: undefined, b: [undefined, Number.NaN, -Infinity, Infinity], c: { d: undefined }, e: "\ud83d" };
  expect(formatYamlDocument(value as unknown as JsonValue, { lenient: true })).toBe(asCdk8s(value));
  expect(formatYamlDocument(undefined, { lenient: true })).toBe("\n");
});

describe("a stream", () => {
  test("has --- between its documents", () => {
    expect(formatYamlStream([])).toBe("");
    expect(formatYamlStream([{ a: 1 }])).toBe("a: 1\n");
    expect(formatYamlStream([{ a: 1 }, [], "x\n"])).toBe('a: 1\n---\n[]\n---\n"x\\n"\n');
  });

  test("comes in pieces of whole documents, and reads its values only as they are taken", () => {
    let made = 0;
    function* values(): Generator<JsonValue> {
      for (; made < 1000; made += 1) yield { index: made, data: "x".repeat(1000) };
    }
    const chunks = formatYamlChunks(values());
    const first = chunks.next().value ?? "";
    expect(made).toBeLessThan(70);
    expect(first.length).toBeGreaterThanOrEqual(65_536);
    expect(first.endsWith("x\n")).toBe(true);
    const whole = [first, ...chunks].join("");
    expect(readYamlDocuments(whole, { source: "x" }).map(({ value }) => value)).toEqual(
      Array.from({ length: 1000 }, (_, index) => ({ index, data: "x".repeat(1000) })),
    );
  });

  test("stops at the document that cannot be written, after the ones before it", () => {
    const chunks = formatYamlChunks(["x".repeat(70_000), [Number.NaN]]);
    expect(chunks.next().value).toHaveLength(70_001);
    expect(() => chunks.next()).toThrow("[0]: NaN is no number in JSON");
  });
});

test("the path from an object to its bytes loads no YAML library", () => {
  const imports = new Map<string, string[]>();
  const visit = (file: string): void => {
    if (imports.has(file)) return;
    const source = readFileSync(file, "utf8");
    const specifiers = [...source.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";/gm)].map(
      ([, name]) => name as string,
    );
    imports.set(file, specifiers);
    for (const name of specifiers) if (name.startsWith(".")) visit(resolve(file, "..", name));
  };
  visit(resolve(import.meta.dirname, "index.ts"));
  visit(resolve(import.meta.dirname, "yaml-writer.ts"));
  expect(imports.get(resolve(import.meta.dirname, "yaml-writer.ts"))).toContain("./yaml-string.ts");
  expect([...imports.values()].flat().filter((name) => !name.startsWith("."))).toEqual([]);
});

describe("a formatter that has seen many mappings", () => {
  const names = Array.from({ length: 40 }, (_, index) => `k${index}`);
  const pick = (...indexes: readonly number[]): JsonObject =>
    Object.fromEntries(indexes.map((index) => [names[index] ?? "", index]));
  /** Alike at the start, in other orders, longer, shorter, and more of them than are kept. */
  const inner = [
    pick(1, 2),
    pick(1, 3),
    pick(1, 3, 2),
    pick(1, 2, 3),
    pick(1),
    pick(),
    ...names.map((_, index) => pick(1, index, 0)),
    ...Array.from({ length: 600 }, (_, index) => ({ [`first${index}`]: 1, k1: 2, k0: 3 })),
    Object.fromEntries(names.map((name) => [name, 1])),
  ];
  const documents = [...inner, ...inner, ...inner.toReversed()].map((value) => ({
    k2: { k9: value, k1: 1 },
    k1: value,
  }));

  test("writes each as if it were the first", () => {
    const format = createYamlFormatter();
    for (const document of documents) expect(format(document)).toBe(formatYamlDocument(document));
  });

  test("puts the names of each in order, but for those of the document", () => {
    const sorted = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).sort());
    const format = createTidyYamlFormatter({ sortKeys: true, accept: () => true });
    for (const { k2, k1 } of documents) {
      const wanted = { k2: { k1: 1, k9: sorted(k2.k9) }, k1: sorted(k1) };
      expect(format({ k2, k1 })).toBe(formatYamlDocument(wanted));
    }
  });
});

/** Strings that have tripped writers of YAML, and what they are made of. */
const nastyWords =
  "y N yes No on OFF true False null ~ nO .inf .nan NaN = << ! & * | > % @ ` - ? : , [ ] { } # --- ... ---x %x -a ?a :a a:b a: 0 -0 0o17 017 089 0x1F 0X1F 0b1 0b+1 -0b1 1_000 1_0.5 +1 . .5 5. .5_0 1e3 1E400 e1 25921e05 12:30 1:2 1:2.5 2001-01-01 2001-1-1 0777 9007199254740993 1.2.3 v1 128Mi apps/v1 a#b Deployment example".split(
    " ",
  );
const nastyPieces = [
  ...[
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    ": ",
    " #",
    "- ",
    "? ",
    "'",
    '"',
    "\\",
    "\\n",
    "a",
    "b",
    "---",
    "...",
    "%",
    "\n---\n",
  ],
  ...[
    "\r",
    "\0",
    "\x07",
    "\x1b",
    "\x7f",
    "\x85",
    "\x9f",
    "\xa0",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ufffe",
    "é",
    "日",
    "😀",
  ],
  ...["{", "}", "[", ",", "&", "!", "|", "=", "<<", "0", "1", "e", ".", "_", "lorem ipsum dolor sit amet, consectetur"],
];
const nastyString: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nastyWords),
  fc.array(fc.constantFrom(...nastyPieces), { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.array(fc.constantFrom(...nastyPieces, ...nastyWords), { maxLength: 20 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const nastyKey = fc.oneof(nastyString, fc.constantFrom("a", "name", "y", "<<", "__proto__", "k".repeat(1025)));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const nastyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; scalar: JsonValue }>((tie) => ({
  scalar: fc.oneof(
    { arbitrary: nastyString, weight: 6 },
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    int64.map((integer) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer)),
    fc.constantFrom(null, true, false),
  ),
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { arbitrary: tie("scalar"), weight: 3 },
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(nastyKey, tie("value")), { maxLength: 3 }).map((members) => {
      const object: MutableJsonObject = {};
      for (const [name, member] of members) setMember(object, name, member);
      return object;
    }),
  ),
})).value;

/** As Go reads the digits: there is no -0, and integers beyond 2^53 are exact. */
function asRead(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(asRead);
  if (!isJsonObject(value)) {
    if (typeof value !== "number" || !Number.isInteger(value)) return value;
    return Number.isSafeInteger(value) || /e/.test(String(value)) ? value + 0 : BigInt(String(value));
  }
  const result: MutableJsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(result, name, asRead(member ?? null));
  return result;
}

function readsAs(yaml: string, value: JsonValue): boolean {
  try {
    const [document] = readYamlDocuments(yaml, { source: "x" });
    return jsonEquals(asRead(document?.value ?? null), asRead(value));
  } catch {
    return false;
  }
}

/**
 * Blanks in the last lines of a block with a digit: kubectl reads them, the parser under our reader loses them, so that our
 * reader refuses the text.
 */
function losesBlanks(yaml: string): boolean {
  try {
    readYamlDocuments(yaml, { source: "x" });
    return false;
  } catch (error) {
    return /blanks in the last lines of a block with a digit are lost/.test(String(error));
  }
}

/**
 * Where we differ from cdk8s though kubectl may read its bytes: a byte order mark, which harms only where a piece of
 * kubectl's input begins with it; line separators, which are escaped wherever they could be folded; and a brace behind
 * blanks of other scripts at the margin, which harms only at the very start.
 */
const escapedAnyway = /[\ufeff\u2028\u2029]|^\s+\{/m;

test("blanks in the last lines of a block with a digit are what cdk8s writes", () => {
  const value = [" .\n  \n"];
  expect(formatYamlDocument(value)).toBe(asCdk8s(value));
  expect(losesBlanks(formatYamlDocument(value))).toBe(true);
});

test("random values: read back they are the same, and the bytes are those of cdk8s wherever those would be", () => {
  fc.assert(
    fc.property(nastyValue, (value) => {
      const ours = formatYamlDocument(value);
      const theirs = asCdk8s(value);
      if (ours === theirs && losesBlanks(ours)) return;
      if (!readsAs(ours, value)) throw new Error(`reads as another value:\n${ours}`);
      // Of a text alone our reader takes lines at the margin, and kubectl does not.
      if (ours === theirs || typeof value === "string" || escapedAnyway.test(theirs)) return;
      if (readsAs(theirs, value)) {
        throw new Error(`differs needlessly:\n${ours}\nfrom:\n${theirs}`);
      }
    }),
    { numRuns: 20_000 },
  );
});

const kubectl = [process.env.SLIPWAY_KUBECTL, "kubectl"].find(
  (path) => path !== undefined && spawnSync(path, ["version", "--client"]).status === 0,
);

test.runIf(kubectl !== undefined)("kubectl reads back the same values", { timeout: 120_000 }, () => {
  const anyBatch = fc.array(nastyValue, { minLength: 2000, maxLength: 2000, size: "max" });
  fc.assert(
    fc.property(anyBatch, (values) => {
      const objects = values.map((value, index) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `n${index}`, labels: { read: "back" } },
        value,
      }));
      const { stdout, stderr, status } = spawnSync(
        kubectl ?? "",
        ["label", "--local", "-f", "-", "-o", "json", "read=back"],
        {
          input: formatYamlStream(objects),
          encoding: "utf8",
          maxBuffer: 1024 ** 3,
          env: { ...process.env, KUBECONFIG: "/dev/null" },
        },
      );
      expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      const { items, error } = readJsonSequence(stdout);
      expect(error).toBeUndefined();
      expect(items).toHaveLength(objects.length);
      for (const [index, object] of objects.entries()) {
        const wanted = asRead(object);
        if (!jsonEquals(items[index]?.value, wanted)) throw new Error(formatYamlDocument(object));
      }
    }),
    { numRuns: 3, endOnFailure: true },
  );
});
