import { ApiStatusError, type JsonObject, type JsonValue, type KubernetesObject, type Status } from "@slipway/objects";
import { expect, test } from "vitest";
import { type Definition, readDefinition } from "./definition.ts";
import { newRelease } from "./release-backend.ts";
import { defaultReleaseFlags } from "./release-flags.ts";
import { checkCreate, checkUpdate } from "./strategy.ts";

const schema = {
  type: "object",
  required: ["must"],
  properties: {
    must: { type: "string", default: "x" },
    size: { type: "integer", maximum: 10 },
    mode: { type: "string", enum: ["a", "b"], default: "a" },
    nodes: { type: "array", items: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
    box: { type: "object", default: {}, properties: { x: { type: "integer", default: 1 } } },
  },
};

function kind(name: string, prefix = `${name.toLowerCase()}-`): Definition {
  const { definition, problems } = readDefinition(
    {
      apiVersion: "cozystack.io/v1alpha1",
      kind: "ApplicationDefinition",
      metadata: { name: "d" },
      spec: {
        application: { kind: name, plural: "things", singular: "thing", openAPISchema: JSON.stringify(schema) },
        release: { prefix, chartRef: { kind: "HelmChart", name: "x" } },
      },
    },
    defaultReleaseFlags,
  );
  if (definition === undefined) throw new Error(problems.join());
  return definition;
}

const redis = kind("Redis");
const tenant = kind("Tenant");

function application(name: string, spec: JsonValue | undefined = {}, metadata: JsonObject = {}): KubernetesObject {
  return {
    apiVersion: "apps.cozystack.io/v1alpha1",
    kind: "Redis",
    metadata: { name, namespace: "tenant-a", ...metadata },
    ...(spec === undefined ? {} : { spec }),
  };
}

function refusal(work: () => void): Status {
  try {
    work();
  } catch (error) {
    if (ApiStatusError.isApiStatusError(error)) return error.status;
    throw error;
  }
  throw new Error("nothing was refused");
}

const dns1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " +
  "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const tenantRule =
  "tenant names must start with a lowercase letter and contain only lowercase letters and digits; dashes are not allowed";

test.for(["a", "abc-123", "my--tenant", "a".repeat(47)])("%s is a name", (name) => {
  expect(() => checkCreate(redis, application(name))).not.toThrow();
});

test.for(["1john", "123", "-tenant", "tenant-", "Tenant", "my_tenant", "my.tenant", "my tenant", "x/y", "ä", ".."])(
  "%j is no name",
  (name) => {
    expect(refusal(() => checkCreate(redis, application(name)))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `Redis.apps.cozystack.io "${name}" is invalid: metadata.name: Invalid value: "${name}": ${dns1035}`,
      reason: "Invalid",
      details: {
        name,
        group: "apps.cozystack.io",
        kind: "Redis",
        causes: [
          { reason: "FieldValueInvalid", message: `Invalid value: "${name}": ${dns1035}`, field: "metadata.name" },
        ],
      },
      code: 422,
    });
  },
);

test.for(["foo", "foo123", "a"])("%s is a tenant's name", (name) => {
  expect(() => checkCreate(tenant, application(name))).not.toThrow();
});

test.for(["foo-bar", "-foo", "foo-", "foo--bar", "Foo", "foo_bar", "foo.bar", "123foo"])(
  "%s is no tenant's name",
  (name) => {
    const { message } = refusal(() => checkCreate(tenant, application(name)));
    expect(message).toBe(
      `Tenant.apps.cozystack.io "${name}" is invalid: metadata.name: Invalid value: "${name}": ${tenantRule}`,
    );
  },
);

const lettersA = (count: number): string => "a".repeat(count);

test.for([
  { rule: "none", definition: redis, name: "", detail: "metadata.name: Required value: name is required" },
  {
    rule: "64 letters",
    definition: redis,
    name: lettersA(64),
    detail: `metadata.name: Invalid value: "${lettersA(64)}": must be no more than 63 characters`,
  },
  {
    rule: "64 letters for a tenant",
    definition: tenant,
    name: lettersA(64),
    detail: `metadata.name: Invalid value: "${lettersA(64)}": must be no more than 63 characters`,
  },
  {
    rule: "64 bad characters are wrong twice",
    definition: redis,
    name: "-".repeat(64),
    detail:
      `[metadata.name: Invalid value: "${"-".repeat(64)}": must be no more than 63 characters, ` +
      `metadata.name: Invalid value: "${"-".repeat(64)}": ${dns1035}]`,
  },
  {
    rule: "more than the release has room for",
    definition: redis,
    name: lettersA(48),
    detail: `metadata.name: Invalid value: "${lettersA(48)}": must be no more than 47 characters (release prefix "redis-")`,
  },
  {
    rule: "a prefix that leaves no room",
    definition: kind("Redis", lettersA(53)),
    name: "a",
    detail:
      'metadata.name: Invalid value: "a": configuration error: ' +
      `no valid name length possible (release prefix "${lettersA(53)}")`,
  },
])("name length: $rule", ({ definition, name, detail }) => {
  const { message, code } = refusal(() => checkCreate(definition, application(name)));
  expect(code).toBe(422);
  expect(message).toBe(`${definition.kind}.apps.cozystack.io "${name}" is invalid: ${detail}`);
});

