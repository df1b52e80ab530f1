import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { request as requestHttp1 } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubernetesObject } from "@slipway/objects";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../cluster.ts";
import { systemHost } from "../host.ts";
import { createMemoryStorage } from "../storage/memory-storage.ts";
import { type Certificates, openCertificates } from "./certificates.ts";
import { type Listener, listen } from "./listener.ts";

const widgets: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.example" },
  spec: {
    group: "test.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const collection = "/apis/test.example/v1/namespaces/default/widgets";
const one = `${collection}/there`;
const json = "application/json";
const yaml = "application/yaml";
const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";

let folder: string;
let certificates: Certificates;
let cluster: Cluster;
let listener: Listener;
let session: ClientHttp2Session;
let revision: string;
const errors: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-bad-input-"));
  certificates = await openCertificates(folder, { now: () => new Date() });
  const { ca, certificate, key } = certificates;
  listener = await listen((request) => cluster.server.handle(request), { port: 0, clientCa: ca, certificate, key });
  session = connect(listener.url, { ca });
});
afterAll(async () => {
  session.destroy();
  await listener.close();
  await rm(folder, { recursive: true });
});

beforeEach(async () => {
  cluster = startCluster({
    storage: createMemoryStorage(),
    host: systemHost((message, error) => errors.push(`${message}: ${error}`)),
    definitions: [widgets],
    authenticate: async () => ({ name: "jane", groups: ["system:authenticated"] }),
    authorize: async () => true,
    version: {},
  });
  await cluster.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  const made = await cluster.client.create(widget("there"));
  revision = made.metadata.resourceVersion ?? "";
});

/** Whatever was asked: nothing went wrong inside, nothing is left over, and nothing has changed. */
afterEach(async () => {
  const { server } = cluster;
  await vi.waitFor(() => expect(server.openRequests()).toEqual({ readOnly: 0, mutating: 0, longRunning: 0 }));
  expect(errors.splice(0)).toEqual([]);
  expect("polluted" in {}, "a member of every object").toBe(false);
  const { status, body } = await send("GET", collection);
  expect([status, body.metadata?.resourceVersion, body.items?.length]).toEqual([200, revision, 1]);
  await cluster[Symbol.asyncDispose]();
});

function widget(name: string, more: object = {}): KubernetesObject {
  return { apiVersion: "test.example/v1", kind: "Widget", metadata: { name, namespace: "default" }, ...more };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the tests, whatever they are
type Body = any;

/** An error before it does not count, as it does for `once` of `node:events`. */
function eventOf(stream: ClientHttp2Stream, name: "close" | "drain"): Promise<void> {
  return new Promise((resolve) => stream.once(name, () => resolve()));
}

async function send(
  method: string,
  path: string,
  sent?: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body }> {
  // Node takes a DELETE for one without a body, unless told.
  const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: false });
  stream.end(sent);
  const [received] = await once(stream, "response");
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  const isJson = String(received["content-type"]).startsWith(json);
  return { status: received[":status"], body: isJson ? JSON.parse(text) : text };
}

const bytes = (...parts: readonly (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : Buffer.from([part]))));

const deep = (depth: number, open = "[", close = "]", inmost = ""): string =>
  open.repeat(depth) + inmost + close.repeat(depth);

