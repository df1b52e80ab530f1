import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../cluster.ts";
import { systemHost } from "../host.ts";
import type { OperationOptions } from "../operation.ts";
import { createMemoryStorage } from "../storage/memory-storage.ts";
import type { ObjectStorage } from "../storage/storage.ts";
import { type Certificates, openCertificates } from "./certificates.ts";
import { type Listener, type ListenOptions, listen } from "./listener.ts";
import { createMetrics } from "./metrics.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const idle = { readOnly: 0, mutating: 0, longRunning: 0 };

let folder: string;
let certificates: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-operation-"));
  certificates = await openCertificates(folder, { now: () => new Date() });
});
afterAll(() => rm(folder, { recursive: true }));

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

interface Running {
  readonly cluster: Cluster;
  readonly listener: Listener;
  readonly errors: readonly string[];
  /** Until it is called, writes wait. */
  readonly release: () => void;
  /** Moves the clock that gauges look at. */
  readonly advance: (ms: number) => void;
}

/** Everything between a socket and a storage; `stalls`: the storage does not answer writes. */
async function start(
  options: {
    readonly stalls?: boolean;
    readonly operation?: OperationOptions;
    readonly listen?: Partial<ListenOptions>;
  } = {},
): Promise<Running> {
  const errors: string[] = [];
  const memory = createMemoryStorage();
  let isStalled = false;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const storage = new Proxy(memory, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "create") return member.bind(target);
      return async (...args: Parameters<ObjectStorage["create"]>) => {
        if (isStalled) await released;
        return target.create(...args);
      };
    },
  });
  let skippedMs = 0;
  const cluster = startCluster({
    storage,
    host: systemHost((message, error) => errors.push(`${message}: ${error}`)),
    definitions: [],
    authenticate: async () => ({ name: "jane", groups: ["system:authenticated"] }),
    authorize: async () => true,
    version: {},
    operation: {
      metrics: await createMetrics(),
      monotonicMs: () => performance.now() + skippedMs,
      ...options.operation,
    },
  });
  await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  for (let index = 0; index < 200; index++) {
    const metadata = { name: `c${index}`, namespace: "default" };
    await cluster.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: "é".repeat(5_000) } });
  }
  isStalled = options.stalls === true;
  const { ca: clientCa, certificate, key } = certificates;
  const onError = (error: unknown): void => void errors.push(String(error));
  const settings = { port: 0, clientCa, certificate, key, drainTimeoutMs: 10_000, onError, ...options.listen };
  const listener = await listen(cluster.server.handle, settings);
  toClose.push(async () => {
    release();
    await listener.close();
    await cluster[Symbol.asyncDispose]();
    await memory[Symbol.asyncDispose]();
  });
  return {
    cluster,
    listener,
    errors,
    release,
    advance: (ms) => {
      skippedMs += ms;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

type Send = (path: string, headers?: Record<string, string>) => Promise<Answer>;

function http1(listener: Listener): Send {
  const agent = new Agent({ keepAlive: true, ca: certificates.ca });
  toClose.push(() => agent.destroy());
  return async (path, headers = {}) => {
    const [response] = (await once(get(new URL(path, listener.url), { agent, headers }), "response")) as [
      IncomingMessage,
    ];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) };
  };
}

function openSession(listener: Listener): ClientHttp2Session {
  const session = connectHttp2(listener.url, { ca: certificates.ca });
  session.on("error", () => {});
  toClose.push(() => session.destroy());
  return session;
}

function request(session: ClientHttp2Session, headers: Record<string, string>, endStream = true): ClientHttp2Stream {
  const stream = session.request(headers, { endStream });
  stream.on("error", () => {});
  return stream;
}

function http2(listener: Listener): Send {
  const session = openSession(listener);
  return async (path, headers = {}) => {
    const stream = request(session, { ":path": path, ...headers });
    const [received] = await once(stream, "response");
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part);
    return { status: received[":status"], headers: received, bytes: Buffer.concat(parts) };
  };
}

