import type { RequestInfo } from "./request-info.ts";

/** One request, when it is answered. */
export interface RequestLogEntry {
  readonly verb: string;
  /** Path and query; values that are nobody's business read `***`. */
  readonly uri: string;
  readonly latencyMs: number;
  readonly userAgent: string;
  readonly auditId: string;
  /** Address and port of the peer; `""` when the request came over no connection. */
  readonly sourceAddress: string;
  /** The status of the answer; 499 when the client did not wait for it. */
  readonly status: number;
}

/** Is told of every request. It must not throw. */
export type RequestLog = (entry: RequestLogEntry) => void;

/** Parameters whose values say nothing about objects. */
const harmless: ReadonlySet<string> = new Set([
  "allowWatchBookmarks",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "gracePeriodSeconds",
  "hash",
  "includeObject",
  "limit",
  "orphanDependents",
  "pretty",
  "propagationPolicy",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeout",
  "timeoutSeconds",
  "verbose",
  "exclude",
  "watch",
]);
/** These name objects and what is in them. */
const telling: ReadonlySet<string> = new Set(["continue", "fieldSelector", "labelSelector"]);
/** Kinds of which not even a selector is shown: its values may be those of the objects. */
const sensitiveResources: ReadonlySet<string> = new Set(["secrets", "tokenreviews"]);

/**
 * The URL as logs show it: parameters that the API does not know keep their names only, since they may be anything, a
 * token too; those that select objects as well, where the objects are secret.
 */
export function loggedUri(url: string, info: RequestInfo | undefined): string {
  const question = url.indexOf("?");
  if (question === -1) return url;
  const isSensitive = info?.isResource === true && sensitiveResources.has(info.resource);
  const shown = url
    .slice(question + 1)
    .split("&")
    .map((part) => {
      const equals = part.indexOf("=");
      if (equals === -1 || equals === part.length - 1) return part;
      const name = part.slice(0, equals);
      return harmless.has(name) || (telling.has(name) && !isSensitive) ? part : `${name}=***`;
    });
  return `${url.slice(0, question)}?${shown.join("&")}`;
}
