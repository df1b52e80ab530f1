import {
  ApiStatusError,
  formatApiVersion,
  type JsonObject,
  methodNotAllowed,
  notFound,
  unknownResource,
} from "@slipway/objects";
import { Documents } from "./discovery/documents.ts";
import type { Authenticator } from "./filters/authentication.ts";
import { unauthorized } from "./filters/authentication.ts";
import { type Authorizer, authorizationRefused } from "./filters/authorization.ts";
import { tooManyRequests } from "./filters/in-flight.ts";
import type { Handler } from "./handlers/call.ts";
import { createOne } from "./handlers/create.ts";
import { deleteMany, deleteOne } from "./handlers/delete.ts";
import { EventFrames } from "./handlers/event-frames.ts";
import { getOne } from "./handlers/get.ts";
import { JsonTexts } from "./handlers/json-texts.ts";
import { listMany } from "./handlers/list.ts";
import { patchOne } from "./handlers/patch.ts";
import { jsonResponse, statusResponse, toStatus } from "./handlers/respond.ts";
import { updateOne } from "./handlers/update.ts";
import { warningHeaders } from "./handlers/warnings.ts";
import { openWatch } from "./handlers/watch.ts";
import { type HealthCheck, type HealthEndpoint, healthResponse, singleHealthResponse } from "./health.ts";
import type { ServerHost } from "./host.ts";
import { checkDocumentRoute, checkRoute, isInstalled, unknownMethod } from "./installed-routes.ts";
import type { ServerGauges } from "./metrics.ts";
import { type OpenRequests, Operation, type OperationOptions, type RequestScope } from "./operation.ts";
import type { AdmissionStep } from "./registry/admission.ts";
import { groupResource, type Target } from "./registry/operations.ts";
import type { RequestContext, UserInfo } from "./registry/rest.ts";
import type { ApiRequest, ApiResponse, RequestHandler } from "./request.ts";
import { type RequestInfo, type ResourceRequestInfo, requestInfo, type Verb } from "./request-info.ts";
import type { Resource } from "./resource.ts";
import { type PlacedSubresource, subresourcesOf } from "./subresources.ts";

export interface ApiServerOptions {
  readonly host: ServerHost;
  /** Who asks. Requests that present nothing get 401, except for health and version. */
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  /** Passed by every write, in this order. @default none */
  readonly admission?: readonly AdmissionStep[] | undefined;
  /** What `/version` answers; `major` and `minor` are what kubectl compares itself with. */
  readonly version: JsonObject;
  /** Title and version of OpenAPI documents. */
  readonly info: { readonly title: string; readonly version: string };
  /** Beside `ping`. @default none */
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  /** Limits, metrics, the request log. @default what {@link OperationOptions} says */
  readonly operation?: OperationOptions | undefined;
}

export interface ApiServer {
  readonly handle: RequestHandler;
  /** Serves exactly these kinds under the group version, from the next request on. An empty list ends it. */
  serve(group: string, version: string, resources: readonly Resource[]): void;
  /** The kind at this address, or `undefined`. */
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Every kind served, in the order in which their group versions were first served. */
  resources(): readonly Resource[];
  readonly admission: readonly AdmissionStep[];
  /** What is being answered at the moment. */
  openRequests(): OpenRequests;
  /**
   * From now on `/readyz` fails, so that nobody sends new clients here; everything else is answered as before. Call it
   * first, wait until it has been noticed, and close the listener then.
   */
  startShutdown(): void;
}

const handlers = {
  get: getOne,
  list: listMany,
  watch: openWatch,
  create: createOne,
  update: updateOne,
  patch: patchOne,
  delete: deleteOne,
  deletecollection: deleteMany,
} satisfies Record<Verb, Handler>;

const openPaths: ReadonlySet<string> = new Set(["/version", "/version/"]);
const healthEndpoints: ReadonlySet<string> = new Set(["healthz", "livez", "readyz"]);