/** Aliases of aliases: a billion strings out of a few hundred bytes. */
const laughs = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
  .concat([..."bcdefghi"].map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(10)}]`))
  .join("\n");

describe("a body", () => {
  const document = (name: string) => JSON.stringify(widget(name));

  test.for<{
    what: string;
    method?: string;
    path?: string;
    type?: string;
    body: string | Uint8Array;
    status: number;
    reason?: string;
  }>([
    { what: "that ends too early", body: '{"apiVersion":"test.example/v1"', status: 400 },
    { what: "with something behind it", body: `${document("a")} {}`, status: 400 },
    { what: "that is empty", body: "", status: 400 },
    { what: "of one NUL", body: bytes(0), status: 400 },
    { what: "with NUL in a text", body: '{"apiVersion":"v1","kind":"\u0000"}', status: 400 },
    { what: "in UTF-16", body: Buffer.from(document("a"), "utf16le"), status: 400 },
    {
      what: "with half a surrogate pair in its name",
      body: document("a").replace('"a"', '"\\ud800"'),
      status: 422,
      reason: "Invalid",
    },
    {
      what: "with invalid UTF-8 in its name",
      body: bytes(document("XX").split("XX")[0] ?? "", 0xff, document("XX").split("XX")[1] ?? ""),
      status: 422,
      reason: "Invalid",
    },
    {
      what: "with invalid UTF-8, as YAML",
      type: yaml,
      body: bytes("apiVersion: test.example/v1\nkind: Widget\nmetadata: {name: a", 0xff, "}\n"),
      status: 400,
    },
    {
      what: "with invalid UTF-8, as a merge patch of the name",
      method: "PATCH",
      path: one,
      type: mergePatch,
      body: bytes('{"metadata":{"name":"', 0xff, '"}}'),
      status: 400,
    },
    { what: "nested deeply", body: `{"spec":${deep(100_000)}}`, status: 400 },
    { what: "nested deeply, never closed", body: deep(500_000, '{"a":', ""), status: 400 },
    { what: "nested deeply, for PUT", method: "PUT", path: one, body: `{"spec":${deep(100_000)}}`, status: 400 },
    { what: "nested deeply, as YAML", type: yaml, body: `spec: ${deep(100_000)}`, status: 400 },
    { what: "nested deeply, as YAML in blocks", type: yaml, body: deep(5_000, "- ", ""), status: 400 },
    {
      what: "nested deeply, as a merge patch",
      method: "PATCH",
      path: one,
      type: mergePatch,
      body: `{"spec":${deep(100_000)}}`,
      status: 400,
    },
    {
      what: "nested deeply, as a JSON patch",
      method: "PATCH",
      path: one,
      type: jsonPatch,
      body: `[{"op":"add","path":"/spec","value":${deep(100_000)}}]`,
      status: 400,
    },
    { what: "nested deeply, as options of a deletion", method: "DELETE", path: one, body: deep(100_000), status: 400 },
    { what: "of aliases of aliases", type: yaml, body: laughs, status: 400 },
    { what: "that is an anchor of itself", type: yaml, body: "a: &a [*a]", status: 400 },
    {
      what: "of 10,001 operations",
      method: "PATCH",
      path: one,
      type: jsonPatch,
      body: `[${'{"op":"test","path":"/kind","value":"Widget"},'.repeat(10_000)}{"op":"test","path":"/kind","value":"Widget"}]`,
      status: 413,
      reason: "RequestEntityTooLarge",
    },
    {
      what: "of copies of copies",
      method: "PATCH",
      path: one,
      type: jsonPatch,
      body: JSON.stringify([
        { op: "add", path: "/spec", value: { a: "x".repeat(1000) } },
        ...Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "/spec", path: `/spec/c${index}` })),
      ]),
      status: 422,
      reason: "Invalid",
    },
    {
      what: "that is a patch of __proto__",
      method: "PATCH",
      path: one,
      type: jsonPatch,
      body: '[{"op":"add","path":"/__proto__/polluted","value":1}]',
      status: 422,
    },
    {
      what: "that is a patch of a prototype",
      method: "PATCH",
      path: one,
      type: jsonPatch,
      body: '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]',
      status: 422,
    },
    {
      what: "that moves __proto__",
      method: "PATCH",
      path: one,
      type: jsonPatch,
      body: '[{"op":"move","from":"/__proto__","path":"/spec"}]',
      status: 422,
    },
    {
      what: "that merges into __proto__ and has a bad name",
      method: "PATCH",
      path: one,
      type: mergePatch,
      body: '{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1},"name":"other"}}',
      status: 400,
    },
    {
      what: "with __proto__ and another name, for PUT",
      method: "PUT",
      path: one,
      body: '{"__proto__":{"polluted":1},"apiVersion":"test.example/v1","kind":"Widget","metadata":{"name":"other","__proto__":{"polluted":1}}}',
      status: 400,
    },
    { what: "whose metadata is a list", body: JSON.stringify({ ...widget("a"), metadata: [] }), status: 400 },
    {
      what: "with duplicate fields and Strict",
      path: `${collection}?fieldValidation=Strict`,
      body: document("a").replace("{", '{"spec":1,"spec":2,'),
      status: 400,
    },
    {
      what: "whose version is from the future",
      method: "PUT",
      path: one,
      body: JSON.stringify({ ...widget("there"), metadata: { name: "there", resourceVersion: "99999999" } }),
      status: 409,
      reason: "Conflict",
    },
    {
      what: "whose version is none",
      method: "PUT",
      path: one,
      body: JSON.stringify({ ...widget("there"), metadata: { name: "there", resourceVersion: "new" } }),
      status: 400,
    },
    {
      what: "with a precondition of the future",
      method: "DELETE",
      path: one,
      body: '{"preconditions":{"resourceVersion":"99999999"}}',
      status: 409,
      reason: "Conflict",
    },
    { what: "of an unknown type", type: "text/html", body: "<html>", status: 415, reason: "UnsupportedMediaType" },
    {
      what: "of an unknown type, for PATCH",
      method: "PATCH",
      path: one,
      type: json,
      body: "{}",
      status: 415,
      reason: "UnsupportedMediaType",
    },
    { what: "in gzip", body: bytes(0x1f, 0x8b, 8, 0, 0), status: 400 },
  ])("$what is $status", async ({ method = "POST", path = collection, type = json, body, status, reason }) => {
    const answer = await send(method, path, body, { "content-type": type });
    expect(answer).toMatchObject({ status, body: { kind: "Status", status: "Failure", code: status } });
    if (reason !== undefined) expect(answer.body.reason).toBe(reason);
  });

  test.for(["..", ".", "a/b", "a%2fb", "A", "", "a".repeat(254), "__proto__", "a\u0000", "-", "é"])(
    "whose name is %j is refused",
    async (name) => {
      const answer = await send("POST", collection, JSON.stringify(widget(name)), { "content-type": json });
      expect(answer).toMatchObject({ status: 422, body: { kind: "Status", reason: "Invalid" } });
    },
  );

  test.for([
    { method: "POST", path: collection, type: json },
    { method: "PUT", path: one, type: json },
    { method: "PATCH", path: one, type: mergePatch },
    { method: "PATCH", path: one, type: jsonPatch },
    { method: "DELETE", path: one, type: json },
    { method: "DELETE", path: collection, type: json },
  ])("of 100 MiB is 413 and is not held: $method $type $path", { timeout: 60_000 }, async ({ method, path, type }) => {
    const stream = session.request({ ":method": method, ":path": path, "content-type": type }, { endStream: false });
    stream.on("error", () => {}); // the server takes no more
    const answered = once(stream, "response");
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const part = Buffer.alloc(1024 * 1024, " ");
    let sent = 0;
    for (; sent < 100 && stream.writable; sent++) {
      if (!stream.write(part)) await Promise.race([eventOf(stream, "drain"), eventOf(stream, "close"), answered]);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    const [headers] = await answered;
    let text = "";
    for await (const chunk of stream) text += chunk;
    expect(headers[":status"]).toBe(413);
    expect(JSON.parse(text)).toMatchObject({
      kind: "Status",
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728",
    });
    expect(most, "bytes held at once").toBeLessThan(40 * 1024 * 1024);
    stream.destroy();
  });

  test("that says it has 100 MiB is 413 before it is sent", async () => {
    const request = requestHttp1(new URL(collection, listener.url), {
      ca: certificates.ca,
      method: "POST",
      headers: { "content-type": json, "content-length": 100 * 1024 * 1024 },
    });
    request.on("error", () => {});
    request.write(Buffer.alloc(4 * 1024 * 1024, " "));
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(413);
    request.destroy();
  });
});

describe("an address", () => {
  const notFound = { status: 404 };
  const bad = { status: 400 };
  test.for<[path: string, answer: { status: number }]>([
    [`${collection}/..`, notFound],
    [`${collection}/%2e%2e`, notFound],
    [`${collection}/../../../../../etc/passwd`, notFound],
    [`${collection}/a%2fb`, notFound],
    [`${collection}/a%252fb`, notFound],
    [`${collection}/%2F`, { status: 200 }],
    [`${collection}/a%00`, notFound],
    [`${collection}/%`, bad],
    [`${collection}/%zz`, bad],
    [`${collection}/%ff`, bad],
    [`${collection}/__proto__`, notFound],
    [`${collection}/there/__proto__`, notFound],
    [`${collection}/there/status/constructor`, { status: 200 }], // as Kubernetes: nobody looks behind the subresource
    ["/apis/test.example/v1/namespaces/__proto__/widgets", { status: 200 }],
    ["/apis/test.example/v1/namespaces/%2e%2e/widgets", { status: 200 }],
    ["/apis/__proto__/constructor/toString", notFound],
    ["/apis/test.example/__proto__/widgets", notFound],
    ["/openapi/v3/apis/__proto__/v1", notFound],
    ["/readyz/__proto__", notFound],
    [`${collection}/${"a".repeat(20_000)}`, notFound],
    [`/${"a/".repeat(10_000)}`, notFound],
  ])("%s", async ([path, { status }]) => {
    expect((await send("GET", path)).status).toBe(status);
  });
});

describe("a parameter", () => {
  const token = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  test.for<[query: string, status: number]>([
    ["limit=-1", 200],
    ["limit=0", 200],
    ["limit=9223372036854775807", 200],
    ["limit=9223372036854775808", 400],
    ["limit=-9223372036854775809", 400],
    ["limit=99999999999999999999999999", 400],
    ["limit=1e3", 400],
    ["limit=1.0", 400],
    ["limit=0x10", 400],
    ["limit=%00", 400],
    ["limit=", 400],
    ["limit=NaN", 400],
    ["continue=x", 400],
    ["continue=%ff%fe", 400],
    [`continue=${"A".repeat(20_000)}`, 400],
    [`continue=${token({})}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1" })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v2", rv: 1, start: "/a" })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1", rv: 1.5, start: "/a" })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1", rv: "1", start: "/a" })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: 7 })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "../../../secrets" })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: ["a"] })}`, 400],
    [`continue=${token({ v: "meta.k8s.io/v1", rv: 99_999_999, start: "/a\u0000" })}`, 410],
    ["resourceVersion=99999999", 504],
    ["resourceVersion=99999999&resourceVersionMatch=Exact", 504],
    ["resourceVersion=99999999&resourceVersionMatch=NotOlderThan", 504],
    ["resourceVersion=-1", 400],
    ["resourceVersion=18446744073709551616", 400],
    ["resourceVersion=1.5", 400],
    ["resourceVersion=%C2%B2", 400],
    ["resourceVersionMatch=__proto__", 422],
    ["resourceVersion=1&resourceVersionMatch=constructor", 422],
    ["timeoutSeconds=x", 400],
    ["timeoutSeconds=-9", 200],
    ["timeoutSeconds=9223372036854775807", 200],
    ["timeout=9999999999999h", 400],
    ["timeout=-1s", 200],
    ["labelSelector=__proto__%3Da", 400],
    [`labelSelector=${"(".repeat(20_000)}`, 400],
    ["labelSelector=constructor", 200],
    ["fieldSelector=__proto__%3Da", 400],
    ["fieldSelector=constructor%3Da", 400],
    ["fieldSelector=metadata.name%3D..%2Fthere", 200],
    ["__proto__=1&constructor=2", 200],
    ["%zz=1", 200],
    [Array.from({ length: 2_000 }, (_, index) => `p${index}=1`).join("&"), 200],
  ])("?%s", async ([query, status]) => {
    const answer = await send("GET", `${collection}?${query}`);
    expect([answer.status, answer.body.message]).toEqual([
      status,
      status === 200 ? undefined : expect.stringMatching(/./),
    ]);
    if (status !== 200) expect(answer.body).toMatchObject({ kind: "Status", code: status });
  });

  test.for(["gracePeriodSeconds=99999999999999999999", "gracePeriodSeconds=x"])("?%s of a deletion", async (query) => {
    expect(await send("DELETE", `${one}?${query}`)).toMatchObject({ status: 400, body: { kind: "Status" } });
  });

  test.for(["99999999", "9223372036854775807"])(
    "?timeoutSeconds=%s of a watch is a long life, not a short one",
    async (asked) => {
      const stream = session.request({
        ":path": `${collection}?watch=1&resourceVersion=${revision}&timeoutSeconds=${asked}`,
      });
      await once(stream, "response");
      const next = once(stream, "data");
      const { metadata } = await cluster.client.create(widget("other"));
      expect(JSON.parse(String(await next))).toMatchObject({ type: "ADDED", object: { metadata: { name: "other" } } });
      stream.close();
      const gone = await cluster.client.delete({
        group: "test.example",
        version: "v1",
        kind: "Widget",
        namespace: "default",
        name: "other",
      });
      expect([gone, metadata.name]).toEqual([undefined, "other"]);
      revision = String(Number(revision) + 2);
    },
  );

  test.for(["99999999", "abc"])("?resourceVersion=%s of one object", async (asked) => {
    const { status, body } = await send("GET", `${one}?resourceVersion=${asked}`);
    expect([status, body.kind]).toEqual([asked === "abc" ? 400 : 504, "Status"]);
  });
});

describe("a header", () => {
  test.for(["text/html", "application/json;as=Chair;g=meta.k8s.io;v=v1", "__proto__", ";", "a".repeat(20_000)])(
    "Accept: %s is 406",
    async (accept) => {
      const answer = await send("GET", one, undefined, { accept });
      expect(answer).toMatchObject({ status: 406, body: { kind: "Status", reason: "NotAcceptable" } });
    },
  );

  test.for([
    "a/b;q=x",
    "*/*;q=999999",
    `${"application/json;q=0.1,".repeat(1_000)}*/*`,
    'application/json;charset="\\',
  ])("Accept: %s is read as well as can be", async (accept) => {
    expect([200, 406]).toContain((await send("GET", one, undefined, { accept })).status);
  });

  test("a flood of them ends that HTTP/2 request only", async () => {
    const own = connect(listener.url, { ca: certificates.ca, maxSendHeaderBlockLength: 1024 * 1024 });
    own.on("error", () => {});
    const headers = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x-${index}`, "y"]));
    const stream = own.request({ ":path": one, ...headers });
    let status = 0;
    stream.on("response", (received) => {
      status = received[":status"] ?? 0;
    });
    stream.on("error", () => {});
    stream.resume();
    await new Promise((resolve) => stream.once("close", resolve));
    expect([0, 431]).toContain(status);
    own.destroy();
  });
});
