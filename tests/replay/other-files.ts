import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, parseJson } from "@slipway/objects";
import type { HttpStep, Recording } from "./recording.ts";

/** What every recording of cozystack-api starts with. */
const startNamespaces = ["tenant-root", "cozy-system", "kube-system", "default"] as const;

/**
 * The namespaces that a recording works in. All files of cozystack-api were recorded from one server, so answers over
 * all namespaces also show what earlier files made.
 */
export function namespacesOf({ steps }: Recording): ReadonlySet<string> {
  const created = steps
    .flatMap((step) => (step.type === "http" ? [step, ...step.during] : []))
    .flatMap(createdNamespace);
  return new Set([...startNamespaces, ...created]);
}

function createdNamespace({ request }: HttpStep): string[] {
  if (request.method !== "POST" || !request.path.startsWith("/api/v1/namespaces") || request.body === undefined)
    return [];
  if (request.path.split("/").length > 4) return [];
  const body = parseJson(request.body);
  const metadata = isJsonObject(body) ? body.metadata : undefined;
  return isJsonObject(metadata) && typeof metadata.name === "string" ? [metadata.name] : [];
}

/** `value`, an answer or an event, without the objects of other namespaces; `undefined` when it is itself one. */
export function withoutOthers(value: JsonValue, namespaces: ReadonlySet<string>): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  if (value.type !== undefined && isJsonObject(value.object)) {
    const object = withoutOthers(value.object, namespaces);
    const isEmptied = isJsonObject(object) && isJsonArray(object.rows) && object.rows.length === 0;
    return object === undefined || (isEmptied && hasRows(value.object)) ? undefined : { ...value, object };
  }
  if (isJsonArray(value.items)) return { ...value, items: value.items.filter((item) => isOwn(item, namespaces)) };
  if (isJsonArray(value.rows)) {
    const rows = value.rows.filter((row) => isOwn(isJsonObject(row) ? (row.object ?? null) : row, namespaces));
    return { ...value, rows };
  }
  return isOwn(value, namespaces) ? value : undefined;
}

const hasRows = ({ rows }: JsonObject): boolean => isJsonArray(rows) && rows.length > 0;

function isOwn(object: JsonValue, namespaces: ReadonlySet<string>): boolean {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  if (!isJsonObject(metadata)) return true;
  const { namespace, name } = metadata;
  if (typeof namespace === "string") return namespaces.has(namespace);
  return typeof name !== "string" || !name.startsWith("tenant-") || namespaces.has(name);
}
