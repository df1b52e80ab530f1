import { expect, test } from "vitest";
import { formatHeaders, readHeaders } from "./http-headers.ts";

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

test.for([
  { rule: "names are lowered", raw: ["Content-Type", "text/plain"], headers: { "content-type": "text/plain" } },
  { rule: "lines of one name are joined", raw: ["X-A", "1", "x-a", "2"], headers: { "x-a": "1, 2" } },
  { rule: "UTF-8 is read as such", raw: ["x-a", latin1("Žluť")], headers: { "x-a": "Žluť" } },
  { rule: "what is not UTF-8 stays as it is", raw: ["x-a", "\xff"], headers: { "x-a": "\xff" } },
  { rule: "pseudo headers are left out", raw: [":method", "GET", ":path", "/"], headers: {} },
  { rule: "the authority stands in for host", raw: [":authority", "a:1"], headers: { host: "a:1" } },
  { rule: "host wins over the authority", raw: [":authority", "a", "host", "b"], headers: { host: "b" } },
])("reading: $rule", ({ raw, headers }) => {
  expect({ ...readHeaders(raw) }).toEqual(headers);
});

test("a header called __proto__ is an ordinary header", () => {
  const headers = readHeaders(["__proto__", "x"]);
  expect(Object.keys(headers)).toEqual(["__proto__"]);
  expect(headers.constructor).toBeUndefined();
});

test.for([
  { rule: "text outside ASCII goes out as UTF-8 bytes", given: { warning: "é" }, written: { warning: "Ã©" } },
  { rule: "a list stays several lines", given: { warning: ["a", "ü"] }, written: { warning: ["a", latin1("ü")] } },
  {
    rule: "what is about the connection is left out",
    given: { connection: "close", "transfer-encoding": "chunked", "content-length": "1", etag: "x" },
    written: { etag: "x" },
  },
  { rule: "a tab is allowed", given: { a: "b\tc" }, written: { a: "b\tc" } },
])("writing: $rule", ({ given, written }) => {
  expect({ ...formatHeaders(given as Record<string, string | string[]>) }).toEqual(written);
});

test.for([
  { rule: "a line break in a value", given: { a: "b\r\nset-cookie: c" } },
  { rule: "a NUL in one of several values", given: { a: ["b", "\0"] } },
  { rule: "a name that is no token", given: { "a b": "c" } },
  { rule: "a pseudo header", given: { ":status": "200" } },
])("writing refuses $rule", ({ given }) => {
  expect(() => formatHeaders(given as Record<string, string | string[]>)).toThrow(TypeError);
});
