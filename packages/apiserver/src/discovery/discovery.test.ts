import { describe, expect, test } from "vitest";
import type { RestStorage } from "../registry/rest.ts";
import type { Resource } from "../resource.ts";
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, verbsOf } from "./discovery.ts";

const never = (): never => {
  throw new Error("not called");
};

function storageWith(...abilities: readonly (keyof RestStorage)[]): RestStorage {
  return { get: never, ...Object.fromEntries(abilities.map((ability) => [ability, never])) };
}

const whole = storageWith("list", "watch", "create", "update", "delete", "deleteCollection");

function resource(kind: string, more: Partial<Resource> = {}): Resource {
  const plural = `${kind.toLowerCase()}s`;
  return {
    group: "record.example.dev",
    version: "v1",
    names: { kind, plural, singular: kind.toLowerCase() },
    namespaced: true,
    storage: whole,
    missingKind: "refuse",
    order: "sorted",
    openApi: { schemaName: `dev.example.record.v1.${kind}`, schema: { type: "object" } },
    ...more,
  };
}

const widget = resource("Widget", {
  names: { kind: "Widget", plural: "widgets", singular: "widget", shortNames: ["wd"], categories: ["all"] },
  statusStorage: storageWith("list", "update"),
});
const zone = resource("Zone", { namespaced: false, storage: storageWith("list", "watch") });
const bucket = resource("Bucket", {
  group: "apps.cozystack.io",
  version: "v1alpha1",
  storage: storageWith("list", "watch", "create", "update", "delete"),
  explicitGroupVersion: true,
  order: "typed",
});
const namespace = resource("Namespace", { group: "", namespaced: false });
const everything = [zone, widget, bucket, namespace, resource("Widget", { version: "v1beta1" })];

/** The order that kube-apiserver has for custom kinds; see the recordings. */
const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const wholeVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

test.for<{ rule: string; storage: RestStorage; verbs: string[] }>([
  { rule: "reading alone", storage: storageWith(), verbs: ["get"] },
  { rule: "an update is a patch as well", storage: storageWith("update"), verbs: ["get", "patch", "update"] },
  { rule: "everything, in alphabetical order", storage: whole, verbs: wholeVerbs },
])("verbs: $rule", ({ storage, verbs }) => {
  expect(verbsOf(storage)).toEqual(verbs);
});

describe("the list of resources", () => {
  test("sorted by name, status after its object, member for member", async () => {
    const list = await apiResourceList({ group: "record.example.dev", version: "v1" }, everything);
    expect(JSON.stringify(list)).toBe(
      JSON.stringify({
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: "record.example.dev/v1",
        resources: [
          {
            name: "widgets",
            singularName: "widget",
            namespaced: true,
            kind: "Widget",
            verbs: customVerbs,
            shortNames: ["wd"],
            categories: ["all"],
          },
          {
            name: "widgets/status",
            singularName: "",
            namespaced: true,
            kind: "Widget",
            verbs: ["get", "patch", "update"],
          },
          { name: "zones", singularName: "zone", namespaced: false, kind: "Zone", verbs: ["get", "list", "watch"] },
        ],
      }),
    );
  });

  test("group and version come after namespaced, where a resource names them", async () => {
    const list = await apiResourceList({ group: "apps.cozystack.io", version: "v1alpha1" }, everything);
    expect(JSON.stringify(list.resources)).toBe(
      '[{"name":"buckets","singularName":"bucket","namespaced":true,"group":"apps.cozystack.io","version":"v1alpha1","kind":"Bucket","verbs":["create","delete","get","list","patch","update","watch"]}]',
    );
  });

  test("the core group", async () => {
    expect(await apiResourceList({ group: "", version: "v1" }, everything)).toMatchObject({
      groupVersion: "v1",
      resources: [{ name: "namespaces" }],
    });
  });
});

describe("the storage version", () => {
  // As kube-apiserver 1.36 hashes them.
  test.for<[group: string, kind: string, version: string, stored: string, hash: string]>([
    ["record.example.dev", "Gadget", "v1", "v1", "J/UfFehhXAo="],
    ["record.example.dev", "Gadget", "v1beta1", "v1", "J/UfFehhXAo="],
    ["record.example.dev", "Widget", "v1", "v1", "7YQMym3MZZQ="],
    ["", "ConfigMap", "v1", "v1", "qFsyl6wFWjQ="],
  ])("of %s %s in %s, stored in %s, is %s", async ([group, kind, version, storageVersion, storageVersionHash]) => {
    const served = resource(kind, { group, version, storageVersion });
    expect(await apiResourceList({ group, version }, [served])).toMatchObject({ resources: [{ storageVersionHash }] });
  });
});

test("a scale is of its own group, in both forms of discovery", async () => {
  const scaled = resource("Widget", { scaleStorage: storageWith("update"), statusStorage: storageWith("update") });
  const { resources } = await apiResourceList(scaled, [scaled]);
  expect(JSON.stringify(resources)).toContain(
    '{"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}',
  );
  expect(JSON.stringify(aggregatedDiscovery([scaled]))).toContain(
    '{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","patch","update"]}]',
  );
});

describe("groups", () => {
  test("one, with its preferred version first", () => {
    expect(JSON.stringify(apiGroup("record.example.dev", everything))).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"record.example.dev","versions":[{"groupVersion":"record.example.dev/v1","version":"v1"},{"groupVersion":"record.example.dev/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"record.example.dev/v1","version":"v1"}}',
    );
  });

  test("all but the core group", () => {
    const { groups } = apiGroupList(everything) as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toEqual(["apps.cozystack.io", "record.example.dev"]);
  });
});

test("aggregated discovery, member for member", () => {
  expect(JSON.stringify(aggregatedDiscovery([zone, widget]))).toBe(
    JSON.stringify({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
      items: [
        {
          metadata: { name: "record.example.dev" },
          versions: [
            {
              version: "v1",
              resources: [
                {
                  resource: "widgets",
                  responseKind: { group: "record.example.dev", version: "v1", kind: "Widget" },
                  scope: "Namespaced",
                  singularResource: "widget",
                  verbs: customVerbs,
                  shortNames: ["wd"],
                  categories: ["all"],
                  subresources: [
                    {
                      subresource: "status",
                      responseKind: { group: "record.example.dev", version: "v1", kind: "Widget" },
                      verbs: ["get", "patch", "update"],
                    },
                  ],
                },
                {
                  resource: "zones",
                  responseKind: { group: "record.example.dev", version: "v1", kind: "Zone" },
                  scope: "Cluster",
                  singularResource: "zone",
                  verbs: ["get", "list", "watch"],
                },
              ],
              freshness: "Current",
            },
          ],
        },
      ],
    }),
  );
});

test("aggregated discovery of the core group has no name", () => {
  expect(aggregatedDiscovery([namespace])).toMatchObject({ items: [{ metadata: {} }] });
});
