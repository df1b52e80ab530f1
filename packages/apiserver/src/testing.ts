import type { JsonValue, KubernetesObject } from "@slipway/objects";
import { parseJson } from "@slipway/objects";
import { abortScope } from "./abort-scope.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { OperationOptions } from "./operation.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { RequestInfo } from "./request-info.ts";
import { createMemoryStorage } from "./storage/memory-storage.ts";
import type { ObjectStorage } from "./storage/storage.ts";

export interface TestClusterOptions {
  /** @default an empty one in memory */
  readonly storage?: ObjectStorage | undefined;
  /** CustomResourceDefinitions to serve. @default none */
  readonly definitions?: readonly KubernetesObject[] | undefined;
  /** Namespaces that exist at the start. @default ["default"] */
  readonly namespaces?: readonly string[] | undefined;
  /** See `ApiServerOptions.operation`. */
  readonly operation?: OperationOptions | undefined;
  /** See `ClusterOptions.garbageCollection`. @default false */
  readonly garbageCollection?: boolean | undefined;
  /** Which requests the administrator may make. @default all */
  readonly allows?: ((info: RequestInfo) => boolean) | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

export interface TestRequest {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text is sent as it stands, anything else as JSON. */
  readonly body?: JsonValue | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Without credentials. @default false */
  readonly anonymous?: boolean | undefined;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  readonly text: string;
  /** The body read as JSON; throws when it is none. */
  json(): JsonValue;
}

/** A cluster in process, for tests: the whole server with nothing between the caller and the handler. */
export interface TestCluster extends Cluster {
  readonly storage: ObjectStorage;
  /** Sends one request as an administrator and reads the whole answer. */
  request(method: string, path: string, options?: TestRequest): Promise<TestResponse>;
  /** Opens a stream, such as a watch; leaving the loop closes it. Refusals are thrown as the text of the answer. */
  stream(path: string, options?: TestRequest): AsyncIterable<JsonValue>;
}

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const storage = options.storage ?? createMemoryStorage();
  let count = 0;
  const cluster = startCluster({
    storage,
    definitions: options.definitions ?? [],
    garbageCollection: options.garbageCollection,
    operation: options.operation,
    host: {
      now: options.now ?? (() => new Date()),
      uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
      random: () => 0,
      nameSuffix: () => String(++count).padStart(5, "b").replaceAll("0", "z").replaceAll("1", "x"),
      logError: (message, error) => {
        throw new Error(`the server logged an error: ${message}`, { cause: error });
      },
    },
    authenticate: async ({ headers }) =>
      headers["x-test-anonymous"] === undefined
        ? { name: "admin", groups: ["system:masters", "system:authenticated"] }
        : undefined,
    authorize: async ({ groups }, info) => groups.includes("system:masters") && (options.allows?.(info) ?? true),
    version: { major: "1", minor: "36", gitVersion: "v1.36.0-slipway" },
  });
  for (const name of options.namespaces ?? ["default"]) {
    await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const send = (method: string, path: string, request: TestRequest = {}): Promise<ApiResponse> =>
    cluster.server.handle(apiRequest(method, path, request));
  return {
    ...cluster,
    storage,
    async request(method, path, request) {
      const response = await send(method, path, request);
      const text = await readText(response);
      return { status: response.status, headers: response.headers, text, json: () => parseJson(text) };
    },
    async *stream(path, request) {
      const scope = abortScope(request?.signal);
      const response = await send("GET", path, { ...request, signal: scope.signal });
      if (response.status !== 200) throw new Error(await readText(response));
      try {
        yield* lines(response);
      } finally {
        scope.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

function apiRequest(method: string, url: string, { headers, body, signal, anonymous }: TestRequest): ApiRequest {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const lowered = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method,
    url,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...lowered,
      ...(anonymous === true ? { "x-test-anonymous": "1" } : {}),
    },
    body: (async function* () {
      if (text !== "") yield new TextEncoder().encode(text);
    })(),
    signal: signal ?? new AbortController().signal,
  };
}

async function readText({ body }: ApiResponse): Promise<string> {
  if (body === undefined) return "";
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = "";
  for await (const chunk of body) text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
  return text;
}

async function* lines({ body }: ApiResponse): AsyncGenerator<JsonValue> {
  if (typeof body !== "object" || body instanceof Uint8Array) return;
  for await (const chunk of body) {
    for (const line of String(chunk).split("\n")) if (line !== "") yield parseJson(line);
  }
}
