import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "@slipway/deploy/node";
import type { KubeClient, KubernetesObject } from "@slipway/objects";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from "vitest";
import { ensurePrograms } from "../../testbed/src/index.ts";
import { type ServerProcess, startServerProcess } from "../clients/server-process.ts";

const kind = { group: "example.com", version: "v1", kind: "Widget" };
const resource = "widgets.v1.example.com";
const patient = { timeout: 60_000, interval: 20 };

let program: string;
let data: string;
let server: ServerProcess;
beforeAll(async () => {
  program = (await ensurePrograms(["client-go"]))["client-go"];
  data = await mkdtemp(join(tmpdir(), "slipway-client-go-"));
  server = await startServerProcess({ data });
});
afterAll(async () => {
  await server?.stop("politely");
  await rm(data, { recursive: true, force: true });
});

/** The same objects on the same port, after it was down. */
async function restart(how: "politely" | "at once", whileDown: () => Promise<void> = async () => {}): Promise<void> {
  const { port } = server;
  await server.stop(how);
  await whileDown();
  server = await startServerProcess({ data, port });
}

/** A client for a few requests: a connection does not outlive a restart. */
async function ask<Answer>(work: (client: KubeClient) => Promise<Answer>): Promise<Answer> {
  await using client = await connect({ kubeconfig: server.kubeconfig });
  return await work(client);
}

const widget = (namespace: string, name: string, size = 1): KubernetesObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace },
  spec: { size },
});
const create = (namespace: string, names: readonly string[]) =>
  ask(async (client) => {
    for (const name of names) await client.create(widget(namespace, name));
  });
const remove = (namespace: string, names: readonly string[]) =>
  ask(async (client) => {
    for (const name of names) await client.delete({ ...kind, namespace, name });
  });
const update = (namespace: string, name: string, size: number) =>
  ask(async (client) => {
    const { metadata } = (await client.get({ ...kind, namespace, name })) ?? widget(namespace, name);
    await client.update({ ...widget(namespace, name, size), metadata });
  });

/** Names and versions, as they are stored. */
async function stored(namespace: string): Promise<Record<string, string>> {
  const { items } = await ask((client) => client.list(kind, { namespace }));
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

/** A line that the program prints: see testbed/programs/client-go/main.go. */
interface Line {
  readonly op: string;
  readonly name?: string;
  readonly resourceVersion?: string;
  readonly url?: string;
  readonly contentType?: string;
  readonly status?: number;
}

interface GoClient extends AsyncDisposable {
  readonly lines: readonly Line[];
  /** Lets it go as one that crashes. */
  kill(): Promise<void>;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): GoClient {
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, KUBECONFIG: server.kubeconfig, ...env },
  });
  const closed = once(child, "close");
  child.stdin.on("error", () => {});
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  onTestFailed(() => void process.stderr.write(`client-go ${args.join(" ")}:\n${log}`));
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  return {
    lines,
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await closed;
    },
  };
}

const requests = ({ lines }: GoClient): Line[] => lines.filter(({ url }) => url !== undefined);

/** The copy that the handlers of an informer have been told of. */
function copyOf({ lines }: GoClient): Record<string, string> {
  const copy = new Map<string, string>();
  for (const { op, name = "", resourceVersion = "" } of lines) {
    if (op === "DELETED") copy.delete(name);
    else if (op === "ADDED" || op === "MODIFIED") copy.set(name, resourceVersion);
  }
  return Object.fromEntries(copy);
}

async function converge(client: GoClient, namespace: string): Promise<void> {
  const wanted = await stored(namespace);
  await expect.poll(() => copyOf(client), patient).toEqual(wanted);
}

let namespace: string;
let count = 0;
beforeEach(async () => {
  namespace = `space-${++count}`;
  await ask((client) => client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }));
});

