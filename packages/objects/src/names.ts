import type { FieldError } from "./field-error.ts";
import { utf8Length } from "./utf8.ts";

/** The limit on the keys and values of all annotations of one object together. */
export const MAX_ANNOTATIONS_BYTES: number = 256 * 1024;

/** A regular expression, and the sentence that Kubernetes says when a text does not match all of it. */
interface Syntax {
  readonly pattern: RegExp;
  readonly mismatch: string;
}

const labelSource = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainSource = `${labelSource}(\\.${labelSource})*`;
const keySource = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const syntaxes = {
  dns1123Label: syntax(
    labelSource,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
      "and must start and end with an alphanumeric character",
    ["my-name", "123-abc"],
  ),
  dns1123Subdomain: syntax(
    subdomainSource,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
      "and must start and end with an alphanumeric character",
    ["example.com"],
  ),
  dns1035Label: syntax(
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
      "start with an alphabetic character, and end with an alphanumeric character",
    ["my-name", "abc-123"],
  ),
  labelKey: syntax(
    keySource,
    "must consist of alphanumeric characters, '-', '_' or '.', " +
      "and must start and end with an alphanumeric character",
    ["MyName", "my.name", "123-abc"],
  ),
  labelValue: syntax(
    `(${keySource})?`,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
      "and must start and end with an alphanumeric character",
    ["MyValue", "my_value", "12345"],
  ),
};

/** The double blank between two examples is Kubernetes' own. */
function syntax(source: string, rule: string, examples: readonly string[]): Syntax {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return {
    pattern: new RegExp(`^${source}$`),
    mismatch: `${rule} (e.g. ${list}regex used for validation is '${source}')`,
  };
}

function tooLong(value: string, maxBytes: number, unit: "bytes" | "characters"): string[] {
  return utf8Length(value) > maxBytes ? [`must be no more than ${maxBytes} ${unit}`] : [];
}

function mismatches(value: string, { pattern, mismatch }: Syntax): string[] {
  return pattern.test(value) ? [] : [mismatch];
}

/**
 * What is wrong with `value` as a DNS label of RFC 1123, in Kubernetes' words; empty when nothing is.
 * Namespaces are such labels.
 */
export function dns1123Label(value: string): string[] {
  const problems = tooLong(value, 63, "characters");
  if (syntaxes.dns1123Label.pattern.test(value)) return problems;
  const isSubdomain = syntaxes.dns1123Subdomain.pattern.test(value);
  return [...problems, isSubdomain ? "must not contain dots" : syntaxes.dns1123Label.mismatch];
}

/** As {@link dns1123Label}, for labels joined by dots. The names of most kinds, and of all custom ones, are such. */
export function dns1123Subdomain(value: string): string[] {
  return [...tooLong(value, 253, "characters"), ...mismatches(value, syntaxes.dns1123Subdomain)];
}

/** As {@link dns1123Label}, for labels that begin with a letter (RFC 1035). The names of services are such. */
export function dns1035Label(value: string): string[] {
  return [...tooLong(value, 63, "characters"), ...mismatches(value, syntaxes.dns1035Label)];
}

/** What is wrong with `value` as the key of a label: `name`, or `prefix/name` with a DNS subdomain before the slash. */
export function qualifiedName(value: string): string[] {
  const parts = value.split("/");
  if (parts.length > 2) {
    const prefix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${syntaxes.labelKey.mismatch} ${prefix}`];
  }
  const name = parts.at(-1) ?? "";
  const nameProblems = [
    ...(name === "" ? ["must be non-empty"] : tooLong(name, 63, "bytes")),
    ...mismatches(name, syntaxes.labelKey),
  ].map((problem) => `name part ${problem}`);
  const [prefix] = parts;
  return parts.length === 1 || prefix === undefined
    ? nameProblems
    : [...prefixProblems(prefix).map((problem) => `prefix part ${problem}`), ...nameProblems];
}

function prefixProblems(prefix: string): string[] {
  if (prefix === "") return ["must be non-empty"];
  return [...tooLong(prefix, 253, "bytes"), ...mismatches(prefix, syntaxes.dns1123Subdomain)];
}

/** What is wrong with `value` as the value of a label. The empty string is a good one. */
export function labelValue(value: string): string[] {
  return [...tooLong(value, 63, "bytes"), ...mismatches(value, syntaxes.labelValue)];
}

const invalidValue =
  (field: string, value: string) =>
  (detail: string): FieldError => ({ type: "FieldValueInvalid", field, value, detail });

/** `field` is `metadata.labels` or the like; Kubernetes reports a bad key and a bad value both under it. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map(invalidValue(field, key)),
    ...labelValue(value).map(invalidValue(field, value)),
  ]);
}

/** Keys are those of labels, except that the prefix may have capitals; values are free within {@link MAX_ANNOTATIONS_BYTES}. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...qualifiedName(key.toLowerCase()).map(invalidValue(field, key)));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_ANNOTATIONS_BYTES) {
    errors.push({
      type: "FieldValueTooLong",
      field,
      detail: `may not be more than ${MAX_ANNOTATIONS_BYTES} bytes`,
    });
  }
  return errors;
}

/** Each is a qualified name; the garbage collector's two exclude each other. One finalizer may stand twice. */
export function validateFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  const errors = finalizers.flatMap((name) => qualifiedName(name).map(invalidValue(field, name)));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push({
      type: "FieldValueInvalid",
      field,
      value: finalizers,
      detail: "finalizer orphan and foregroundDeletion cannot be both set",
    });
  }
  return errors;
}
