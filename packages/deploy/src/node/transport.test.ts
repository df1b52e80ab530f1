import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ConnectionSettings } from "../client/kubeconfig.ts";
import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";
import { createTransport, type TransportOptions } from "./transport.ts";

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

type Listener = (...args: Parameters<RequestListener>) => unknown;

async function listen(listener: Listener): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    Promise.resolve(listener(request, response)).catch((error) => response.destroy(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  toClose.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function open(
  settings: Partial<ConnectionSettings> & { readonly server: string },
  options?: TransportOptions,
): Transport & AsyncDisposable {
  const transport = createTransport({ namespace: "default", tls: { insecureSkipVerify: false }, ...settings }, options);
  toClose.push(() => transport[Symbol.asyncDispose]());
  return transport;
}

const get: TransportRequest = { method: "GET", path: "/a", headers: {} };

async function readText({ body }: TransportResponse): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

test("method, path, headers and body go out as they are, below the path of the server", async () => {
  const { url } = await listen(async (request, response) => {
    const { method, url: path, headers } = request;
    response.setHeader("Warning", ['299 - "a"', '299 - "b"']);
    response.statusCode = 418;
    response.end(JSON.stringify({ method, path, accept: headers.accept, body: await readBody(request) }));
  });
  const transport = open({ server: `${url}/k8s/c-1` });
  const response = await transport.send({
    method: "PUT",
    path: "/api/v1/x/%2e?a=b+c",
    headers: { accept: "x/y" },
    body: "ä€",
  });
  expect(response.status).toBe(418);
  expect(response.headers.warning).toBe('299 - "a", 299 - "b"');
  expect(JSON.parse(await readText(response))).toEqual({
    method: "PUT",
    path: "/k8s/c-1/api/v1/x/%2e?a=b+c",
    accept: "x/y",
    body: "ä€",
  });
});

test("connections are kept and shared", async () => {
  const ports = new Set<number | undefined>();
  const { url } = await listen((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const transport = open({ server: url });
  for (let count = 0; count < 20; count += 1) await readText(await transport.send(get));
  expect(ports.size).toBeLessThan(3); // the next request may come before the connection is seen to be free
});

test("a redirect is an answer like others", async () => {
  const { url } = await listen((_, response) => {
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  expect(await open({ server: url }).send(get)).toMatchObject({ status: 302, headers: { location: "/elsewhere" } });
});

describe("who asks:", () => {
  async function authorizations(
    settings: Partial<ConnectionSettings>,
    between: () => Promise<void> = async () => {},
  ): Promise<unknown[]> {
    const seen: unknown[] = [];
    const { url } = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const transport = open({ server: url, ...settings });
    await readText(await transport.send(get));
    await between();
    await readText(await transport.send(get));
    return seen;
  }

  test("nobody", async () => {
    expect(await authorizations({})).toEqual([undefined, undefined]);
  });

  test("a token", async () => {
    expect(await authorizations({ token: "abc" })).toEqual(["Bearer abc", "Bearer abc"]);
  });

  test("a token file is read again, and counts before the token", async () => {
    const folder = await mkdtemp(join(tmpdir(), "slipway-token-"));
    toClose.push(() => rm(folder, { recursive: true }));
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "first\n");
    const renew = (): Promise<void> => writeFile(tokenFile, "second\n");
    expect(await authorizations({ token: "abc", tokenFile }, renew)).toEqual(["Bearer first", "Bearer second"]);
  });

  test("a token file that is not there is named", async () => {
    await expect(authorizations({ tokenFile: "/no/such/token" })).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringMatching(/^\/no\/such\/token: .*ENOENT/),
    });
  });
});

describe("time:", () => {
  test("an answer that does not begin", async () => {
    const { url } = await listen(() => {});
    await expect(open({ server: url }, { answerTimeoutMs: 100 }).send(get)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: `GET ${url}/a: the server does not answer in time. Look at its load, and try again. (UND_ERR_HEADERS_TIMEOUT)`,
    });
  });

  test("a pause in an answer is limited, unless the answer is open-ended", async () => {
    const { url } = await listen((_, response) => {
      response.write("a");
      const later = setTimeout(() => response.end("b"), 2_500);
      response.once("close", () => clearTimeout(later));
    });
    const transport = open({ server: url }, { answerTimeoutMs: 100 }); // undici counts pauses in seconds
    await expect(readText(await transport.send(get))).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringContaining("stopped in the middle"),
    });
    expect(await readText(await transport.send({ ...get, isOpenEnded: true }))).toBe("ab");
  });
});

