import { getMember, isJsonArray, isJsonObject, type JsonValue, type KubernetesObject } from "@slipway/objects";
import { ageOf } from "../age.ts";
import type { TableColumn, TableColumns } from "../resource.ts";
import { ageDescription, nameDescription } from "../table.ts";

/** What `kubectl get` shows of the built-in kinds, as kube-apiserver's printers have it, in Kubernetes' words. */

type Cell = (object: KubernetesObject, now: Date) => JsonValue;

function columns(...entries: readonly (readonly [column: TableColumn, cell: Cell])[]): TableColumns {
  return {
    columns: entries.map(([column]) => column),
    cells: (object, now) => entries.map(([, cell]) => cell(object, now)),
  };
}

function column(
  name: string,
  cell: Cell,
  options: Partial<Omit<TableColumn, "name">> = {},
): readonly [column: TableColumn, cell: Cell] {
  return [{ name, type: "string", format: "", description: "", priority: 0, ...options }, cell];
}

function member(object: KubernetesObject, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (parent, name) => (isJsonObject(parent) ? getMember(parent, name) : undefined),
    object,
  );
}

function text(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function size(value: JsonValue | undefined): number {
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

const name = column("Name", ({ metadata }) => metadata.name ?? "", {
  format: "name",
  description: nameDescription,
});
const age = column("Age", ({ metadata }, now) => ageOf(metadata.creationTimestamp, now), {
  description: ageDescription,
});

export const namespaceColumns: TableColumns = columns(
  name,
  column("Status", (object) => text(member(object, "status", "phase"), ""), {
    description: "The status of the namespace",
  }),
  age,
);

export const configMapColumns: TableColumns = columns(
  name,
  column("Data", (object) => size(object.data) + size(object.binaryData), {
    description:
      "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
  }),
  age,
);

export const secretColumns: TableColumns = columns(
  name,
  column("Type", (object) => text(object.type, ""), {
    description:
      "Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
  }),
  column("Data", (object) => size(object.data), {
    description:
      "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
  }),
  age,
);

export const serviceAccountColumns: TableColumns = columns(name, age);

function ports(object: KubernetesObject): string {
  const list = member(object, "spec", "ports");
  if (!isJsonArray(list) || list.length === 0) return "<none>";
  return list
    .filter(isJsonObject)
    .map(({ port, nodePort, protocol }) => `${port}${nodePort === undefined ? "" : `:${nodePort}`}/${protocol}`)
    .join(",");
}

function externalAddresses(object: KubernetesObject): string {
  const ingress = member(object, "status", "loadBalancer", "ingress");
  const addresses = (isJsonArray(ingress) ? ingress : [])
    .filter(isJsonObject)
    .map(({ ip, hostname }) => text(ip, text(hostname, "")))
    .filter((address) => address !== "");
  const external = member(object, "spec", "externalIPs");
  if (isJsonArray(external)) addresses.push(...external.map(String));
  switch (member(object, "spec", "type")) {
    case "ExternalName":
      return text(member(object, "spec", "externalName"), "<none>");
    case "LoadBalancer":
      return addresses.length === 0 ? "<pending>" : addresses.join(",");
    default:
      return addresses.length === 0 ? "<none>" : addresses.join(",");
  }
}

function selectorText(object: KubernetesObject): string {
  const selector = member(object, "spec", "selector");
  if (!isJsonObject(selector)) return "<none>";
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

export const serviceColumns: TableColumns = columns(
  name,
  column("Type", (object) => text(member(object, "spec", "type"), ""), {
    description:
      'type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types',
  }),
  column("Cluster-IP", (object) => text(member(object, "spec", "clusterIP"), "<none>"), {
    description:
      'clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are "None", empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
  }),
  column("External-IP", externalAddresses, {
    description:
      "externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system.",
  }),
  column("Port(s)", ports, {
    description:
      "The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
  }),
  age,
  column("Selector", selectorText, {
    description:
      "Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/",
    priority: 1,
  }),
);

/** Of the newer and the older form of an event. */
function eventTimes(object: KubernetesObject): { readonly first: string; readonly last: string } {
  const first = text(object.firstTimestamp, text(object.eventTime, ""));
  const last = text(object.lastTimestamp, first);
  return { first, last: object.series === undefined ? last : text(member(object, "series", "lastObservedTime"), "") };
}

function eventCount(object: KubernetesObject): JsonValue {
  return object.series === undefined ? object.count || 1 : (member(object, "series", "count") ?? 0);
}

function eventObject(object: KubernetesObject): string {
  const kind = text(member(object, "involvedObject", "kind"), "").toLowerCase();
  const name = text(member(object, "involvedObject", "name"), "");
  return name === "" ? kind : `${kind}/${name}`;
}

function eventSource(object: KubernetesObject): string {
  const component = text(member(object, "source", "component"), text(object.reportingComponent, ""));
  const instance = text(member(object, "source", "host"), text(object.reportingInstance, ""));
  return instance === "" ? component : `${component}, ${instance}`;
}

export const eventColumns: TableColumns = columns(
  column("Last Seen", (object, now) => ageOf(eventTimes(object).last, now), {
    description: "The time at which the most recent occurrence of this event was recorded.",
  }),
  column("Type", (object) => text(object.type, ""), {
    description: "Type of this event (Normal, Warning), new types could be added in the future",
  }),
  column("Reason", (object) => text(object.reason, ""), {
    description:
      "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
  }),
  column("Object", eventObject, { description: "The object that this event is about." }),
  column("Subobject", (object) => text(member(object, "involvedObject", "fieldPath"), ""), {
    description:
      'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
    priority: 1,
  }),
  column("Source", eventSource, {
    description: "The component reporting this event. Should be a short machine understandable string.",
    priority: 1,
  }),
  column("Message", (object) => text(object.message, "").trim(), {
    description: "A human-readable description of the status of this operation.",
  }),
  column("First Seen", (object, now) => ageOf(eventTimes(object).first, now), {
    description: "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
    priority: 1,
  }),
  column("Count", eventCount, { description: "The number of times this event has occurred.", priority: 1 }),
  column("Name", ({ metadata }) => metadata.name ?? "", { format: "name", description: nameDescription, priority: 1 }),
);

export const leaseColumns: TableColumns = columns(
  name,
  column("Holder", (object) => text(member(object, "spec", "holderIdentity"), ""), {
    description:
      "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
  }),
  age,
);
