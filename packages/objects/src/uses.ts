import type { Edge } from "./graph.ts";
import { formatObjectKey, groupOf, identityOf, objectKey } from "./identity.ts";
import { getMember, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** A field that holds the name of another object. */
interface NameField {
  /** Members from one to the next; `[]` stands for each item of a list. */
  readonly path: string;
  readonly group: string;
  readonly kind: string;
  /** Cluster-wide, or in the namespace of the one that uses it. */
  readonly clusterWide?: boolean;
}

const podFields: readonly NameField[] = [
  { path: "serviceAccountName", group: "", kind: "ServiceAccount" },
  { path: "imagePullSecrets[].name", group: "", kind: "Secret" },
  { path: "priorityClassName", group: "scheduling.k8s.io", kind: "PriorityClass", clusterWide: true },
  { path: "runtimeClassName", group: "node.k8s.io", kind: "RuntimeClass", clusterWide: true },
  { path: "volumes[].configMap.name", group: "", kind: "ConfigMap" },
  { path: "volumes[].secret.secretName", group: "", kind: "Secret" },
  { path: "volumes[].persistentVolumeClaim.claimName", group: "", kind: "PersistentVolumeClaim" },
  { path: "volumes[].projected.sources[].configMap.name", group: "", kind: "ConfigMap" },
  { path: "volumes[].projected.sources[].secret.name", group: "", kind: "Secret" },
  ...["containers[]", "initContainers[]"].flatMap((containers) => [
    { path: `${containers}.env[].valueFrom.configMapKeyRef.name`, group: "", kind: "ConfigMap" },
    { path: `${containers}.env[].valueFrom.secretKeyRef.name`, group: "", kind: "Secret" },
    { path: `${containers}.envFrom[].configMapRef.name`, group: "", kind: "ConfigMap" },
    { path: `${containers}.envFrom[].secretRef.name`, group: "", kind: "Secret" },
  ]),
];

function inPod(podSpec: string): NameField[] {
  return podFields.map((field) => ({ ...field, path: `${podSpec}.${field.path}` }));
}

const ingressBackend = { group: "", kind: "Service" };

/** By group and kind of the one that uses. */
const nameFields: ReadonlyMap<string, readonly NameField[]> = new Map([
  ["/Pod", inPod("spec")],
  ["/ReplicationController", inPod("spec.template.spec")],
  ["apps/Deployment", inPod("spec.template.spec")],
  ["apps/DaemonSet", inPod("spec.template.spec")],
  ["apps/ReplicaSet", inPod("spec.template.spec")],
  ["apps/StatefulSet", [...inPod("spec.template.spec"), { path: "spec.serviceName", group: "", kind: "Service" }]],
  ["batch/Job", inPod("spec.template.spec")],
  ["batch/CronJob", inPod("spec.jobTemplate.spec.template.spec")],
  [
    "/PersistentVolumeClaim",
    [
      { path: "spec.storageClassName", group: "storage.k8s.io", kind: "StorageClass", clusterWide: true },
      { path: "spec.volumeName", group: "", kind: "PersistentVolume", clusterWide: true },
    ],
  ],
  [
    "networking.k8s.io/Ingress",
    [
      { path: "spec.ingressClassName", group: "networking.k8s.io", kind: "IngressClass", clusterWide: true },
      { path: "spec.tls[].secretName", group: "", kind: "Secret" },
      { path: "spec.defaultBackend.service.name", ...ingressBackend },
      { path: "spec.rules[].http.paths[].backend.service.name", ...ingressBackend },
    ],
  ],
]);

/** A field that holds a whole reference: a kind, a name, perhaps a group or apiVersion and a namespace. */
const referenceFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["rbac.authorization.k8s.io/RoleBinding", ["roleRef", "subjects[]"]],
  ["rbac.authorization.k8s.io/ClusterRoleBinding", ["roleRef", "subjects[]"]],
  ["autoscaling/HorizontalPodAutoscaler", ["spec.scaleTargetRef"]],
  ["autoscaling.k8s.io/VerticalPodAutoscaler", ["spec.targetRef"]],
]);

