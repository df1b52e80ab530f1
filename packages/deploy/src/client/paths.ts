import { SlipwayError } from "@slipway/objects";

/** Where a kind is served. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural and lower case: `deployments`. */
  readonly resource: string;
  readonly namespaced: boolean;
}

/** `/api/v1`, or `/apis/apps/v1` outside of the core group. */
export function groupVersionPath({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
}

/**
 * Where the objects of a kind are listed and created. `namespace` does not count for a kind without namespaces; `""` is
 * all of them, where that may be.
 *
 * @throws {SlipwayError} `INVALID_OBJECT` when the namespace cannot stand in a URL.
 */
export function collectionPath(resource: ApiResource, namespace: string): string {
  const below = resource.namespaced && namespace !== "" ? `/namespaces/${pathName("namespace", namespace)}` : "";
  return `${groupVersionPath(resource)}${below}/${segment(resource.resource)}`;
}

/** As {@link collectionPath}, where a namespaced kind needs a namespace: an object is created in one, not in all. */
export function creationPath(resource: ApiResource, namespace: string): string {
  requireNamespace(resource, namespace);
  return collectionPath(resource, namespace);
}

/**
 * Where one object is read, replaced and deleted.
 *
 * @throws {SlipwayError} `INVALID_OBJECT` when the name or the namespace is missing or cannot stand in a URL. Without
 *   that check an empty name would be the whole collection, and `..` another kind.
 */
export function objectPath(resource: ApiResource, namespace: string, name: string): string {
  requireNamespace(resource, namespace);
  return `${collectionPath(resource, namespace)}/${pathName("name", name)}`;
}

function requireNamespace({ kind, namespaced }: ApiResource, namespace: string): void {
  if (!namespaced || namespace !== "") return;
  throw invalid(`${kind}: the namespace is missing. Objects of this kind are in namespaces: name one.`);
}

/** @see Kubernetes, apimachinery's IsValidPathSegmentName */
function pathName(what: "name" | "namespace", text: string): string {
  if (text === "") throw invalid(`the ${what} is missing. Give the object's ${what}.`);
  if (text === "." || text === ".." || /[/%]/.test(text)) {
    throw invalid(`${what} "${text}": may not be '.' or '..', nor contain '/' or '%'. Correct the ${what}.`);
  }
  return segment(text);
}

/** Colons stay readable: names of RBAC objects have them, and a path may. */
function segment(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":");
}

function invalid(message: string): SlipwayError {
  return new SlipwayError(message, { code: "INVALID_OBJECT" });
}
