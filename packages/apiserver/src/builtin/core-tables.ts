import { getMember, isJsonArray, isJsonObject, type JsonValue, type KubernetesObject } from "@slipway/objects";
import { ageOf } from "../age.ts";
import type { TableColumn, TableColumns } from "../resource.ts";

/** What `kubectl get` shows of the core kinds, as kube-apiserver's printers have it. */

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
  description: "Name, unique among objects of the kind in its namespace.",
});
const age = column("Age", ({ metadata }, now) => ageOf(metadata.creationTimestamp, now), {
  description: "Time since the object was created.",
});

export const namespaceColumns: TableColumns = columns(
  name,
  column("Status", (object) => text(member(object, "status", "phase"), ""), { description: "Active or Terminating." }),
  age,
);

export const configMapColumns: TableColumns = columns(
  name,
  column("Data", (object) => size(object.data) + size(object.binaryData), {
    description: "How many keys it has.",
  }),
  age,
);

export const secretColumns: TableColumns = columns(
  name,
  column("Type", (object) => text(object.type, ""), { description: "What kind of secret it is." }),
  column("Data", (object) => size(object.data), { description: "How many keys it has." }),
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
  column("Type", (object) => text(member(object, "spec", "type"), ""), { description: "How it is reached." }),
  column("Cluster-IP", (object) => text(member(object, "spec", "clusterIP"), "<none>"), {
    description: "Address inside the cluster.",
  }),
  column("External-IP", externalAddresses, { description: "Addresses from outside." }),
  column("Port(s)", ports, { description: "Ports and protocols." }),
  age,
  column("Selector", selectorText, { description: "Labels of the pods behind it.", priority: 1 }),
);

export const eventColumns: TableColumns = columns(
  column("Last Seen", (object, now) => ageOf(text(object.lastTimestamp, text(object.eventTime, "")), now), {
    description: "Time since it last happened.",
  }),
  column("Type", (object) => text(object.type, ""), { description: "Normal or Warning." }),
  column("Reason", (object) => text(object.reason, ""), { description: "One word." }),
  column(
    "Object",
    (object) =>
      `${text(member(object, "involvedObject", "kind"), "").toLowerCase()}/${text(member(object, "involvedObject", "name"), "")}`,
    { description: "What it happened to." },
  ),
  column("Message", (object) => text(object.message, "").trim(), { description: "A sentence." }),
);
