import type { JsonObject } from "@slipway/objects";
import { formatJson } from "@slipway/objects";
import { negotiateDocument, parseAccept, plainFormat, wantsPretty } from "../handlers/negotiate.ts";
import { patchTypes } from "../handlers/patch.ts";
import { jsonResponse } from "../handlers/respond.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import type { Resource } from "../resource.ts";
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, type GroupVersion } from "./discovery.ts";
import { openApiV3Document, openApiV3Index } from "./openapi-v3.ts";

interface Document {
  readonly text: string;
  /** Upper case hex SHA-512 of the text. */
  readonly hash: string;
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/**
 * Everything that describes what is served: discovery and OpenAPI. Built on first use and kept, until
 * {@link Documents.forget} says that the kinds have changed.
 */
export class Documents {
  readonly #resources: () => readonly Resource[];
  readonly #info: { readonly title: string; readonly version: string };
  readonly #kept = new Map<string, Promise<Document>>();

  constructor(resources: () => readonly Resource[], info: { readonly title: string; readonly version: string }) {
    this.#resources = resources;
    this.#info = info;
  }

  forget(): void {
    this.#kept.clear();
  }

  /** The answer for a discovery path, `undefined` when nothing is served there. */
  async discovery(request: ApiRequest, path: string, query: URLSearchParams): Promise<ApiResponse | undefined> {
    const parts = path.split("/").filter((part) => part !== "");
    if (parts[0] === "api" && parts.length <= 2) return this.#legacy(parts[1], request, query);
    if (parts[0] !== "apis" || parts.length > 3) return undefined;
    const [, group, version] = parts;
    if (group === undefined) return this.#root(request, query, false);
    const served = this.#resources().filter((resource) => resource.group === group);
    if (served.length === 0) return undefined;
    if (version === undefined) return plain(apiGroup(group, served), request, query);
    if (!served.some((resource) => resource.version === version)) return undefined;
    return plain(await apiResourceList({ group, version }, served), request, query);
  }

  /** The answer for a path below `/openapi/v3`, `undefined` when nothing is served there. */
  async openApi(request: ApiRequest, path: string, query: URLSearchParams): Promise<ApiResponse | undefined> {
    const rest = path.replace(/^\/openapi\/v3\/?/, "").replace(/\/$/, "");
    if (rest === "") return this.#openApiIndex(request, query);
    const groupVersion = this.#groupVersions().find((candidate) => openApiKey(candidate) === rest);
    if (groupVersion === undefined) return undefined;
    const { text, hash } = await this.#openApiDocument(groupVersion);
    const asked = query.get("hash");
    const headers = { etag: `"${hash}"`, vary: "Accept" };
    if (asked !== null && asked !== hash) {
      return { status: 301, headers: { location: `/openapi/v3/${rest}?hash=${hash}` } };
    }
    if (request.headers["if-none-match"] === headers.etag) return { status: 304, headers };
    const caching = asked === null ? {} : { "cache-control": "public, immutable" };
    return { status: 200, headers: { ...headers, ...caching, "content-type": "application/json" }, body: text };
  }

  #groupVersions(): readonly GroupVersion[] {
    const seen = new Map<string, GroupVersion>();
    for (const { group, version } of this.#resources()) seen.set(openApiKey({ group, version }), { group, version });
    return [...seen.values()];
  }

  async #openApiIndex(request: ApiRequest, query: URLSearchParams): Promise<ApiResponse> {
    const documents = await Promise.all(
      this.#groupVersions().map(async (groupVersion) => ({
        ...groupVersion,
        hash: (await this.#openApiDocument(groupVersion)).hash,
      })),
    );
    // Whatever is accepted: this index is always JSON.
    return jsonResponse(200, openApiV3Index(documents), { pretty: wantsPretty(request.headers, query, undefined) });
  }

  #openApiDocument(groupVersion: GroupVersion): Promise<Document> {
    return this.#keep(`openapi ${openApiKey(groupVersion)}`, () =>
      openApiV3Document(groupVersion, this.#resources(), this.#info, { patchTypes }),
    );
  }

  async #root(request: ApiRequest, query: URLSearchParams, core: boolean): Promise<ApiResponse> {
    const resources = this.#resources().filter(({ group }) => (group === "") === core);
    for (const { type, parameters } of parseAccept(request.headers.accept)) {
      const as = parameters.get("as");
      const format = plainFormat(type);
      if (as === undefined && format !== undefined) break;
      const aggregated = format === "json" && as === "APIGroupDiscoveryList" && parameters.get("v") === "v2";
      if (!aggregated || parameters.get("g") !== "apidiscovery.k8s.io") continue;
      const { text, hash } = await this.#keep(`discovery ${core}`, () => aggregatedDiscovery(resources));
      const headers = { etag: `"${hash}"`, vary: "Accept", "cache-control": "public" };
      if (request.headers["if-none-match"] === headers.etag) return { status: 304, headers };
      return { status: 200, headers: { ...headers, "content-type": aggregatedType }, body: text };
    }
    return plain(core ? apiVersions(request) : apiGroupList(resources), request, query);
  }

  async #legacy(
    version: string | undefined,
    request: ApiRequest,
    query: URLSearchParams,
  ): Promise<ApiResponse | undefined> {
    const core = this.#resources().filter(({ group }) => group === "");
    if (core.length === 0) return undefined;
    if (version === undefined) return this.#root(request, query, true);
    if (!core.some((resource) => resource.version === version)) return undefined;
    return plain(await apiResourceList({ group: "", version }, core), request, query);
  }

  #keep(name: string, build: () => JsonObject): Promise<Document> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const made = hashed(`${formatJson(build())}\n`);
    this.#kept.set(name, made);
    return made;
  }
}

function openApiKey({ group, version }: GroupVersion): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

async function hashed(text: string): Promise<Document> {
  const digest = await crypto.subtle.digest("SHA-512", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
  return { text, hash };
}

function plain(value: JsonObject, request: ApiRequest, query: URLSearchParams): ApiResponse {
  return jsonResponse(200, value, negotiateDocument(request.headers, query));
}

/** `GET /api`: the core group has one version. */
function apiVersions(request: ApiRequest): JsonObject {
  const address = request.headers.host ?? "";
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}
