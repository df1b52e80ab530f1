import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GroupVersionKind, parseApiVersion } from "./gvk.ts";
import { explainWeight, type GroupKind, type KindWeight, sort, weightOf } from "./weights.ts";

function gvk(text: string): GroupVersionKind {
  const [apiVersion = "", kind = ""] = text.split(" ");
  return { ...parseApiVersion(apiVersion), kind };
}

test.for([
  {
    weight: -100,
    kinds: [
      "apiextensions.k8s.io/v1 CustomResourceDefinition",
      "apiextensions.k8s.io/v1beta1 CustomResourceDefinition",
    ],
  },
  { weight: 0, kinds: ["v1 Namespace"] },
  { weight: 5, kinds: ["rbac.authorization.k8s.io/v1 ClusterRole", "rbac.authorization.k8s.io/v1beta1 ClusterRole"] },
  {
    weight: 6,
    kinds: [
      "storage.k8s.io/v1 StorageClass",
      "scheduling.k8s.io/v1 PriorityClass",
      "node.k8s.io/v1 RuntimeClass",
      "networking.k8s.io/v1 IngressClass",
      "gateway.networking.k8s.io/v1 GatewayClass",
      "snapshot.storage.k8s.io/v1 VolumeSnapshotClass",
      "cluster.x-k8s.io/v1beta1 ClusterClass",
      "karpenter.k8s.aws/v1 EC2NodeClass",
      "example.com/v1 Class",
    ],
  },
  // Of another group these are no definitions.
  {
    weight: 6,
    kinds: ["example.com/v1 CustomResourceDefinition", "example.com/v1 Namespace", "example.com/v1 ClusterRole"],
  },
  { weight: 7, kinds: ["rbac.authorization.k8s.io/v1 ClusterRoleBinding"] },
  { weight: 8, kinds: ["v1 ResourceQuota"] },
  {
    weight: 10,
    kinds: ["v1 ServiceAccount", "rbac.authorization.k8s.io/v1 Role", "rbac.authorization.k8s.io/v1 RoleBinding"],
  },
  { weight: 15, kinds: ["v1 Secret", "v1 ConfigMap"] },
  { weight: 50, kinds: ["v1 Service", "serving.knative.dev/v1 Service"] },
  { weight: 60, kinds: ["v1 LimitRange"] },
  {
    weight: 100,
    kinds: ["apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1beta2 Deployment", "unknown.io/v99 Deployment"],
  },
  { weight: 105, kinds: ["batch/v1 CronJob"] },
  { weight: 108, kinds: ["policy/v1 PodDisruptionBudget"] },
  {
    weight: 1000,
    kinds: [
      "v1 PersistentVolume",
      "v1 PersistentVolumeClaim",
      "v1 Pod",
      "apps/v1 DaemonSet",
      "apps/v1 ReplicaSet",
      "batch/v1 Job",
      "networking.k8s.io/v1 Ingress",
      "networking.k8s.io/v1 NetworkPolicy",
      "autoscaling/v2 HorizontalPodAutoscaler",
      "autoscaling/v1 HorizontalPodAutoscaler",
      "autoscaling.k8s.io/v1 VerticalPodAutoscaler",
      "example.com/v1 Foo",
      "example.com/v1 Subclass",
      "v1 constructor",
      "v1 ",
    ],
  },
  {
    weight: 2000,
    kinds: [
      "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
      "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
    ],
  },
])("$weight: $kinds", ({ weight, kinds }) => {
  for (const kind of kinds) expect(weightOf(gvk(kind)), kind).toBe(weight);
});

describe("weights of the caller's own", () => {
  const own: KindWeight[] = [
    { group: "example.com", kind: "Database", weight: 90 },
    { group: "", kind: "ConfigMap", weight: 16 },
    { group: "", kind: "ConfigMap", weight: 14 },
  ];

  test("count for their group and kind, before the built-in ones, and the last of two", () => {
    expect(weightOf(gvk("example.com/v1 Database"), own)).toBe(90);
    expect(weightOf(gvk("v1 ConfigMap"), own)).toBe(14);
    expect(weightOf(gvk("other.com/v1 Database"), own)).toBe(1000);
    expect(weightOf(gvk("v1 Secret"), own)).toBe(15);
  });

  test.for([
    { kind: "example.com/v1 Database", reason: "a weight given for Database" },
    { kind: "v1 Namespace", reason: "a Namespace of Kubernetes" },
    { kind: "example.com/v1 Namespace", reason: "a Namespace of another group" },
    { kind: "apps/v1 Deployment", reason: "a Deployment" },
    { kind: "example.com/v1 FooClass", reason: "a kind whose name ends in Class" },
    { kind: "example.com/v1 Foo", reason: "any other kind" },
  ])("$kind weighs what it does as $reason", ({ kind, reason }) => {
    expect(explainWeight(gvk(kind), own).reason).toBe(reason);
  });
});

