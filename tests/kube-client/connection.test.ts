import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ApiRequest,
  certificateAuthenticator,
  createMemoryStorage,
  customResources,
  firstOf,
  mastersOnly,
  startCluster,
  systemHost,
  tokenAuthenticator,
} from "@slipway/apiserver";
import { openCertificates } from "@slipway/apiserver/node";
import { startTestCluster, type TestCluster } from "@slipway/apiserver/testing";
import { type ConnectOptions, connect } from "@slipway/deploy/node";
import type { GroupVersionKind, KubeClient, WatchEvent } from "@slipway/objects";
import { afterEach, describe, expect, test } from "vitest";
import { contractDefinitions } from "./contract.ts";
import { serve, type TestServer } from "./test-server.ts";

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

const patient = { timeout: 20_000 };

const configMaps: GroupVersionKind = { group: "", version: "v1", kind: "ConfigMap" };
const gadgets: GroupVersionKind = { group: "contract.example", version: "v1", kind: "Gadget" };
const namespaces: GroupVersionKind = { group: "", version: "v1", kind: "Namespace" };

function configMap(name: string): Parameters<KubeClient["create"]>[0] {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}

async function open(options: ConnectOptions): Promise<KubeClient & AsyncDisposable> {
  const client = await connect({ env: {}, ...options });
  toClose.push(() => client[Symbol.asyncDispose]());
  return client;
}

interface Running {
  readonly cluster: TestCluster;
  readonly server: TestServer;
  readonly client: KubeClient & AsyncDisposable;
}

async function start(): Promise<Running> {
  const cluster = await startTestCluster();
  toClose.push(() => cluster[Symbol.asyncDispose]());
  const server = await serve(cluster.server.handle);
  toClose.push(() => server[Symbol.asyncDispose]());
  return { cluster, server, client: await open({ kubeconfig: server.kubeconfig }) };
}

describe("a watch that is left is closed on the server:", () => {
  async function watching(): Promise<Running> {
    const running = await start();
    for (const name of ["a", "b"]) await running.client.create(configMap(name));
    return running;
  }

  test("by break", async () => {
    const { client, server } = await watching();
    for await (const _ of client.watch(configMaps)) {
      expect(server.openStreams()).toBe(1);
      break;
    }
    await expect.poll(server.openStreams, patient).toBe(0);
  });

  test("by a throw", async () => {
    const { client, server } = await watching();
    const loop = async (): Promise<void> => {
      for await (const _ of client.watch(configMaps)) throw new Error("mine");
    };
    await expect(loop()).rejects.toThrow("mine");
    await expect.poll(server.openStreams, patient).toBe(0);
  });

  test("by return, also while it waits for an event", async () => {
    const { client, server } = await watching();
    const { resourceVersion } = await client.list(configMaps);
    const events = client.watch(configMaps, { resourceVersion })[Symbol.asyncIterator]();
    const next = events.next();
    await expect.poll(server.openStreams, patient).toBe(1);
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    await expect.poll(server.openStreams, patient).toBe(0);
  });

  test("by an abort, of fifty at once, and Node warns of nothing", async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning.message);
    };
    process.on("warning", note);
    toClose.push(() => process.off("warning", note));
    const { client, server } = await watching();
    const { resourceVersion } = await client.list(configMaps);
    const stop = new AbortController();
    let seen = 0;
    const loops = Array.from({ length: 50 }, async () => {
      for await (const _ of client.watch(configMaps, { resourceVersion, signal: stop.signal })) seen += 1;
    });
    await expect.poll(server.openStreams, patient).toBe(50);
    await client.create(configMap("c"));
    await expect.poll(() => seen, patient).toBe(50);
    stop.abort(new Error("enough"));
    await Promise.all(loops);
    expect(seen).toBe(50);
    await expect.poll(server.openStreams, patient).toBe(0);
    expect(warnings).toEqual([]);
  });

  test("by disposing the client: the loop is told", async () => {
    const { client, server } = await watching();
    const { resourceVersion } = await client.list(configMaps);
    const next = client.watch(configMaps, { resourceVersion })[Symbol.asyncIterator]().next();
    const outcome = expect(next).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringMatching(/^GET https:.*watch=true.*: the client was closed/),
    });
    await expect.poll(server.openStreams, patient).toBe(1);
    await client[Symbol.asyncDispose]();
    await outcome;
    await expect.poll(server.openStreams, patient).toBe(0);
  });
});

