import { describe, expect, test } from "vitest";
import { abortScope } from "./abort-scope.ts";
import { type ClusterOptions, startCluster } from "./cluster.ts";
import type { OperationOptions } from "./operation.ts";
import type { UserInfo } from "./registry/rest.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { RequestLogEntry } from "./request-log.ts";
import type { ApiServer } from "./server.ts";
import { createMemoryStorage } from "./storage/memory-storage.ts";
import type { ObjectStorage } from "./storage/storage.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });

interface Running extends AsyncDisposable {
  readonly server: ApiServer;
  readonly errors: readonly string[];
  /** Writes wait from now on until they are let go. */
  stall(): void;
  release(): void;
  send(method: string, url: string, request?: Partial<ApiRequest> & { readonly text?: string }): Promise<ApiResponse>;
}

async function start(operation: OperationOptions, options: Partial<ClusterOptions> = {}): Promise<Running> {
  const errors: string[] = [];
  const memory = createMemoryStorage();
  let gate: { readonly opened: Promise<void>; open(): void } | undefined;
  const storage = new Proxy(memory, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "create") return member.bind(target);
      return async (...args: Parameters<ObjectStorage["create"]>) => {
        await gate?.opened;
        return target.create(...args);
      };
    },
  });
  let count = 0;
  const cluster = startCluster({
    storage,
    host: {
      now: () => new Date(),
      uuid: () => `id-${++count}`,
      random: () => 0,
      nameSuffix: () => String(++count),
      logError: (message, error) => errors.push(`${message}: ${error}`),
    },
    definitions: [],
    authenticate: async ({ headers }) => userOf(headers["x-user"] ?? "admin"),
    authorize: async () => true,
    version: {},
    operation,
    ...options,
  });
  await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  return {
    server: cluster.server,
    errors,
    stall() {
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gate = { opened, open };
    },
    release: () => gate?.open(),
    send: (method, url, { text = "", headers = {}, ...request } = {}) =>
      cluster.server.handle({
        method,
        url,
        body: (async function* () {
          if (text !== "") yield new TextEncoder().encode(text);
        })(),
        signal: new AbortController().signal,
        ...request,
        headers: { ...(text === "" ? {} : { "content-type": "application/json" }), ...headers },
      }),
    async [Symbol.asyncDispose]() {
      gate?.open();
      await cluster[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

function userOf(name: string): UserInfo | undefined {
  if (name === "nobody") return undefined;
  return { name, groups: name === "admin" ? ["system:masters"] : ["people"] };
}

const idle = { readOnly: 0, mutating: 0, longRunning: 0 };

/** Lets everything that is ready be done: a turn of the event loop, no time. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("the id of a request", () => {
  test.for([
    ["of a read", "GET", configMaps, 200],
    ["of a health check", "GET", "/readyz", 200],
    ["of what is not there", "GET", "/nothing", 404],
    ["of a refusal", "GET", `${configMaps}/none`, 404],
    ["of a path that cannot be read", "GET", "/%zz", 400],
    ["of a watch", "GET", `${configMaps}?watch=1`, 200],
  ] as const)("%s is in the answer: its own, or a new one", async ([, method, url, status]) => {
    await using running = await start({});
    const { signal, end } = abortScope(undefined);
    const own = await running.send(method, url, { headers: { "audit-id": "from-the-proxy" }, signal });
    const fresh = await running.send(method, url, { headers: { "audit-id": "" }, signal });
    end();
    expect(own).toMatchObject({ status, headers: { "audit-id": "from-the-proxy" } });
    expect(fresh.headers["audit-id"]).toMatch(/^id-\d+$/);
  });

  test("is what a failure names, to the client and in the log, cut when it is long; nothing else gets out", async () => {
    await using running = await start(
      {},
      {
        authorize: async () => {
          throw new Error("password of the database: 1234");
        },
      },
    );
    const long = "x".repeat(500);
    const answer = await running.send("GET", configMaps, { headers: { "audit-id": long } });
    expect(answer.headers["audit-id"]).toBe(long);
    expect(JSON.parse(String(answer.body))).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: `Internal error occurred: the server log has the details under request ${"x".repeat(64)}`,
    });
    expect(answer.body).not.toContain("password");
    expect(running.errors).toEqual([
      `request ${"x".repeat(64)} GET ${configMaps}: Error: password of the database: 1234`,
    ]);
    expect(running.server.openRequests()).toEqual(idle);
  });
});

describe("deadlines", () => {
  test.for([
    { rule: "the client's own", operation: {}, query: "?timeout=20ms" },
    { rule: "the server's, when the client names none", operation: { requestTimeoutMs: 20 }, query: "" },
    { rule: "the server's, when the client wants longer", operation: { requestTimeoutMs: 20 }, query: "?timeout=1h" },
    { rule: "the server's, when the client says 0", operation: { requestTimeoutMs: 20 }, query: "?timeout=0s" },
    { rule: "the server's, when it is negative", operation: { requestTimeoutMs: 20 }, query: "?timeout=-1s" },
  ])("a storage that stalls ends with 504: $rule", async ({ operation, query }) => {
    await using running = await start(operation);
    running.stall();
    const answer = await running.send("POST", configMaps + query, { text: configMap("a") });
    expect(answer).toEqual({
      status: 504,
      headers: {
        "audit-id": expect.any(String),
        "cache-control": "no-cache, private",
        "content-type": "text/plain; charset=utf-8",
      },
      body:
        '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
        '"reason":"Timeout","details":{},"code":504}\n',
    });
    expect(running.server.openRequests()).toEqual(idle);
    running.release();
    expect((await running.send("GET", configMaps)).status).toBe(200);
  });

  test("a body that never ends does too, and what waits for it is told", async () => {
    await using running = await start({ requestTimeoutMs: 20 });
    const answer = await running.send("POST", configMaps, {
      headers: { "content-type": "application/json" },
      body: (async function* () {
        yield new TextEncoder().encode("{");
        await new Promise(() => {});
      })(),
    });
    expect(answer.status).toBe(504);
    expect(running.server.openRequests()).toEqual(idle);
  });

  test("a connection's signal aborts, so that the work can end", async () => {
    await using running = await start({ requestTimeoutMs: 20 });
    running.stall();
    const abort = new AbortController();
    const connection = { remoteAddress: "", sent: new Promise<never>(() => {}), abort: () => abort.abort() };
    const answer = await running.send("POST", configMaps, { text: configMap("a"), connection, signal: abort.signal });
    expect(answer.status).toBe(504);
    expect(abort.signal.aborted).toBe(true);
  });

  test("a watch has none, and does not look at timeout", async () => {
    await using running = await start({ requestTimeoutMs: 20 });
    const { signal, end } = abortScope(undefined);
    const answer = await running.send("GET", `${configMaps}?watch=1&timeout=soon`, { signal });
    const events = (answer.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    const first = events.next();
    running.stall();
    // This one's deadline passes while the watch waits.
    expect((await running.send("POST", configMaps, { text: configMap("a") })).status).toBe(504);
    running.release();
    expect(new TextDecoder().decode((await first).value as Uint8Array)).toContain('"ADDED"');
    end();
    expect((await events.next()).done).toBe(true);
  });

  test.for([configMaps, "/apis", "/version", "/readyz", "/nothing"])("one that is none is 400: %s", async (url) => {
    await using running = await start({});
    const answer = await running.send("GET", `${url}?timeout=soon`, { headers: { "x-user": "nobody" } });
    expect(JSON.parse(String(answer.body))).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
    });
  });
});

describe("requests in flight", () => {
  test("beyond the limit are 429, until one is answered; each kind for itself", async () => {
    await using running = await start({ maxMutatingRequestsInFlight: 2, maxRequestsInFlight: 1 });
    const headers = { "x-user": "jane" };
    const create = (name: string): Promise<ApiResponse> =>
      running.send("POST", configMaps, { text: configMap(name), headers });
    running.stall();
    const first = [create("a"), create("b")];
    await turn();
    expect(running.server.openRequests()).toEqual({ ...idle, mutating: 2 });
    expect(await create("c")).toMatchObject({
      status: 429,
      headers: {
        "retry-after": "1",
        "content-type": "text/plain; charset=utf-8",
        "x-content-type-options": "nosniff",
      },
      body: "Too many requests, please try again later.\n",
    });
    expect((await running.send("GET", configMaps, { headers })).status).toBe(200);
    running.release();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201]);
    expect(running.server.openRequests()).toEqual(idle);
    expect((await create("d")).status).toBe(201);
  });

  test.for([
    { who: "administrators", url: configMaps, user: "admin", status: 200 },
    { who: "health checks", url: "/readyz", user: "jane", status: 200 },
    { who: "the version", url: "/version", user: "jane", status: 200 },
    { who: "watches", url: `${configMaps}?watch=1&timeoutSeconds=1`, user: "jane", status: 200 },
    { who: "metrics, which nobody collects here", url: "/metrics", user: "jane", status: 404 },
    { who: "nobody else", url: configMaps, user: "jane", status: 429 },
    { who: "discovery neither", url: "/apis", user: "jane", status: 429 },
  ])("the limit is not for $who: $status", async ({ url, user, status }) => {
    let open = (): void => {};
    const opened = new Promise<boolean>((resolve) => {
      open = () => resolve(true);
    });
    const authorize: ClusterOptions["authorize"] = async ({ name }) => (name === "slow" ? opened : true);
    await using running = await start({ maxRequestsInFlight: 1 }, { authorize });
    const held = running.send("GET", configMaps, { headers: { "x-user": "slow" } });
    await turn();
    const answer = await running.send("GET", url, { headers: { "x-user": user } });
    expect(answer.status).toBe(status);
    if (typeof answer.body === "object" && Symbol.asyncIterator in answer.body) {
      await answer.body[Symbol.asyncIterator]().return?.();
    }
    open();
    expect((await held).status).toBe(200);
    expect(running.server.openRequests()).toEqual(idle);
  });

  test("a client that goes away gives its place back, whatever its work waits for", async () => {
    await using running = await start({});
    running.stall();
    const { signal, end } = abortScope(undefined);
    const answer = running.send("POST", configMaps, { text: configMap("a"), signal });
    await turn();
    expect(running.server.openRequests()).toEqual({ ...idle, mutating: 1 });
    end();
    await answer;
    expect(running.server.openRequests()).toEqual(idle);
  });

  test("one that is gone before it is known who it was takes none", async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    await using running = await start(
      {},
      {
        authenticate: async () => {
          await opened;
          return userOf("jane");
        },
      },
    );
    const { signal, end } = abortScope(undefined);
    const answer = running.send("GET", configMaps, { signal });
    end();
    await answer;
    open();
    await turn();
    expect(running.server.openRequests()).toEqual(idle);
  });

  test("a place is held until the answer has gone out", async () => {
    await using running = await start({});
    let send = (_: { readonly bytes: number }): void => {};
    const sent = new Promise<{ readonly bytes: number }>((resolve) => {
      send = resolve;
    });
    await running.send("GET", configMaps, { connection: { remoteAddress: "", sent, abort: () => {} } });
    expect(running.server.openRequests()).toEqual({ ...idle, readOnly: 1 });
    send({ bytes: 5 });
    await turn();
    expect(running.server.openRequests()).toEqual(idle);
  });

  test("a watch counts while it is open", async () => {
    await using running = await start({});
    const { signal, end } = abortScope(undefined);
    const { body } = await running.send("GET", `${configMaps}?watch=1`, { signal });
    expect(running.server.openRequests()).toEqual({ ...idle, longRunning: 1 });
    end();
    for await (const _ of body as AsyncIterable<string>);
    expect(running.server.openRequests()).toEqual(idle);
  });
});

describe("the request log", () => {
  test("has one entry for each request, when it is answered", async () => {
    const entries: RequestLogEntry[] = [];
    let now = 0;
    await using running = await start({
      requestLog: (entry) => entries.push(entry),
      monotonicMs: () => {
        now += 5;
        return now;
      },
    });
    const connection = { remoteAddress: "10.0.0.1:99", sent: Promise.resolve({ bytes: 1 }), abort: () => {} };
    const headers = { "user-agent": "kubectl/1", "audit-id": "one" };
    await running.send("GET", `${configMaps}?limit=1&token=abc`, { headers });
    await running.send("PATCH", `${configMaps}/a`, { headers: { ...headers, "content-type": "application/xml" } });
    await running.send("GET", "/readyz", {
      headers,
      connection: { ...connection, sent: turn().then(() => ({ bytes: 1 })) },
    });
    await running.send("GET", "/%zz", { headers });
    const { signal, end } = abortScope(undefined);
    const { body } = await running.send("GET", `${configMaps}?watch=1`, { headers, signal });
    end();
    for await (const _ of body as AsyncIterable<string>);
    await turn();
    const shown = entries.map(({ verb, uri, status }) => `${verb} ${uri} ${status}`);
    expect(new Set(shown)).toEqual(
      new Set([
        `LIST ${configMaps}?limit=1&token=*** 200`,
        `PATCH ${configMaps}/a 415`,
        "GET /readyz 200",
        "GET /%zz 400",
        `WATCH ${configMaps}?watch=1 200`,
      ]),
    );
    expect(entries).toHaveLength(5);
    for (const entry of entries) {
      expect(entry).toMatchObject({ auditId: "one", userAgent: "kubectl/1" });
      expect(entry.latencyMs).toBeGreaterThanOrEqual(5);
    }
    expect(entries.map(({ sourceAddress }) => sourceAddress).filter((address) => address !== "")).toEqual([
      "10.0.0.1:99",
    ]);
  });
});

test("those who are told may fail: the request is answered, and the failure is logged", async () => {
  await using running = await start({
    requestLog: () => {
      throw new Error("disk full");
    },
  });
  expect((await running.send("GET", configMaps)).status).toBe(200);
  const connection = { remoteAddress: "", sent: turn().then(() => ({ bytes: 1 })), abort: () => {} };
  expect((await running.send("GET", configMaps, { connection })).status).toBe(200);
  await connection.sent;
  await turn();
  expect(running.errors).toHaveLength(2);
  expect(running.errors[0]).toMatch(/^request id-\d+ could not be counted or logged: Error: disk full$/);
  expect(running.server.openRequests()).toEqual(idle);
});

test("what fails after the deadline is logged", async () => {
  let fail = (_: Error): void => {};
  const failing = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await using running = await start({ requestTimeoutMs: 10 }, { authorize: () => failing });
  expect((await running.send("GET", configMaps)).status).toBe(504);
  fail(new Error("late"));
  await turn();
  expect(running.errors).toEqual([expect.stringMatching(/^request id-\d+ after its deadline: Error: late$/)]);
});

describe("health", () => {
  const checks = async (running: Running, url: string): Promise<string> => {
    const { status, body } = await running.send("GET", url, { headers: { "x-user": "nobody" } });
    return `${status} ${body}`;
  };

  test.for([
    ["/readyz", "200 ok"],
    ["/livez", "200 ok"],
    ["/healthz", "200 ok"],
    ["/readyz?verbose", "200 [+]ping ok\n[+]storage ok\n[+]shutdown ok\nreadyz check passed\n"],
    ["/livez?verbose", "200 [+]ping ok\n[+]storage ok\nlivez check passed\n"],
    [
      "/readyz?verbose&exclude=ping&exclude=shutdown",
      "200 [+]ping excluded: ok\n[+]storage ok\n[+]shutdown excluded: ok\nreadyz check passed\n",
    ],
    [
      "/livez?verbose&exclude=shutdown&exclude=a",
      '200 [+]ping ok\n[+]storage ok\nwarn: some health checks cannot be excluded: no matches for "a","shutdown"\nlivez check passed\n',
    ],
    ["/readyz/storage", "200 ok"],
    ["/readyz/shutdown", "200 ok"],
    ["/livez/shutdown", "404 404 page not found\n"],
    ["/readyz/", "404 404 page not found\n"],
    ["/readyz/ping/more", "404 404 page not found\n"],
  ] as const)("%s", async ([url, expected]) => {
    await using running = await start({});
    expect(await checks(running, url)).toBe(expected);
  });

  test("of a server that is about to stop: not ready, alive, and everybody is served", async () => {
    await using running = await start({});
    running.server.startShutdown();
    expect(await checks(running, "/readyz")).toBe(
      "500 [+]ping ok\n[+]storage ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n",
    );
    expect(await checks(running, "/readyz/shutdown")).toBe("500 internal server error: reason withheld\n");
    expect(await checks(running, "/readyz?exclude=shutdown")).toBe("200 ok");
    expect(await checks(running, "/livez")).toBe("200 ok");
    expect((await running.send("POST", configMaps, { text: configMap("a") })).status).toBe(201);
    expect(running.errors).toEqual([]);
  });
});
