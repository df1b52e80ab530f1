import { goFloat } from "./go-float.ts";
import { goQuote } from "./go-quote.ts";
import { formatJson, type JsonValue } from "./json.ts";

/** Labels in the words of Kubernetes' field package; those in `withValue` print the bad value too. */
const labels = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueDuplicate: "Duplicate value",
  FieldValueNotFound: "Not found",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  InternalError: "Internal error",
} as const;
export type FieldErrorType = keyof typeof labels;

const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
]);

/** One thing wrong with one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** As Kubernetes writes it: `spec.ports[0].name`; `<nil>` for the object itself. */
  readonly field: string;
  /** Printed for the types whose label is followed by a value. */
  readonly value?: JsonValue | undefined;
  readonly detail?: string | undefined;
}

/** Without the path, as it stands in a Status cause: `Invalid value: -1: must not be negative`. */
export function formatFieldErrorBody({ type, value, detail }: FieldError): string {
  const head = withoutValue.has(type) ? labels[type] : `${labels[type]}: ${formatValue(value ?? null)}`;
  return detail === undefined || detail === "" ? head : `${head}: ${detail}`;
}

/** As Go prints it: strings by `%q`, floats by `%v`, objects and lists as JSON that is safe inside HTML. */
function formatValue(value: JsonValue): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) return goFloat(value);
  return formatJson(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}
