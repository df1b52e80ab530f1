import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import { Agent, request as requestHttps } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ApiRequest, ApiResponse, RequestHandler } from "../request.ts";
import { type Certificates, openCertificates } from "./certificates.ts";
import { issueAuthority, issueLeaf, type KeyPair } from "./issue-certificate.ts";
import { type Listener, type ListenOptions, listen } from "./listener.ts";

type Version = "HTTP/1.1" | "HTTP/2";
const versions: readonly Version[] = ["HTTP/1.1", "HTTP/2"];

const hour = 60 * 60 * 1000;
const validity = { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + hour) };

let folder: string;
let certificates: Certificates;
let authority: KeyPair;
let admin: KeyPair;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-listener-"));
  certificates = await openCertificates(folder, { now: () => new Date() });
  authority = { certificate: certificates.ca, key: await readFile(join(folder, "ca.key"), "utf8") };
  admin = await certificates.issueClientCertificate({
    commonName: "slipway-admin",
    organizations: ["system:masters", "people, all of them"],
  });
});

afterAll(() => rm(folder, { recursive: true }));

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function start(handler: RequestHandler, options: Partial<ListenOptions> = {}): Promise<Listener> {
  const { ca: clientCa, certificate, key } = certificates;
  const listener = await listen(handler, { port: 0, certificate, key, clientCa, drainTimeoutMs: 500, ...options });
  toClose.push(() => listener.close());
  return listener;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: AsyncIterable<Buffer>;
  text(): Promise<string>;
  /** The client goes away. */
  abort(): void;
}

interface ClientOptions {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer | AsyncIterable<string | Buffer>;
  readonly identity?: KeyPair;
}

/** A connection that is kept for several requests. */
interface Client {
  send(path: string, options?: ClientOptions): Promise<Answer>;
  close(): void;
}

function connect(version: Version, listener: Listener, identity?: KeyPair): Client {
  const tls = { ca: certificates.ca, cert: identity?.certificate, key: identity?.key };
  const client = version === "HTTP/2" ? http2Client(listener, tls) : http1Client(listener, tls);
  toClose.push(() => client.close());
  return client;
}

