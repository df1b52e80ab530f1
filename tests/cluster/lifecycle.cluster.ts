import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ensurePrograms, type RunningProgram, startRealCluster, TestbedError } from "../../testbed/src/index.ts";

const repository = resolve(import.meta.dirname, "../..");

/** Every cluster of this file lies below it, so that its programs can be told from those of others. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sl-"));
  vi.stubEnv("TMPDIR", folder);
  execFileSync(process.execPath, ["scripts/testbed.mjs", "build"], { cwd: repository }); // runners need the built testbed
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.stubEnv("TMPDIR", folder);
  expect(commandsBelow(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Command lines of processes that name the folder. */
function commandsBelow(path: string): string[] {
  const lines = execFileSync("ps", ["-eww", "-o", "args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(path) && !line.startsWith("ps "));
}

function isRunning({ pid }: RunningProgram): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function expectGone(programs: readonly RunningProgram[]): Promise<void> {
  await vi.waitFor(() => expect(programs.filter(isRunning)).toEqual([]), { timeout: 10_000, interval: 50 });
}

/** A process that uses the testbed and says what runs as soon as it is ready. */
const runner = `
  import { startRealCluster } from ${JSON.stringify(join(repository, "testbed/dist/index.js"))};
  const { programs } = await startRealCluster({ flux: true });
  process.stdout.write(JSON.stringify(programs) + "\\n");
`;

function spawnRunner(): ReturnType<typeof spawn> {
  return spawn(process.execPath, ["--input-type=module", "--eval", runner], { stdio: ["ignore", "pipe", "inherit"] });
}

describe("nothing survives a runner that is killed", () => {
  test("when its cluster is ready", async () => {
    const child = spawnRunner();
    const [chunk] = await once(child.stdout ?? child, "data");
    const programs: RunningProgram[] = JSON.parse(String(chunk));
    const names = ["etcd", "kube-apiserver", "kube-controller-manager", "source-controller", "helm-controller"];
    expect(new Set(programs.map(({ name }) => name))).toEqual(new Set([...names, "supervisor"]));
    expect(programs.filter(isRunning)).toEqual(programs);
    child.kill("SIGKILL");
    await expectGone(programs);
  });

  test("while its cluster starts", async () => {
    const child = spawnRunner();
    await vi.waitFor(() => expect(commandsBelow(folder).join("\n")).toContain("kube-apiserver"), {
      timeout: 20_000,
      interval: 10,
    });
    child.kill("SIGKILL");
    await vi.waitFor(() => expect(commandsBelow(folder)).toEqual([]), { timeout: 10_000, interval: 50 });
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual([]), { timeout: 10_000, interval: 50 });
  });
});

test("nothing survives a supervisor that is killed, and whoever uses the cluster is told", async () => {
  await using cluster = await startRealCluster();
  const supervisor = cluster.programs.find(({ name }) => name === "supervisor");
  process.kill(supervisor?.pid ?? 0, "SIGKILL");
  await expect(cluster.firstExit).resolves.toMatchObject({ name: "supervisor" });
  await expectGone(cluster.programs);
});

test("a program that ends on its own is reported", async () => {
  await using cluster = await startRealCluster();
  const manager = cluster.programs.find(({ name }) => name === "kube-controller-manager");
  process.kill(manager?.pid ?? 0, "SIGKILL");
  await expect(cluster.firstExit).resolves.toMatchObject({ name: "kube-controller-manager", reason: "SIGKILL" });
});

test("clusters run side by side and know nothing of each other; disposing removes what they wrote", async () => {
  const clusters = await Promise.all([startRealCluster(), startRealCluster()]);
  await using first = clusters[0];
  await using second = clusters[1];
  expect(first.url).not.toBe(second.url);
  await first.run(["create", "namespace", "only-here"]);
  await expect(second.run(["get", "namespace", "only-here"])).rejects.toThrow('namespaces "only-here" not found');
  await first[Symbol.asyncDispose]();
  await expectGone(first.programs);
  expect(await second.run(["get", "--raw", "/readyz"])).toBe("ok");
  await second[Symbol.asyncDispose]();
  await expectGone(second.programs);
});

test("objects are kept in a data folder, which one cluster uses at a time", async () => {
  const data = join(folder, "data");
  try {
    {
      await using cluster = await startRealCluster({ data });
      await cluster.run(["create", "configmap", "kept"]);
      expect((await stat(cluster.kubeconfig)).mode & 0o777).toBe(0o600);
      await expect(startRealCluster({ data })).rejects.toThrow(`${data} is in use by the cluster of process`);
    }
    await using cluster = await startRealCluster({ data, flux: true });
    expect(await cluster.run(["get", "configmap", "kept", "-o", "name"])).toBe("configmap/kept\n");
    expect(await readdir(cluster.logs)).toContain("kube-apiserver.log");
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});

describe("a start that fails", () => {
  /** Puts a script in the place of kube-apiserver. */
  async function replaceApiServer(script: string): Promise<AsyncDisposable> {
    const assets = await mkdtemp(join(folder, "assets-"));
    await writeFile(join(assets, "kube-apiserver"), `#!/bin/sh\n${script}\n`);
    await chmod(join(assets, "kube-apiserver"), 0o755);
    vi.stubEnv("KUBEBUILDER_ASSETS", assets);
    return { [Symbol.asyncDispose]: () => rm(assets, { recursive: true, force: true }) };
  }

  function logNamedBy(message: string): string {
    return /The end of (.*):\n/.exec(message)?.[1] ?? "";
  }

  function removeClusterOf(message: string): Promise<void> {
    return rm(resolve(logNamedBy(message), "../.."), { recursive: true });
  }

  test("says which program has ended, and the end of its log; the log is kept", async () => {
    await using _ = await replaceApiServer("echo the moon is too bright >&2; exit 3");
    const error = await startRealCluster().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TestbedError);
    const { message } = error as TestbedError;
    expect(message).toMatch(/^kube-apiserver has ended \(exit code 3\)\. The end of .*:\nthe moon is too bright$/);
    expect(await readFile(logNamedBy(message), "utf8")).toBe("the moon is too bright\n");
    await removeClusterOf(message);
  });

  test("says which program is not ready in time, and the end of its log", async () => {
    await using _ = await replaceApiServer("echo I am thinking; exec sleep 600");
    const error = await startRealCluster({ timeoutMs: 2_000 }).catch((error: unknown) => error);
    const { message } = error as TestbedError;
    expect(message).toMatch(/^kube-apiserver is not ready after 2 s\. The end of .*:\nI am thinking$/);
    await removeClusterOf(message);
  });

  test("is tried again when another process has taken the port", async () => {
    const { "kube-apiserver": real } = await ensurePrograms(["kube-apiserver"]);
    const marker = join(folder, "tried");
    await using _ = await replaceApiServer(
      `[ -e ${marker} ] && exec ${real} "$@"; touch ${marker}; echo "bind: address already in use"; exit 1`,
    );
    await using cluster = await startRealCluster();
    expect(await cluster.run(["get", "--raw", "/readyz"])).toBe("ok");
    await rm(marker);
  });

  test("on a port of one's choice that is taken, says so at once", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await expect(startRealCluster({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 cannot be used (EADDRINUSE)`);
    server.close();
  });

  test("on demand: an abort ends what has been started", async () => {
    const stop = new AbortController();
    const starting = startRealCluster({ signal: stop.signal });
    await vi.waitUntil(() => commandsBelow(folder).some((line) => line.includes("etcd")), { timeout: 10_000 });
    stop.abort(new Error("not needed any more"));
    await expect(starting).rejects.toThrow("not needed any more");
  });
});

describe("npm run testbed -- start", () => {
  test("prints a kubeconfig that works; an interrupt ends it in order", async () => {
    const child = spawn("npm", ["run", "--silent", "testbed", "--", "start"], {
      cwd: repository,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const [chunk] = await once(child.stdout, "data");
    const said = String(chunk);
    const kubeconfig = /export KUBECONFIG=(\S+)/.exec(said)?.[1] ?? "";
    const kubectl = /^ {2}(\S+kubectl) get namespaces/m.exec(said)?.[1] ?? "";
    const namespaces = execFileSync(kubectl, ["get", "namespaces", "-o", "name"], {
      env: { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(kubeconfig, "../kubectl-cache") },
      encoding: "utf8",
    });
    expect(namespaces).toContain("namespace/kube-system");
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  });

  test("explains an option that it does not know", async () => {
    const child = spawn(process.execPath, ["scripts/testbed.mjs", "start", "--fluxx"], {
      cwd: repository,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(code).toBe(2);
    expect(said).toContain("Unknown option '--fluxx'");
    expect(said).toContain("npm run testbed -- start");
  });
});
