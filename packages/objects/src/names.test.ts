import { describe, expect, test } from "vitest";
import { type FieldError, formatFieldError } from "./field-error.ts";
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  qualifiedName,
  validateAnnotations,
  validateFinalizers,
  validateLabels,
} from "./names.ts";

// The sentences of kube-apiserver 1.36.3.
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const key = `name part ${keyRule}`;
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const checks = { dns1123Label, dns1123Subdomain, dns1035Label, qualifiedName, labelValue };

describe("grammar", () => {
  test.for([
    { check: "dns1123Label", text: "my-name", problems: [] },
    { check: "dns1123Label", text: "0--1", problems: [] },
    { check: "dns1123Label", text: "", problems: [label] },
    { check: "dns1123Label", text: "Upper", problems: [label] },
    { check: "dns1123Label", text: "-a", problems: [label] },
    { check: "dns1123Label", text: "a\n", problems: [label] },
    { check: "dns1123Label", text: "a.b", problems: ["must not contain dots"] },
    { check: "dns1123Label", text: "a".repeat(63), problems: [] },
    { check: "dns1123Label", text: "a".repeat(64), problems: ["must be no more than 63 characters"] },
    { check: "dns1123Subdomain", text: "a.b-c.1", problems: [] },
    { check: "dns1123Subdomain", text: "a..b", problems: [subdomain] },
    { check: "dns1123Subdomain", text: ".", problems: [subdomain] },
    { check: "dns1123Subdomain", text: "a_b", problems: [subdomain] },
    { check: "dns1123Subdomain", text: "n".repeat(253), problems: [] },
    { check: "dns1123Subdomain", text: "n".repeat(254), problems: ["must be no more than 253 characters"] },
    { check: "dns1035Label", text: "a1", problems: [] },
    { check: "dns1035Label", text: "1john", problems: [label1035] },
    { check: "dns1035Label", text: "ä".repeat(32), problems: ["must be no more than 63 characters", label1035] },
    { check: "qualifiedName", text: "app", problems: [] },
    { check: "qualifiedName", text: "example.com/My_Name.1", problems: [] },
    { check: "qualifiedName", text: "bad key", problems: [key] },
    { check: "qualifiedName", text: "", problems: ["name part must be non-empty", key] },
    { check: "qualifiedName", text: "a/", problems: ["name part must be non-empty", key] },
    { check: "qualifiedName", text: "/c", problems: ["prefix part must be non-empty"] },
    { check: "qualifiedName", text: "Example.dev/c", problems: [`prefix part ${subdomain}`] },
    { check: "qualifiedName", text: `${"p".repeat(254)}/c`, problems: ["prefix part must be no more than 253 bytes"] },
    { check: "qualifiedName", text: "k".repeat(64), problems: ["name part must be no more than 63 bytes"] },
    {
      check: "qualifiedName",
      text: "a/b/c",
      problems: [
        `a valid label key ${keyRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    },
    { check: "labelValue", text: "", problems: [] },
    { check: "labelValue", text: "a_B.1", problems: [] },
    { check: "labelValue", text: "-a", problems: [value] },
    { check: "labelValue", text: "v".repeat(64), problems: ["must be no more than 63 bytes"] },
  ] as const)("$check of '$text'", ({ check, text, problems }) => {
    expect(checks[check](text)).toEqual(problems);
  });

  test("a long name that fails at its end is refused in linear time", { timeout: 2_000 }, () => {
    for (const check of Object.values(checks)) expect(check(`${"a.".repeat(500_000)}!`)).not.toEqual([]);
  });
});

describe("metadata", () => {
  const format = (errors: readonly FieldError[]): string[] => errors.map(formatFieldError);

  test("a bad label key and a bad label value are reported under the same field", () => {
    expect(format(validateLabels({ "bad key": "x", ok: "-a" }, "metadata.labels"))).toEqual([
      `metadata.labels: Invalid value: "bad key": ${key}`,
      `metadata.labels: Invalid value: "-a": ${value}`,
    ]);
  });

  test("the prefix of an annotation may have capitals", () => {
    const annotations = { "Example.dev/c": "any value", "bad key": "" };
    expect(format(validateAnnotations(annotations, "metadata.annotations"))).toEqual([
      `metadata.annotations: Invalid value: "bad key": ${key}`,
    ]);
  });

  test.for([
    { rule: "262144 bytes of annotations are accepted", size: 262_144, errors: [] },
    {
      rule: "a byte more is too long",
      size: 262_145,
      errors: ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    },
  ])("$rule", ({ size, errors }) => {
    const annotations = { k: "v".repeat(size - 4), l: "é" }; // the keys one byte each, é two
    expect(format(validateAnnotations(annotations, "metadata.annotations"))).toEqual(errors);
  });

  test("the finalizers of the garbage collector exclude each other, and one may stand twice", () => {
    expect(format(validateFinalizers(["orphan", "foregroundDeletion"], "metadata.finalizers"))).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
        "finalizer orphan and foregroundDeletion cannot be both set",
    ]);
    expect(validateFinalizers(["a.dev/x", "a.dev/x"], "metadata.finalizers")).toEqual([]);
    expect(format(validateFinalizers(["x y"], "metadata.finalizers"))).toEqual([
      `metadata.finalizers: Invalid value: "x y": ${key}`,
    ]);
  });
});
