/** The servers that are measured: ours and the peer, started the same way and described the same way. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startRealCluster } from "../../testbed/dist/index.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {string} ca PEM
 * @property {string} cert PEM
 * @property {string} key PEM
 * @property {number} pid the process whose CPU and memory count
 * @property {number} startMs from start to ready
 * @property {() => Promise<void>} stop
 */

/** @param {string} path */
async function credentials(path) {
  const text = await readFile(path, "utf8");
  const field = (name) =>
    Buffer.from(new RegExp(`${name}: "?([^"\\s]+)`).exec(text)?.[1] ?? "", "base64").toString("utf8");
  return {
    ca: field("certificate-authority-data"),
    cert: field("client-certificate-data"),
    key: field("client-key-data"),
  };
}

/** `slipway dev` with the example platform. @returns {Promise<Server>} */
export async function startOurs() {
  const data = await mkdtemp(join(tmpdir(), "slipway-bench-"));
  const started = performance.now();
  const bin = join(root, "packages/cli/dist/bin.js");
  const child = spawn(
    process.execPath,
    [bin, "dev", "--port", "0", "--data", data, "--definitions", join(root, "examples/platform/definitions")],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const url = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      const found = /control plane on (\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("exit", (code) => reject(new Error(`slipway dev ended with ${code}`)));
  });
  const startMs = performance.now() - started;
  return {
    url,
    startMs,
    pid: child.pid ?? 0,
    ...(await credentials(join(data, "kubeconfig"))),
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** kube-apiserver with etcd and the CustomResourceDefinition of HelmRelease. @returns {Promise<Server>} */
export async function startPeer() {
  const cluster = await startRealCluster();
  const definition = join(root, "packages/applications/crds/helm.toolkit.fluxcd.io_helmreleases.yaml");
  await cluster.run(["apply", "-f", definition]);
  await cluster.run(["wait", "--for=condition=Established", "-f", definition]);
  await cluster.run(["create", "namespace", "tenant-root"]);
  const pid = cluster.programs.find(({ name }) => name === "kube-apiserver")?.pid ?? 0;
  return {
    url: cluster.url,
    startMs: cluster.startMs,
    pid,
    ...(await credentials(cluster.kubeconfig)),
    stop: () => cluster[Symbol.asyncDispose](),
  };
}

/**
 * Runs one task of api-load.mjs against a server.
 *
 * @param {Server} server
 * @param {object} task
 * @param {() => unknown} [whenReady] called between the preparation of a watch task and its changes
 */
export async function load(server, task, whenReady) {
  const child = spawn(process.execPath, [fileURLToPath(new URL("api-load.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { url, ca, cert, key } = server;
  child.stdin.end(JSON.stringify({ url, ca, cert, key, ...task }));
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk;
    if (output.startsWith("ready\n")) {
      output = output.slice("ready\n".length);
      await whenReady?.();
      child.kill("SIGUSR2");
    }
  }
  if (output === "") throw new Error(`load task ${task.task} failed`);
  return JSON.parse(output);
}
