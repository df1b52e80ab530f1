import { groupOf } from "./identity.ts";
import { getMember, isJsonObject, type JsonObject } from "./json.ts";
import type { GroupKind } from "./weights.ts";

/** As a CustomResourceDefinition writes it. */
export type Scope = "Namespaced" | "Cluster";

interface GroupScopes {
  readonly namespaced?: string;
  readonly cluster?: string;
}

/** What kube-apiserver 1.36.3 serves when all its versions and features are on, by group. */
const builtIns: Readonly<Record<string, GroupScopes>> = {
  "": {
    namespaced:
      "Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
    cluster: "ComponentStatus Namespace Node PersistentVolume",
  },
  "admissionregistration.k8s.io": {
    cluster:
      "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  },
  "apiextensions.k8s.io": { cluster: "CustomResourceDefinition" },
  "apiregistration.k8s.io": { cluster: "APIService" },
  apps: { namespaced: "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet" },
  "authentication.k8s.io": { cluster: "SelfSubjectReview TokenReview" },
  "authorization.k8s.io": {
    namespaced: "LocalSubjectAccessReview",
    cluster: "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  },
  autoscaling: { namespaced: "HorizontalPodAutoscaler" },
  batch: { namespaced: "CronJob Job" },
  "certificates.k8s.io": {
    namespaced: "PodCertificateRequest",
    cluster: "CertificateSigningRequest ClusterTrustBundle",
  },
  "coordination.k8s.io": { namespaced: "Lease LeaseCandidate" },
  "discovery.k8s.io": { namespaced: "EndpointSlice" },
  "events.k8s.io": { namespaced: "Event" },
  "flowcontrol.apiserver.k8s.io": { cluster: "FlowSchema PriorityLevelConfiguration" },
  "internal.apiserver.k8s.io": { cluster: "StorageVersion" },
  "networking.k8s.io": { namespaced: "Ingress NetworkPolicy", cluster: "IPAddress IngressClass ServiceCIDR" },
  "node.k8s.io": { cluster: "RuntimeClass" },
  policy: { namespaced: "PodDisruptionBudget" },
  "rbac.authorization.k8s.io": { namespaced: "Role RoleBinding", cluster: "ClusterRole ClusterRoleBinding" },
  "resource.k8s.io": {
    namespaced: "ResourceClaim ResourceClaimTemplate",
    cluster: "DeviceClass DeviceTaintRule ResourcePoolStatusRequest ResourceSlice",
  },
  "scheduling.k8s.io": { namespaced: "PodGroup Workload", cluster: "PriorityClass" },
  "storage.k8s.io": {
    namespaced: "CSIStorageCapacity",
    cluster: "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
  },
  "storagemigration.k8s.io": { cluster: "StorageVersionMigration" },
};

const builtInScopes: ReadonlyMap<string, Scope> = new Map(
  Object.entries(builtIns).flatMap(([group, { namespaced, cluster }]) => [
    ...toEntries(group, namespaced, "Namespaced"),
    ...toEntries(group, cluster, "Cluster"),
  ]),
);

function toEntries(group: string, kinds: string | undefined, scope: Scope): [string, Scope][] {
  return (kinds?.split(" ") ?? []).map((kind) => [`${group}/${kind}`, scope]);
}

/** The scope of a kind that comes with Kubernetes; `undefined` for any other. */
export function builtInScope({ group, kind }: GroupKind): Scope | undefined {
  return builtInScopes.get(`${group}/${kind}`);
}

export interface KindScope extends GroupKind {
  readonly scope: Scope;
}

/** The scopes that the CustomResourceDefinitions among `objects` define. */
export function definedScopes(objects: Iterable<JsonObject>): KindScope[] {
  const scopes: KindScope[] = [];
  for (const object of objects) {
    const apiVersion = getMember(object, "apiVersion");
    if (typeof apiVersion !== "string" || groupOf(apiVersion) !== "apiextensions.k8s.io") continue;
    const spec = getMember(object, "spec");
    if (getMember(object, "kind") !== "CustomResourceDefinition" || !isJsonObject(spec)) continue;
    const names = getMember(spec, "names");
    const kind = isJsonObject(names) ? getMember(names, "kind") : undefined;
    const group = getMember(spec, "group");
    const scope = getMember(spec, "scope");
    if (typeof group !== "string" || typeof kind !== "string") continue;
    if (scope === "Namespaced" || scope === "Cluster") scopes.push({ group, kind, scope });
  }
  return scopes;
}

/**
 * Answers for any kind: first what comes with Kubernetes, then `known` in its order, which is usually what the
 * definitions in the set say and then what the cluster says. `undefined` when nobody knows.
 */
export function createScopes(known: Iterable<KindScope>): (kind: GroupKind) => Scope | undefined {
  const scopes = new Map<string, Scope>();
  for (const { group, kind, scope } of known) {
    const name = `${group}/${kind}`;
    if (!scopes.has(name)) scopes.set(name, scope);
  }
  return (kind) => builtInScope(kind) ?? scopes.get(`${kind.group}/${kind.kind}`);
}
