import { type KindWeight, type KubernetesObject, parseApiVersion, weightOf } from "@slipway/objects";
import { beforeAll, describe, expect, test } from "vitest";
import { ensurePrograms, runProgram } from "../../testbed/src/index.ts";

/** Every kind that has a weight of its own, kinds that have none, and kinds of nobody. */
const kinds: readonly string[] = [
  "apiextensions.k8s.io/v1 CustomResourceDefinition",
  "v1 Namespace",
  "rbac.authorization.k8s.io/v1 ClusterRole",
  "storage.k8s.io/v1 StorageClass",
  "scheduling.k8s.io/v1 PriorityClass",
  "node.k8s.io/v1 RuntimeClass",
  "networking.k8s.io/v1 IngressClass",
  "gateway.networking.k8s.io/v1 GatewayClass",
  "snapshot.storage.k8s.io/v1 VolumeSnapshotClass",
  "cluster.x-k8s.io/v1beta1 ClusterClass",
  "karpenter.k8s.aws/v1 EC2NodeClass",
  "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
  "v1 ResourceQuota",
  "v1 ServiceAccount",
  "rbac.authorization.k8s.io/v1 Role",
  "rbac.authorization.k8s.io/v1 RoleBinding",
  "v1 Secret",
  "v1 ConfigMap",
  "v1 Service",
  "v1 LimitRange",
  "apps/v1 Deployment",
  "apps/v1 StatefulSet",
  "batch/v1 CronJob",
  "policy/v1 PodDisruptionBudget",
  "v1 PersistentVolume",
  "v1 PersistentVolumeClaim",
  "v1 Pod",
  "apps/v1 DaemonSet",
  "apps/v1 ReplicaSet",
  "batch/v1 Job",
  "networking.k8s.io/v1 Ingress",
  "networking.k8s.io/v1 NetworkPolicy",
  "autoscaling/v2 HorizontalPodAutoscaler",
  "autoscaling.k8s.io/v1 VerticalPodAutoscaler",
  "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
  "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
  "example.com/v1 Foo",
  "example.com/v1 Subclass",
  "example.com/v1 FooClass",
  "example.com/v1 Class",
];

/** Each kind in its group, and in one that sorts before and one after every built-in group. */
const objects: readonly KubernetesObject[] = kinds.flatMap((text) => {
  const [apiVersion = "", kind = ""] = text.split(" ");
  return [apiVersion, "aaa.example.com/v1", "zzz.example.com/v1"].map((each) => ({
    apiVersion: each,
    kind,
    metadata: { name: "some" },
  }));
});

let program: string;
beforeAll(async () => {
  program = (await ensurePrograms(["ssa-order"]))["ssa-order"];
});

async function applied(input: readonly KubernetesObject[]): Promise<KubernetesObject[]> {
  return JSON.parse(await runProgram(program, [], { input: JSON.stringify(input) }));
}

const nameOf = ({ apiVersion, kind }: KubernetesObject): string => `${apiVersion} ${kind}`;

describe("the order in which Flux's ssa package applies", () => {
  let order: readonly KubernetesObject[];
  beforeAll(async () => {
    order = await applied(objects);
  });

  /** Where any object stands before one that weighs less, two neighbours do. */
  const contradictions = (own: readonly KindWeight[]): string[] => {
    const weights = order.map(({ apiVersion, kind }) => weightOf({ ...parseApiVersion(apiVersion), kind }, own));
    return order.flatMap((object, index) => {
      const next = order[index + 1];
      if (next === undefined || (weights[index] ?? 0) <= (weights[index + 1] ?? 0)) return [];
      return [`${nameOf(object)} before ${nameOf(next)}`];
    });
  };

  test("has every object once, wherever it stood before", async () => {
    const names = order.map(nameOf);
    expect(names).toHaveLength(kinds.length * 3);
    expect(new Set(names)).toEqual(new Set(objects.map(nameOf)));
    expect((await applied(objects.toReversed())).map(nameOf)).toEqual(names);
  });

  test("never puts a kind before one that weighs less", () => {
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