interface ClientTls {
  readonly ca: string;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

function http1Client(listener: Listener, tls: ClientTls): Client {
  const agent = new Agent({ keepAlive: true, ...tls });
  return {
    async send(path, { method = "GET", headers = {}, body } = {}) {
      const request = requestHttps(new URL(path, listener.url), { method, headers, agent });
      const response = new Promise<IncomingMessage>((resolve, reject) => {
        request.once("response", resolve);
        request.on("error", reject);
      });
      void writeBody(request, body).catch(() => {});
      const incoming = await response;
      return answer(incoming.statusCode ?? 0, incoming.headers, incoming, () => request.destroy());
    },
    close: () => agent.destroy(),
  };
}

function http2Client(listener: Listener, tls: ClientTls): Client & { readonly session: ClientHttp2Session } {
  const session = connectHttp2(listener.url, { ...tls, maxSendHeaderBlockLength: 1024 * 1024 });
  session.on("error", () => {});
  return {
    session,
    async send(path, { method = "GET", headers = {}, body } = {}) {
      const stream = session.request(
        { ":path": path, ":method": method, ...headers },
        { endStream: body === undefined },
      );
      const response = new Promise<IncomingHttpHeaders & { ":status"?: number }>((resolve, reject) => {
        stream.once("response", resolve);
        stream.on("error", reject);
        stream.once("close", () => reject(new Error(`closed with ${stream.rstCode}`)));
      });
      void writeBody(stream, body).catch(() => {});
      const received = await response;
      return answer(received[":status"] ?? 0, received, stream, () => stream.close(constants.NGHTTP2_CANCEL));
    },
    close: () => session.destroy(),
  };
}

function answer(
  status: number,
  headers: IncomingHttpHeaders,
  chunks: AsyncIterable<Buffer> & (IncomingMessage | ClientHttp2Stream),
  abort: () => void,
): Answer {
  chunks.on("error", () => {});
  return {
    status,
    headers,
    chunks,
    abort,
    async text() {
      const parts: Buffer[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      if ("rstCode" in chunks && chunks.rstCode !== 0) throw new Error(`closed with ${chunks.rstCode}`);
      return Buffer.concat(parts).toString("utf8");
    },
  };
}

async function writeBody(
  out: { write(chunk: string | Buffer): boolean; end(): void; once(event: string, listener: () => void): unknown },
  body: ClientOptions["body"],
): Promise<void> {
  if (body !== undefined) {
    for await (const chunk of typeof body === "string" || Buffer.isBuffer(body) ? [body] : body) {
      if (!out.write(chunk)) await new Promise<void>((resolve) => out.once("drain", resolve));
    }
  }
  out.end();
}

async function readText(request: ApiRequest): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of request.body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** A promise and its ends: what a handler did, seen from the test. */
function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const ok = (body?: ApiResponse["body"]): ApiResponse => ({ status: 200, headers: {}, body });
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

describe.for(versions)("%s", (version) => {
  test("a request arrives as it was sent, and its answer goes back", async () => {
    const seen: Omit<ApiRequest, "body" | "signal">[] = [];
    const listener = await start(async ({ method, url, headers, certificate, ...request }) => {
      seen.push({ method, url, headers, certificate });
      return {
        status: 201,
        headers: { "content-type": "text/plain", etag: "x" },
        body: `got ${await readText(request as ApiRequest)}`,
      };
    });
    const answer = await connect(version, listener).send("/api/v1/a%2Fb?limit=5&x=%20", {
      method: "POST",
      headers: { "X-Group": ["a", "b"], "x-name": Buffer.from("Ž").toString("latin1") },
      body: "hello",
    });
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ "content-type": "text/plain", etag: "x", "content-length": "9" });
    expect(await answer.text()).toBe("got hello");
    expect(seen).toEqual([
      {
        method: "POST",
        url: "/api/v1/a%2Fb?limit=5&x=%20",
        headers: expect.objectContaining({ "x-group": "a, b", "x-name": "Ž", host: `127.0.0.1:${listener.port}` }),
        certificate: undefined,
      },
    ]);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith(":"))).toEqual([]);
  });

  test("a user may be in very many groups", async () => {
    const groups = Array.from({ length: 3_000 }, (_, index) => `group-${String(index).padStart(40, "0")}`);
    const listener = await start(async ({ headers }) => ok(headers["x-remote-group"]));
    const answer = await connect(version, listener).send("/", { headers: { "x-remote-group": groups } });
    expect(await answer.text()).toBe(groups.join(", "));
  });

  test("text outside ASCII in a header arrives as UTF-8, and does not harm the body", async () => {
    const listener = await start(async () => ({
      status: 200,
      headers: { warning: ['299 - "naïve"', '299 - "日本"'] },
      body: "body é",
    }));
    const answer = await connect(version, listener).send("/");
    const warning = Buffer.from(String(answer.headers.warning), "latin1").toString("utf8");
    expect(warning).toBe('299 - "naïve", 299 - "日本"');
    expect(await answer.text()).toBe("body é");
  });

  test("a connection header of an answer, a length that is wrong and a transfer-encoding do no harm", async () => {
    const listener = await start(async () => ({
      status: 200,
      headers: { connection: "close", "transfer-encoding": "chunked", "content-length": "99", "keep-alive": "x" },
      body: "abc",
    }));
    const client = connect(version, listener);
    for (const _ of [1, 2]) {
      const answer = await client.send("/");
      expect(answer.headers["content-length"]).toBe("3");
      expect(await answer.text()).toBe("abc");
    }
  });

  test.for([
    { rule: "HEAD has the headers of GET and no body", method: "HEAD", status: 200, body: "four", length: "4" },
    { rule: "HEAD of a stream does not start it", method: "HEAD", status: 200, body: neverRead(), length: undefined },
    { rule: "304 has no body and no length", method: "GET", status: 304, body: "ignored", length: undefined },
    { rule: "204 has no body and no length", method: "GET", status: 204, body: undefined, length: undefined },
    { rule: "an answer without body has length 0", method: "GET", status: 200, body: undefined, length: "0" },
    { rule: "an empty text is a body of length 0", method: "GET", status: 200, body: "", length: "0" },
  ])("$rule", async ({ method, status, body, length }) => {
    const listener = await start(async () => ({ status, headers: {}, body }));
    const client = connect(version, listener);
    for (const _ of [1, 2]) {
      const answer = await client.send("/", { method });
      expect(answer.status).toBe(status);
      expect(answer.headers["content-length"]).toBe(length);
      expect(await answer.text()).toBe("");
    }
  });

  test("a stream arrives chunk by chunk, its headers before the first of them", async () => {
    const first = deferred<string>();
    const second = deferred<string>();
    const listener = await start(async () =>
      ok(
        (async function* () {
          yield await first.promise;
          yield Buffer.from(await second.promise);
        })(),
      ),
    );
    const answer = await connect(version, listener).send("/");
    expect(answer.headers["content-length"]).toBeUndefined();
    const chunks = answer.chunks[Symbol.asyncIterator]();
    first.resolve("one é\n");
    expect(String((await chunks.next()).value)).toBe("one é\n");
    second.resolve("two\n");
    expect(String((await chunks.next()).value)).toBe("two\n");
    expect((await chunks.next()).done).toBe(true);
  });

  test.for<{
    accept: string | undefined;
    bytes: number;
    vary: string[];
    encoding: string | undefined;
    sent: string | undefined;
  }>([
    { accept: "gzip", bytes: 131_073, vary: [], encoding: "gzip", sent: "Accept-Encoding" },
    { accept: "br, gzip", bytes: 131_073, vary: ["Accept"], encoding: "gzip", sent: "Accept, Accept-Encoding" },
    { accept: "gzip", bytes: 131_073, vary: ["Accept-Encoding"], encoding: "gzip", sent: "Accept-Encoding" },
    { accept: "gzip", bytes: 131_072, vary: [], encoding: undefined, sent: undefined },
    { accept: "gzip;q=0", bytes: 131_073, vary: [], encoding: undefined, sent: undefined },
    { accept: undefined, bytes: 131_073, vary: ["Accept"], encoding: undefined, sent: "Accept" },
  ])("$bytes bytes for Accept-Encoding: $accept come as $encoding", async ({ accept, bytes, vary, encoding, sent }) => {
    const text = "é".padEnd(bytes - 1, "x");
    const listener = await start(async () => ({ status: 200, headers: vary.length === 0 ? {} : { vary }, body: text }));
    const headers: Record<string, string> = accept === undefined ? {} : { "accept-encoding": accept };
    const answer = await connect(version, listener).send("/", { headers });
    expect([answer.headers["content-encoding"], answer.headers.vary]).toEqual([encoding, sent]);
    const chunks: Buffer[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    expect(answer.headers["content-length"]).toBe(String(body.byteLength));
    expect((encoding === "gzip" ? gunzipSync(body) : body).toString()).toBe(text);
  });

  test("a HEAD, and a stream, are never compressed", async () => {
    const text = "x".repeat(200_000);
    const listener = await start(async ({ method }) =>
      ok(
        method === "HEAD"
          ? text
          : (async function* () {
              yield text;
            })(),
      ),
    );
    const client = connect(version, listener);
    for (const method of ["HEAD", "GET"]) {
      const answer = await client.send("/", { method, headers: { "accept-encoding": "gzip" } });
      expect(answer.headers["content-encoding"]).toBeUndefined();
      expect(answer.headers["content-length"]).toBe(method === "HEAD" ? "200000" : undefined);
      expect(await answer.text()).toBe(method === "HEAD" ? "" : text);
    }
  });

  test("a client that goes away aborts the signal and returns the stream", async () => {
    const returned = deferred();
    const signalled = deferred();
    const listener = await start(async ({ signal }) => {
      void aborted(signal).then(signalled.resolve);
      return ok(
        (async function* () {
          try {
            yield "first";
            await aborted(signal);
            yield "lost";
          } finally {
            returned.resolve();
          }
        })(),
      );
    });
    const answer = await connect(version, listener).send("/");
    await answer.chunks[Symbol.asyncIterator]().next();
    answer.abort();
    await signalled.promise;
    await returned.promise;
  });

  test("a stream that never looks at the signal is returned too", async () => {
    const returned = deferred();
    let count = 0;
    const endless: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => (count++ === 0 ? Promise.resolve({ done: false, value: "x" }) : new Promise(() => {})),
        return: () => {
          returned.resolve();
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const listener = await start(async () => ok(endless));
    const answer = await connect(version, listener).send("/");
    await answer.chunks[Symbol.asyncIterator]().next();
    answer.abort();
    await returned.promise;
  });

  test("a client that goes away while the handler works aborts the signal", async () => {
    const started = deferred();
    const signalled = deferred();
    const discarded = deferred();
    const listener = await start(async ({ signal }) => {
      started.resolve();
      await aborted(signal);
      signalled.resolve();
      return ok({
        [Symbol.asyncIterator]: () => ({
          next: never,
          return: async () => {
            discarded.resolve();
            return { done: true, value: undefined };
          },
        }),
      });
    });
    const client = connect(version, listener);
    client.send("/").catch(() => {});
    await started.promise;
    client.close();
    await signalled.promise;
    await discarded.promise;
  });

  test("a signal stays quiet when all went well", async () => {
    const signals: AbortSignal[] = [];
    const listener = await start(async ({ signal, ...request }) => {
      signals.push(signal);
      return ok(await readText(request as ApiRequest));
    });
    const client = connect(version, listener);
    for (const _ of [1, 2]) await (await client.send("/", { method: "PUT", body: "x" })).text();
    client.close();
    await listener.close();
    expect(signals.map((signal) => signal.aborted)).toEqual([false, false]);
  });

  test("a body that the client breaks off is an error, not a shorter body", async () => {
    const [started, outcome] = [deferred(), deferred<unknown>()];
    const listener = await start(async (request) => {
      started.resolve();
      try {
        outcome.resolve(await readText(request));
      } catch (error) {
        outcome.resolve(error);
      }
      return ok();
    });
    const client = connect(version, listener);
    client.send("/", { method: "POST", body: brokenOff() }).catch(() => {});
    await started.promise;
    client.close();
    expect(await outcome.promise).toBeInstanceOf(Error);
  });

  test("a stream is pulled only as fast as the client reads", async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    let pulled = 0;
    const listener = await start(async () =>
      ok(
        (async function* () {
          for (; pulled < 2_000; pulled++) yield chunk;
        })(),
      ),
    );
    const answer = await connect(version, listener).send("/");
    expect(await whenStill(() => pulled)).toBeLessThan(500);
    expect((await answer.text()).length).toBe(2_000 * chunk.length);
  });

  test("a client that takes nothing of what waits for it is given up", async () => {
    const returned = deferred();
    const listener = await start(
      async () =>
        ok(
          (async function* () {
            try {
              for (;;) yield Buffer.alloc(64 * 1024);
            } finally {
              returned.resolve();
            }
          })(),
        ),
      { stallTimeoutMs: 200 },
    );
    await connect(version, listener).send("/");
    await returned.promise;
  });

  test("large bodies pass in both directions", async () => {
    const text = "0123456789abcdef".repeat(1024 * 1024);
    const listener = await start(async (request) => ok(await readText(request)));
    const answer = await connect(version, listener).send("/", { method: "POST", body: text });
    expect(answer.headers["content-length"]).toBe(String(text.length));
    expect((await answer.text()) === text).toBe(true);
  });

  test.for([0, 1, 2, 3])(
    "a long text arrives as it is, wherever its characters fall (%s before them)",
    async (before) => {
      const text = "x".repeat(before) + "a💥é€".repeat(60_000);
      const listener = await start(async () => ok(text));
      const answer = await connect(version, listener).send("/");
      expect(answer.headers["content-length"]).toBe(String(Buffer.byteLength(text)));
      expect((await answer.text()) === text).toBe(true);
    },
  );

  test("a long text that nobody reads is not held once more for each who has asked", async () => {
    const text = "0123456789abcdef".repeat(1024 * 1024);
    const listener = await start(async () => ok(text));
    const before = process.memoryUsage().arrayBuffers;
    const answers = await Promise.all(Array.from({ length: 20 }, () => connect(version, listener).send("/")));
    await whenStill(() => process.memoryUsage().arrayBuffers);
    expect(process.memoryUsage().arrayBuffers - before, "of 320 MiB").toBeLessThan(40 * 1024 * 1024);
    for (const answer of answers) answer.abort();
  });

  test("a refusal reaches a client that is still sending, and the connection or the next one works", async () => {
    const listener = await start(async (request) => {
      if (request.method === "GET") return ok("fine");
      for await (const part of request.body) {
        if (part.length > 0) break;
      }
      return { status: 413, headers: {}, body: "too large" };
    });
    const client = connect(version, listener);
    const part = Buffer.alloc(64 * 1024);
    const answer = await client.send("/", {
      method: "POST",
      body: (async function* () {
        for (let count = 0; count < 400; count++) yield part;
      })(),
    });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toBe("too large");
    expect(await (await client.send("/")).text()).toBe("fine");
  });

  test("an error in a stream ends that answer only, and not as if it were whole", async () => {
    const errors: unknown[] = [];
    const failure = new Error("in the middle");
    const listener = await start(
      async ({ url }) =>
        url === "/ok"
          ? ok("fine")
          : ok(
              (async function* () {
                yield "half";
                await turns(5);
                throw failure;
              })(),
            ),
      { onError: (error) => errors.push(error) },
    );
    const client = connect(version, listener);
    const answer = await client.send("/");
    await expect(answer.text()).rejects.toThrow();
    expect(errors).toEqual([failure]);
    expect(await (await client.send("/ok")).text()).toBe("fine");
  });

  test.for([
    { rule: "a handler that rejects", handler: () => Promise.reject(new Error("inside")) },
    { rule: "a header with a line break", handler: async () => ({ status: 200, headers: { a: "b\r\nc: d" } }) },
    { rule: "a status that is none", handler: async () => ({ status: 99, headers: {} }) },
  ])("$rule is a 500 that says nothing of the inside", async ({ handler }) => {
    const errors: unknown[] = [];
    const listener = await start(handler, { onError: (error) => errors.push(error) });
    const answer = await connect(version, listener).send("/");
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe("Internal Server Error\n");
    expect(errors).toHaveLength(1);
  });

  test("closing ends idle connections at once", { timeout: 2_000 }, async () => {
    const listener = await start(async () => ok("x"), { drainTimeoutMs: 10_000 });
    await (await connect(version, listener).send("/")).text();
    await listener.close();
    await expect(connect(version, listener).send("/")).rejects.toThrow();
  });

  test("closing asks streams to end, and they end cleanly", async () => {
    const streaming = deferred();
    const listener = await start(
      async ({ signal }) =>
        ok(
          (async function* () {
            yield "first\n";
            streaming.resolve();
            await aborted(signal);
            yield "last\n";
          })(),
        ),
      { drainTimeoutMs: 10_000 },
    );
    const answer = await connect(version, listener).send("/");
    const text = answer.text();
    await streaming.promise;
    await listener.close();
    expect(await text).toBe("first\nlast\n");
  });

  test("closing waits for an answer that is being made, and it arrives whole", async () => {
    const [started, release] = [deferred(), deferred()];
    const listener = await start(
      async ({ signal }) => {
        started.resolve();
        await release.promise;
        return ok(signal.aborted ? "aborted" : "x".repeat(200_000));
      },
      { drainTimeoutMs: 10_000 },
    );
    const pending = connect(version, listener).send("/");
    await started.promise;
    const closed = listener.close();
    await turns(5);
    release.resolve();
    expect((await (await pending).text()).length).toBe(200_000);
    await closed;
  });

  test("closing gives up what takes too long: its signal aborts and its connection ends", async () => {
    const started = deferred();
    const signalled = deferred();
    const listener = await start(
      async ({ signal }) => {
        started.resolve();
        await aborted(signal);
        signalled.resolve();
        return new Promise(() => {});
      },
      { drainTimeoutMs: 100 },
    );
    const pending = connect(version, listener).send("/");
    const failed = expect(pending).rejects.toThrow();
    await started.promise;
    await Promise.all([listener.close(), listener.close()]);
    await signalled.promise;
    await failed;
  });

  describe("client certificates", () => {
    const whoAmI: RequestHandler = async ({ certificate }) => ok(JSON.stringify(certificate ?? null));
    const ask = async (identity?: KeyPair, options: Partial<ListenOptions> = {}): Promise<unknown> => {
      const listener = await start(whoAmI, options);
      return JSON.parse(await (await connect(version, listener, identity).send("/")).text());
    };

    test("one of ours is seen, with every organization", async () => {
      const { X509Certificate } = await import("node:crypto");
      expect(await ask(admin)).toEqual({
        commonName: "slipway-admin",
        organizations: ["system:masters", "people, all of them"],
        sha256: new X509Certificate(admin.certificate).fingerprint256.replaceAll(":", "").toLowerCase(),
      });
    });

    test("no certificate is no identity", async () => {
      expect(await ask()).toBeNull();
    });

    const subject = { commonName: "slipway-admin", organizations: ["system:masters"] };
    test.for<{ rule: string; issue: () => Promise<KeyPair> }>([
      {
        rule: "of another authority of the same name",
        issue: async () =>
          issueLeaf(await issueAuthority("slipway-ca", validity), { ...validity, usage: "client", subject }),
      },
      { rule: "signed by itself", issue: () => issueAuthority("slipway-admin", validity) },
      {
        rule: "that has ended",
        issue: () =>
          issueLeaf(authority, {
            notBefore: new Date(Date.now() - 2 * hour),
            notAfter: new Date(Date.now() - hour),
            usage: "client",
            subject,
          }),
      },
      {
        rule: "that has not begun",
        issue: () =>
          issueLeaf(authority, {
            notBefore: new Date(Date.now() + hour),
            notAfter: new Date(Date.now() + 2 * hour),
            usage: "client",
            subject,
          }),
      },
      {
        rule: "that is for servers",
        issue: () => issueLeaf(authority, { ...validity, usage: "server", subject }),
      },
      {
        rule: "signed by a client certificate of ours",
        issue: async () => {
          const issuer = await issueLeaf(authority, {
            ...validity,
            usage: "client",
            subject: { commonName: "mallory" },
          });
          const leaf = await issueLeaf(issuer, { ...validity, usage: "client", subject });
          return { certificate: leaf.certificate + issuer.certificate, key: leaf.key };
        },
      },
    ])("a certificate $rule is no identity", async ({ issue }) => {
      expect(await ask(await issue())).toBeNull();
    });

    test("a certificate that ends while its connection lives is no identity any more", async () => {
      let now = new Date();
      const listener = await start(whoAmI, { now: () => now });
      const client = connect(version, listener, admin);
      expect(await (await client.send("/")).text()).toContain("slipway-admin");
      now = new Date(now.getTime() + 400 * 24 * hour);
      expect(await (await client.send("/")).text()).toBe("null");
    });
  });
});

