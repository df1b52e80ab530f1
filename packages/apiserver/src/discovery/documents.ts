import type { JsonObject } from "@slipway/objects";
import { formatJson, parseJson } from "@slipway/objects";
import { acceptedType, negotiateDocument, parseAccept } from "../handlers/negotiate.ts";
import { patchTypes } from "../handlers/patch.ts";
import { jsonResponse } from "../handlers/respond.ts";
import { encodeOpenApiV2 } from "../protobuf/openapi-v2.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import type { Resource } from "../resource.ts";
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, type GroupVersion } from "./discovery.ts";
import { openApiV2Document } from "./openapi-v2.ts";
import { type OpenApiInfo, openApiV3Document, openApiV3Index } from "./openapi-v3.ts";
import { type Document, serveDocument } from "./serve-document.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const jsonOnly = { "application/json": "application/json" };
/** What is asked for, to what is answered: there are two spellings of protobuf, and one is answered. */
const openApiV2Types = {
  ...jsonOnly,
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf":
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf":
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
};

/**
 * Everything that describes what is served: discovery and OpenAPI. Built on first use and kept, until
 * {@link Documents.forget} says that the kinds have changed.
 */
export class Documents {
  readonly #resources: () => readonly Resource[];
  readonly #info: OpenApiInfo;
  readonly #now: () => Date;
  readonly #kept = new Map<string, Promise<Document>>();
  #openApiV2Bytes: Uint8Array | undefined;

  constructor(resources: () => readonly Resource[], info: OpenApiInfo, now: () => Date) {
    this.#resources = resources;
    this.#info = info;
    this.#now = now;
  }

  forget(): void {
    this.#kept.clear();
    this.#openApiV2Bytes = undefined;
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

  /** The answer for `/openapi/v2` and what is below `/openapi/v3`; `undefined` for any other path. */
  async openApi(request: ApiRequest, path: string, query: URLSearchParams): Promise<ApiResponse | undefined> {
    if (path === "/openapi/v2") return this.#openApiV2(request);
    if (path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
    const rest = path.replace(/^\/openapi\/v3\/?/, "").replace(/\/$/, "");
    if (rest === "") return this.#openApiIndex(request);
    const groupVersion = this.#groupVersions().find((candidate) => openApiKey(candidate) === rest);
    return groupVersion === undefined ? { status: 404, headers: {} } : this.#openApiV3(request, groupVersion, query);
  }

  async #openApiV3(request: ApiRequest, groupVersion: GroupVersion, query: URLSearchParams): Promise<ApiResponse> {
    const headers = { vary: "Accept", "content-type": "application/json" };
    if (acceptedType(request.headers.accept, jsonOnly) === undefined)
      return { status: 406, headers: { vary: "Accept" } };
    const document = await this.#openApiDocument(groupVersion);
    const asked = query.get("hash") ?? "";
    if (asked === "") return serveDocument(document, request, headers);
    if (asked !== document.hash) {
      const location = `/openapi/v3/${openApiKey(groupVersion)}?hash=${document.hash}`;
      return { status: 301, headers: { ...headers, etag: `"${document.hash}"`, location } };
    }
    // The address names the content: it can be kept for good.
    const expires = new Date(this.#now());
    expires.setUTCFullYear(expires.getUTCFullYear() + 1);
    return serveDocument(document, request, {
      ...headers,
      "cache-control": "public, immutable",
      expires: expires.toUTCString(),
    });
  }

  /** JSON, and the protobuf that kubectl asks for. */
  async #openApiV2(request: ApiRequest): Promise<ApiResponse> {
    const vary = ["Accept-Encoding", "Accept"];
    const type = acceptedType(request.headers.accept, openApiV2Types);
    if (type === undefined) return { status: 406, headers: { vary } };
    const document = await this.#keep("openapi v2", () =>
      openApiV2Document(this.#groupVersions().map((groupVersion) => this.#buildOpenApi(groupVersion))),
    );
    if (type === "application/json") return serveDocument(document, request, { vary, "content-type": type });
    this.#openApiV2Bytes ??= encodeOpenApiV2(parseJson(document.text) as JsonObject);
    const binary = { ...document, body: this.#openApiV2Bytes };
    return serveDocument(binary, request, { vary, "content-type": type });
  }

  #groupVersions(): readonly GroupVersion[] {
    const seen = new Map<string, GroupVersion>();
    for (const { group, version } of this.#resources()) seen.set(openApiKey({ group, version }), { group, version });
    return [...seen.values()];
  }

  /** Whatever is accepted: the index is always JSON. */
  async #openApiIndex(request: ApiRequest): Promise<ApiResponse> {
    const documents = await Promise.all(
      this.#groupVersions().map(async (groupVersion) => ({
        ...groupVersion,
        hash: (await this.#openApiDocument(groupVersion)).hash,
      })),
    );
    const index = await this.#keep("openapi v3", () => openApiV3Index(documents));
    return serveDocument(index, request, { "content-type": "application/json" });
  }

  #openApiDocument(groupVersion: GroupVersion): Promise<Document> {
    return this.#keep(`openapi ${openApiKey(groupVersion)}`, () => this.#buildOpenApi(groupVersion));
  }

  #buildOpenApi(groupVersion: GroupVersion): JsonObject {
    return openApiV3Document(groupVersion, this.#resources(), this.#info, { patchTypes });
  }

  async #root(request: ApiRequest, query: URLSearchParams, core: boolean): Promise<ApiResponse> {
    const resources = this.#resources().filter(({ group }) => (group === "") === core);
    for (const { type, parameters } of parseAccept(request.headers.accept)) {
      const as = parameters.get("as");
      const isJson = ["application/json", "application/*", "*/*"].includes(type);
      if (as === undefined && (isJson || type === "application/yaml")) break;
      const aggregated = isJson && as === "APIGroupDiscoveryList" && parameters.get("v") === "v2";
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
    const { apiVersion: _, ...list } = await apiResourceList({ group: "", version }, core);
    return plain(list, request, query); // as Kubernetes 1.1 had it, for clients of that time
  }

  #keep(name: string, build: () => JsonObject): Promise<Document> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const made = hashed(`${formatJson(build())}\n`, this.#now());
    this.#kept.set(name, made);
    return made;
  }
}

function openApiKey({ group, version }: GroupVersion): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

async function hashed(text: string, builtAt: Date): Promise<Document> {
  const digest = await crypto.subtle.digest("SHA-512", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
  return { text, hash, builtAt };
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
