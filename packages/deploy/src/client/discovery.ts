import {
  formatApiVersion,
  type GroupVersionKind,
  getMember,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type RequestOptions,
  SlipwayError,
} from "@slipway/objects";
import { untilAborted } from "./abort-scope.ts";
import { isRefusal } from "./answers.ts";
import type { Api } from "./api.ts";
import { type ApiResource, groupVersionPath } from "./paths.ts";

/** Which kinds a server has, and under which names. What it said once is kept. */
export interface Discovery {
  /**
   * A kind that is not in what is kept is looked for once more: its definition may have come since.
   *
   * @throws {SlipwayError} `INVALID_OBJECT` when the server has no such kind.
   */
  find(kind: GroupVersionKind, options?: RequestOptions): Promise<ApiResource>;
  /** What is kept about the group of `kind` has proved wrong. */
  forget(kind: GroupVersionKind): void;
}

export function createDiscovery(api: Api): Discovery {
  return new CachedDiscovery(api);
}

/** Every group version of aggregated discovery (KEP-3352) by its apiVersion. */
type Index = ReadonlyMap<string, IndexedVersion>;

interface IndexedVersion {
  /** The server behind it could not be asked: what it has is not known. */
  readonly isStale: boolean;
  readonly resources: readonly ApiResource[];
}

/** `/api` or `/apis`: what is known of the groups below. */
interface Root {
  /** `undefined` when the server has no aggregated discovery. */
  readonly index: Promise<Index | undefined>;
  /** Documents of single group versions by their path, where the index does not tell. */
  readonly versions: Map<string, Promise<readonly ApiResource[]>>;
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const AGGREGATED_BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
const ACCEPT = `${AGGREGATED},${AGGREGATED_BETA},application/json`;

class CachedDiscovery implements Discovery {
  readonly #api: Api;
  readonly #roots = new Map<string, Root>();

  constructor(api: Api) {
    this.#api = api;
  }

  async find(kind: GroupVersionKind, { signal }: RequestOptions = {}): Promise<ApiResource> {
    const path = rootPath(kind);
    const kept = this.#roots.get(path);
    const found = await untilAborted(this.#lookUp(kind), signal);
    if (found !== undefined) return found;
    // Somebody else's miss may have renewed it meanwhile.
    if (kept !== undefined && this.#roots.get(path) === kept) this.#roots.delete(path);
    const foundLater = kept === undefined ? undefined : await untilAborted(this.#lookUp(kind), signal);
    if (foundLater !== undefined) return foundLater;
    throw new SlipwayError(
      `${kind.kind} in ${formatApiVersion(kind.group, kind.version)}: the server has no such kind. ` +
        "Install its definition first, or correct apiVersion and kind.",
      { code: "INVALID_OBJECT" },
    );
  }

  forget(kind: GroupVersionKind): void {
    this.#roots.delete(rootPath(kind));
  }

  async #lookUp(kind: GroupVersionKind): Promise<ApiResource | undefined> {
    const root = this.#root(rootPath(kind));
    const index = await root.index;
    const version = index?.get(formatApiVersion(kind.group, kind.version));
    if (index !== undefined && version?.isStale !== true) return findKind(version?.resources ?? [], kind);
    return findKind(await this.#version(root, kind), kind);
  }

  #root(path: string): Root {
    const kept = this.#roots.get(path);
    if (kept !== undefined) return kept;
    const root: Root = { index: this.#readIndex(path), versions: new Map() };
    this.#roots.set(path, root);
    root.index.catch(() => {
      if (this.#roots.get(path) === root) this.#roots.delete(path);
    });
    return root;
  }

  #version({ versions }: Root, kind: GroupVersionKind): Promise<readonly ApiResource[]> {
    const path = groupVersionPath(kind);
    const kept = versions.get(path);
    if (kept !== undefined) return kept;
    const read = this.#readVersion(path, kind);
    versions.set(path, read);
    read.catch(() => versions.delete(path));
    return read;
  }

  async #readIndex(path: string): Promise<Index | undefined> {
    const document = await this.#read(path, ACCEPT);
    return document?.kind === "APIGroupDiscoveryList" ? indexOf(document) : undefined;
  }

  async #readVersion(path: string, { group, version }: GroupVersionKind): Promise<readonly ApiResource[]> {
    const document = await this.#read(path, "application/json");
    return objects(document?.resources).flatMap((entry) => {
      const { name: resource, kind, namespaced } = entry;
      // Those with a slash are subresources.
      if (typeof resource !== "string" || resource.includes("/") || typeof kind !== "string") return [];
      return [{ group, version, kind, resource, namespaced: namespaced === true }];
    });
  }

  /** `undefined` when there is no such document, or none of that type. */
  async #read(path: string, accept: string): Promise<JsonObject | undefined> {
    try {
      return await this.#api.read({ method: "GET", path, accept });
    } catch (error) {
      if (isRefusal(error, 404) || isRefusal(error, 406)) return undefined;
      throw error;
    }
  }
}

function rootPath({ group }: GroupVersionKind): string {
  return group === "" ? "/api" : "/apis";
}

function findKind(resources: readonly ApiResource[], { kind }: GroupVersionKind): ApiResource | undefined {
  return resources.find((resource) => resource.kind === kind);
}

function indexOf(document: JsonObject): Index {
  const index = new Map<string, IndexedVersion>();
  for (const item of objects(document.items)) {
    const name = isJsonObject(item.metadata) ? getMember(item.metadata, "name") : undefined;
    const group = typeof name === "string" ? name : ""; // the core group has no name
    for (const entry of objects(item.versions)) {
      const { version, freshness } = entry;
      if (typeof version !== "string") continue;
      index.set(formatApiVersion(group, version), {
        isStale: freshness === "Stale",
        resources: objects(entry.resources).flatMap((resource) => indexedResource(resource, group, version)),
      });
    }
  }
  return index;
}

function indexedResource(entry: JsonObject, group: string, version: string): ApiResource[] {
  const { resource, responseKind, scope } = entry;
  const kind = isJsonObject(responseKind) ? responseKind.kind : undefined;
  if (typeof resource !== "string" || typeof kind !== "string") return [];
  return [{ group, version, kind, resource, namespaced: scope === "Namespaced" }];
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