describe.for([
  { way: "list and watch", gate: "false" },
  { way: "a streamed list", gate: "true" },
])("an informer of client-go, by $way", ({ gate }) => {
  const inform = (): GoClient => run(["informer", resource, namespace], { KUBE_FEATURE_WatchListClient: gate });
  const isStreamed = ({ url = "" }: Line): boolean => url.includes("sendInitialEvents=true");
  const isList = ({ url = "" }: Line): boolean => !url.includes("watch=true");

  test("fills itself, and hears of every change once", async () => {
    await create(namespace, ["a", "b"]);
    await using client = inform();
    await expect.poll(() => client.lines.some(({ op }) => op === "SYNCED"), patient).toBe(true);
    await update(namespace, "a", 2);
    await remove(namespace, ["b"]);
    await create(namespace, ["c"]);
    await converge(client, namespace);
    const told = client.lines.filter(({ name }) => name !== undefined).map(({ op, name }) => `${op} ${name}`);
    expect(told.slice(0, 2).toSorted()).toEqual(["ADDED a", "ADDED b"]);
    expect(told.slice(2)).toEqual(["MODIFIED a", "DELETED b", "ADDED c"]);
    expect(requests(client).filter(isList)).toHaveLength(gate === "true" ? 0 : 1);
    expect(requests(client).filter(isStreamed)).toHaveLength(gate === "true" ? 1 : 0);
    expect(requests(client).map(({ status }) => status)).toEqual(requests(client).map(() => 200));
  });

  test.for(["politely", "at once"] as const)("has the right state after the server was ended %s", async (how) => {
    await create(namespace, ["a", "b"]);
    await using client = inform();
    await converge(client, namespace);
    await restart(how);
    await remove(namespace, ["a"]);
    await update(namespace, "b", 7);
    await create(namespace, ["c"]);
    await converge(client, namespace);
  });

  test("lists again when the history is gone", async () => {
    await create(namespace, ["a", "b"]);
    await using client = inform();
    await converge(client, namespace);
    const { port } = server;
    await server.stop("at once");
    // On another port, unseen by the informer, changes are made and forgotten.
    server = await startServerProcess({ data, history: 1 });
    await remove(namespace, ["a"]);
    await create(namespace, ["c", "d"]);
    await server.stop("politely");
    const before = client.lines.length;
    server = await startServerProcess({ data, port });
    await converge(client, namespace);
    const after = client.lines.slice(before).filter(({ url }) => url !== undefined);
    expect(after.filter(gate === "true" ? isStreamed : isList)).not.toEqual([]);
  });
});

describe("a leader election of client-go", () => {
  const elect = (identity: string): GoClient => run(["elect", namespace, "leader", identity]);
  const leads = ({ lines }: GoClient): boolean => {
    const last = lines.findLast(({ op }) => op === "LEADS" || op === "STOPPED");
    return last?.op === "LEADS";
  };
  const holder = async (): Promise<unknown> => {
    const lease = { group: "coordination.k8s.io", version: "v1", kind: "Lease", namespace, name: "leader" };
    return (await ask((client) => client.get(lease)))?.spec;
  };
  const typesOfWrites = (candidate: GoClient): unknown[] => {
    const writes = requests(candidate).filter(({ op }) => op === "POST" || op === "PUT");
    return [...new Set(writes.map(({ contentType }) => contentType))];
  };
  const oneLeads = (candidates: readonly GoClient[]) =>
    expect.poll(() => candidates.filter(leads).length, patient).toBe(1);

  test("has one leader, and another one when the first releases the lease or crashes", async () => {
    await using a = elect("a");
    await oneLeads([a]);
    await using b = elect("b");
    await expect.poll(() => b.lines.some(({ op, name }) => op === "LEADER" && name === "a"), patient).toBe(true);
    expect(leads(b)).toBe(false);
    await a[Symbol.asyncDispose]();
    await oneLeads([b]);
    expect(await holder()).toMatchObject({ holderIdentity: "b" });
    await b.kill();
    await using c = elect("c");
    await oneLeads([c]);
    expect(await holder()).toMatchObject({ holderIdentity: "c" });
    for (const candidate of [a, c]) expect(typesOfWrites(candidate)).toEqual(["application/vnd.kubernetes.protobuf"]);
  });

  test("has one leader after the server was away", async () => {
    await using a = elect("a");
    await using b = elect("b");
    await oneLeads([a, b]);
    await restart("at once", async () => {
      await expect.poll(() => [a, b].some(leads), patient).toBe(false);
    });
    await oneLeads([a, b]);
    const leader = leads(a) ? "a" : "b";
    expect(await holder()).toMatchObject({ holderIdentity: leader });
  });
});

test("a controller of client-go holds every object, and lets every deleted one go, over restarts", async () => {
  const finalizer = "example.com/clean-up";
  const names = Array.from({ length: 30 }, (_, index) => `w-${index}`);
  await using _controller = run(["finalize", resource, namespace, finalizer]);
  const held = () =>
    ask(async (client) => {
      const { items } = await client.list(kind, { namespace });
      return items.filter(({ metadata }) => metadata.finalizers?.includes(finalizer)).length;
    });
  await create(namespace, names.slice(0, 15));
  await restart("at once");
  await create(namespace, names.slice(15));
  await expect.poll(held, patient).toBe(names.length);
  await remove(namespace, names.slice(0, 15));
  await restart("politely");
  await remove(namespace, names.slice(15));
  await expect.poll(() => stored(namespace), patient).toEqual({});
});