function neverRead(): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("read")) }) };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

async function* brokenOff(): AsyncGenerator<string> {
  yield "kind: ConfigMap\n";
  await new Promise(() => {});
}

test("a hundred requests at once on one HTTP/2 session, each with a megabyte", async () => {
  const listener = await start(async ({ url }) => {
    await turns(Number(url.at(-1)));
    return ok(url.repeat((1024 * 1024) / url.length));
  });
  const client = connect("HTTP/2", listener);
  const paths = Array.from({ length: 100 }, (_, index) => `/request${String(index).padStart(8, "0")}`);
  const texts = await Promise.all(paths.map(async (path) => (await client.send(path)).text()));
  for (const [index, path] of paths.entries())
    expect(texts[index] === path.repeat((1024 * 1024) / path.length)).toBe(true);
});

test("an HTTP/2 client is told to go away, and its streams go on until they end", async () => {
  const [started, release] = [deferred(), deferred()];
  const listener = await start(
    async () => {
      started.resolve();
      await release.promise;
      return ok("whole");
    },
    { drainTimeoutMs: 10_000 },
  );
  const client = connect("HTTP/2", listener) as ReturnType<typeof http2Client>;
  const goaway = once(client.session, "goaway");
  const pending = client.send("/");
  await started.promise;
  const closed = listener.close();
  await goaway;
  release.resolve();
  expect(await (await pending).text()).toBe("whole");
  await closed;
});

