import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJson, type JsonValue } from "./json.ts";
import { JsonSyntaxError, parseJson, readJson, readJsonSequence } from "./json-reader.ts";

/** What `text` is refused with, in Go's words. */
function reason(text: string): string | undefined {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.reason;
    throw error;
  }
  return undefined;
}

describe("numbers", () => {
  test.for([
    { text: "9007199254740991", value: 9_007_199_254_740_991 },
    { text: "-9007199254740991", value: -9_007_199_254_740_991 },
    { text: "9007199254740992", value: 9_007_199_254_740_992n },
    { text: "9007199254740993", value: 9_007_199_254_740_993n },
    { text: "-9223372036854775808", value: -9_223_372_036_854_775_808n },
    { text: "123456789012345678901234567890", value: 123_456_789_012_345_678_901_234_567_890n },
    { text: "1e3", value: 1000 },
    { text: "9007199254740993.0", value: 9_007_199_254_740_992 },
    { text: "0.1", value: 0.1 },
    { text: "-0", value: -0 },
    { text: "1e-400", value: 0 },
  ])("$text is $value", ({ text, value }) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  test("an integer of any length keeps its digits", () => {
    const digits = "7".repeat(5000);
    expect(formatJson(parseJson(`[${digits}]`))).toBe(`[${digits}]`);
  });

  test("a number that no double holds is refused", () => {
    expect(reason('{"a":1e400}')).toBe("json: cannot unmarshal number 1e400 into Go value of type float64");
  });
});

describe("keys", () => {
  test.for([
    { text: '{"a":1,"b":{"a":1},"c":[{"a":1}]}', duplicates: [] },
    { text: '{"a":1,"a":2}', duplicates: ["a"] },
    { text: '{"a":1,"a":2,"a":3}', duplicates: ["a"] },
    { text: '{"spec":{"a":[{},{"b":1,"b":2}]}}', duplicates: ["spec.a[1].b"] },
    { text: '[{"value":1,"value":2}]', duplicates: ["[0].value"] },
    { text: '{"a":1,"\\u0061":2}', duplicates: ["a"] },
    { text: '{"a":{"b":1,"b":2},"a":{}}', duplicates: ["a.b", "a"] },
    { text: '{"":{"":1,"":2}}', duplicates: ["."] },
    { text: '{"a":{"x/y.z":1,"x/y.z":2}}', duplicates: ["a.x/y.z"] },
    { text: '{"__proto__":1,"__proto__":2}', duplicates: ["__proto__"] },
  ])("$text repeats $duplicates", ({ text, duplicates }) => {
    expect(readJson(text)).toEqual({ value: JSON.parse(text), duplicates });
    expect(parseJson(text, { duplicates: "last" })).toEqual(JSON.parse(text));
    const [first] = duplicates;
    expect(reason(text)).toBe(first === undefined ? undefined : `duplicate field "${first}"`);
  });

  test.for(["{}", '{"big":12345678901234567890}'])("__proto__ and constructor are own members, beside %s", (other) => {
    const value = parseJson(`[{"__proto__":{"x":1},"constructor":2},${other}]`) as JsonValue[];
    expect(Object.entries(value[0] ?? {})).toEqual([
      ["__proto__", { x: 1 }],
      ["constructor", 2],
    ]);
    expect(value[0]).not.toHaveProperty("x");
  });
});

describe("depth", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  test("512 levels are read, one more is refused where it begins", () => {
    expect(JSON.stringify(parseJson(nested(512)))).toBe(nested(512));
    expect(() => parseJson(nested(513))).toThrow(
      expect.objectContaining({ offset: 512, reason: "invalid character '[' exceeded max depth" }),
    );
  });

  test("the limit can be set, and a text of nothing but brackets ends at it", () => {
    expect(() => parseJson('{"a":{}}', { maxDepth: 1 })).toThrow("invalid character '{' exceeded max depth");
    expect(reason("[".repeat(1_000_000))).toBe("invalid character '[' exceeded max depth");
  });
});

