import { byCodeUnit, type JsonObject } from "@slipway/objects";

type ParameterType = "boolean" | "integer" | "string";

function query(name: string, type: ParameterType, description: string): JsonObject {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

function inPath(name: string, description: string): JsonObject {
  return { name, in: "path", description, required: true, schema: { type: "string", uniqueItems: true } };
}

const dryRun = query("dryRun", "string", "All: everything is checked and answered, nothing is stored.");
const resourceVersion = query(
  "resourceVersion",
  "string",
  "Which state to answer with: unset is the newest, 0 is any.",
);

export const pretty: JsonObject = query("pretty", "string", "True indents the answer.");

export const namespaceParameter: JsonObject = inPath("namespace", "Namespace of the objects.");

export function nameParameter(kind: string): JsonObject {
  return inPath("name", `Name of the ${kind}.`);
}

export const getParameters: readonly JsonObject[] = [resourceVersion];

export const writeParameters: readonly JsonObject[] = [
  dryRun,
  query("fieldManager", "string", "Who makes the change: at most 128 printable characters."),
  query(
    "fieldValidation",
    "string",
    "What to do about unknown and duplicate fields: Ignore drops them, Warn also warns, Strict refuses the request.",
  ),
];

/** Only server-side apply has it. */
export const force: JsonObject = query(
  "force",
  "boolean",
  "True takes over fields that other managers own. For apply patches only.",
);

export const deleteParameters: readonly JsonObject[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Seconds until the deletion. Not negative; zero is at once."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy. True leaves dependents alone."),
  query(
    "propagationPolicy",
    "string",
    "What happens to dependents: Orphan leaves them, Background deletes them afterwards, Foreground before the object.",
  ),
];

const selectors: readonly JsonObject[] = [
  query("continue", "string", "Token of the page to answer with, from the page before. Not for a watch."),
  query("fieldSelector", "string", "Only objects whose fields match: a=b,c!=d."),
  query("labelSelector", "string", "Only objects whose labels match: a=b,c in (d,e),!f."),
  query("limit", "integer", "Most items to answer with. Not for a watch."),
  resourceVersion,
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
];

const watching: readonly JsonObject[] = [
  query("allowWatchBookmarks", "boolean", "True lets a watch send bookmarks, which carry a version and no object."),
  query(
    "sendInitialEvents",
    "boolean",
    "True makes a watch begin with the present state and mark its end with a bookmark. Needs resourceVersionMatch=NotOlderThan.",
  ),
  query("watch", "boolean", "True answers with a stream of changes instead of a list."),
];

const timeout = query("timeoutSeconds", "integer", "Ends the request, a watch above all, after this long.");

/** Sorted by name. */
export function listParameters(canWatch: boolean): readonly JsonObject[] {
  return byName([...selectors, timeout, ...(canWatch ? watching : [])]);
}

export function deleteCollectionParameters(): readonly JsonObject[] {
  return byName([...selectors, timeout, ...deleteParameters]);
}

function byName(parameters: readonly JsonObject[]): JsonObject[] {
  return parameters.toSorted((a, b) => byCodeUnit(String(a.name), String(b.name)));
}