test("a tenant's namespace has 63 characters at most", () => {
  const namespace = `tenant-${lettersA(45)}`;
  expect(() => checkCreate(tenant, application("bbbbbbbbbb", {}, { namespace }))).not.toThrow();
  const { message } = refusal(() => checkCreate(tenant, application("bbbbbbbbbbb", {}, { namespace })));
  expect(message).toBe(
    'Tenant.apps.cozystack.io "bbbbbbbbbbb" is invalid: metadata.name: Invalid value: "bbbbbbbbbbb": ' +
      `computed tenant namespace "${namespace}-bbbbbbbbbbb" would be 64 characters, which exceeds the 63-character ` +
      "Kubernetes namespace limit; shorten the tenant name or reduce ancestor nesting depth",
  );
});

test("the name comes first, then the form of the spec, then its content", () => {
  const bad = { _x: 1, size: 11 };
  expect(refusal(() => checkCreate(redis, application("1", bad))).message).toContain("metadata.name");
  expect(refusal(() => checkCreate(redis, application("a", bad))).message).toContain("reserved");
  expect(refusal(() => checkCreate(redis, application("a", { size: 11 }))).message).toContain("spec.size");
});

test("of several reserved keys the first is named", () => {
  const { message, code } = refusal(() => checkCreate(redis, application("a", { _b: 1, _a: 2 })));
  expect({ message, code }).toEqual({
    message: "values key \"_a\" is reserved (keys starting with '_' are not allowed)",
    code: 400,
  });
});

test.for([undefined, null, {}, { must: null }, { box: null, mode: null, size: null }, { unknown: { deep: 1 } }])(
  "spec %j is fine",
  (spec) => {
    expect(() => checkCreate(redis, application("a", spec))).not.toThrow();
  },
);

test.for<readonly [JsonObject, readonly string[]]>([
  [{ size: 11 }, ["spec.size"]],
  [{ size: "x", mode: "c" }, ["spec.size", "spec.mode"]],
  [{ box: "x" }, ["spec.box"]],
  [{ nodes: [{}, { name: 5 }] }, ["spec.nodes[0].name", "spec.nodes[1].name"]],
  [{ nodes: [null] }, ["spec.nodes[0]"]],
])("spec %j is wrong in %j", ([spec, fields]) => {
  const { details } = refusal(() => checkCreate(redis, application("a", spec)));
  expect(details?.causes?.map(({ field }) => field).toSorted()).toEqual(fields.toSorted());
});

const stored = (spec: JsonValue): KubernetesObject => newRelease(redis, application("a", spec));

test.for([
  { rule: "an untouched error", before: { size: 11 }, after: { size: 11, mode: "b" }, refused: false },
  { rule: "an error with another value", before: { size: 11 }, after: { size: 12 }, refused: true },
  { rule: "an error that is corrected", before: { size: 11 }, after: { size: 10 }, refused: false },
  { rule: "a new error beside an old one", before: { size: 11 }, after: { size: 11, mode: "c" }, refused: true },
  {
    rule: "a member that was missing before",
    before: { nodes: [{}] },
    after: { nodes: [{}], size: 1 },
    refused: false,
  },
  { rule: "a member that is missing now", before: { nodes: [{ name: "x" }] }, after: { nodes: [{}] }, refused: true },
  { rule: "values that were no object", before: "text", after: { mode: "c" }, refused: true },
])("an update and $rule", ({ before, after, refused }) => {
  const update = (): void => checkUpdate(redis, application("a", after), stored(before));
  if (refused) expect(update).toThrow();
  else expect(update).not.toThrow();
});

test("an update does not judge the name, and does judge the form and the metadata", () => {
  const old = stored({});
  expect(() => checkUpdate(redis, application("Odd_Name"), old)).not.toThrow();
  expect(() => checkUpdate(redis, application("a", [1]), old)).toThrow(/json: cannot unmarshal array/);
  expect(() => checkUpdate(redis, application("a", { _x: 1 }), old)).toThrow(/reserved/);
  expect(() => checkUpdate(redis, application("a", {}, { labels: { a: "not valid!" } }), old)).toThrow(
    /metadata.labels/,
  );
});

test("a key is judged under the name it is stored by, and named as the user wrote it", () => {
  const domain = `${lettersA(60)}.${lettersA(60)}.${lettersA(60)}.${lettersA(53)}`;
  const { details } = refusal(() =>
    checkCreate(redis, application("a", {}, { labels: { [lettersA(46)]: "x", [`${domain}/k`]: "x" } })),
  );
  expect(details?.causes?.map(({ message }) => message)).toEqual([
    `Invalid value: "${lettersA(46)}": name part must be no more than 45 bytes`,
    `Invalid value: "${domain}/k": prefix part must be no more than 235 bytes`,
  ]);
});
