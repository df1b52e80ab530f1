import { isDeepStrictEqual } from "node:util";
import { readYamlDocuments } from "@slipway/objects/yaml";
import { Yaml } from "cdk8s";
import fc from "fast-check";
import type { Members, PlainValue, Value } from "./program.ts";

/** Texts that a resolver of a program replaces; see `any-program.ts`. */
export const replacedTexts = ["swap-1", "swap-2"] as const;

/** What YAML 1.1, YAML 1.2 and Go take for numbers, each in its way. */
const almostNumber = fc.string({ unit: fc.constantFrom(..."0127.+-_:eExXoObBF"), maxLength: 6 });

/**
 * Whether kubectl reads `text` as it was meant when cdk8s has written it, so that both libraries write the same: not `<<`,
 * `0X1F`, `1e4_` and the like (the writer has tests of its own for them).
 */
function survivesCdk8s(text: string): boolean {
  const [document] = readYamlDocuments(Yaml.stringify({ text }), { source: "cdk8s" });
  return isDeepStrictEqual(document?.value, { text });
}

/**
 * Texts that one library writes as the other does. Line separators and byte order marks are left out: what becomes of them
 * depends on where they stand, and we escape them always.
 */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("a", "web", "x1", "nginx:1.27", "cluster.local", "a b", "8080", "10m", "1Gi"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("y", "N", "yes", "On", "true", "False", "null", "~", "", "0777", "1e3", "0x1F"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("12:30", "2024-01-01", "1_000", ".5", "1.", "-", "- a", "a: b", "#", "a #b", "'", '"'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "l1\nl2",
      "l1\nl2\n",
      "l1\n\n  l2\n\n",
      "\n",
      " a",
      "a ",
      "a\tb",
      "a\r\nb",
      "é日本\u{1f600}",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "x".repeat(200),
      "word ".repeat(40),
      "@a",
      "`a`",
      "%a",
      "!a",
      "&a",
      "*a",
      "{",
      "[a]",
      "?",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...replacedTexts) },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.string({ maxLength: 8 }), almostNumber).filter(survivesCdk8s),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "grapheme", maxLength: 4 })
      .filter((text) => !/[\u0085\u2028\u2029\ufeff]/.test(text) && survivesCdk8s(text)),
  },
);

const anyNumber: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -3, max: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(0.5, -0, 1e21, 1e-7, 2 ** 53 - 1, -1e9, 5e-324, Number.MAX_VALUE) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);

const anyScalar: fc.Arbitrary<null | boolean | number | string> = fc.oneof(
  { weight: 5, arbitrary: anyText },
  { weight: 3, arbitrary: anyNumber },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
);

export const anyName: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("a", "b", "name", "image", "secret", "ports", "labels", "app.kubernetes.io/name"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("10", "2", "01", "y", "null", "value", "resolve", "kind", "metadata", "~", "é", "Z"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a b", "a: b", "toString", "valueOf", "long".repeat(30), "-", "a\nb", "\u{1f600}"),
  },
);

/** What may fail to be rendered is rare: most programs are to come to an end. */
const anySpecial: fc.Arbitrary<Value> = fc.oneof(
  { weight: 40, arbitrary: fc.constant<Value>({ special: "undefined" }) },
  { weight: 40, arbitrary: fc.record({ union: fc.oneof(anyNumber, anyText) }) },
  { weight: 1, arbitrary: fc.constantFrom<Value>({ special: "instance" }, { special: "failing" }) },
);

/** `depth` levels of containers, at most. */
export function anyValue(depth: number): fc.Arbitrary<Value> {
  if (depth === 0) return fc.oneof({ weight: 8, arbitrary: anyScalar }, { weight: 1, arbitrary: anySpecial });
  const inner = anyValue(depth - 1);
  const [lazy, token] = [
    fc.record({ lazy: inner }),
    fc.record({ token: inner, as: fc.constantFrom("class", "map", "hidden") }),
  ];
  return fc.oneof(
    { weight: 6, arbitrary: anyScalar },
    { weight: 1, arbitrary: anySpecial },
    { weight: 3, arbitrary: fc.array(inner, { maxLength: 3 }) },
    { weight: 5, arbitrary: anyMembers(inner, 4).map((map) => ({ map })) },
    { weight: 1, arbitrary: lazy },
    { weight: 1, arbitrary: token as fc.Arbitrary<Value> },
  );
}

export function anyMembers(value: fc.Arbitrary<Value>, maxLength: number): fc.Arbitrary<Members> {
  return fc.uniqueArray(fc.tuple(anyName, value), { selector: ([name]) => name, maxLength });
}

export const anyPlainValue: fc.Arbitrary<PlainValue> = fc.oneof(
  anyScalar,
  fc.array(anyScalar, { maxLength: 2 }),
  fc.dictionary(anyName, anyScalar, { maxKeys: 2, noNullPrototype: true }),
);
