import {
  ApiStatusError,
  type GroupVersionKind,
  isJsonObject,
  type KubeClient,
  type KubernetesObject,
} from "@slipway/objects";
import { pause } from "../abort-scope.ts";
import type { ServerHost } from "../host.ts";
import type { Resource } from "../resource.ts";

export interface NamespaceControllerOptions {
  readonly client: KubeClient;
  /** The kinds served at the moment of the call. */
  readonly resources: () => readonly Resource[];
  /** Takes the last hold off a namespace whose contents are gone. */
  readonly finalize: (name: string) => Promise<void>;
  readonly host: Pick<ServerHost, "logError">;
  readonly signal: AbortSignal;
}

/** How long to wait before looking again at contents that something holds, in milliseconds. */
const firstRetryMs = 500;
const lastRetryMs = 15_000;

const namespaceKind: GroupVersionKind = { group: "", version: "v1", kind: "Namespace" };

/**
 * Deletes what is in a namespace that is going away, then the namespace. Runs until the signal aborts.
 * @see Kubernetes, kube-controller-manager's namespace controller
 */
export async function runNamespaceController(options: NamespaceControllerOptions): Promise<void> {
  const { client, host, signal } = options;
  const ending = new Set<string>();
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(namespaceKind, { signal })) {
        if (event.type === "BOOKMARK" || event.type === "DELETED" || !isTerminating(event.object)) continue;
        const name = event.object.metadata.name ?? "";
        if (ending.has(name)) continue;
        ending.add(name);
        void endNamespace(name, options).finally(() => ending.delete(name));
      }
    } catch (error) {
      if (!signal.aborted) host.logError("namespace controller", error);
    }
    if (!signal.aborted) await pause(firstRetryMs, signal);
  }
}

function isTerminating({ metadata, status }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && isJsonObject(status) && status.phase === "Terminating";
}

async function endNamespace(name: string, options: NamespaceControllerOptions): Promise<void> {
  const { host, signal } = options;
  for (let retryMs = firstRetryMs; !signal.aborted; retryMs = Math.min(retryMs * 2, lastRetryMs)) {
    try {
      if ((await deleteContents(name, options)) === 0) return await options.finalize(name).catch(ignoreNotFound);
    } catch (error) {
      if (signal.aborted) return;
      host.logError(`namespace ${name}: contents cannot be deleted yet`, error);
    }
    await pause(retryMs, signal);
  }
}

/** Deletes everything in the namespace; answers how many objects are still there, because a finalizer holds them. */
async function deleteContents(namespace: string, options: NamespaceControllerOptions): Promise<number> {
  const { client, signal } = options;
  let left = 0;
  for (const { group, version, names, namespaced, storage } of options.resources()) {
    if (!namespaced || storage.list === undefined || storage.delete === undefined) continue;
    const kind = { group, version, kind: names.kind };
    const { items } = await client.list(kind, { namespace, signal });
    for (const { metadata } of items) {
      const ref = { ...kind, namespace, name: metadata.name ?? "" };
      const held = await client.delete(ref, { propagationPolicy: "Background", signal }).catch(ignoreNotFound);
      if (held !== undefined) left++;
    }
  }
  return left;
}

function ignoreNotFound(error: unknown): undefined {
  if (ApiStatusError.isApiStatusError(error) && error.status.reason === "NotFound") return undefined;
  throw error;
}
