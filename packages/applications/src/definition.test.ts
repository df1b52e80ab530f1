import type { JsonObject, JsonValue, KubernetesObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { readDefinition } from "./definition.ts";
import { defaultReleaseFlags, type ReleaseFlags } from "./release-flags.ts";

interface Overrides {
  readonly application?: JsonObject;
  readonly release?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}

function redis({ application = {}, release = {}, annotations = {} }: Overrides = {}): KubernetesObject {
  return {
    apiVersion: "cozystack.io/v1alpha1",
    kind: "ApplicationDefinition",
    metadata: { name: "redis", annotations },
    spec: {
      application: {
        kind: "Redis",
        plural: "redises",
        singular: "redis",
        openAPISchema: '{"type":"object","properties":{"replicas":{"type":"integer","default":2}}}',
        ...application,
      },
      release: {
        prefix: "redis-",
        labels: { "sharding.fluxcd.io/key": "tenants" },
        chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" },
        ...release,
      },
    },
  };
}

const read = (overrides: Overrides = {}, flags: ReleaseFlags = defaultReleaseFlags) =>
  readDefinition(redis(overrides), flags);

test("a good definition is read whole", () => {
  const { definition, problems } = read();
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({ name: "redis", kind: "Redis", plural: "redises", singular: "redis" });
  expect(definition?.schema?.properties.get("replicas")?.default).toBe(2);
  expect(definition?.release).toEqual({
    prefix: "redis-",
    labels: { "sharding.fluxcd.io/key": "tenants" },
    chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" },
    healthCheckExprs: [],
    interval: "5m0s",
    retryInterval: "30s",
    installTimeout: "10m0s",
    upgradeTimeout: "10m0s",
    maxHistory: 5,
    disableWait: false,
  });
});

test.for(["", "  \n\t"])("blank schema text %j means no schema", (openAPISchema) => {
  const { definition, problems } = read({ application: { openAPISchema } });
  expect(problems).toEqual([]);
  expect(definition?.schema).toBeUndefined();
});

interface BadRow {
  readonly rule: string;
  readonly overrides: Overrides;
  readonly problem: string | RegExp;
}

const bad: readonly BadRow[] = [
  { rule: "no kind", overrides: { application: { kind: "" } }, problem: "spec.application.kind: Required value" },
  {
    rule: "a kind that is no identifier",
    overrides: { application: { kind: "My Redis" } },
    problem: /^spec\.application\.kind: Invalid value: "My Redis"/,
  },
  {
    rule: "a plural that is no DNS label",
    overrides: { application: { plural: "Redises" } },
    problem: /^spec\.application\.plural: Invalid value: "Redises": a DNS-1035 label/,
  },
  {
    rule: "a singular of another type",
    overrides: { application: { singular: 5 } },
    problem: "spec.application.singular: Invalid value: 5: must be a string",
  },
  {
    rule: "a schema that is no JSON",
    overrides: { application: { openAPISchema: "{type: object" } },
    problem: /^spec\.application\.openAPISchema: /,
  },
  {
    rule: "a schema that is no object",
    overrides: { application: { openAPISchema: "[]" } },
    problem: "spec.application.openAPISchema: must be a JSON object",
  },
  {
    rule: "a schema with a reference",
    overrides: { application: { openAPISchema: '{"type":"object","properties":{"a":{"$ref":"#/x"}}}' } },
    problem: /^spec\.application\.openAPISchema: .*\$ref/,
  },
  {
    rule: "a schema of a scalar",
    overrides: { application: { openAPISchema: '{"type":"string"}' } },
    problem: 'spec.application.openAPISchema: type: Invalid value: "string": must be object at the root',
  },
  {
    rule: "a prefix with capitals",
    overrides: { release: { prefix: "Redis-" } },
    problem: /^spec\.release\.prefix: Invalid value: "Redis-"/,
  },
  {
    rule: "an unknown kind of chart",
    overrides: { release: { chartRef: { kind: "GitRepository", name: "x" } } },
    problem:
      'spec.release.chartRef.kind: Unsupported value: "GitRepository": ' +
      'supported values: "OCIRepository", "HelmChart", "ExternalArtifact"',
  },
  { rule: "no chart", overrides: { release: { chartRef: null } }, problem: "spec.release.chartRef: Required value" },
  {
    rule: "a label that Kubernetes refuses",
    overrides: { release: { labels: { a: "not valid!" } } },
    problem: /^spec\.release\.labels: Invalid value: "not valid!"/,
  },
  {
    rule: "a label that is a number",
    overrides: { release: { labels: { a: 1 } } },
    problem: "spec.release.labels.a: Invalid value: 1: must be a string",
  },
  {
    rule: "an unknown wait strategy",
    overrides: { release: { waitStrategy: "hope" } },
    problem: 'spec.release.waitStrategy: Unsupported value: "hope": supported values: "poller", "legacy"',
  },
  {
    rule: "a health check without its expression",
    overrides: { release: { healthCheckExprs: [{ apiVersion: "v1", kind: "Pod" }] } },
    problem: "spec.release.healthCheckExprs[0].current: Required value",
  },
  {
    rule: "a time-out with a unit that Flux refuses",
    overrides: { annotations: { "release.cozystack.io/helm-install-timeout": "500us" } },
    problem:
      "invalid release.cozystack.io/helm-install-timeout annotation: must match ^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$ " +
      '(Flux accepts ms/s/m/h units only), got "500us"',
  },
  {
    rule: "a time-out beyond Go",
    overrides: { annotations: { "release.cozystack.io/helm-upgrade-timeout": "99999999999h" } },
    problem:
      "invalid release.cozystack.io/helm-upgrade-timeout annotation: " +
      'time.ParseDuration("99999999999h"): time: invalid duration "99999999999h"',
  },
  {
    rule: "a time-out that Flux would not read back",
    overrides: { annotations: { "release.cozystack.io/helm-install-timeout": "0.5ms" } },
    problem: 'invalid release.cozystack.io/helm-install-timeout annotation: must be 0 or at least 1ms, got "0.5ms"',
  },
  {
    rule: "disable-wait that is no boolean",
    overrides: { annotations: { "release.cozystack.io/helm-install-disable-wait": "yes" } },
    problem: 'invalid release.cozystack.io/helm-install-disable-wait annotation: must be "true" or "false", got "yes"',
  },
];

test.for(bad)("$rule is a problem", ({ overrides, problem }) => {
  const { definition, problems } = read(overrides);
  expect(definition).toBeUndefined();
  expect(problems).toHaveLength(1);
  if (typeof problem === "string") expect(problems).toEqual([problem]);
  else expect(problems[0]).toMatch(problem);
});

test("everything wrong is named at once", () => {
  const { problems } = read({ application: { kind: "", plural: "X" }, release: { prefix: "_" } });
  expect(problems).toHaveLength(3);
});

test.for<JsonValue>([null, "x", 5, [], { application: null }, { application: [], release: 5 }])(
  "spec %j is refused, not thrown at",
  (spec) => {
    const { definition, problems } = readDefinition({ ...redis(), spec }, defaultReleaseFlags);
    expect(definition).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
  },
);

test("another kind of object is refused", () => {
  const { problems } = readDefinition({ ...redis(), kind: "ConfigMap" }, defaultReleaseFlags);
  expect(problems).toEqual([
    'kind: Invalid value: "ConfigMap in cozystack.io/v1alpha1": must be ApplicationDefinition in cozystack.io/v1alpha1',
  ]);
});

const install = "release.cozystack.io/helm-install-timeout";
const upgrade = "release.cozystack.io/helm-upgrade-timeout";

test.for([
  { rule: "flags alone", annotations: {}, timeouts: ["8m0s", "12m0s"] },
  { rule: "install counts for both", annotations: { [install]: "30m" }, timeouts: ["30m0s", "30m0s"] },
  { rule: "upgrade alone", annotations: { [upgrade]: "20m" }, timeouts: ["8m0s", "20m0s"] },
  { rule: "upgrade wins", annotations: { [install]: "15m", [upgrade]: "25m" }, timeouts: ["15m0s", "25m0s"] },
  { rule: "zero is unset", annotations: { [install]: "0s", [upgrade]: "0m" }, timeouts: ["8m0s", "12m0s"] },
  { rule: "fractions", annotations: { [install]: "1.5m" }, timeouts: ["1m30s", "1m30s"] },
])("time-outs: $rule", ({ annotations, timeouts }) => {
  const flags = { ...defaultReleaseFlags, installTimeout: 480_000_000_000n, upgradeTimeout: 720_000_000_000n };
  const { definition, problems } = read({ annotations }, flags);
  expect(problems).toEqual([]);
  expect([definition?.release.installTimeout, definition?.release.upgradeTimeout]).toEqual(timeouts);
});

test.for([
  ["true", true],
  [" TRUE ", true],
  ["false", false],
  ["", false],
] as const)("disable-wait %j is %s", ([text, expected]) => {
  const { definition } = read({ annotations: { "release.cozystack.io/helm-install-disable-wait": text } });
  expect(definition?.release.disableWait).toBe(expected);
});

const check = { apiVersion: "v1", kind: "Pod", current: "true" };

test.for([
  { rule: "nothing given", release: {}, waitStrategy: undefined },
  { rule: "health checks choose the poller", release: { healthCheckExprs: [check] }, waitStrategy: "poller" },
  { rule: "as given", release: { waitStrategy: "legacy", healthCheckExprs: [check] }, waitStrategy: "legacy" },
])("wait strategy: $rule", ({ release, waitStrategy }) => {
  const { definition, problems } = read({ release });
  expect(problems).toEqual([]);
  expect(definition?.release.waitStrategy).toBe(waitStrategy);
});
