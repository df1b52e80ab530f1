import type { InFlightCounts } from "./filters/in-flight.ts";
import type { RequestInfo } from "./request-info.ts";

/** What requests are told apart by in metrics: kube-apiserver's labels. */
export interface RequestLabels {
  /** `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `APPLY`, `DELETE`, …; `other` for what is none. */
  readonly verb: string;
  /** `All`, `""`, or `invalid`. */
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Of a request that is for no kind: its path, if it is one of a few. */
  readonly subresource: string;
  readonly scope: "" | "cluster" | "namespace" | "resource";
}

/** Requests with the same labels. */
export interface RequestSeries {
  /** An answer has gone out: its status, how long it took, and its bytes. */
  answered(code: number, seconds: number, bytes: number): void;
  /** The server has refused the request, or given it up, to protect itself. */
  terminated(code: number): void;
  /** Its client did not wait for the answer. */
  aborted(): void;
  /** A watch begins, or ends. */
  longRunning(change: 1 | -1): void;
}

/** Read when somebody asks for the metrics. */
export interface ServerGauges {
  readonly inFlight: InFlightCounts;
  readonly objects: readonly { readonly group: string; readonly resource: string; readonly count: number }[];
}

/**
 * Where the server counts. What is called for every request is cheap; nothing throws. `createMetrics` of
 * `@slipway/apiserver/node` makes one.
 */
export interface ServerMetrics {
  /** Kept by the server: asked for once for each combination. */
  series(labels: RequestLabels): RequestSeries;
  /** To be raised by one for each event that a watch of the kind sends. Kept by the server. */
  watchEvents(kind: { readonly group: string; readonly version: string; readonly resource: string }): { count: number };
  /** The answer to `/metrics`. */
  expose(gauges: ServerGauges): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Paths that may be a label: all others have none, for their number is the client's choice. */
const namedPaths: ReadonlySet<string> = new Set([
  "/api",
  "/apis",
  "/healthz",
  "/livez",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/readyz",
  "/version",
]);
/** Subresources that Kubernetes knows; others are not served, and their number is the client's choice too. */
const namedSubresources: ReadonlySet<string> = new Set([
  "approval",
  "attach",
  "binding",
  "ephemeralcontainers",
  "eviction",
  "exec",
  "finalize",
  "log",
  "portforward",
  "proxy",
  "resize",
  "scale",
  "status",
  "token",
]);
const reportedVerbs: ReadonlySet<string> = new Set(["DELETE", "GET", "LIST", "PATCH", "POST", "PUT", "WATCH", "APPLY"]);

/** `""` for what is no request for a kind. */
function scopeOf(info: RequestInfo): RequestLabels["scope"] {
  if (!info.isResource) return "";
  if (info.name !== "" || info.verb === "create") return "resource";
  return info.namespace === "" ? "cluster" : "namespace";
}

/** The verb of a request in logs: the HTTP method, but LIST, WATCH and APPLY by their own names. */
export function reportedVerb(method: string, info: RequestInfo | undefined, contentType: string | undefined): string {
  if (info?.isResource === true) {
    if (info.verb === "watch") return "WATCH";
    if (info.verb === "list") return "LIST";
    if (info.verb === "patch" && contentType === "application/apply-patch+yaml") return "APPLY";
  }
  return method === "HEAD" ? "GET" : method;
}

/**
 * The labels of a request.
 *
 * @param isServed Whether its kind is served: else its names are the client's choice, and are left out.
 */
export function requestLabels(
  method: string,
  info: RequestInfo,
  contentType: string | undefined,
  isServed: boolean,
): RequestLabels {
  const verb = reportedVerb(method, info, contentType);
  const named = info.isResource && isServed ? info : undefined;
  return {
    verb: reportedVerbs.has(verb) ? verb : "other",
    dryRun: dryRunOf(info.query),
    group: named?.apiGroup ?? "",
    version: named?.apiVersion ?? "",
    resource: named?.resource ?? "",
    subresource: subresourceOf(info, isServed),
    scope: scopeOf(info),
  };
}

function subresourceOf(info: RequestInfo, isServed: boolean): string {
  if (!info.isResource) return namedPaths.has(info.path) ? info.path : "";
  return isServed && namedSubresources.has(info.subresource) ? info.subresource : "";
}

function dryRunOf(query: URLSearchParams): string {
  if (query.size === 0 || !query.has("dryRun")) return "";
  return query.getAll("dryRun").every((value) => value === "All") ? "All" : "invalid";
}
