import {
  type DeleteOptions,
  type GroupVersionKind,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type KubeClient,
  type KubernetesObject,
  type ListOptions,
  type ObjectList,
  parseApiVersion,
  type RequestOptions,
  type WatchOptions,
  type WriteOptions,
} from "@slipway/objects";
import { AbortScopes } from "./abort-scope.ts";
import { isKindMissing, isObjectMissing } from "./answers.ts";
import { Api } from "./api.ts";
import { createDiscovery } from "./discovery.ts";
import { noUsableAnswer } from "./errors.ts";
import { type ApiResource, collectionPath, creationPath, objectPath } from "./paths.ts";
import { readObject } from "./read-object.ts";
import type { Transport } from "./transport.ts";
import { watch } from "./watch.ts";

export interface KubeClientOptions {
  readonly transport: Transport;
  /**
   * Sent with every request. Servers take what is before its slash as the field manager of writes that name none.
   * @default "slipway"
   */
  readonly userAgent?: string | undefined;
  /**
   * Called with what the server warns of: unknown fields, deprecated versions.
   * @default nobody is told
   */
  readonly onWarning?: ((text: string) => void) | undefined;
  /**
   * A larger answer is refused, in bytes. Lists come whole.
   * @default 268_435_456
   */
  readonly maxAnswerBytes?: number | undefined;
  /**
   * A watch ends at a larger event, in bytes.
   * @default 16_777_216
   */
  readonly maxEventBytes?: number | undefined;
}

const clientDefaults = {
  userAgent: "slipway",
  onWarning: () => {},
  maxAnswerBytes: 256 * 1024 * 1024,
  maxEventBytes: 16 * 1024 * 1024,
} as const satisfies Omit<KubeClientOptions, "transport">;

/**
 * A client of a Kubernetes API server. A kind that the server does not have rejects with `INVALID_OBJECT`, as does an
 * object without the name or the namespace that it needs; a namespace given for a kind without namespaces does not count.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const api = new Api({
    transport: options.transport,
    userAgent: options.userAgent ?? clientDefaults.userAgent,
    onWarning: options.onWarning ?? clientDefaults.onWarning,
    maxAnswerBytes: options.maxAnswerBytes ?? clientDefaults.maxAnswerBytes,
  });
  const maxEventBytes = options.maxEventBytes ?? clientDefaults.maxEventBytes;
  const discovery = createDiscovery(api);
  const scopes = new AbortScopes();

  async function on<T>(
    kind: GroupVersionKind,
    signal: AbortSignal,
    use: (resource: ApiResource, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const resource = await discovery.find(kind, { signal });
    try {
      return await use(resource, signal);
    } catch (error) {
      if (isKindMissing(error)) discovery.forget(kind);
      throw error;
    }
  }

  /** For work that ends with its promise. */
  async function call<T>(
    kind: GroupVersionKind,
    options: RequestOptions,
    use: (resource: ApiResource, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const scope = scopes.open(options.signal);
    try {
      return await on(kind, scope.signal, use);
    } finally {
      scope.end();
    }
  }

  return {
    async get(ref, getOptions = {}) {
      try {
        return await call(ref, getOptions, async (resource, signal) => {
          const path = objectPath(resource, ref.namespace, ref.name);
          return readObject(await api.read({ method: "GET", path, resource, name: ref.name, signal }), ref, path);
        });
      } catch (error) {
        if (isObjectMissing(error)) return undefined;
        throw error;
      }
    },
    list(kind, listOptions = {}) {
      return call(kind, listOptions, (resource, signal) => listAll(api, resource, { ...listOptions, signal }));
    },
    watch(kind, watchOptions = {}) {
      return watch({
        kind,
        maxEventBytes,
        openScope: () => scopes.open(watchOptions.signal),
        open: (signal) =>
          on(kind, signal, (resource) => {
            const path = collectionPath(resource, watchOptions.namespace ?? "");
            return api.open({ method: "GET", path, query: watchQuery(watchOptions), resource, signal });
          }),
      });
    },
    create(object, writeOptions = {}) {
      return call(kindOf(object), writeOptions, async (resource, signal) => {
        const path = creationPath(resource, object.metadata.namespace ?? "");
        const query = writeQuery(writeOptions);
        const name = object.metadata.name ?? "";
        const answer = await api.read({ method: "POST", path, query, body: object, resource, name, signal });
        return readObject(answer, resource, path);
      });
    },
    update(object, writeOptions = {}) {
      return call(kindOf(object), writeOptions, async (resource, signal) => {
        const name = object.metadata.name ?? "";
        const path = objectPath(resource, object.metadata.namespace ?? "", name);
        const query = writeQuery(writeOptions);
        const answer = await api.read({ method: "PUT", path, query, body: object, resource, name, signal });
        return readObject(answer, resource, path);
      });
    },
    delete(ref, deleteOptions = {}) {
      return call(ref, deleteOptions, async (resource, signal) => {
        const path = objectPath(resource, ref.namespace, ref.name);
        const body = deletionBody(deleteOptions);
        const answer = await api.read({ method: "DELETE", path, body, resource, name: ref.name, signal });
        return heldObject(answer, ref, path);
      });
    },
  };
}