describe("the end:", () => {
  /** A server that begins every answer and never ends it; it counts those whose client is still there. */
  async function endless(): Promise<{ readonly url: string; readonly server: Server; readonly open: () => number }> {
    let count = 0;
    const served = await listen((_, response) => {
      count += 1;
      response.once("close", () => {
        count -= 1;
      });
      response.write("a");
    });
    return { ...served, open: () => count };
  }

  test("leaving the body closes the connection", async () => {
    const { url, open: count } = await endless();
    const { body } = await open({ server: url }).send({ ...get, isOpenEnded: true });
    for await (const _ of body) {
      expect(count()).toBe(1);
      break;
    }
    await expect.poll(count).toBe(0);
  });

  test("an abort rejects with the signal's reason: before, while it waits, and in the body", async () => {
    const { url, open: count } = await endless();
    const transport = open({ server: url });
    const reason = new Error("enough");
    await expect(transport.send({ ...get, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(count()).toBe(0);

    const silent = await listen(() => {});
    const waiting = new AbortController();
    const answer = open({ server: silent.url }).send({ ...get, signal: waiting.signal });
    const asked = once(silent.server, "request");
    await asked;
    waiting.abort(reason);
    await expect(answer).rejects.toBe(reason);

    const reading = new AbortController();
    const response = await transport.send({ ...get, isOpenEnded: true, signal: reading.signal });
    const text = readText(response);
    expect(count()).toBe(1);
    reading.abort(reason);
    await expect(text).rejects.toBe(reason);
    await expect.poll(count).toBe(0);
  });

  test("a connection that is cut is told, before the answer and in it", async () => {
    const { url } = await listen((request) => request.socket.destroy());
    await expect(open({ server: url }).send(get)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringMatching(/^GET http:.*\/a: the connection was cut\. Try again\. \(.*\)$/),
    });
    const { url: other, server } = await endless();
    const response = await open({ server: other }).send({ ...get, isOpenEnded: true });
    const text = readText(response);
    server.closeAllConnections();
    await expect(text).rejects.toMatchObject({ code: "READ_FAILED", message: expect.stringContaining("was cut") });
  });

  test("disposing ends what is open, and refuses what comes", async () => {
    const { url, open: count } = await endless();
    const transport = open({ server: url });
    const text = readText(await transport.send({ ...get, isOpenEnded: true }));
    const outcome = expect(text).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringContaining("closed"),
    });
    await transport[Symbol.asyncDispose]();
    await outcome;
    await expect.poll(count).toBe(0);
    await expect(transport.send(get)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringContaining("closed"),
    });
  });
});

describe("no server:", () => {
  test("nothing listens", async () => {
    const { url, server } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    await expect(open({ server: url }).send(get)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: `GET ${url}/a: nothing listens there. Check that the server runs, and its address. (ECONNREFUSED)`,
    });
  });

  test("no such host", async () => {
    const transport = open({ server: "http://no-such-host.invalid" });
    await expect(transport.send(get)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  test.for([
    ["a CA", { ca: "nonsense" }, /certificate authority is no PEM/],
    [
      "a client certificate",
      { clientCertificate: "nonsense", clientKey: "nonsense" },
      /client certificate and its key/,
    ],
  ] as const)("%s that is none is refused before anything is sent", ([, tls, message]) => {
    const make = (): unknown => open({ server: "https://host", tls: { insecureSkipVerify: false, ...tls } });
    expect(make).toThrow(expect.objectContaining({ code: "USAGE", message: expect.stringMatching(message) }));
  });
});