/** Bound to one or more group versions of kinds, answers requests as kube-apiserver does. Pure: sockets are elsewhere. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const served = new Map<string, ReadonlyMap<string, Resource>>();
  const all = (): readonly Resource[] => [...served.values()].flatMap((resources) => [...resources.values()]);
  const documents = new Documents(all, options.info, options.host.now);
  const texts = new JsonTexts();
  const frames = new EventFrames();
  const admission = options.admission ?? [];
  const operation = new Operation(options.operation ?? {}, options.host);
  const state = { isStopping: false };
  const find: ApiServer["find"] = (group, version, plural) => served.get(formatApiVersion(group, version))?.get(plural);
  const parts: Served = {
    documents,
    find,
    admission,
    all,
    texts,
    frames,
    operation,
    state,
    eventCounts: new WeakMap(),
  };
  return {
    handle: (request) => operation.serve(request, (scope) => respond(request, scope, options, parts)),
    serve(group, version, resources) {
      const byPlural = new Map(resources.map((resource) => [resource.names.plural, resource]));
      if (byPlural.size === 0) served.delete(formatApiVersion(group, version));
      else served.set(formatApiVersion(group, version), byPlural);
      documents.forget();
    },
    find,
    resources: all,
    admission,
    openRequests: () => operation.openRequests(),
    startShutdown: () => {
      state.isStopping = true;
    },
  };
}

interface Served {
  readonly texts: JsonTexts;
  readonly frames: EventFrames;
  readonly documents: Documents;
  readonly find: ApiServer["find"];
  readonly admission: readonly AdmissionStep[];
  readonly all: () => readonly Resource[];
  readonly operation: Operation;
  readonly state: { readonly isStopping: boolean };
  readonly eventCounts: WeakMap<Resource, { count: number }>;
}

/** The one door: whatever happens inside becomes a response here. */
async function respond(
  request: ApiRequest,
  scope: RequestScope,
  options: ApiServerOptions,
  served: Served,
): Promise<ApiResponse> {
  const warnings = new Set<string>();
  let query = new URLSearchParams();
  let response: ApiResponse;
  try {
    const info = scope.begin(
      ({ apiGroup, apiVersion, resource }) => served.find(apiGroup, apiVersion, resource) !== undefined,
    );
    query = info.query;
    response = await scope.withinDeadline(route(request, info, scope, options, served, (text) => warnings.add(text)));
  } catch (error) {
    if (!ApiStatusError.isApiStatusError(error)) {
      options.host.logError(`request ${scope.requestId} ${request.method} ${request.url}`, error);
    }
    response = statusResponse(toStatus(error, scope.requestId), request, query);
  }
  return {
    ...response,
    headers: {
      "audit-id": scope.auditId,
      "cache-control": "no-cache, private",
      ...warningHeaders([...warnings]),
      ...response.headers,
    },
  };
}

async function route(
  request: ApiRequest,
  info: RequestInfo,
  scope: RequestScope,
  options: ApiServerOptions,
  served: Served,
  warn: (text: string) => void,
): Promise<ApiResponse> {
  if (!info.isResource && isOpen(info.path)) return publicResponse(request, info, options, served.state.isStopping);
  const user = await options.authenticate(request);
  if (user === undefined) throw unauthorized();
  if (info.path !== "/metrics" && !scope.enter(user, info)) return tooManyRequests();
  if (!(await options.authorize(user, info))) throw authorizationRefused(user, info);
  if (info.path.startsWith("//")) return pageNotFound();
  if (!info.isResource) return describe(request, info, options, served);
  return serveResource(request, info, scope, options, served, { user, signal: scope.signal, warn });
}

function isOpen(path: string): boolean {
  return openPaths.has(path) || healthEndpoints.has(path.split("/")[1] ?? "");
}

async function publicResponse(
  request: ApiRequest,
  info: RequestInfo,
  options: ApiServerOptions,
  isStopping: boolean,
): Promise<ApiResponse> {
  if (openPaths.has(info.path)) {
    checkDocumentRoute(request, info.path, []);
    return jsonResponse(200, options.version, { pretty: true });
  }
  const endpoint = (info.path.split("/")[1] ?? "") as HealthEndpoint;
  const checks = [ping, ...(options.healthChecks ?? []), shutdownCheck(isStopping)].filter(
    ({ endpoints }) => endpoints?.includes(endpoint) ?? true,
  );
  const rest = info.path.slice(endpoint.length + 1);
  if (rest === "") return healthResponse(endpoint, checks, info.query, options.host.logError);
  const name = rest.slice(1); // with slashes in it, as in `poststarthook/start-informers`
  const single = checks.find((check) => check.name === name);
  return single === undefined ? pageNotFound() : singleHealthResponse(single, options.host.logError);
}

const ping: HealthCheck = { name: "ping", check: async () => {} };

function shutdownCheck(isStopping: boolean): HealthCheck {
  const check = async (): Promise<void> => {
    if (isStopping) throw new Error("the server is shutting down");
  };
  return { name: "shutdown", endpoints: ["readyz"], isQuiet: true, check };
}

async function describe(
  request: ApiRequest,
  info: RequestInfo,
  _options: ApiServerOptions,
  { documents, all, operation }: Served,
): Promise<ApiResponse> {
  if (info.path === "/metrics" && operation.metrics !== undefined) {
    const { contentType, body } = await operation.metrics.expose(await readGauges(operation, all()));
    return { status: 200, headers: { "content-type": contentType }, body };
  }
  const unsupported = unsupportedMethod(request.method, info.path, all());
  if (unsupported !== undefined) return unsupported;
  checkDocumentRoute(request, info.path, all());
  const document =
    (await documents.openApi(request, info.path, info.query)) ??
    (await documents.discovery(request, info.path, info.query));
  return document ?? notServed(info, all());
}

/**
 * OPTIONS and the like on the address of a kind: 405, for custom kinds with an empty verb.
 *
 * @returns the answer where nothing has that address
 */
