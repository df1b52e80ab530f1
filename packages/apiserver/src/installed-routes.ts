import { ApiStatusError, failure, unknownResource } from "@slipway/objects";
import { patchTypes } from "./handlers/patch.ts";
import type { RestStorage } from "./registry/rest.ts";
import type { ApiRequest } from "./request.ts";
import type { ResourceRequestInfo, Verb } from "./request-info.ts";
import type { Resource } from "./resource.ts";
import { subresourcesOf } from "./subresources.ts";

/**
 * Kinds that are compiled into an API server have one route for each method and address, and what has no route is
 * refused before a handler sees it, in words of its own. Custom kinds share one handler for all of that.
 */
export function isInstalled({ order }: Resource): boolean {
  return order === "typed";
}

const abilities: Readonly<Record<Verb, keyof RestStorage>> = {
  get: "get",
  list: "list",
  watch: "watch",
  create: "create",
  update: "update",
  patch: "update",
  delete: "delete",
  deletecollection: "deleteCollection",
};
const verbsOfCollections: ReadonlySet<Verb> = new Set(["list", "watch", "create", "deletecollection"]);
const verbsOfObjects: ReadonlySet<Verb> = new Set(["get", "watch", "update", "patch", "delete"]);

/**
 * Refuses a request for an installed kind that no route takes.
 *
 * @throws {ApiStatusError} `NotFound` for the address, `MethodNotAllowed`, `UnsupportedMediaType`, `NotAcceptable`
 * @see Kubernetes, apiserver's APIInstaller, and go-restful's selection of routes
 */
export function checkRoute(request: ApiRequest, info: ResourceRequestInfo, resource: Resource): void {
  requireAddress(info, resource);
  if (request.method === "HEAD" || !hasRoute(info, resource)) throw methodHasNoRoute();
  if (info.verb === "patch" && !takesBody(request, resource)) {
    throw refusal("UnsupportedMediaType", "415: Unsupported Media Type");
  }
  if (canAnswer(request, answerTypes)) return;
  throw notAcceptable(canWatch(info, resource) ? [...answerTypes, ...streamTypes] : answerTypes);
}

/**
 * Refuses a request for a document that has a route: the version of the server, and what it says about installed groups.
 *
 * @throws {ApiStatusError} `NotFound`, `MethodNotAllowed`, `NotAcceptable`
 */
export function checkDocumentRoute(request: ApiRequest, path: string, resources: readonly Resource[]): void {
  const [root = "", ...rest] = path.split("/").filter((part) => part !== "");
  const [group, version, ...below] = root === "api" ? ["", ...rest] : rest;
  const isVersion = root === "version";
  if (isVersion && group !== undefined) throw unknownResource();
  const isDocument =
    (root === "api" || root === "apis") &&
    below.length === 0 &&
    resources.some(
      (kind) => isInstalled(kind) && kind.group === group && (version === undefined || kind.version === version),
    );
  if (!isVersion && !isDocument) return;
  if (request.method !== "GET") throw methodHasNoRoute();
  const types = isVersion ? ["application/json"] : answerTypes;
  if (!canAnswer(request, types)) throw notAcceptable(types);
}

function notAcceptable(types: readonly string[]): ApiStatusError {
  return refusal("NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`);
}

/**
 * The refusal of a method that no verb stands for, such as OPTIONS.
 *
 * @throws {ApiStatusError} `NotFound` when nothing has that address.
 */
export function unknownMethod(info: ResourceRequestInfo, resource: Resource): ApiStatusError {
  requireAddress(info, resource);
  return methodHasNoRoute();
}

/** Objects stand below their namespace; a collection also stands alone, over all namespaces. */
function requireAddress(info: ResourceRequestInfo, resource: Resource): void {
  const { namespace, name, subresource, rest } = info;
  const isNamespace = resource.group === "" && resource.names.plural === "namespaces";
  const placed = resource.namespaced ? namespace !== "" || name === "" : namespace === "";
  const known = subresource === "" || subresourcesOf(resource).some((below) => below.name === subresource);
  if (!(placed || isNamespace) || !known || rest !== "") throw unknownResource();
}

function hasRoute({ verb, namespace, name, subresource }: ResourceRequestInfo, resource: Resource): boolean {
  const below = subresourcesOf(resource).find((candidate) => candidate.name === subresource);
  if (below !== undefined) return below.verbs.some((own) => own === verb);
  if (resource.storage[abilities[verb]] === undefined) return false;
  if (name !== "") return verbsOfObjects.has(verb);
  return (
    verbsOfCollections.has(verb) && (!resource.namespaced || namespace !== "" || verb === "list" || verb === "watch")
  );
}

/** Server-side apply has a route, whatever its handler says. */
function takesBody({ headers }: ApiRequest, resource: Resource): boolean {
  const types = [...patchTypes(resource), "application/strategic-merge-patch+json", "application/apply-patch+yaml"];
  return mediaTypes(headers["content-type"]).some((type) => type === "*/*" || types.includes(type));
}

function canWatch({ verb }: ResourceRequestInfo, { storage }: Resource): boolean {
  return (verb === "list" || verb === "watch") && storage.watch !== undefined;
}

const answerTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const streamTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** Whole types only: `application/*` is none. Parameters and qualities do not count here. */
function canAnswer({ headers }: ApiRequest, types: readonly string[]): boolean {
  const { accept = "" } = headers;
  return accept === "" || mediaTypes(accept).some((type) => type === "*/*" || types.includes(type));
}

function mediaTypes(header = ""): string[] {
  return header.split(",").map((clause) => (clause.split(";", 1)[0] ?? "").trim());
}

function methodHasNoRoute(): ApiStatusError {
  return refusal("MethodNotAllowed", "the server does not allow this method on the requested resource");
}

function refusal(reason: Parameters<typeof failure>[0], message: string): ApiStatusError {
  return new ApiStatusError(failure(reason, message, {}));
}
