import { expect, test } from "vitest";
import { type FieldError, formatFieldError } from "./field-error.ts";

// As Kubernetes' field package prints them.
test.for<{ text: string; error: Omit<FieldError, "field"> }>([
  { text: "Required value", error: { type: "FieldValueRequired" } },
  {
    text: "Required value: name is required",
    error: { type: "FieldValueRequired", value: "x", detail: "name is required" },
  },
  { text: "Forbidden: not here", error: { type: "FieldValueForbidden", detail: "not here" } },
  {
    text: "Too long: may not be more than 3 bytes",
    error: { type: "FieldValueTooLong", value: "abcd", detail: "may not be more than 3 bytes" },
  },
  { text: 'Invalid value: "a\\"b": bad', error: { type: "FieldValueInvalid", value: 'a"b', detail: "bad" } },
  { text: 'Invalid value: "\\x00\\u2028é<"', error: { type: "FieldValueInvalid", value: "\0\u2028é<" } },
  { text: "Invalid value: -1", error: { type: "FieldValueTypeInvalid", value: -1, detail: "" } },
  {
    text: "Invalid value: 9223372036854775807",
    error: { type: "FieldValueInvalid", value: 9_223_372_036_854_775_807n },
  },
  { text: "Invalid value: 1e+21", error: { type: "FieldValueInvalid", value: 1e21 } },
  { text: "Invalid value: 1.2345675e+06", error: { type: "FieldValueInvalid", value: 1_234_567.5 } },
  { text: "Invalid value: true", error: { type: "FieldValueInvalid", value: true } },
  { text: "Invalid value: null", error: { type: "FieldValueInvalid" } },
  {
    text: 'Invalid value: {"a":["\\u003c\\u0026\\u003e\\u2028"]}',
    error: { type: "FieldValueInvalid", value: { a: ["<&>\u2028"] } },
  },
  {
    text: 'Unsupported value: "x": supported values: "a", "b"',
    error: { type: "FieldValueNotSupported", value: "x", detail: 'supported values: "a", "b"' },
  },
  {
    text: "Too many: 4: must have at most 3 items",
    error: { type: "FieldValueTooMany", value: 4, detail: "must have at most 3 items" },
  },
  { text: 'Duplicate value: "a"', error: { type: "FieldValueDuplicate", value: "a" } },
])("$text", ({ text, error }) => {
  expect(formatFieldError({ ...error, field: "spec.a[0]" })).toBe(`spec.a[0]: ${text}`);
});