function unsupportedMethod(method: string, path: string, resources: readonly Resource[]): ApiResponse | undefined {
  const asGet = requestInfo("GET", path);
  if (method === "GET" || method === "HEAD" || !asGet.isResource) return undefined;
  const resource = resources.find(
    ({ group, version, names }) =>
      group === asGet.apiGroup && version === asGet.apiVersion && names.plural === asGet.resource,
  );
  if (resource === undefined) return undefined;
  if (isInstalled(resource)) throw unknownMethod(asGet, resource);
  if (resource.namespaced === (asGet.namespace === "")) return pageNotFound();
  requireSubresource(resource, asGet);
  throw methodNotAllowed(groupResource(resource), "");
}

async function readGauges(operation: Operation, resources: readonly Resource[]): Promise<ServerGauges> {
  const counted = new Map<string, Resource>();
  for (const resource of resources) counted.set(groupResourceKey(resource), resource);
  const objects = await Promise.all(
    [...counted.values()].map(async ({ group, names, storage }) => ({
      group,
      resource: names.plural,
      count: (await storage.count?.().catch(() => unknownCount)) ?? unknownCount,
    })),
  );
  return { inFlight: operation.inFlight.peak(operation.nowMs()), objects };
}

/** Versions of one kind share their objects. */
function groupResourceKey({ group, names }: Resource): string {
  return `${names.plural}.${group}`;
}

/** What kube-apiserver shows for kinds that it cannot count. */
const unknownCount = -1;

async function serveResource(
  request: ApiRequest,
  info: ResourceRequestInfo,
  scope: RequestScope,
  options: ApiServerOptions,
  { find, all, admission, texts, frames, operation, eventCounts }: Served,
  context: RequestContext & { readonly user: UserInfo },
): Promise<ApiResponse> {
  const resource = find(info.apiGroup, info.apiVersion, info.resource);
  if (resource === undefined) return notServed(info, all());
  if (isInstalled(resource)) checkRoute(request, info, resource);
  const overAll = resource.namespaced && info.namespace === "" && (info.verb === "list" || info.verb === "watch");
  if (resource.group === "" && resource.names.plural === "namespaces") {
    info = { ...info, namespace: "" };
  } else if (resource.namespaced === (info.namespace === "") && !overAll) return pageNotFound();
  if (resource.deprecationWarning !== undefined) context.warn(resource.deprecationWarning);
  const target = targetOf(resource, info, admission);
  const mayCreate = async (): Promise<void> => {
    const creation = { ...info, verb: "create" as const };
    if (!(await options.authorize(context.user, creation))) throw authorizationRefused(context.user, creation);
  };
  const sentEvents = info.verb === "watch" ? eventCountOf(resource, operation, eventCounts) : undefined;
  const { requestId } = scope;
  return handlers[info.verb]({
    request,
    info,
    target,
    context,
    host: options.host,
    requestId,
    sentEvents,
    texts,
    frames,
    mayCreate,
  });
}

function eventCountOf(
  resource: Resource,
  { metrics }: Operation,
  counts: WeakMap<Resource, { count: number }>,
): { count: number } | undefined {
  const { group, version, names } = resource;
  const known = counts.get(resource) ?? metrics?.watchEvents({ group, version, resource: names.plural });
  if (known !== undefined) counts.set(resource, known);
  return known;
}

/** The object's own storage or that of its subresource; an unknown subresource is "not found" about the object. */
function targetOf(resource: Resource, info: ResourceRequestInfo, admission: readonly AdmissionStep[]): Target {
  const { subresource, verb } = info;
  const found = requireSubresource(resource, info);
  if (found === undefined) return { resource, subresource, form: resource, storage: resource.storage, admission };
  if (!found.verbs.some((own) => own === verb)) throw methodNotAllowed(groupResource(resource), verb);
  return { resource, subresource, form: found.form, storage: found.storage, admission };
}

/** `undefined`: the request is about the object itself. */
function requireSubresource(
  resource: Resource,
  { subresource, rest, name }: ResourceRequestInfo,
): PlacedSubresource | undefined {
  if (subresource === "") return undefined;
  // Kubernetes' custom kinds do not look at what stands behind the subresource.
  const isWhole = rest === "" || !isInstalled(resource);
  const found = isWhole ? subresourcesOf(resource).find((candidate) => candidate.name === subresource) : undefined;
  if (found === undefined) throw notFound(groupResource(resource), name);
  return found;
}

/** Below the address of an installed group the answer is a Status; elsewhere nobody knows of Statuses. */
function notServed({ path }: RequestInfo, resources: readonly Resource[]): ApiResponse {
  const [root, name = ""] = path.split("/").filter((part) => part !== "");
  const group = root === "api" ? "" : root === "apis" && name !== "" ? name : undefined;
  if (resources.some((resource) => resource.group === group && isInstalled(resource))) throw unknownResource();
  return pageNotFound();
}

function pageNotFound(): ApiResponse {
  return {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: "404 page not found\n",
  };
}
