import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type RealCluster, runProgram, startRealCluster } from "../../testbed/src/index.ts";

const chart = resolve(import.meta.dirname, "../../testbed/charts/hello");

let cluster: RealCluster;
let folder: string;
let server: Server;
beforeAll(async () => {
  cluster = await startRealCluster({ flux: true });
  folder = await mkdtemp(join(tmpdir(), "slipway-charts-"));
  await packageChart("0.1.0");
  await packageChart("0.2.0");
  await helm("repo", "index", folder);
  server = await serveFolder(folder);
});
afterAll(async () => {
  server?.close();
  await cluster?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Settings and caches of the person who runs this are left alone. */
function helm(...args: readonly string[]): Promise<string> {
  const env = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return runProgram(cluster.helm, args, { env });
}

function packageChart(version: string): Promise<string> {
  return helm("package", chart, "--version", version, "--destination", folder);
}

async function serveFolder(path: string): Promise<Server> {
  const files = createServer((request, response) => {
    readFile(join(path, basename(request.url ?? ""))).then(
      (file) => response.end(file),
      () => response.writeHead(404).end(),
    );
  });
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
  return files;
}

function apply(...objects: readonly object[]): Promise<string> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  return cluster.run(["apply", "-f", "-"], { input: JSON.stringify(list) });
}

function repository(): object {
  return {
    apiVersion: "source.toolkit.fluxcd.io/v1",
    kind: "HelmRepository",
    metadata: { name: "charts", namespace: "default" },
    spec: { interval: "1m", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  };
}

function release(version: string, message: string): object {
  return {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name: "greeting", namespace: "default" },
    spec: {
      interval: "1m",
      chart: {
        spec: { chart: "hello", version, interval: "1m", sourceRef: { kind: "HelmRepository", name: "charts" } },
      },
      values: { message },
    },
  };
}

async function expectGreeting(data: Readonly<Record<string, string>>): Promise<void> {
  await vi.waitFor(
    async () => {
      const found = JSON.parse(await cluster.run(["get", "configmap", "greeting", "-o", "json"]));
      expect(found.data).toEqual(data);
    },
    { timeout: 60_000, interval: 250 },
  );
  await cluster.run(["wait", "--for=condition=Ready", "--timeout=60s", "helmrelease/greeting"]);
}

test("a HelmRelease of a chart on loopback is installed", async () => {
  await apply(repository(), release("0.1.0", "hello"));
  await expectGreeting({ message: "hello", chartVersion: "0.1.0" });
});

test("other values upgrade it", async () => {
  await apply(release("0.1.0", "good morning"));
  await expectGreeting({ message: "good morning", chartVersion: "0.1.0" });
});

test("another version of the chart upgrades it", async () => {
  await apply(release("0.2.0", "good morning"));
  await expectGreeting({ message: "good morning", chartVersion: "0.2.0" });
  const { status } = JSON.parse(await cluster.run(["get", "helmrelease", "greeting", "-o", "json"]));
  expect(status.history[0]).toMatchObject({ chartVersion: "0.2.0", status: "deployed", version: 3 });
  expect(await runProgram(cluster.helm, ["list", "--short"], { env: { KUBECONFIG: cluster.kubeconfig } })).toBe(
    "greeting\n",
  );
});

test("deleting it uninstalls the chart", async () => {
  await cluster.run(["delete", "helmrelease", "greeting", "--timeout=60s"]);
  expect(await cluster.run(["get", "configmap", "greeting", "--ignore-not-found"])).toBe("");
});