describe("HTTP/1.1 requests sent at once", () => {
  const twoRequests = "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n";

  test("are served in their order, one after the other", async () => {
    const log: string[] = [];
    const done = deferred();
    const listener = await start(async ({ url }) => {
      log.push(`${url} begins`);
      await turns(url === "/a" ? 20 : 0);
      log.push(`${url} ends`);
      if (url === "/b") done.resolve();
      return ok(url);
    });
    const socket = await rawClient(listener);
    socket.write(twoRequests);
    const received = readAll(socket);
    await done.promise;
    await listener.close();
    expect((await received).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(log).toEqual(["/a begins", "/a ends", "/b begins", "/b ends"]);
  });

  test("are not begun after the last answer of a server that stops", async () => {
    const log: string[] = [];
    const [started, release] = [deferred(), deferred()];
    const listener = await start(
      async ({ url }) => {
        log.push(url);
        started.resolve();
        await release.promise;
        return ok(url);
      },
      { drainTimeoutMs: 10_000 },
    );
    const socket = await rawClient(listener);
    socket.write(twoRequests);
    const received = readAll(socket);
    await started.promise;
    const closed = listener.close();
    release.resolve();
    await closed;
    expect(await received).toMatch(/^connection: close\r$/im);
    expect(log).toEqual(["/a"]);
  });

  test("abort the request in work when the client goes away, and the rest is not begun", async () => {
    const log: string[] = [];
    const [started, signalled] = [deferred(), deferred()];
    const listener = await start(async ({ url, signal }) => {
      log.push(url);
      started.resolve();
      await aborted(signal);
      signalled.resolve();
      return ok();
    });
    const socket = await rawClient(listener);
    socket.write(twoRequests);
    await started.promise;
    socket.destroy();
    await signalled.promise;
    await listener.close();
    expect(log).toEqual(["/a"]);
  });
});

test("the whole URL in a request line is read as its path", async () => {
  const listener = await start(async ({ url }) => ok(url));
  const socket = await rawClient(listener);
  socket.write("GET https://kubernetes/version?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(await readAll(socket)).toMatch(/\/version\?x=1$/);
});

test("idle HTTP/1.1 connections outlive the 90 seconds for which clients keep them", async () => {
  const listener = await start(async () => ok("x"));
  const answer = await connect("HTTP/1.1", listener).send("/");
  expect(answer.headers["keep-alive"]).toBe("timeout=125");
});

test.for([
  { rule: "a request line that is none", bytes: "NONSENSE\r\n\r\n", status: 400 },
  {
    rule: "two different lengths",
    bytes: "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    status: 400,
  },
])("$rule is answered $status and harms nobody else", async ({ bytes, status }) => {
  const listener = await start(async () => ok("fine"));
  const socket = await rawClient(listener);
  socket.write(bytes);
  expect(await readAll(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(await (await connect("HTTP/1.1", listener).send("/")).text()).toBe("fine");
});

test("a header beyond the limit ends that connection only", async () => {
  const listener = await start(async () => ok("fine"));
  const socket = await rawClient(listener);
  socket.write(`GET / HTTP/1.1\r\nX: ${"x".repeat(512 * 1024)}\r\n\r\n`);
  expect(await readAll(socket)).toMatch(/^(HTTP\/1.1 431 |$)/); // a reset may overtake the answer
  expect(await (await connect("HTTP/1.1", listener).send("/")).text()).toBe("fine");
});

test.for([
  { rule: "plain HTTP", bytes: "GET / HTTP/1.1\r\nHost: x\r\n\r\n" },
  { rule: "random bytes", bytes: "\x00\x01\x02\xff".repeat(100) },
])("$rule on the TLS port ends that connection only", async ({ bytes }) => {
  const listener = await start(async () => ok("fine"));
  const socket = connectTcp(listener.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(bytes);
  socket.resume();
  await closeOf(socket);
  expect(await (await connect("HTTP/2", listener).send("/")).text()).toBe("fine");
});

test("bytes that are no HTTP/2 after its handshake end that connection only", async () => {
  const listener = await start(async () => ok("fine"));
  const socket = await rawClient(listener, "h2");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50));
  socket.resume();
  await closeOf(socket);
  expect(await (await connect("HTTP/2", listener).send("/")).text()).toBe("fine");
});

test.for([
  { rule: "headers that come too slowly", sent: "GET / HTTP/1.1\r\nHost: x\r\n" },
  { rule: "a connection that says nothing", sent: "" },
])("$rule are not waited for", async ({ sent }) => {
  const listener = await start(async () => ok(), { headersTimeoutMs: 200, requestTimeoutMs: 400 });
  const socket = await rawClient(listener);
  socket.write(sent);
  expect(await readAll(socket)).toMatch(/^HTTP\/1.1 408 /);
});

test.for(versions)(
  "%s: a body that comes too slowly is not waited for, and a watch is not cut for its age",
  async (version) => {
    const outcome = deferred<unknown>();
    const listener = await start(
      async (request) => {
        if (request.method === "GET") {
          return ok(
            (async function* () {
              yield "before\n";
              await outcome.promise;
              yield "after\n";
            })(),
          );
        }
        outcome.resolve(await readText(request).catch((error: unknown) => error));
        return ok();
      },
      { headersTimeoutMs: 200, requestTimeoutMs: 300 },
    );
    const watch = connect(version, listener).send("/");
    connect(version, listener)
      .send("/", { method: "POST", body: brokenOff() })
      .catch(() => {});
    expect(await outcome.promise).toBeInstanceOf(Error);
    expect(await (await watch).text()).toBe("before\nafter\n");
  },
);

test("a port in use is refused with its number", async () => {
  const listener = await start(async () => ok());
  await expect(start(async () => ok(), { port: listener.port })).rejects.toMatchObject({
    code: "PORT_IN_USE",
    message: expect.stringContaining(String(listener.port)),
  });
});

test("an address that is not ours is refused", async () => {
  await expect(start(async () => ok(), { host: "192.0.2.1" })).rejects.toMatchObject({ code: "USAGE" });
});

test("a handshake that never ends does not keep the server from closing", async () => {
  const listener = await start(async () => ok(), { drainTimeoutMs: 100 });
  const socket = connectTcp(listener.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.resume();
  await turns(10);
  await Promise.all([listener.close(), closeOf(socket)]);
});

/** What `read` gives once it has stopped changing for a while: no event tells that nothing more will come. */
async function whenStill(read: () => number): Promise<number> {
  let value = read();
  for (let still = 0; still < 10; still += 1) {
    await sleep(10);
    if (read() !== value) still = 0;
    value = read();
  }
  return value;
}

/** Lets everything that is ready be done, so many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

async function rawClient(listener: Listener, protocol = "http/1.1"): Promise<TLSSocket> {
  const socket = connectTls({
    port: listener.port,
    host: "127.0.0.1",
    ca: certificates.ca,
    ALPNProtocols: [protocol],
  });
  socket.on("error", () => {});
  toClose.push(() => socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

async function readAll(socket: TLSSocket): Promise<string> {
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  await closeOf(socket);
  return received;
}

/** An error before it does not count, as it does for `once` of `node:events`: a reset may overtake the end. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}
