import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from "./quantity.ts";

interface Row {
  readonly text: string;
  readonly error?: string;
  readonly canonical?: string;
  /** With the row before it that has no error. */
  readonly compare?: -1 | 0 | 1;
}

/** What ParseQuantity, String and Cmp of k8s.io/apimachinery v0.36.3 answered. */
const rows = readFileSync(resolve(import.meta.dirname, "../recordings/quantities.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line): Row => JSON.parse(line));

const canonical = (text: string): string => formatQuantity(parseQuantity(text));
const compare = (a: string, b: string): number => compareQuantities(parseQuantity(a), parseQuantity(b));

describe("as Kubernetes does it:", () => {
  test("the recording has every kind of row", () => {
    expect(rows.length).toBeGreaterThan(1500);
    expect(rows.filter(({ error }) => error !== undefined).length).toBeGreaterThan(200);
    expect(new Set(rows.map((row) => row.compare))).toEqual(new Set([undefined, -1, 0, 1]));
  });

  test("what is refused, and the words", () => {
    for (const { text, error } of rows) {
      if (error === undefined) expect(() => parseQuantity(text), text).not.toThrow();
      else
        expect(() => parseQuantity(text), text).toThrow(
          expect.objectContaining({ code: "INVALID_QUANTITY", message: error }),
        );
    }
  });

  test("the canonical text, but for values that it would change", () => {
    const wrong: string[] = [];
    for (const { text, canonical: recorded } of rows) {
      if (recorded === undefined || canonical(text) === recorded) continue;
      wrong.push(text);
      expect(compare(recorded, text), text).not.toBe(0);
      expect(compare(canonical(text), text), text).toBe(0);
    }
    expect(wrong).toContain("1000E");
    for (const text of wrong) expect(text).toMatch(/[EPT]$/);
  });

  test("which is more", () => {
    let last: string | undefined;
    for (const { text, error, compare: recorded } of rows) {
      if (error !== undefined) continue;
      if (last !== undefined && recorded !== undefined)
        expect(compare(text, last), `${text} and ${last}`).toBe(recorded);
      last = text;
    }
  });
});

test.for([
  { text: "1000m", printed: "1" },
  { text: "0.5", printed: "500m" },
  { text: "1.5Gi", printed: "1536Mi" },
  { text: "0.5Ki", printed: "512" },
  { text: "1.1Ki", printed: "1126400m" },
  { text: "3000", printed: "3k" },
  { text: "0.1n", printed: "1n" },
  { text: "9Ei", printed: "9223372036854775807" },
  { text: "1000E", printed: "1e21" },
  { text: "1e1000000000", printed: "10e999999999" },
])("$text is printed as $printed", ({ text, printed }) => {
  expect(canonical(text)).toBe(printed);
});

test.for([
  { a: "1000m", b: "1" },
  { a: "1Gi", b: "1024Mi" },
  { a: "1e3", b: "1k" },
  { a: "0", b: "-0.0" },
  { a: "1e-1000000000", b: "1n" },
])("$a is $b", ({ a, b }) => {
  expect(compare(a, b)).toBe(0);
});

test("huge exponents are compared without writing them out", () => {
  expect([compare("1e2000000000", "9e1999999999"), compare("-1e2000000000", "1n")]).toEqual([1, -1]);
});

test("exponents beyond 32 bits are refused, where Kubernetes takes a part of them", () => {
  expect(() => parseQuantity("1e2147483648")).toThrow("unable to parse quantity's suffix");
});

const quantityText = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.stringMatching(/^\d{1,22}(\.\d{0,12})?$/),
    fc.constantFrom(
      "",
      "n",
      "u",
      "m",
      "k",
      "M",
      "G",
      "T",
      "P",
      "E",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "Pi",
      "Ei",
      "e3",
      "e-7",
      "E20",
    ),
  )
  .map((parts) => parts.join(""));

test("a printed quantity is read as the same amount, and printed the same again", () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      const printed = canonical(text);
      expect(compare(printed, text)).toBe(0);
      expect(canonical(printed)).toBe(printed);
    }),
  );
});

test("they are in one total order", () => {
  const quantity = quantityText.map(parseQuantity);
  const asFloat = ({ unscaled, exponent }: Quantity): number => Number(unscaled) * 10 ** exponent;
  fc.assert(
    fc.property(quantity, quantity, (a, b) => {
      expect(compareQuantities(a, b) + compareQuantities(b, a)).toBe(0);
      const difference = asFloat(a) - asFloat(b);
      const isClear = Math.abs(difference) > 1e-9 * Math.max(Math.abs(asFloat(a)), Math.abs(asFloat(b)));
      if (isClear) expect(compareQuantities(a, b)).toBe(Math.sign(difference));
    }),
  );
});
