import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type ClientHttp2Session, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../cluster.ts";
import { systemHost } from "../host.ts";
import type { ApiResponse } from "../request.ts";
import { createMemoryStorage } from "../storage/memory-storage.ts";
import type { ObjectStorage } from "../storage/storage.ts";
import { type Certificates, openCertificates } from "./certificates.ts";
import { listen } from "./listener.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const configMaps = "/api/v1/namespaces/default/configmaps";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

let folder: string;
let certificates: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-watchers-"));
  certificates = await openCertificates(folder, { now: () => new Date() });
});
afterAll(() => rm(folder, { recursive: true }));

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

interface Running {
  readonly cluster: Cluster;
  readonly storage: ObjectStorage;
}

async function start(): Promise<Running> {
  // The history is short, so that what is held is held by watches.
  const storage = createMemoryStorage({ historySize: 10 });
  const cluster = startCluster({
    storage,
    host: systemHost((message, error) => {
      throw new Error(message, { cause: error });
    }),
    definitions: [],
    authenticate: async () => ({ name: "jane", groups: ["system:authenticated"] }),
    authorize: async () => true,
    version: {},
  });
  toClose.push(async () => {
    await cluster[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
  });
  await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  return { cluster, storage };
}

type Watch = AsyncIterator<string | Uint8Array>;

/** A watch in process, without a connection. */
async function open({ cluster }: Running, query: string, accept = "application/json"): Promise<Watch> {
  const abort = new AbortController();
  toClose.push(() => abort.abort());
  const response: ApiResponse = await cluster.server.handle({
    method: "GET",
    url: `${configMaps}?watch=1${query}`,
    headers: { accept },
    body: (async function* () {})(),
    signal: abort.signal,
  });
  expect(response.status).toBe(200);
  return (response.body as AsyncIterable<string | Uint8Array>)[Symbol.asyncIterator]();
}

/** Writes one ConfigMap again and again, below everything that is not the subject here. */
function writer({ storage }: Running, bytes: number): (count: number) => Promise<void> {
  const key = "//configmaps/default/a";
  let revision: number | undefined;
  const value = new TextEncoder().encode(
    JSON.stringify({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "default", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" },
      data: { text: "x".repeat(bytes) },
    }),
  );
  return async (count) => {
    for (let written = 0; written < count; written++) {
      const stored = await (revision === undefined ? storage.create(key, value) : storage.update(key, value, revision));
      revision = stored.revision;
    }
  };
}

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const textOf = (chunk: string | Uint8Array | undefined): string =>
  typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);

test.for([
  { form: "objects", accept: "application/json" },
  { form: "rows of a table", accept: table },
  { form: "metadata", accept: metadataOnly },
])("a change is the same bytes for all who watch $form", async ({ accept }) => {
  const running = await start();
  const write = writer(running, 100);
  const watches = await Promise.all(Array.from({ length: 3 }, () => open(running, "&resourceVersion=1", accept)));
  const started = watches.map((watch) => watch.next());
  await write(1);
  const [first, ...others] = (await Promise.all(started)).map(({ value }) => value);
  expect(JSON.parse(textOf(first))).toMatchObject({ type: "ADDED", object: {} });
  expect(first, "text would be equal without being the same").toBeInstanceOf(Uint8Array);
  for (const other of others) expect(other).toBe(first);
  // One that selects sees the same change, as something else.
  await write(1);
  const [late] = await Promise.all([open(running, "&resourceVersion=2&labelSelector=!none", accept)]);
  const modified = (await watches[0]?.next())?.value;
  expect(JSON.parse(textOf(modified)).type).toBe("MODIFIED");
  if (accept !== table) expect((await late?.next())?.value).toBe((await watches[1]?.next())?.value);
});

test("10,000 watchers take a bounded room, and what waits for them none", { timeout: 120_000 }, async () => {
  const count = 10_000;
  const running = await start();
  const write = writer(running, 2_000);
  await write(1);
  const query = `&resourceVersion=${await running.storage.revision()}`;
  const before = heldBytes();
  const watches: Watch[] = [];
  for (let opened = 0; opened < count; opened++) watches.push(await open(running, query));
  const firsts = watches.map((watch) => watch.next());
  await write(1);
  const [bytes] = await Promise.all(firsts);
  for (const first of firsts) expect((await first).value).toBe(bytes?.value);
  const waiting = heldBytes();
  expect((waiting - before) / count, "bytes for a watcher").toBeLessThan(12_000);

  // Nobody reads on: what happens now is held once, if at all.
  await write(1_000);
  expect((heldBytes() - waiting) / count, "bytes for a watcher that is 1,000 changes behind").toBeLessThan(1_000);
  await write(4_000);
  expect((heldBytes() - waiting) / count, "bytes for a watcher that is 5,000 changes behind").toBeLessThan(2_000);

  for (const watch of watches) {
    const { value } = await watch.next();
    expect(textOf(value)).toMatch(/^\{"type":"ERROR".*"reason":"Expired".*"code":410\}\}\n$/);
    expect((await watch.next()).done).toBe(true);
  }
});

test("HTTP/2 watchers that do not read do not make the server grow, and are told", { timeout: 120_000 }, async () => {
  const count = 200;
  const running = await start();
  const write = writer(running, 10_000);
  await write(1);
  const { ca, certificate, key } = certificates;
  const errors: unknown[] = [];
  const listener = await listen(running.cluster.server.handle, {
    port: 0,
    clientCa: ca,
    certificate,
    key,
    onError: (error) => errors.push(error),
  });
  toClose.push(() => listener.close());
  const session: ClientHttp2Session = connect(listener.url, { ca });
  toClose.push(() => session.destroy());
  const path = `${configMaps}?watch=1&resourceVersion=${await running.storage.revision()}`;
  const streams = Array.from({ length: count }, () => session.request({ ":path": path }));
  await Promise.all(streams.map((stream) => once(stream, "response")));
  await vi.waitFor(() => expect(running.cluster.server.openRequests().longRunning).toBe(count));

  const before = heldBytes();
  for (let round = 0; round < 50; round++) {
    await write(20); // 200 kB for each
    await new Promise(setImmediate);
  }
  // The flow control of HTTP/2 lets 64 KiB go to each, into buffers of this very process.
  expect((heldBytes() - before) / count, "bytes for a watcher that got 10 MB").toBeLessThan(150_000);

  await write(5_000);
  const ends = await Promise.all(
    streams.map(async (stream) => {
      let text = "";
      for await (const chunk of stream) text = (text + chunk).slice(-1_000);
      return text.split("\n").at(-2);
    }),
  );
  for (const end of ends) expect(end).toMatch(/^\{"type":"ERROR".*"reason":"Expired"/);
  expect(errors).toEqual([]);
});
