import { describe, expect, test } from "vitest";
import { resolvePlainScalar, resolveTaggedScalar } from "./yaml-scalar.ts";

// What kubectl 1.36.3 made of `a: TEXT`.
describe("without quotes", () => {
  test.for([
    { type: "bool", value: true, texts: "y Y yes Yes YES true True TRUE on On ON" },
    { type: "bool", value: false, texts: "n N no No NO false False FALSE off Off OFF" },
    { type: "null", value: null, texts: "~ null Null NULL" },
  ])("these are $value: $texts", ({ type, value, texts }) => {
    for (const text of texts.split(" ")) expect(resolvePlainScalar(text)).toEqual({ type, value });
  });

  test("nothing at all is null", () => {
    expect(resolvePlainScalar("")).toEqual({ type: "null", value: null });
  });

  test.for([
    { text: "12", value: 12 },
    { text: "+12", value: 12 },
    { text: "-0", value: 0 },
    { text: "0777", value: 511 },
    { text: "-0777", value: -511 },
    { text: "0o17", value: 15 },
    { text: "0O17", value: 15 },
    { text: "0x1F", value: 31 },
    { text: "-0X1f", value: -31 },
    { text: "0b101", value: 5 },
    { text: "0b-101", value: -5 },
    { text: "1_000", value: 1000 },
    { text: "1__0_", value: 10 },
    { text: "0x_1F", value: 31 },
    { text: "-_1", value: -1 },
    { text: "08", value: 8 },
    { text: "00_8", value: 8 },
    { text: "9007199254740991", value: 9_007_199_254_740_991 },
    { text: "9007199254740993", value: 9_007_199_254_740_993n },
    { text: "9223372036854775807", value: 9_223_372_036_854_775_807n },
    { text: "18446744073709551615", value: 18_446_744_073_709_551_615n },
    { text: "0xFFFFFFFFFFFFFFFF", value: 18_446_744_073_709_551_615n },
    { text: "-9223372036854775808", value: -9_223_372_036_854_775_808n },
  ])("the integer $text is $value", ({ text, value }) => {
    expect(resolvePlainScalar(text)).toEqual({ type: "int", value });
  });

  test("an integer beyond 64 bits keeps its digits, where kubectl rounds it", () => {
    expect(resolvePlainScalar("18446744073709551616").value).toBe(18_446_744_073_709_551_616n);
    expect(resolvePlainScalar("-9223372036854775809").value).toBe(-9_223_372_036_854_775_809n);
  });

  test.for([
    { text: "1.5", value: 1.5 },
    { text: "1e3", value: 1000 },
    { text: "12e03", value: 12_000 },
    { text: "25921e05", value: 2_592_100_000 },
    { text: "1.", value: 1 },
    { text: "1.e5", value: 100_000 },
    { text: "+.5", value: 0.5 },
    { text: ".5_0", value: 0.5 },
    { text: "+1_0.5_0", value: 10.5 },
    { text: ".Inf", value: Number.POSITIVE_INFINITY },
    { text: "-.INF", value: Number.NEGATIVE_INFINITY },
    { text: ".NaN", value: Number.NaN },
  ])("the float $text is $value", ({ text, value }) => {
    expect(resolvePlainScalar(text)).toEqual({ type: "float", value });
  });

  test.for(
    "nO yES oN tRUE nULL 1e400 .5e400 12:30:45 10:00 2001-01-01 2001-12-14t21:59:43.10-05:00 1.2.3 1e 1e+ 0x 0o8 0b2 -0b+1 0x1G + - . .. _ _1 e5 1,000 0xFFFFFFFFFFFFFFFFFF +0xFFFFFFFFFFFFFFFF .nAN +.nan << = 1h".split(
      " ",
    ),
  )("%s is text", (text) => {
    expect(resolvePlainScalar(text)).toEqual({ type: "str", value: text });
  });
});

describe("with a tag", () => {
  test.for([
    { tag: "str", text: "5", value: "5" },
    { tag: "str", text: "", value: "" },
    { tag: "int", text: "5", value: 5 },
    { tag: "float", text: "5", value: 5 },
    { tag: "bool", text: "on", value: true },
    { tag: "null", text: "", value: null },
    { tag: "binary", text: "w6kgIQ\n==", value: "é !" },
    { tag: "timestamp", text: "2001-01-01", value: "2001-01-01" },
    { tag: "other", text: "5", value: "5" },
  ])("!!$tag $text is $value", ({ tag, text, value }) => {
    expect(resolveTaggedScalar(text, `tag:yaml.org,2002:${tag}`)?.value).toBe(value);
  });

  test.for([
    { tag: "int", text: "x" },
    { tag: "int", text: "5.5" },
    { tag: "int", text: "" },
    { tag: "bool", text: "1" },
    { tag: "null", text: "x" },
    { tag: "float", text: "x" },
    { tag: "float", text: "9007199254740993" },
    { tag: "binary", text: "%" },
    { tag: "binary", text: "/w==" },
  ])("!!$tag $text is refused", ({ tag, text }) => {
    expect(resolveTaggedScalar(text, `tag:yaml.org,2002:${tag}`)).toBeUndefined();
  });
});