function kindOf({ apiVersion, kind }: KubernetesObject): GroupVersionKind {
  return { ...parseApiVersion(apiVersion), kind };
}

/** We ask for no pages, but a server that gives them all the same must not lose the rest of its objects. */
async function listAll(api: Api, resource: ApiResource, options: ListOptions): Promise<ObjectList> {
  const path = collectionPath(resource, options.namespace ?? "");
  const query = listQuery(options);
  const items: KubernetesObject[] = [];
  for (;;) {
    const answer = await api.read({ method: "GET", path, query, resource, signal: options.signal });
    if (!isJsonObject(answer.metadata) || !(isJsonArray(answer.items) || answer.items === null)) {
      throw noUsableAnswer(`${path}: the answer is no list. Check that the server is a Kubernetes API server.`);
    }
    for (const item of answer.items ?? []) items.push(readObject(item, resource, path));
    const { resourceVersion, continue: next } = answer.metadata;
    if (typeof next !== "string" || next === "") {
      return { items, resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "" };
    }
    query.set("continue", next);
  }
}

function listQuery({ labelSelector, fieldSelector }: ListOptions): URLSearchParams {
  return queryOf({ labelSelector, fieldSelector });
}

function watchQuery(options: WatchOptions): URLSearchParams {
  const { resourceVersion, sendInitialEvents } = options;
  const query = listQuery(options);
  query.set("watch", "true");
  query.set("allowWatchBookmarks", "true");
  if (resourceVersion !== undefined && resourceVersion !== "") query.set("resourceVersion", resourceVersion);
  if (sendInitialEvents !== undefined) {
    query.set("sendInitialEvents", String(sendInitialEvents));
    query.set("resourceVersionMatch", "NotOlderThan"); // KEP-3157 asks for it
  }
  return query;
}

function writeQuery({ dryRun, fieldManager }: WriteOptions): URLSearchParams {
  return queryOf({ dryRun: dryRun === true ? "All" : undefined, fieldManager });
}

/** Empty values mean the same as none. */
function queryOf(parameters: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, value);
  }
  return query;
}

/** A deletion has no field manager. Without options there is no body. */
function deletionBody({
  dryRun,
  preconditions,
  propagationPolicy,
  gracePeriodSeconds,
}: DeleteOptions): JsonObject | undefined {
  const options: JsonObject = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  };
  return Object.keys(options).length === 0 ? undefined : { kind: "DeleteOptions", apiVersion: "v1", ...options };
}

/**
 * What is there after a deletion. Servers answer with a Status when the object is gone, or with its last state; only an
 * object that waits for something is marked.
 */
function heldObject(answer: JsonObject, kind: GroupVersionKind, where: string): KubernetesObject | undefined {
  if (answer.kind === "Status" && answer.apiVersion === "v1") return undefined;
  const object = readObject(answer, kind, where);
  return object.metadata.deletionTimestamp === undefined ? undefined : object;
}