async function rawSocket(listener: Listener): Promise<TLSSocket> {
  const socket = connectTls({
    port: listener.port,
    host: "127.0.0.1",
    ca: certificates.ca,
    ALPNProtocols: ["http/1.1"],
  });
  socket.on("error", () => {});
  toClose.push(() => socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

/** Everything until the server ends the connection. */
async function readAll(socket: TLSSocket): Promise<string> {
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  if (!socket.closed) await closeOf(socket);
  return received;
}

/** An error before it does not count, as it does for `once` of `node:events`: a reset may overtake the end. */
function closeOf(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

const metricsOf = async (send: Send): Promise<readonly string[]> =>
  (await send("/metrics")).bytes.toString("utf8").split("\n");

describe.for([
  ["HTTP/1.1", http1],
  ["HTTP/2", http2],
] as const)("gzip over %s", ([, client]) => {
  test("a long list, for those who accept it, says so and is the same list", async () => {
    const send = client((await start()).listener);
    const plain = await send(configMaps);
    const packed = await send(configMaps, { "accept-encoding": "gzip, deflate" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(packed.status).toBe(200);
    expect(packed.headers).toMatchObject({
      "content-type": "application/json",
      "content-encoding": "gzip",
      vary: "Accept-Encoding",
      "content-length": String(packed.bytes.length),
    });
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 10);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  });

  test.for([`${configMaps}/c0`, `${configMaps}?limit=2`, "/apis", `${configMaps}?watch=1&timeoutSeconds=1`])(
    "not what is short, nor a watch: %s",
    async (path) => {
      const answer = await client((await start()).listener)(path, { "accept-encoding": "gzip" });
      expect(answer.status).toBe(200);
      expect(answer.headers["content-encoding"]).toBeUndefined();
      expect(answer.bytes.toString("utf8")).toMatch(/^\{/);
    },
  );
});

describe("metrics", () => {
  test("count what was answered, under kube-apiserver's names", async () => {
    const { listener, advance } = await start();
    const send = http1(listener);
    for (const path of [`${configMaps}/c0`, `${configMaps}/c1`, `${configMaps}/none`, configMaps, "/readyz", "/a/b"]) {
      await send(path);
    }
    await send(`/apis/nobody.knows/v1/things-${"x".repeat(20)}/y`);
    await send(`${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dc0`);
    advance(10_000);
    const lines = await metricsOf(send);
    const name = (labels: string): string => `group="",version="v1",resource="configmaps",subresource="",${labels}`;
    for (const line of [
      `apiserver_request_total{verb="GET",${name('scope="resource",component="apiserver",dry_run="",code="200"')}} 2`,
      `apiserver_request_total{verb="GET",${name('scope="resource",component="apiserver",dry_run="",code="404"')}} 1`,
      `apiserver_request_total{verb="LIST",${name('scope="namespace",component="apiserver",dry_run="",code="200"')}} 1`,
      `apiserver_request_total{verb="WATCH",${name('scope="namespace",component="apiserver",dry_run="",code="200"')}} 1`,
      'apiserver_request_total{verb="GET",group="",version="",resource="",subresource="/readyz",scope="",component="apiserver",dry_run="",code="200"} 1',
      'apiserver_request_total{verb="GET",group="",version="",resource="",subresource="",scope="",component="apiserver",dry_run="",code="404"} 1',
      'apiserver_request_total{verb="GET",group="",version="",resource="",subresource="",scope="resource",component="apiserver",dry_run="",code="404"} 1',
      `apiserver_request_duration_seconds_count{verb="GET",${name('scope="resource",component="apiserver",dry_run=""')}} 3`,
      `apiserver_response_sizes_bucket{le="1000",verb="LIST",${name('scope="namespace",component="apiserver"')}} 0`,
      `apiserver_response_sizes_bucket{le="10000000",verb="LIST",${name('scope="namespace",component="apiserver"')}} 1`,
      `apiserver_longrunning_requests{verb="WATCH",${name('scope="namespace",component="apiserver"')}} 0`,
      'apiserver_watch_events_total{group="",version="v1",resource="configmaps"} 1',
      'apiserver_storage_objects{resource="configmaps"} 200',
      'apiserver_resource_objects{group="",resource="configmaps"} 200',
      'apiserver_resource_objects{group="",resource="secrets"} 0',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 0',
      'apiserver_current_inflight_requests{request_kind="mutating"} 0',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.join("\n")).not.toContain("things-");
    for (const prefix of [
      "process_cpu_seconds_total ",
      "process_resident_memory_bytes ",
      "nodejs_heap_size_used_bytes ",
    ]) {
      expect(lines.filter((line) => line.startsWith(prefix))).toHaveLength(1);
    }
  });

  test("show what is in flight, what was given up and what was refused", async () => {
    const { listener } = await start({
      stalls: true,
      operation: { maxMutatingRequestsInFlight: 1, requestTimeoutMs: 50 },
    });
    const session = openSession(listener);
    const send = http1(listener);
    const post = (): ClientHttp2Stream => {
      const stream = request(
        session,
        { ":method": "POST", ":path": configMaps, "content-type": "application/json" },
        false,
      );
      stream.end(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } }));
      return stream;
    };
    const answers = [post(), post()].map(async (stream) => (await once(stream, "response"))[0][":status"]);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([504, 429]));
    const lines = await metricsOf(send);
    expect(lines).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 1');
    const labels =
      'verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver"';
    for (const code of [504, 429]) {
      expect(lines).toContain(`apiserver_request_terminations_total{${labels},code="${code}"} 1`);
      expect(lines).toContain(`apiserver_request_total{${labels},dry_run="",code="${code}"} 1`);
    }
  });

  test("of two servers do not add up", async () => {
    const [first, second] = [await start(), await start()];
    await http1(first.listener)(configMaps);
    expect((await metricsOf(http1(second.listener))).filter((line) => line.includes('verb="LIST"'))).toEqual([]);
  });
});

describe("clients that misbehave leave nothing in flight, and everybody else is served", () => {
  const head = (method: string, path: string, ...lines: readonly string[]): string =>
    [`${method} ${path} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");
  const json = "Content-Type: application/json";

  interface Misbehaviour {
    readonly what: string;
    readonly stalls?: boolean;
    /** @default longer than the test */
    readonly requestTimeoutMs?: number;
    /** Resolves when the client has done it. */
    readonly act: (running: Running) => Promise<unknown>;
  }

  const raw =
    (bytes: string, then: (socket: TLSSocket, running: Running) => unknown = (socket) => socket.destroy()) =>
    async (running: Running): Promise<void> => {
      const socket = await rawSocket(running.listener);
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      await then(socket, running);
    };
  const inFlight = (kind: keyof typeof idle, count: number) => (running: Running) =>
    vi.waitFor(() => expect(running.cluster.server.openRequests()[kind]).toBe(count));
  const answered = (pattern: RegExp) => async (socket: TLSSocket) => expect(await readAll(socket)).toMatch(pattern);
  const create = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } });
  const stalledPost = { ":method": "POST", ":path": configMaps, "content-type": "application/json" };

  test.for<Misbehaviour>([
    { what: "goes away after the handshake", act: raw("") },
    { what: "goes away in the request line", act: raw("GET /api") },
    { what: "goes away in the headers", act: raw(`GET ${configMaps} HTTP/1.1\r\nHost: x\r\nX`) },
    {
      what: "floods with header lines",
      act: raw(
        head("GET", configMaps, ...Array.from({ length: 60_000 }, (_, index) => `X-${index}: 1`)),
        async (socket) => {
          expect(await readAll(socket)).toMatch(/^(HTTP\/1.1 431 |$)/); // a reset may overtake the answer
        },
      ),
    },
    { what: "goes away in the body", act: raw(`${head("POST", configMaps, json, "Content-Length: 1000")}{"a"`) },
    {
      what: "closes its side in the body",
      act: raw(`${head("POST", configMaps, json, "Content-Length: 1000")}{"a"`, async (socket) => {
        socket.end();
        await readAll(socket);
      }),
    },
    {
      what: "sends chunks that are none",
      act: raw(
        `${head("POST", configMaps, json, "Transfer-Encoding: chunked")}nonsense\r\n`,
        answered(/^HTTP\/1.1 400 /),
      ),
    },
    {
      what: "closes its side when it has asked",
      act: raw(head("GET", `${configMaps}/c0`, "Connection: close"), async (socket) => {
        socket.end();
        // Node ends a connection whose client has closed its side; whether the answer was faster is open.
        expect(await readAll(socket)).toMatch(/^(HTTP\/1.1 200 OK|$)/);
      }),
    },
    {
      what: "goes away while its request is in work",
      stalls: true,
      act: raw(head("POST", configMaps, json, `Content-Length: ${create.length}`) + create, async (socket, running) => {
        await inFlight("mutating", 1)(running);
        socket.destroy();
      }),
    },
    {
      what: "asks for much, reads nothing, and goes away",
      act: raw(head("GET", configMaps).repeat(20), async (socket, running) => {
        socket.pause();
        await inFlight("readOnly", 1)(running);
        socket.destroy();
      }),
    },
    {
      what: "asks for much and reads nothing",
      act: raw(head("GET", configMaps).repeat(20), async (socket, running) => {
        socket.pause();
        await inFlight("readOnly", 1)(running);
      }),
    },
    {
      what: "goes away from a watch",
      act: raw(head("GET", `${configMaps}?watch=1`), async (socket, running) => {
        await inFlight("longRunning", 1)(running);
        socket.destroy();
      }),
    },
    {
      what: "opens many watches and resets them all",
      act: async (running) => {
        const session = openSession(running.listener);
        const streams = Array.from({ length: 100 }, () => request(session, { ":path": `${configMaps}?watch=1` }));
        await inFlight("longRunning", 100)(running);
        for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      },
    },
    {
      what: "resets many requests as soon as they are sent",
      stalls: true,
      act: async (running) => {
        const session = openSession(running.listener);
        await once(session, "connect");
        for (let count = 0; count < 200; count++) {
          const stream = request(session, stalledPost, false);
          stream.end(create);
          stream.close(constants.NGHTTP2_CANCEL);
        }
      },
    },
    {
      what: "ends its session with requests in work",
      stalls: true,
      act: async (running) => {
        const session = openSession(running.listener);
        for (let count = 0; count < 50; count++) request(session, stalledPost, false).end(create);
        await inFlight("mutating", 50)(running);
        session.destroy();
      },
    },
    {
      what: "never ends its body",
      requestTimeoutMs: 100,
      act: async (running) => {
        const stream = request(openSession(running.listener), stalledPost, false);
        stream.write("{");
        expect((await once(stream, "response"))[0][":status"]).toBe(504);
      },
    },
    {
      what: "never ends its body, over HTTP/1.1",
      requestTimeoutMs: 100,
      act: raw(`${head("POST", configMaps, json, "Content-Length: 1000")}{"a"`, async (socket) => {
        let received = "";
        for await (const chunk of socket) {
          received += chunk;
          if (received.includes("request did not complete within the allotted timeout")) break;
        }
        expect(received).toMatch(/^HTTP\/1.1 504 /);
      }),
    },
  ])("one that $what", { timeout: 20_000 }, async ({ act, stalls = false, requestTimeoutMs = 60_000 }) => {
    const running = await start({
      stalls,
      operation: { requestTimeoutMs },
      listen: { answerTimeoutMs: 500, stallTimeoutMs: 300 },
    });
    const { cluster, listener, advance } = running;
    await act(running);
    await vi.waitFor(() => expect(cluster.server.openRequests()).toEqual(idle), { timeout: 10_000 });
    for (const send of [http1(listener), http2(listener)]) {
      expect((await send(`${configMaps}/c0`)).status).toBe(200);
      await vi.waitFor(() => expect(cluster.server.openRequests()).toEqual(idle));
      advance(10_000);
      const gauges = (await metricsOf(send)).filter((line) =>
        /^apiserver_(current_inflight|longrunning)_requests\{/.test(line),
      );
      expect(gauges.map((line) => line.split(" ").at(-1))).toEqual(gauges.map(() => "0"));
    }
  });
});

describe("a server that stops", () => {
  let running: Running;
  beforeEach(async () => {
    running = await start();
  });

  test("is not ready first, serves meanwhile, then ends watches and connections in good order", async () => {
    const { cluster, listener, errors } = running;
    const send = http1(listener);
    const session = openSession(listener);
    const watch = request(session, { ":path": `${configMaps}?watch=1&fieldSelector=metadata.name%3Dc0` });
    await once(watch, "response");
    let events = "";
    watch.on("data", (chunk: Buffer) => {
      events += chunk.toString("utf8");
    });
    expect((await send("/readyz")).status).toBe(200);

    cluster.server.startShutdown();
    expect((await send("/readyz")).status).toBe(500);
    expect((await send("/livez")).status).toBe(200);
    expect((await send(`${configMaps}/c0`)).status).toBe(200);
    expect(cluster.server.openRequests().longRunning).toBe(1);

    const idleSocket = await rawSocket(listener);
    const idleEnds = closeOf(idleSocket);
    idleSocket.resume();
    const [goaway, watchEnds] = [once(session, "goaway"), once(watch, "close")];
    const closed = listener.close();
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    await Promise.all([watchEnds, idleEnds, closed]);
    expect(watch.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    expect(events).toMatch(/^\{"type":"ADDED".*\}\n$/);
    await vi.waitFor(() => expect(cluster.server.openRequests()).toEqual(idle));
    await expect(http1(listener)("/readyz")).rejects.toThrow();
    expect(errors).toEqual([]);
  });
});
