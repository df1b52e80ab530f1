import {
  isJsonObject,
  type JsonValue,
  type MutableJsonObject,
  parseFieldSelector,
  parseJson,
  parseLabelSelector,
} from "@slipway/objects";
import { bigints } from "./response-comparison.ts";

/** The object written after the last recorded event of a watch: when it arrives, nothing else came before it. */
export const sentinelName = "zz-replay-sentinel";

export interface Sentinel {
  /** Where it is created; its own address is one segment longer. */
  readonly collection: string;
  readonly body: string;
}

/** A create that succeeded, to make a valid sentinel of. */
export interface Create {
  readonly collection: string;
  readonly body: string;
}

export function isSentinel(event: JsonValue): boolean {
  return JSON.stringify(event, bigints).includes(sentinelName);
}

/** `undefined` when no object can be made that the watch at `path` would show. */
export function sentinelFor(path: string, creates: readonly Create[]): Sentinel | undefined {
  const url = new URL(path, "http://server");
  const watched = url.pathname.replace(/^(\/apis?\/(?:[^/]+\/)?[^/]+)\/watch\//, "$1/");
  const like = creates.findLast(({ collection }) => isBelow(collection, watched));
  if (like === undefined) return undefined;
  const model = tryObject(like.body);
  if (model === undefined) return undefined;
  const labels = labelsFor(url.searchParams.get("labelSelector") ?? "");
  const fields = fieldsFor(url.searchParams.get("fieldSelector") ?? "");
  if (labels === undefined || fields === undefined) return undefined;
  const namespace = isJsonObject(model.metadata) ? model.metadata.namespace : undefined;
  const body: MutableJsonObject = { ...model, metadata: { name: sentinelName, namespace, labels } };
  for (const [field, value] of fields) {
    const [, member, ...deeper] = field.split(".");
    if (member === undefined || deeper.length > 0) return undefined;
    body.spec = { ...(isJsonObject(body.spec) ? body.spec : {}), [member]: value };
  }
  return { collection: like.collection, body: JSON.stringify(body, bigints) };
}

/** The collection itself, or the one over all namespaces. A single object is no collection. */
function isBelow(collection: string, watched: string): boolean {
  if (collection === watched) return true;
  const everywhere = collection.replace(/\/namespaces\/[^/]+\/(?=[^/]+$)/, "/");
  return everywhere === watched;
}

function labelsFor(selector: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  try {
    for (const requirement of parseLabelSelector(selector).requirements) {
      const { key, operator, values } = requirement;
      if (operator === "in" || operator === "=" || operator === "==") labels[key] = values[0] ?? "";
      else if (operator === "exists") labels[key] = "";
      else if (operator === "gt" || operator === "lt") return undefined;
    }
  } catch {
    return undefined;
  }
  return labels;
}

function fieldsFor(selector: string): [string, string][] | undefined {
  try {
    const equal = parseFieldSelector(selector).filter(({ operator }) => operator === "=");
    if (equal.some(({ field }) => !field.startsWith("spec."))) return undefined;
    return equal.map(({ field, value }) => [field, value]);
  } catch {
    return undefined;
  }
}

function tryObject(text: string): Record<string, JsonValue | undefined> | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
