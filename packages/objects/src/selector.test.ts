import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFieldSelector, parseLabelSelector } from "./selector.ts";

const badKey = (key: string): string =>
  `unable to parse requirement: <nil>: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' ` +
  "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used " +
  "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const badValue = (path: string, value: string): string =>
  `${path}: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', ` +
  "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex " +
  "used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("label selectors", () => {
  // The objects and the answers of kube-apiserver 1.36.3, sequence label-selectors.
  const objects = {
    a: { env: "dev", tier: "web" },
    b: { env: "prod" },
    c: { env: "qa", n: "5" },
    d: { n: "10" },
    e: {},
    f: { env: "" },
  };
  test.for([
    { text: "env=dev", names: "a" },
    { text: "env==dev", names: "a" },
    { text: "env!=dev", names: "bcdef" },
    { text: "env", names: "abcf" },
    { text: "!env", names: "de" },
    { text: "env in (dev,prod)", names: "ab" },
    { text: "env notin (dev,prod)", names: "cdef" },
    { text: "env in ()", names: "f" },
    { text: "env in (dev,)", names: "af" },
    { text: "env=", names: "f" },
    { text: "n>5", names: "d" },
    { text: "n<10", names: "c" },
    { text: "n>4,n<11", names: "cd" },
    { text: "env in (dev, prod), tier", names: "a" },
    { text: " env = dev ", names: "a" },
    { text: "in in (in)", names: "" },
    { text: "", names: "abcdef" },
    { text: "env>4", names: "" },
  ])("'$text' selects $names", ({ text, names }) => {
    const selector = parseLabelSelector(text);
    const selected = Object.entries(objects).filter(([, labels]) => selector.matches(labels));
    expect(selected.map(([name]) => name).join("")).toBe(names);
    expect(selector.empty).toBe(text === "");
  });

  test.for([
    {
      text: "n>x",
      message:
        "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    },
    { text: "env=a b", message: "found 'b', expected: ',' or 'end of string'" },
    { text: "a b", message: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { text: "env in", message: "unable to parse requirement: found '' expected: '('" },
    { text: "env in dev", message: "unable to parse requirement: found 'dev' expected: '('" },
    { text: "env in (dev", message: "unable to parse requirement: found '', expected: ',' or ')'" },
    { text: "env in (", message: "unable to parse requirement: found '', expected: ',', ')' or identifier" },
    { text: "env in (a,=", message: "unable to parse requirement: found '=', expected: ',', or identifier" },
    { text: "=dev", message: "found '=', expected: !, identifier, or 'end of string'" },
    { text: "!", message: "unable to parse requirement: found '', expected: identifier" },
    { text: "!a=b", message: "found '=', expected: ',' or 'end of string'" },
    { text: "env=-x", message: `unable to parse requirement: ${badValue("values[0][env]", "-x")}` },
    {
      text: "env in (-x,y-)",
      message: `unable to parse requirement: [${badValue("values[0][env]", "-x")}, ${badValue("values[1][env]", "y-")}]`,
    },
    { text: "env~dev", message: badKey("env~dev") },
    { text: ",", message: "found ',', expected: !, identifier, or 'end of string'" },
    { text: "env,,tier", message: "found ',', expected: identifier after ','" },
    { text: "env=a=b", message: "found '=', expected: ',' or 'end of string'" },
    {
      text: "k".repeat(64),
      message: `unable to parse requirement: <nil>: Invalid value: "${"k".repeat(64)}": name part must be no more than 63 bytes`,
    },
    {
      text: `env=${"v".repeat(64)}`,
      message: `unable to parse requirement: values[0][env]: Invalid value: "${"v".repeat(64)}": must be no more than 63 bytes`,
    },
  ])("'$text' is refused in the words of Kubernetes", ({ text, message }) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: "INVALID_SELECTOR", message }));
  });

  test.for([
    { text: "z,b in (y,x,y),!a,c==1,d notin (,q)", canonical: "!a,b in (x,y),c==1,d notin (,q),z" },
    { text: "in,notin=in", canonical: "in,notin=in" },
    { text: "a!=b,a=", canonical: "a!=b,a=" },
  ])("the canonical text of '$text' is $canonical", ({ text, canonical }) => {
    expect(parseLabelSelector(text).text).toBe(canonical);
  });

  test("labels called constructor or __proto__ are there only when they are", () => {
    expect(parseLabelSelector("constructor").matches({})).toBe(false);
    expect(parseLabelSelector("!constructor").matches({})).toBe(true);
    expect(parseLabelSelector("constructor").matches({ constructor: "x" })).toBe(true);
  });

  test("order compares as 64-bit integers, and what is none never matches", () => {
    const selector = parseLabelSelector("n>9007199254740992");
    expect(selector.matches({ n: "9007199254740993" })).toBe(true);
    expect(selector.matches({ n: "9223372036854775808" })).toBe(false);
    expect(selector.matches({ n: "9007199254740993.5" })).toBe(false);
  });

  test("the canonical text parses to the same selector, whatever the text", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "x/y",
      " in ",
      " notin ",
      "=",
      "==",
      "!=",
      "!",
      ">",
      "<",
      "(",
      ")",
      ",",
      " ",
      "5",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        let selector: ReturnType<typeof parseLabelSelector>;
        try {
          selector = parseLabelSelector(pieces.join(""));
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_SELECTOR" });
          return;
        }
        const again = parseLabelSelector(selector.text);
        expect([again.text, again.requirements]).toEqual([selector.text, selector.requirements]);
      }),
    );
  });
});

describe("field selectors", () => {
  test.for([
    { text: "", requirements: [] },
    { text: ",", requirements: [] },
    { text: "metadata.name=a", requirements: [{ field: "metadata.name", operator: "=", value: "a" }] },
    { text: "metadata.name==a", requirements: [{ field: "metadata.name", operator: "=", value: "a" }] },
    { text: "metadata.name!=a", requirements: [{ field: "metadata.name", operator: "!=", value: "a" }] },
    { text: "status.phase=", requirements: [{ field: "status.phase", operator: "=", value: "" }] },
    { text: "spec.mode=a\\,b", requirements: [{ field: "spec.mode", operator: "=", value: "a,b" }] },
    { text: "a=\\\\\\=", requirements: [{ field: "a", operator: "=", value: "\\=" }] },
    { text: "=x", requirements: [{ field: "", operator: "=", value: "x" }] },
    { text: "=", requirements: [] },
    {
      text: "b=1,a!=2,",
      requirements: [
        { field: "a", operator: "!=", value: "2" },
        { field: "b", operator: "=", value: "1" },
      ],
    },
  ])("'$text' is understood", ({ text, requirements }) => {
    expect(parseFieldSelector(text)).toEqual(requirements);
  });

  test.for([
    { text: "spec.mode", message: "invalid selector: 'spec.mode'; can't understand 'spec.mode'" },
    {
      text: "spec.mode in (Auto)",
      message: "invalid selector: 'spec.mode in (Auto)'; can't understand 'spec.mode in (Auto)'",
    },
    {
      text: "a=1,spec.mode>Auto",
      message: "invalid selector: 'a=1,spec.mode>Auto'; can't understand 'spec.mode>Auto'",
    },
    { text: "spec.mode=a\\x", message: "invalid field selector: invalid escape sequence: \\x" },
    { text: "spec.mode=a\\", message: "invalid field selector: invalid escape sequence: \\" },
    { text: "spec.mode=a=b", message: "invalid field selector: unescaped character in value: 61" },
  ])("'$text' is refused in the words of Kubernetes", ({ text, message }) => {
    expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: "INVALID_SELECTOR", message }));
  });
});