/** A field that holds the name and namespace of a service. */
const serviceFields: ReadonlyMap<string, string> = new Map([
  ["admissionregistration.k8s.io/ValidatingWebhookConfiguration", "webhooks[].clientConfig.service"],
  ["admissionregistration.k8s.io/MutatingWebhookConfiguration", "webhooks[].clientConfig.service"],
  ["apiregistration.k8s.io/APIService", "spec.service"],
]);

/**
 * Which objects use which others of the same set: a binding its role, a workload its ConfigMaps, a webhook the service
 * behind it, a custom resource its definition, whatever is in a namespace that namespace. What is used and not in the
 * set is not in the answer.
 */
export function findUses<Item extends JsonObject>(objects: readonly Item[]): Edge<Item>[] {
  const present = new Map<string, Item>();
  const definitions = new Map<string, Item>();
  for (const object of objects) {
    const identity = identityOf(object);
    if (identity === undefined) continue;
    present.set(objectKey(identity), object);
    if (identity.kind !== "CustomResourceDefinition" || groupOf(identity.apiVersion) !== "apiextensions.k8s.io")
      continue;
    const [group] = readAll(object, "spec.group");
    const [kind] = readAll(object, "spec.names.kind");
    if (typeof group === "string" && typeof kind === "string") definitions.set(`${group}/${kind}`, object);
  }
  return objects.flatMap((object) => usesOf(object, present, definitions));
}

function usesOf<Item extends JsonObject>(
  after: Item,
  present: ReadonlyMap<string, Item>,
  definitions: ReadonlyMap<string, Item>,
): Edge<Item>[] {
  const identity = identityOf(after);
  if (identity === undefined) return [];
  const { kind, namespace } = identity;
  const groupKind = `${groupOf(identity.apiVersion)}/${kind}`;
  const edges = new Map<Item, Edge<Item>>();
  const use = (before: Item | undefined, reason: string): void => {
    if (before !== undefined && before !== after && !edges.has(before)) edges.set(before, { before, after, reason });
  };
  const find = (group: string, usedKind: string, usedNamespace: string, name: unknown): Item | undefined =>
    typeof name === "string"
      ? present.get(formatObjectKey({ group, kind: usedKind, namespace: usedNamespace, name }))
      : undefined;

  if (namespace !== "") use(find("", "Namespace", "", namespace), "metadata.namespace");
  use(definitions.get(groupKind), "its definition");
  for (const field of nameFields.get(groupKind) ?? []) {
    for (const name of readAll(after, field.path)) {
      use(find(field.group, field.kind, field.clusterWide === true ? "" : namespace, name), field.path);
    }
  }
  for (const path of referenceFields.get(groupKind) ?? []) {
    for (const reference of readAll(after, path)) {
      if (!isJsonObject(reference)) continue;
      const text = (member: string): string => {
        const value = getMember(reference, member);
        return typeof value === "string" ? value : "";
      };
      const group = text("apiGroup") === "" ? groupOf(text("apiVersion")) : text("apiGroup");
      const isClusterWide = text("kind") === "ClusterRole";
      const usedNamespace = isClusterWide ? "" : text("namespace") || namespace;
      use(find(group, text("kind"), usedNamespace, getMember(reference, "name")), path);
    }
  }
  const servicePath = serviceFields.get(groupKind);
  for (const service of servicePath === undefined ? [] : readAll(after, servicePath)) {
    if (!isJsonObject(service)) continue;
    const usedNamespace = getMember(service, "namespace");
    if (typeof usedNamespace === "string") {
      use(find("", "Service", usedNamespace, getMember(service, "name")), servicePath ?? "");
    }
  }
  return [...edges.values()];
}

/** All values that a path of members leads to, with `[]` for each item of a list. */
function readAll(object: JsonObject, path: string): JsonValue[] {
  let values: JsonValue[] = [object];
  for (const step of path.split(".")) {
    const name = step.endsWith("[]") ? step.slice(0, -2) : step;
    const members = values.map((value) => (isJsonObject(value) ? getMember(value, name) : undefined));
    values = members.flatMap((member) => {
      if (member === undefined) return [];
      if (name === step) return [member];
      return isJsonArray(member) ? member : [];
    });
  }
  return values;
}
