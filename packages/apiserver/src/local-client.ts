import {
  ApiStatusError,
  badRequest,
  formatApiVersion,
  type GroupVersionKind,
  type KubeClient,
  type KubernetesObject,
  type ListOptions,
  parseApiVersion,
  parseFieldSelector,
  parseLabelSelector,
  type RequestOptions,
  SlipwayError,
  type WriteOptions,
} from "@slipway/objects";
import { abortScope } from "./abort-scope.ts";
import { createObject, deleteObject, requireAbility, type Target, updateObject } from "./registry/operations.ts";
import type { ListRequest, RequestContext, UserInfo } from "./registry/rest.ts";
import type { Resource } from "./resource.ts";
import type { ApiServer } from "./server.ts";

/**
 * A client that calls the server's kinds in process: the same chain of admission and storage as over HTTP, without
 * encoding. It acts as `user` and is not authorized: whoever holds it is trusted.
 */
export function createLocalClient(server: ApiServer, user: UserInfo): KubeClient {
  const contextOf = (options?: RequestOptions): RequestContext => {
    options?.signal?.throwIfAborted();
    return { user, signal: options?.signal ?? new AbortController().signal, warn: () => {} };
  };
  const targetOf = (kind: GroupVersionKind): Target => {
    const resource = findKind(server.resources(), kind);
    return { resource, subresource: "", form: resource, storage: resource.storage, admission: server.admission };
  };
  return {
    async get(ref, options) {
      try {
        return await targetOf(ref).storage.get(contextOf(options), ref);
      } catch (error) {
        if (ApiStatusError.isApiStatusError(error) && error.status.reason === "NotFound") return undefined;
        throw error;
      }
    },
    async list(kind, options) {
      const list = requireAbility(targetOf(kind), "list", "list");
      const { items, resourceVersion } = await list(contextOf(options), selection(options));
      return { items, resourceVersion };
    },
    async *watch(kind, options) {
      const watch = requireAbility(targetOf(kind), "watch", "watch");
      // Leaving the loop must end the watch below at once, also while it waits for an event.
      const scope = abortScope(options?.signal);
      try {
        if (scope.signal.aborted) return;
        const events = watch(contextOf(scope), {
          ...selection(options),
          resourceVersion: options?.resourceVersion,
          sendInitialEvents: options?.sendInitialEvents,
        });
        for await (const event of events) {
          if (scope.signal.aborted) return;
          yield event;
        }
      } finally {
        scope.end();
      }
    },
    async create(object, options) {
      return createObject(contextOf(options), targetOf(kindOf(object)), namespaceOf(object), object, write(options));
    },
    async update(object, options) {
      const key = { namespace: namespaceOf(object), name: object.metadata.name ?? "" };
      return updateObject(contextOf(options), targetOf(kindOf(object)), key, () => object, {
        ...write(options),
        patch: false,
      });
    },
    async delete(ref, options) {
      const result = await deleteObject(contextOf(options), targetOf(ref), ref, {
        ...write(options),
        options: {
          preconditions: options?.preconditions,
          propagationPolicy: options?.propagationPolicy,
          gracePeriodSeconds: options?.gracePeriodSeconds,
        },
      });
      return result.done ? undefined : result.object;
    },
  };
}

function findKind(resources: readonly Resource[], kind: GroupVersionKind): Resource {
  const found = resources.find(
    ({ group, version, names }) => group === kind.group && version === kind.version && names.kind === kind.kind,
  );
  if (found !== undefined) return found;
  const name = `${kind.kind} in ${formatApiVersion(kind.group, kind.version)}`;
  throw new SlipwayError(`${name}: no such kind is served here. Serve it before using it.`, { code: "INVALID_OBJECT" });
}

function kindOf({ apiVersion, kind }: KubernetesObject): GroupVersionKind {
  return { ...parseApiVersion(apiVersion), kind };
}

function namespaceOf({ metadata }: KubernetesObject): string {
  return metadata.namespace ?? "";
}

function selection(options: ListOptions | undefined): ListRequest {
  return {
    namespace: options?.namespace ?? "",
    labels: parseSelector(parseLabelSelector, options?.labelSelector),
    fields: parseSelector(parseFieldSelector, options?.fieldSelector),
  };
}

/** A selector that cannot be read is a bad request, as over HTTP. */
function parseSelector<T>(parse: (text: string) => T, text: string | undefined): T {
  try {
    return parse(text ?? "");
  } catch (error) {
    if (SlipwayError.isSlipwayError(error) && error.code === "INVALID_SELECTOR") throw badRequest(error.message);
    throw error;
  }
}

function write(options: WriteOptions | undefined): { readonly dryRun: boolean; readonly fieldManager: string } {
  return { dryRun: options?.dryRun ?? false, fieldManager: options?.fieldManager ?? "slipway" };
}
