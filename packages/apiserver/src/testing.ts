import type { JsonValue, KubeClient, KubernetesObject } from "@slipway/objects";
import { expired, parseJson, SlipwayError } from "@slipway/objects";
import { type AbortScope, abortScope } from "./abort-scope.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { OperationOptions } from "./operation.ts";
import { Store } from "./registry/store.ts";
import type { ApiRequest, ApiResponse, RequestHandler } from "./request.ts";
import type { RequestInfo } from "./request-info.ts";
import { createMemoryStorage } from "./storage/memory-storage.ts";
import type { ObjectStorage } from "./storage/storage.ts";
import { type StorageFaults, withFaults } from "./testing/faulty-storage.ts";
import { createTestClock, type TestClock } from "./testing/test-clock.ts";

export type { Stall, StorageFaults, StorageVerb } from "./testing/faulty-storage.ts";
export type { TestClock } from "./testing/test-clock.ts";

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
  /** Where the clock stands at the start. @default 2026-01-01T00:00:00Z */
  readonly startTime?: Date | undefined;
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

/**
 * How a watch is cut: `connection` breaks it off as a lost connection does, `end` ends it as its deadline does, and
 * `expired` ends it with an ERROR event of 410.
 */
export type WatchCut = "connection" | "end" | "expired";

/**
 * A cluster in process, for tests: the whole server with nothing between the caller and the handler, a clock that stands,
 * and faults on request. Names and uids are counted, so that two runs give the same answers.
 */
export interface TestCluster extends Cluster {
  /** What the server works with; faults apply to it. */
  readonly storage: ObjectStorage;
  /** The only clock of the server. */
  readonly clock: TestClock;
  readonly faults: StorageFaults;
  /** What the server has logged because of faults. Any other error that it logs is thrown where it happens. */
  readonly logged: readonly unknown[];
  /** Sends one request as an administrator and reads the whole answer. */
  request(method: string, path: string, options?: TestRequest): Promise<TestResponse>;
  /** Opens a stream, such as a watch; leaving the loop closes it. Refusals are thrown as the text of the answer. */
  stream(path: string, options?: TestRequest): AsyncIterable<JsonValue>;
  /**
   * Ends every watch that is open, those of `client` too, once it has given what it has; watches that begin later are
   * not concerned.
   *
   * @param how @default "connection"
   * @returns how many there were
   */
  cutWatches(how?: WatchCut): number;
  /**
   * Forgets everything but the present: lists and watches that ask for an earlier resourceVersion get 410, and so do
   * continue tokens when something has changed since. Open watches go on.
   */
  expireHistory(): Promise<void>;
}

const defaultStartTime = "2026-01-01T00:00:00Z";

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { storage, faults, isInjected } = withFaults(options.storage ?? createMemoryStorage());
  const clock = createTestClock(options.startTime ?? new Date(defaultStartTime));
  const logged: unknown[] = [];
  const watches = new OpenWatches();
  let count = 0;
  const cluster = startCluster({
    storage,
    definitions: options.definitions ?? [],
    garbageCollection: options.garbageCollection,
    operation: options.operation,
    host: {
      now: clock.now,
      uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
      random: () => 0,
      nameSuffix: () => String(++count).padStart(5, "b").replaceAll("0", "z").replaceAll("1", "x"),
      logError: (message, error) => {
        if (!isInjected(error)) throw new Error(`the server logged an error: ${message}`, { cause: error });
        logged.push(error);
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
  const handle = watches.behind(cluster.server.handle);
  const send = (method: string, path: string, request: TestRequest = {}): Promise<ApiResponse> =>
    handle(apiRequest(method, path, request));
  return {
    server: { ...cluster.server, handle },
    client: watches.of(cluster.client),
    storage,
    clock,
    faults,
    logged,
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
    cutWatches: (how = "connection") => watches.cut(how),
    async expireHistory() {
      await storage.compact(await storage.revision());
      for (const kind of cluster.server.resources()) if (kind.storage instanceof Store) kind.storage.forgetChanges();
    },
    async [Symbol.asyncDispose]() {
      faults.clear();
      await cluster[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

/** The watches that are open, so that they can be cut. */
class OpenWatches {
  readonly #open = new Map<AbortScope, (how: WatchCut) => void>();

  cut(how: WatchCut): number {
    const open = [...this.#open];
    for (const [scope, note] of open) {
      note(how);
      scope.end();
    }
    return open.length;
  }

  behind(handle: RequestHandler): RequestHandler {
    return async (request) => {
      const scope = abortScope(request.signal);
      const response = await handle({ ...request, signal: scope.signal });
      const { body } = response;
      if (typeof body !== "object" || body instanceof Uint8Array) return response;
      const atCut = { connection: brokenOff, end: () => [], expired: () => [expiredLine] };
      return { ...response, body: this.#cuttable(body, scope, atCut) };
    };
  }

  of(client: KubeClient): KubeClient {
    const throwExpired = (): never => {
      throw expired(expiredMessage);
    };
    const atCut = { connection: brokenOff, end: () => [], expired: throwExpired };
    return {
      ...client,
      watch: (kind, options) => ({
        [Symbol.asyncIterator]: () => {
          const scope = abortScope(options?.signal);
          return this.#cuttable(client.watch(kind, { ...options, signal: scope.signal }), scope, atCut);
        },
      }),
    };
  }

  /** What a watch gives until it ends by itself, or is cut; then what `atCut` makes of it. */
  async *#cuttable<T>(
    events: AsyncIterable<T>,
    scope: AbortScope,
    atCut: Readonly<Record<WatchCut, () => readonly T[]>>,
  ): AsyncGenerator<T> {
    let cut: WatchCut | undefined;
    this.#open.set(scope, (how) => {
      cut = how;
    });
    try {
      yield* events;
    } finally {
      this.#open.delete(scope);
      scope.end();
    }
    if (cut !== undefined) yield* atCut[cut]();
  }
}

const expiredMessage = "the watch was ended by the test; list again and watch from there";
const expiredLine = `{"type":"ERROR","object":${JSON.stringify(expired(expiredMessage).status)}}\n`;

function brokenOff(): never {
  throw new SlipwayError("the connection was cut by the test. Watch again.", { code: "READ_FAILED" });
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
    const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    for (const line of text.split("\n")) if (line !== "") yield parseJson(line);
  }
}
