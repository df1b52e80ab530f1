import { mkdtemp, rm } from "node:fs/promises";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { type Listener, listen, openCertificates } from "@slipway/apiserver/node";
import { startTestCluster, type TestCluster } from "@slipway/apiserver/testing";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { widgetDefinition } from "../clients/definitions.ts";
import { objection } from "./documented-answer.ts";
import { type FuzzRequest, fuzzRequest, fuzzRuns } from "./requests.ts";

let folder: string;
let cluster: TestCluster;
let listener: Listener;
let identity: { readonly ca: string; readonly cert: string; readonly key: string };
const errors: unknown[] = [];
/** The connection of a client of good manners lasts through everything. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-fuzz-"));
  cluster = await startTestCluster({ definitions: [widgetDefinition] });
  const certificates = await openCertificates(folder, { now: () => new Date() });
  const { ca, certificate, key } = certificates;
  listener = await listen(cluster.server.handle, {
    port: 0,
    certificate,
    key,
    clientCa: ca,
    headersTimeoutMs: 2_000,
    requestTimeoutMs: 2_000,
    drainTimeoutMs: 500,
    onError: (error) => errors.push(error),
  });
  const admin = await certificates.issueClientCertificate({ commonName: "me", organizations: ["system:masters"] });
  identity = { ca, cert: admin.certificate, key: admin.key };
});
afterAll(async () => {
  agent.destroy();
  await listener.close();
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  errors.length = 0;
});

function open(protocol: "http/1.1" | "h2"): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port: listener.port, host: "127.0.0.1", ALPNProtocols: [protocol], ...identity }, () =>
      resolve(socket),
    );
    socket.once("error", reject);
  });
}

/** Sends bytes and nothing more; resolves to everything that comes back until the server hangs up. */
async function exchange(protocol: "http/1.1" | "h2", parts: readonly Uint8Array[]): Promise<Buffer> {
  const socket = await open(protocol);
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  socket.on("data", (chunk) => received.push(chunk));
  for (const part of parts) if (!socket.destroyed) socket.write(part);
  socket.end();
  await closed;
  return Buffer.concat(received);
}

/** Whether a client of good manners is served. */
function isUp(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = get(`${listener.url}/readyz`, { agent, ca: identity.ca }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
    });
    request.once("error", reject);
  });
}

const line = ({ method, url }: FuzzRequest, version: string): string => `${method} ${url} ${version}\r\n`;

/** A request in bytes, with one thing about it that is wrong, or none. */
const rawRequest: fc.Arbitrary<Uint8Array[]> = fc
  .tuple(
    fuzzRequest,
    fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "http/1.1", "", "X"),
    fc.constantFrom("length", "chunks", "too short", "too long", "twice", "both", "none", "no number"),
    fc.array(fc.constantFrom("a: b", "a b: c", ": c", "a:", "host:", "a: \0", "x".repeat(20_000), "\tfolded", "é: ü"), {
      maxLength: 2,
    }),
    fc.option(fc.nat(200)),
  )
  .map(([request, version, framing, extra, cut]) => {
    const { length } = request.body;
    const framings: Record<typeof framing, readonly string[]> = {
      length: [`content-length: ${length}`],
      chunks: ["transfer-encoding: chunked"],
      "too short": [`content-length: ${Math.max(length - 1, 0)}`],
      "too long": [`content-length: ${length + 5}`],
      twice: [`content-length: ${length}`, `content-length: ${length + 1}`],
      both: [`content-length: ${length}`, "transfer-encoding: chunked"],
      none: [],
      "no number": ["content-length: many"],
    };
    const lines = [
      "host: a",
      "connection: close",
      ...Object.entries(request.headers).map(([key, value]) => `${key}: ${value}`),
      ...framings[framing],
      ...extra,
    ];
    const head = Buffer.from(`${line(request, version)}${lines.join("\r\n")}\r\n\r\n`, "latin1");
    const size = Buffer.from(`${length.toString(16)}\r\n`);
    const body = framing === "chunks" ? [size, request.body, Buffer.from("\r\n0\r\n\r\n")] : [request.body];
    return cut === null ? [head, ...body] : [head.subarray(0, cut)];
  });

const anyBytes = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 3 });

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const frame = fc
  .tuple(
    fc.nat(12),
    fc.nat(255),
    fc.oneof(fc.constantFrom(0, 1, 3, 5), fc.nat(2 ** 31 - 1)),
    fc.uint8Array({ maxLength: 60 }),
  )
  .chain(([type, flags, stream, payload]) =>
    fc
      .oneof({ weight: 4, arbitrary: fc.constant(payload.length) }, { weight: 1, arbitrary: fc.nat(2 ** 24 - 1) })
      .map((length) => {
        const header = Buffer.alloc(9);
        header.writeUIntBE(length, 0, 3);
        header.writeUInt8(type, 3);
        header.writeUInt8(flags, 4);
        header.writeUInt32BE(stream, 5);
        return Buffer.concat([header, payload]);
      }),
  );
const frames = fc
  .tuple(fc.boolean(), fc.array(frame, { maxLength: 5 }))
  .map(([withSettings, rest]) => [
    preface,
    ...(withSettings ? [Buffer.from("000000040000000000", "hex")] : []),
    ...rest,
  ]);

/** The answers in what came back; text that is none is the objection. */
function objections(received: string): string[] {
  const found: string[] = [];
  for (let rest = received; rest !== ""; ) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]*\r\n)*?)\r\n/.exec(rest);
    if (head === null) return [...found, `no answer: ${rest.slice(0, 200)}`];
    const [all, status = "", headers = ""] = head;
    const header = (name: string): string => new RegExp(`^${name}: (.*)\\r$`, "im").exec(headers)?.[1] ?? "";
    rest = rest.slice(all.length);
    if (status === "100") continue;
    const length = header("content-length");
    // A stream, or an answer of the parser: it goes on until the server hangs up.
    const text = length === "" ? rest : rest.slice(0, Number(length));
    rest = length === "" ? "" : rest.slice(Number(length));
    const isOfParser = header("audit-id") === "";
    if (isOfParser && !["400", "408", "413", "417", "431"].includes(status)) found.push(`${status} of the parser`);
    if (isOfParser || text === "") continue; // the answer to HEAD has no text
    const bytes = Buffer.from(text, "latin1").toString("utf8");
    const why = objection({ status: Number(status), type: header("content-type"), text: bytes });
    if (why !== undefined) found.push(why);
  }
  return found;
}

const runs = { numRuns: fuzzRuns };

test(`${fuzzRuns} times, HTTP/1.1 that is wrong somewhere is answered as documented, or not at all`, {
  timeout: 3_600_000,
}, async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: rawRequest }, { weight: 1, arbitrary: anyBytes }),
      async (parts) => {
        const received = await exchange("http/1.1", parts);
        if (received.length > 0) answered++;
        expect(objections(received.toString("latin1"))).toEqual([]);
        expect(await isUp()).toBe(true);
      },
    ),
    runs,
  );
  expect(answered).toBeGreaterThan(fuzzRuns / 4);
  expect(errors).toEqual([]);
});

test(`${fuzzRuns} times, HTTP/2 frames that are wrong somewhere end their connection and nothing else`, {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(frames, async (parts) => {
      await exchange("h2", parts);
      expect(await isUp()).toBe(true);
    }),
    runs,
  );
  expect(errors).toEqual([]);
});