test("a watch that the server ends has ended, without an error", async () => {
  const { client, server } = await start();
  await client.create(configMap("a"));
  const seen: WatchEvent[] = [];
  for await (const event of client.watch(configMaps)) {
    seen.push(event);
    if (seen.length === 1) void server.close();
  }
  expect(seen.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
});

test("an option that is not understood is refused by the server, not dropped by the client", async () => {
  const { client } = await start();
  await client.create(configMap("a"));
  // biome-ignore lint/suspicious/noExplicitAny: the type forbids it, a program in JavaScript does not
  const options: any = { propagationPolicy: "Sideways" };
  await expect(client.delete({ ...configMaps, namespace: "default", name: "a" }, options)).rejects.toMatchObject({
    status: { reason: "Invalid", message: expect.stringContaining('"Sideways"') },
  });
});

test("a kind that comes later is found, and one that has gone is not", async () => {
  const { client, cluster } = await start();
  await expect(client.list(gadgets)).rejects.toMatchObject({ code: "INVALID_OBJECT" });
  const resources = contractDefinitions.flatMap((definition) =>
    customResources(definition, { storage: cluster.storage, host: systemHost(() => {}), garbageCollection: false }),
  );
  cluster.server.serve("contract.example", "v1", resources);
  expect((await client.list(gadgets)).items).toEqual([]);
  cluster.server.serve("contract.example", "v1", []);
  // It is still in what discovery has kept: the server's own answer tells, and the next call looks again.
  await expect(client.get({ ...gadgets, namespace: "default", name: "a" })).rejects.toMatchObject({
    status: { code: 404, message: "the server could not find the requested resource (get gadgets.contract.example a)" },
  });
  await expect(client.get({ ...gadgets, namespace: "default", name: "a" })).rejects.toMatchObject({
    code: "INVALID_OBJECT",
  });
});

test("unknown fields are warned of", async () => {
  const cluster = await startTestCluster({ definitions: contractDefinitions });
  toClose.push(() => cluster[Symbol.asyncDispose]());
  const server = await serve(cluster.server.handle);
  toClose.push(() => server[Symbol.asyncDispose]());
  const warnings: string[] = [];
  const client = await open({ kubeconfig: server.kubeconfig, onWarning: (text) => warnings.push(text) });
  await client.create({
    apiVersion: "contract.example/v1",
    kind: "Gadget",
    metadata: { name: "a", namespace: "default" },
    spice: 1,
  });
  expect(warnings).toEqual(['unknown field "spice"']);
});

describe("who asks and whom:", () => {
  interface Guarded extends TestServer {
    /** Who asked last. */
    readonly seen: () => string | undefined;
    /** Writes a kubeconfig with these fields of its cluster and its user, in YAML's flow style. */
    kubeconfigWith(cluster: string, user: string): Promise<string>;
  }

  async function guarded(): Promise<Guarded> {
    const storage = createMemoryStorage();
    toClose.push(() => storage[Symbol.asyncDispose]());
    let seen: string | undefined;
    const authenticate = firstOf([
      certificateAuthenticator(),
      tokenAuthenticator(new Map([["the-token", { name: "token-user", groups: ["system:masters"] }]])),
    ]);
    const cluster = startCluster({
      storage,
      host: systemHost(() => {}),
      definitions: [],
      authenticate: async (request: ApiRequest) => {
        const user = await authenticate(request);
        seen = user?.name;
        return user;
      },
      authorize: mastersOnly(),
      version: {},
    });
    toClose.push(() => cluster[Symbol.asyncDispose]());
    const server = await serve(cluster.server.handle);
    toClose.push(() => server[Symbol.asyncDispose]());
    let count = 0;
    return {
      ...server,
      seen: () => seen,
      async kubeconfigWith(fields, user) {
        count += 1;
        const path = join(server.folder, `kubeconfig-${count}`);
        await writeFile(
          path,
          [
            "current-context: x",
            "contexts: [{name: x, context: {cluster: c, user: u}}]",
            `clusters: [{name: c, cluster: {server: '${server.url}', ${fields}}}]`,
            `users: [{name: u, user: ${user}}]`,
          ].join("\n"),
        );
        return path;
      },
    };
  }

  test("a client certificate, from the kubeconfig that the server writes", async () => {
    const server = await guarded();
    await (await open({ kubeconfig: server.kubeconfig })).list(namespaces);
    expect(server.seen()).toBe("admin");
  });

  test("files of certificates and keys, relative to the kubeconfig", async () => {
    const server = await guarded();
    const pair = await server.certificates.issueClientCertificate({
      commonName: "file-user",
      organizations: ["system:masters"],
    });
    await writeFile(join(server.folder, "me.crt"), pair.certificate);
    await writeFile(join(server.folder, "me.key"), pair.key);
    const kubeconfig = await server.kubeconfigWith(
      "certificate-authority: pki/ca.crt",
      "{client-certificate: me.crt, client-key: me.key}",
    );
    await (await open({ kubeconfig })).list(namespaces);
    expect(server.seen()).toBe("file-user");
  });

  test("a token, and a token file that is renewed", async () => {
    const server = await guarded();
    const ca = "certificate-authority: pki/ca.crt";
    await (await open({ kubeconfig: await server.kubeconfigWith(ca, "{token: the-token}") })).list(namespaces);
    expect(server.seen()).toBe("token-user");

    await writeFile(join(server.folder, "token"), "old-token\n");
    const client = await open({ kubeconfig: await server.kubeconfigWith(ca, "{tokenFile: token}") });
    await expect(client.list(namespaces)).rejects.toMatchObject({ status: { reason: "Unauthorized", code: 401 } });
    await writeFile(join(server.folder, "token"), "the-token\n");
    await client.list(namespaces);
    expect(server.seen()).toBe("token-user");
  });

  test("nobody is Unauthorized, somebody without rights is Forbidden", async () => {
    const server = await guarded();
    const ca = "certificate-authority: pki/ca.crt";
    const nobody = await open({ kubeconfig: await server.kubeconfigWith(ca, "{}") });
    await expect(nobody.list(namespaces)).rejects.toMatchObject({ status: { reason: "Unauthorized" } });
    const pair = await server.certificates.issueClientCertificate({ commonName: "guest" });
    const user = `{client-certificate-data: ${btoa(pair.certificate)}, client-key-data: ${btoa(pair.key)}}`;
    const guest = await open({ kubeconfig: await server.kubeconfigWith(ca, user) });
    await expect(guest.list(namespaces)).rejects.toMatchObject({ status: { reason: "Forbidden" } });
  });

  test("a server whose certificate nobody trusted has signed is not spoken to, unless that is wanted", async () => {
    const server = await guarded();
    const other = await openCertificates(join(server.folder, "other"), { now: () => new Date() });
    for (const cluster of ["", `certificate-authority-data: ${btoa(other.ca)}`]) {
      const client = await open({ kubeconfig: await server.kubeconfigWith(cluster, "{token: the-token}") });
      await expect(client.list(namespaces)).rejects.toMatchObject({
        code: "READ_FAILED",
        message: expect.stringContaining("signed by nobody that is trusted. Correct certificate-authority."),
      });
    }
    expect(server.seen()).toBeUndefined();
    const insecure = await server.kubeconfigWith("insecure-skip-tls-verify: true", "{token: the-token}");
    await (await open({ kubeconfig: insecure })).list(namespaces);
    expect(server.seen()).toBe("token-user");
  });

  test("the name in the certificate counts, or the one that the kubeconfig says", async () => {
    const server = await guarded();
    const ca = "certificate-authority: pki/ca.crt";
    const wrong = await server.kubeconfigWith(`${ca}, tls-server-name: elsewhere.example`, "{token: the-token}");
    await expect((await open({ kubeconfig: wrong })).list(namespaces)).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringContaining("is for another name. Correct the address, or set tls-server-name."),
    });
    const right = await server.kubeconfigWith(`${ca}, tls-server-name: kubernetes.default.svc`, "{token: the-token}");
    await (await open({ kubeconfig: right })).list(namespaces);
    expect(server.seen()).toBe("token-user");
  });
});