// What Go 1.26 says to the same texts.
describe("syntax errors", () => {
  test.for([
    { text: "", go: "unexpected end of JSON input" },
    { text: " \n", go: "unexpected end of JSON input" },
    { text: "[", go: "unexpected end of JSON input" },
    { text: '{"a"', go: "unexpected end of JSON input" },
    { text: '{"a":1', go: "unexpected end of JSON input" },
    { text: '"abc', go: "unexpected end of JSON input" },
    { text: "key", go: "invalid character 'k' looking for beginning of value" },
    { text: "[1,]", go: "invalid character ']' looking for beginning of value" },
    { text: "NaN", go: "invalid character 'N' looking for beginning of value" },
    { text: "+1", go: "invalid character '+' looking for beginning of value" },
    { text: "\ufeff{}", go: "invalid character 'ï' looking for beginning of value" },
    { text: "\u00e9", go: "invalid character 'Ã' looking for beginning of value" },
    { text: "'a'", go: "invalid character '\\'' looking for beginning of value" },
    { text: "{}{", go: "invalid character '{' after top-level value" },
    { text: "01", go: "invalid character '1' after top-level value" },
    { text: '{"a":1,}', go: "invalid character '}' looking for beginning of object key string" },
    { text: "{a:1}", go: "invalid character 'a' looking for beginning of object key string" },
    { text: '{"a" 1}', go: "invalid character '1' after object key" },
    { text: '{"a":1 x', go: "invalid character 'x' after object key:value pair" },
    { text: '[1"', go: "invalid character '\"' after array element" },
    { text: "ta", go: "invalid character 'a' in literal true (expecting 'r')" },
    { text: "nul", go: "invalid character ' ' in literal null (expecting 'l')" },
    { text: "falze", go: "invalid character 'z' in literal false (expecting 's')" },
    { text: '"a\nb"', go: "invalid character '\\n' in string literal" },
    { text: '"a\u0000"', go: "invalid character '\\x00' in string literal" },
    { text: '"\\x"', go: "invalid character 'x' in string escape code" },
    { text: '"\\', go: "invalid character ' ' in string escape code" },
    { text: '"\\u12g4"', go: "invalid character 'g' in \\u hexadecimal character escape" },
    { text: "-a", go: "invalid character 'a' in numeric literal" },
    { text: "-", go: "invalid character ' ' in numeric literal" },
    { text: "1.x", go: "invalid character 'x' after decimal point in numeric literal" },
    { text: "1e+", go: "invalid character ' ' in exponent of numeric literal" },
  ])("$text: $go", ({ text, go }) => {
    expect(reason(text)).toBe(go);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test("an error tells its place", () => {
    expect(() => parseJson('{\r\n  "a": 1,\n  "b": yes\n}')).toThrow(
      expect.objectContaining({
        code: "INVALID_JSON",
        kind: "syntax",
        message: "line 3, column 8: invalid character 'y' looking for beginning of value",
        offset: 20,
        line: 3,
        column: 8,
      }),
    );
  });

  test("wrong syntax is told before what would be lost, as Go does", () => {
    expect(reason('{"a":1e400,"b":1,"b":2,}')).toBe("invalid character '}' looking for beginning of object key string");
    expect(() => parseJson('{"b":1,"b":1e400}')).toThrow(
      expect.objectContaining({ kind: "loss", offset: 7, reason: 'duplicate field "b"' }),
    );
  });
});

describe("several values in one text", () => {
  test.for([
    { text: '{"a":1}{"a":2}\n[3] 4', values: [{ a: 1 }, { a: 2 }, [3], 4], error: undefined },
    { text: " ", values: [], error: undefined },
    { text: "{}\n---\n{}", values: [{}], error: "line 2, column 2: invalid character '-' in numeric literal" },
    { text: '{} {"a":1,"a":2}', values: [{}], error: 'line 1, column 11: duplicate field "a"' },
  ])("$text", ({ text, values, error }) => {
    const { items, error: found } = readJsonSequence(text);
    expect(items.map(({ value }) => value)).toEqual(values);
    expect(found?.message).toBe(error);
  });
});

describe("laws", () => {
  const spaced = fc
    .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, "\t"))
    .map(([value, indent]) => JSON.stringify(value, undefined, indent));
  /** JSON with one place spoilt, which may leave it JSON. */
  const damaged = fc
    .tuple(
      spaced,
      fc.nat(),
      fc.constantFrom("", '"', "\\", "{", "}", "[", "]", ",", ":", "0", "e", "-", ".", "é", "\u0001"),
    )
    .map(([text, at, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place + (at % 2));
    });
  /** A number whose exponent sends the whole text the slow way, and changes nothing. */
  const slowly = (text: string): string => `[${text},1e0]`;

  test("both ways read what JSON.parse reads, as long as nothing can be lost", () => {
    fc.assert(
      fc.property(spaced, (text) => {
        for (const each of [text, slowly(text)]) {
          expect(formatJson(parseJson(each))).toBe(JSON.stringify(JSON.parse(each)));
          expect(readJson(each).duplicates).toEqual([]);
        }
      }),
    );
  });

  test("what JSON.parse refuses is refused with a reason, and nothing else but a loss is", () => {
    fc.assert(
      fc.property(damaged, (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        const refused = reason(text);
        if (parses) expect(refused ?? "json: lost").toMatch(/^(json: |duplicate field )/);
        else expect(refused).toMatch(/^(unexpected end|invalid character)/);
      }),
      { numRuns: 2000 },
    );
  });

  test("a key that comes twice is found on both ways, wherever it stands", () => {
    const object = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("1", '"x"', "null"),
        fc.array(tie("text"), { maxLength: 3 }).map((items) => `[${items.join()}]`),
        fc
          .array(fc.tuple(fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"'), tie("text")), { maxLength: 4 })
          .map((members) => `{${members.map((pair) => pair.join(":")).join()}}`),
      ),
    })).text;
    fc.assert(
      fc.property(object, (text) => {
        const { value, duplicates } = readJson(text);
        expect(value).toEqual(JSON.parse(text));
        expect(readJson(slowly(text)).duplicates).toEqual(
          duplicates.map((field) => (field.startsWith("[") ? `[0]${field}` : `[0].${field}`)),
        );
        expect(reason(text) === undefined).toBe(duplicates.length === 0);
      }),
    );
  });

  test("integers of any size come back digit for digit", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })), (integers) => {
        const text = `[${integers.join()}]`;
        expect(formatJson(parseJson(text))).toBe(text);
      }),
    );
  });
});
