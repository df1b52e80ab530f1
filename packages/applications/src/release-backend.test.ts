import type { KubernetesObject } from "@slipway/objects";
import { expect, test } from "vitest";
import { type Definition, readDefinition } from "./definition.ts";
import { hiddenValues, newRelease, shownSpec, toApplication, updatedRelease } from "./release-backend.ts";
import { defaultReleaseFlags } from "./release-flags.ts";

function read(
  kind: string,
  annotations: Record<string, string> = {},
  release: Record<string, unknown> = {},
): Definition {
  const { definition, problems } = readDefinition(
    {
      apiVersion: "cozystack.io/v1alpha1",
      kind: "ApplicationDefinition",
      metadata: { name: kind.toLowerCase(), annotations },
      spec: {
        application: {
          kind,
          plural: `${kind.toLowerCase()}s`,
          singular: kind.toLowerCase(),
          openAPISchema: '{"type":"object","properties":{"replicas":{"type":"integer","default":2}}}',
        },
        release: {
          prefix: `${kind.toLowerCase()}-`,
          labels: { "sharding.fluxcd.io/key": "tenants" },
          chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" },
          ...(release as object),
        },
      },
    },
    defaultReleaseFlags,
  );
  if (definition === undefined) throw new Error(problems.join());
  return definition;
}

const postgres = read("Postgres");
const application: KubernetesObject = {
  apiVersion: "apps.cozystack.io/v1alpha1",
  kind: "Postgres",
  metadata: { name: "db1", namespace: "tenant-foo", labels: { team: "blue" }, annotations: { note: "hello" } },
  spec: { replicas: 3 },
};
const nobody = { monitors: { read: true, monitors: [] }, now: new Date(0) } as const;

test("a new release is exactly the one of the specification", () => {
  expect(newRelease(postgres, application)).toEqual({
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: {
      name: "postgres-db1",
      namespace: "tenant-foo",
      labels: {
        "sharding.fluxcd.io/key": "tenants",
        "apps.cozystack.io/application.kind": "Postgres",
        "apps.cozystack.io/application.group": "apps.cozystack.io",
        "apps.cozystack.io/application.name": "db1",
        "apps.cozystack.io-team": "blue",
      },
      annotations: { "apps.cozystack.io-note": "hello" },
    },
    spec: {
      chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" },
      interval: "5m0s",
      maxHistory: 5,
      install: { timeout: "10m0s", strategy: { name: "RetryOnFailure", retryInterval: "30s" } },
      upgrade: { timeout: "10m0s", strategy: { name: "RetryOnFailure", retryInterval: "30s" } },
      valuesFrom: [{ kind: "Secret", name: "cozystack-values" }],
      values: { replicas: 3 },
    },
  });
});

test.for([{ spec: undefined }, { spec: null }])("a spec that is %o makes a release without values", ({ spec }) => {
  expect(newRelease(postgres, { ...application, spec }).spec).not.toHaveProperty("values");
});

test("a definition's tuning reaches the release", () => {
  const check = { apiVersion: "v1", kind: "Pod", current: "true" };
  const tuned = read(
    "Kubernetes",
    {
      "release.cozystack.io/helm-install-timeout": "20m",
      "release.cozystack.io/helm-install-disable-wait": "true",
    },
    { healthCheckExprs: [check] },
  );
  expect(newRelease(tuned, application).spec).toMatchObject({
    install: { timeout: "20m0s", disableWait: true },
    upgrade: { timeout: "20m0s", disableWait: true },
    waitStrategy: { name: "poller" },
    healthCheckExprs: [check],
  });
});

test("system keys of users are stored as users' keys", () => {
  const labels = { "apps.cozystack.io/application.kind": "Other", "sharding.fluxcd.io/key": "shard9" };
  const release = newRelease(postgres, { ...application, metadata: { ...application.metadata, labels } });
  expect(release.metadata.labels).toMatchObject({
    "apps.cozystack.io/application.kind": "Postgres",
    "apps.cozystack.io-apps.cozystack.io/application.kind": "Other",
    "sharding.fluxcd.io/key": "tenants",
    "apps.cozystack.io-sharding.fluxcd.io/key": "shard9",
  });
  expect(toApplication(postgres, release, nobody).metadata.labels).toEqual(labels);
});

test("no map is shared between releases, nor with the definition", () => {
  const bare = { ...application, metadata: { name: "a", namespace: "n" } };
  const [first, second] = [newRelease(postgres, bare), newRelease(postgres, bare)];
  expect(first.metadata.labels).not.toBe(second.metadata.labels);
  expect(first.metadata.labels).not.toBe(postgres.release.labels);
  Object.assign(first.metadata.labels ?? {}, { "sharding.fluxcd.io/key": "shard1" });
  expect(newRelease(postgres, bare).metadata.labels).toMatchObject({ "sharding.fluxcd.io/key": "tenants" });
});

