import { badRequest } from "@slipway/objects";

/** The Kubernetes verb is not the HTTP method. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request for objects of a kind. */
export interface ResourceRequestInfo {
  readonly isResource: true;
  readonly verb: Verb;
  /** `""` is the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Plural and lower case: `deployments`. */
  readonly resource: string;
  /** `""` for the object itself. */
  readonly subresource: string;
  /** What follows the subresource in the path, or `""`. */
  readonly rest: string;
  /** `""` for cluster scope and for lists over all namespaces. */
  readonly namespace: string;
  /** `""` for collections. */
  readonly name: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A request for anything else: discovery, OpenAPI, health, version. */
interface NonResourceRequestInfo {
  readonly isResource: false;
  /** The HTTP method in lower case, as authorizers see it. */
  readonly verb: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export type RequestInfo = ResourceRequestInfo | NonResourceRequestInfo;

/** Parameters that are true unless absent, `0` or `false`: what kube-apiserver does for all booleans but `pretty`. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

// Maps, because a method is any word: an object also has a member called `constructor`.
const writeVerbs = [
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
] as const;
const collectionVerbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ...writeVerbs,
  ["GET", "list"],
  ["HEAD", "list"],
  ["DELETE", "deletecollection"],
]);
const objectVerbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ...writeVerbs,
  ["GET", "get"],
  ["HEAD", "get"],
  ["DELETE", "delete"],
]);

/** Subresources that a namespace itself has; any other third part names a resource inside the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

/**
 * Method and URL to verb, group, version, resource, namespace and name, exactly as kube-apiserver's request info
 * resolver derives them, because authorization depends on it.
 *
 * @throws {ApiStatusError} `BadRequest` when the path is not valid percent-encoding.
 */
export function requestInfo(method: string, url: string): RequestInfo {
  const question = url.indexOf("?");
  const rawPath = question === -1 ? url : url.slice(0, question);
  const query = new URLSearchParams(question === -1 ? "" : url.slice(question + 1));
  const path = decodePath(rawPath);
  return resourceRequest(method, path, query) ?? { isResource: false, verb: method.toLowerCase(), path, query };
}

function decodePath(rawPath: string): string {
  try {
    return decodeURIComponent(rawPath);
  } catch (cause) {
    if (cause instanceof URIError) throw badRequest(`invalid URL escape in path ${JSON.stringify(rawPath)}`);
    throw cause;
  }
}

function resourceRequest(method: string, path: string, query: URLSearchParams): ResourceRequestInfo | undefined {
  const parts = path.replace(/^\/+|\/+$/g, "").split("/");
  const apiGroup = parts[0] === "api" ? "" : parts[0] === "apis" ? parts[1] : undefined;
  if (apiGroup === undefined) return undefined;
  const prefixLength = apiGroup === "" ? 2 : 3;
  const apiVersion = parts[prefixLength - 1];
  let segments = parts.slice(prefixLength);
  if (apiVersion === undefined || segments[0] === undefined || segments[0] === "") return undefined;

  // The deprecated form /api/v1/watch/...: a watch, whatever the query says.
  const watchPath = segments[0] === "watch" && segments.length > 1;
  if (watchPath) segments = segments.slice(1);

  let namespace = "";
  if (segments[0] === "namespaces" && segments.length > 1) {
    namespace = segments[1] ?? "";
    const inside = segments[2];
    if (inside !== undefined && !namespaceSubresources.has(inside)) segments = segments.slice(2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = segments;
  let verb = (name === "" ? collectionVerbs : objectVerbs).get(method);
  if (verb === undefined) return undefined;
  const watching = watchPath || (verb === "list" && booleanParameter(query, "watch"));
  if (watching && (verb === "list" || verb === "get")) verb = "watch";
  return {
    isResource: true,
    verb,
    apiGroup,
    apiVersion,
    resource,
    subresource,
    rest: rest.join("/"),
    namespace,
    name,
    path,
    query,
  };
}
