import { dns1123Subdomain, formatFieldError, type ObjectMeta } from "@slipway/objects";
import { describe, expect, test } from "vitest";
import { dedupeOwnerReferences, validateMetadata, validateMetadataUpdate } from "./metadata.ts";

const namespaced = { namespaced: true, name: dns1123Subdomain };
const clusterScoped = { namespaced: false, name: dns1123Subdomain };
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

function errors(metadata: ObjectMeta, rules = namespaced): string[] {
  return validateMetadata({ name: "a", namespace: "default", ...metadata }, rules).map(formatFieldError);
}

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe("metadata that is refused", () => {
  test.for<{ rule: string; metadata: ObjectMeta; message: string }>([
    {
      rule: "no name",
      metadata: { name: "" },
      message: "metadata.name: Required value: name or generateName is required",
    },
    { rule: "a name in capitals", metadata: { name: "A" }, message: `metadata.name: Invalid value: "A": ${subdomain}` },
    { rule: "a dot as name", metadata: { name: "." }, message: `metadata.name: Invalid value: ".": ${subdomain}` },
    {
      rule: "a name of 254 characters",
      metadata: { name: "a".repeat(254) },
      message: `metadata.name: Invalid value: "${"a".repeat(254)}": must be no more than 253 characters`,
    },
    { rule: "no namespace", metadata: { namespace: "" }, message: "metadata.namespace: Required value" },
    {
      rule: "a namespace in capitals",
      metadata: { namespace: "A" },
      message: `metadata.namespace: Invalid value: "A": ${label}`,
    },
    {
      rule: "a prefix that is a dash",
      metadata: { generateName: "-" },
      message: `metadata.generateName: Invalid value: "-": ${subdomain}`,
    },
    {
      rule: "an owner without version",
      metadata: { ownerReferences: [{ ...owner, apiVersion: "a/" }] },
      message: 'metadata.ownerReferences.apiVersion: Invalid value: "a/": version must not be empty',
    },
    {
      rule: "an owner without name",
      metadata: { ownerReferences: [{ ...owner, name: "" }] },
      message: 'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    },
    {
      rule: "an Event as owner",
      metadata: { ownerReferences: [{ ...owner, kind: "Event" }] },
      message:
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    },
    {
      rule: "both finalizers of the collector",
      metadata: { finalizers: ["orphan", "foregroundDeletion"] },
      message:
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    },
    {
      rule: "annotations of more than 256 KiB",
      metadata: { annotations: { a: "x".repeat(262144) } },
      message: "metadata.annotations: Too long: may not be more than 262144 bytes",
    },
  ])("$rule", ({ metadata, message }) => {
    expect(errors(metadata)).toEqual([message]);
  });

  test("a namespace on a kind of the whole cluster", () => {
    expect(errors({}, clusterScoped)).toEqual(["metadata.namespace: Forbidden: not allowed on this type"]);
  });

  test("of three controllers each further one, beside the first", () => {
    const controllers = ["a", "b", "c"].map((name) => ({ ...owner, name, uid: name, controller: true }));
    expect(errors({ ownerReferences: controllers }).map((error) => error.slice(error.lastIndexOf("Found")))).toEqual([
      'Found "true" in references for Pod/a and Pod/b',
      'Found "true" in references for Pod/a and Pod/c',
    ]);
  });
});

describe("metadata that is taken", () => {
  test.for<{ rule: string; metadata: ObjectMeta }>([
    { rule: "a prefix that ends in a dash", metadata: { generateName: "run-" } },
    { rule: "a prefix that ends in dot and dash", metadata: { generateName: "run.-" } },
    { rule: "an annotation key in capitals", metadata: { annotations: { "Example.COM/Key": "" } } },
    { rule: "one finalizer twice", metadata: { finalizers: ["a/b", "a/b"] } },
    {
      rule: "an owner of another group's kind Event",
      metadata: { ownerReferences: [{ ...owner, apiVersion: "x.io/v1", kind: "Event" }] },
    },
  ])("$rule", ({ metadata }) => {
    expect(errors(metadata)).toEqual([]);
  });
});

describe("an update", () => {
  const old: ObjectMeta = {
    name: "a",
    namespace: "default",
    uid: "u",
    finalizers: ["x/a"],
    deletionTimestamp: "2026-01-02T03:04:05Z",
    deletionGracePeriodSeconds: 0,
  };

  test.for<{ rule: string; change: ObjectMeta; messages: string[] }>([
    { rule: "that changes nothing is taken", change: {}, messages: [] },
    { rule: "may take finalizers away", change: { finalizers: [] }, messages: [] },
    {
      rule: "adds no finalizers to what is being deleted; they are named in order, once",
      change: { finalizers: ["x/c", "x/b", "x/c", "x/a"] },
      messages: [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/b", "x/c"}',
      ],
    },
    {
      rule: "moves nothing",
      change: { name: "b", namespace: "other", uid: "v" },
      messages: [
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.namespace: Invalid value: "other": field is immutable',
        'metadata.uid: Invalid value: "v": field is immutable',
      ],
    },
    {
      rule: "gives no other time to go",
      change: { deletionGracePeriodSeconds: 9 },
      messages: ["metadata.deletionGracePeriodSeconds: Invalid value: 9: field is immutable"],
    },
  ])("$rule", ({ change, messages }) => {
    expect(validateMetadataUpdate({ ...old, ...change }, old).map(formatFieldError)).toEqual(messages);
  });
});

describe("owner references that stand twice are dropped, with a warning", () => {
  const other = { ...owner, uid: "v" };
  const blocking = { ...owner, blockOwnerDeletion: true };
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ownerReferences: [owner, other, owner, blocking, owner, other] },
  };

  test.for([
    ["body", "contains duplicate entries; API server"],
    ["patch", "contains duplicate entries after mutating admission happens; API server"],
  ] as const)("for a %s", ([at, text]) => {
    const warnings: string[] = [];
    const deduped = dedupeOwnerReferences(object, at, (warning) => warnings.push(warning));
    expect(deduped.metadata.ownerReferences).toEqual([owner, other, blocking]);
    expect(warnings).toEqual([expect.stringContaining(text)]);
    expect(warnings[0]).toMatch(/duplicate UID\(s\) observed: u, u, v$/);
  });
});