const live: KubernetesObject = {
  apiVersion: "helm.toolkit.fluxcd.io/v2",
  kind: "HelmRelease",
  metadata: {
    name: "postgres-db1",
    namespace: "tenant-foo",
    uid: "u",
    resourceVersion: "7",
    generation: 3,
    creationTimestamp: "2026-01-01T00:00:00Z",
    finalizers: ["finalizers.fluxcd.io"],
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "y" }],
    labels: {
      foreign: "label",
      "platform.cozystack.io/no-delete": "true",
      "sharding.fluxcd.io/key": "shard7",
      "apps.cozystack.io-old": "gone",
      "apps.cozystack.io/application.kind": "Postgres",
      "apps.cozystack.io/application.group": "apps.cozystack.io",
      "apps.cozystack.io/application.name": "db1",
    },
    annotations: { "helm.sh/resource-policy": "keep", "apps.cozystack.io-old": "gone" },
  },
  spec: {
    suspend: true,
    dependsOn: [{ name: "other" }],
    driftDetection: { mode: "enabled" },
    interval: "1h",
    install: { timeout: "1m", crds: "Skip", disableWait: true },
    waitStrategy: { name: "legacy" },
    valuesFrom: [{ kind: "ConfigMap", name: "extra" }],
    values: { _cluster: { a: 1 }, replicas: 1 },
  },
  status: { observedGeneration: 3 },
};

test("an update replaces what is the application's and nothing else", () => {
  const next = updatedRelease(postgres, application, live, { replicas: 3 });
  expect(next.metadata).toEqual({
    ...live.metadata,
    labels: {
      foreign: "label",
      "platform.cozystack.io/no-delete": "true",
      "sharding.fluxcd.io/key": "shard7",
      "apps.cozystack.io-team": "blue",
      "apps.cozystack.io/application.kind": "Postgres",
      "apps.cozystack.io/application.group": "apps.cozystack.io",
      "apps.cozystack.io/application.name": "db1",
    },
    annotations: { "helm.sh/resource-policy": "keep", "apps.cozystack.io-note": "hello" },
  });
  expect(next.spec).toEqual({
    suspend: true,
    dependsOn: [{ name: "other" }],
    driftDetection: { mode: "enabled" },
    chartRef: { kind: "ExternalArtifact", name: "chart", namespace: "cozy-system" },
    interval: "5m0s",
    maxHistory: 5,
    install: { timeout: "10m0s", crds: "Skip", strategy: { name: "RetryOnFailure", retryInterval: "30s" } },
    upgrade: { timeout: "10m0s", strategy: { name: "RetryOnFailure", retryInterval: "30s" } },
    valuesFrom: [{ kind: "Secret", name: "cozystack-values" }],
    values: { replicas: 3 },
  });
  expect(next.status).toBe(live.status);
});

test("an update of what is there already changes nothing", () => {
  const release = newRelease(postgres, application);
  expect(updatedRelease(postgres, application, release, { replicas: 3 })).toEqual(release);
});

test("a name label that says otherwise is kept: the root tenant stays undeletable", () => {
  const tenant = read("Tenant");
  const labels = { "apps.cozystack.io/application.name": "tenant-root", "platform.cozystack.io/no-delete": "true" };
  const root = { ...live, metadata: { ...live.metadata, name: "tenant-root", namespace: "tenant-root", labels } };
  const next = updatedRelease(tenant, { ...application, metadata: { name: "root" } }, root, {});
  expect(next.metadata.labels).toMatchObject(labels);
});

test("a release is shown without what is not the user's", () => {
  const { kind, apiVersion, metadata, spec, status } = toApplication(postgres, live, nobody);
  expect(JSON.stringify({ kind, apiVersion, metadata, spec, status })).toBe(
    '{"kind":"Postgres","apiVersion":"apps.cozystack.io/v1alpha1","metadata":{"name":"db1","namespace":"tenant-foo",' +
      '"uid":"u","resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"old":"gone"},' +
      '"annotations":{"old":"gone"}},"spec":{"replicas":1},"status":{}}',
  );
});

test("a status has version, conditions, and for tenants the namespace and addresses", () => {
  const ready = {
    type: "Ready",
    status: "True",
    reason: "R",
    message: "m",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const release = { ...live, status: { lastAttemptedRevision: "1.0.0", conditions: [ready] } };
  expect(toApplication(postgres, release, nobody).status).toEqual({ version: "1.0.0", conditions: [ready] });
  const tenant = read("Tenant");
  const sub = { ...live, metadata: { name: "tenant-sub", namespace: "tenant-foo" } };
  expect(toApplication(tenant, sub, { ...nobody, externalIPsCount: 2 }).status).toEqual({
    namespace: "tenant-foo-sub",
    externalIPsCount: 2,
  });
});

test("specs are shown sorted, with defaults, without reserved keys", () => {
  expect(JSON.stringify(shownSpec(postgres, { z: { b: 1, a: 2 }, _x: 1, a: 1 }))).toBe(
    '{"a":1,"replicas":2,"z":{"a":2,"b":1}}',
  );
  expect(shownSpec(postgres, undefined)).toEqual({ replicas: 2 });
  expect(shownSpec(postgres, "text")).toEqual({ replicas: 2 });
  const { schema: _schema, ...schemaless } = postgres;
  expect(shownSpec(schemaless, undefined)).toBeUndefined();
  expect(shownSpec(schemaless, { a: 1, _b: 2 })).toEqual({ a: 1 });
  expect(hiddenValues({ a: 1, _b: 2 })).toEqual({ _b: 2 });
});