describe("sort", () => {
  const kinds = ["Namespace", "ConfigMap", "Secret", "Deployment", "Foo", "ServiceAccount"];
  const items = fc.array(fc.record({ kind: fc.constantFrom(...kinds), id: fc.nat() }));
  const gvkOf = ({ kind }: { kind: string }): GroupVersionKind => ({ group: "", version: "v1", kind });
  const weigh = (item: { kind: string }): number => weightOf(gvkOf(item));

  test("is by weight and stable, in both directions", () => {
    fc.assert(
      fc.property(items, (input) => {
        const ascending = [...input];
        sort(ascending, gvkOf, "ascending");
        expect(ascending).toEqual(input.toSorted((a, b) => weigh(a) - weigh(b)));
        const descending = [...input];
        sort(descending, gvkOf, "descending");
        expect(descending).toEqual(input.toSorted((a, b) => weigh(b) - weigh(a)));
      }),
    );
  });

  test("looks at each item once", () => {
    let looks = 0;
    const input = Array.from({ length: 100 }, (_, index) => ({ kind: kinds[index % kinds.length] ?? "" }));
    sort(
      input,
      (item) => {
        looks += 1;
        return gvkOf(item);
      },
      "ascending",
    );
    expect(looks).toBe(100);
  });
});

describe("the order of Flux's ssa package", () => {
  /** Its kinds with their groups; all others stand between the last of these and `last`. */
  const first: readonly GroupKind[] = [
    { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
    { group: "", kind: "Namespace" },
    { group: "rbac.authorization.k8s.io", kind: "ClusterRole" },
    { group: "cluster.x-k8s.io", kind: "ClusterClass" },
    { group: "node.k8s.io", kind: "RuntimeClass" },
    { group: "scheduling.k8s.io", kind: "PriorityClass" },
    { group: "storage.k8s.io", kind: "StorageClass" },
    { group: "snapshot.storage.k8s.io", kind: "VolumeSnapshotClass" },
    { group: "networking.k8s.io", kind: "IngressClass" },
    { group: "gateway.networking.k8s.io", kind: "GatewayClass" },
    { group: "rbac.authorization.k8s.io", kind: "ClusterRoleBinding" },
    { group: "", kind: "ResourceQuota" },
    { group: "", kind: "ServiceAccount" },
    { group: "rbac.authorization.k8s.io", kind: "Role" },
    { group: "rbac.authorization.k8s.io", kind: "RoleBinding" },
    { group: "", kind: "ConfigMap" },
    { group: "", kind: "Secret" },
    { group: "", kind: "Service" },
    { group: "", kind: "LimitRange" },
    { group: "apps", kind: "Deployment" },
    { group: "apps", kind: "StatefulSet" },
    { group: "batch", kind: "CronJob" },
    { group: "policy", kind: "PodDisruptionBudget" },
  ];
  const last: readonly GroupKind[] = [
    { group: "admissionregistration.k8s.io", kind: "MutatingWebhookConfiguration" },
    { group: "admissionregistration.k8s.io", kind: "ValidatingWebhookConfiguration" },
  ];
  const ranks = new Map([
    ...first.map(({ kind }, index) => [kind, index] as const),
    ...last.map(({ kind }, index) => [kind, 1000 + index] as const),
  ]);
  const definitions = new Set(first.slice(0, 3).map(({ group, kind }) => `${group}/${kind}`));

  /** What Flux compares, in this order: stage, kind, group, name of the kind. */
  const place = ({ group, kind }: GroupKind): (string | number)[] => {
    const stage = definitions.has(`${group}/${kind}`) ? 0 : kind.endsWith("Class") ? 1 : 2;
    return [stage, ranks.get(kind) ?? 500, group, kind];
  };
  const isBefore = (a: GroupKind, b: GroupKind): boolean => {
    const [left, right] = [place(a), place(b)];
    const at = left.findIndex((part, index) => part !== right[index]);
    return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0);
  };

  /** Each kind in its group, and in one that sorts before and one after every built-in group. */
  const universe: readonly GroupKind[] = [
    ...first,
    ...last,
    { group: "", kind: "Foo" },
    { group: "", kind: "FooClass" },
  ].flatMap(({ group, kind }) => [group, "aaa.example.com", "zzz.example.com"].map((each) => ({ group: each, kind })));

  const contradictions = (own: readonly KindWeight[]): string[] =>
    universe.flatMap((a) =>
      universe
        .filter((b) => isBefore(a, b) && weightOf(a, own) > weightOf(b, own))
        .map((b) => `${a.group}/${a.kind} before ${b.group}/${b.kind}`),
    );

  test("never puts a kind before one that weighs less", () => {
    expect(universe).toHaveLength(81);
    expect(contradictions([])).toEqual([]);
  });

  test.for<KindWeight>([
    { group: "", kind: "ConfigMap", weight: 51 },
    { group: "", kind: "Service", weight: 14 },
    { group: "zzz.example.com", kind: "Foo", weight: 2001 },
    { group: "aaa.example.com", kind: "FooClass", weight: 4 },
    { group: "rbac.authorization.k8s.io", kind: "ClusterRole", weight: 6.5 },
  ])("is contradicted by $kind at $weight, and that is found", (weight) => {
    expect(contradictions([weight])).not.toEqual([]);
  });
});
