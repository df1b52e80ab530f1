import { type RequestOptions, request } from "node:http";
import { join } from "node:path";
import { ApiClient, poll } from "./api-client.ts";
import {
  type ClusterFiles,
  type ClusterFolders,
  makeFolders,
  noteSupervisor,
  writeClusterFiles,
} from "./cluster-files.ts";
import {
  apiServerArguments,
  controllerManagerArguments,
  etcdArguments,
  type FluxPorts,
  helmControllerArguments,
  sourceControllerArguments,
} from "./command-lines.ts";
import { fluxDefinitions } from "./definitions.ts";
import { TestbedError } from "./errors.ts";
import { assertFreePort, findFreePorts } from "./ports.ts";
import { ensurePrograms, type ProgramPaths } from "./program-cache.ts";
import type { ProgramName } from "./programs.ts";
import { type RunOptions, runProgram } from "./run-program.ts";
import { type ProgramExit, ProgramExitError, type RunningProgram, Supervisor } from "./supervisor.ts";

export interface RealClusterOptions {
  /** Also runs Flux's source-controller and helm-controller, with their CustomResourceDefinitions. @default false */
  readonly flux?: boolean | undefined;
  /** Where kube-apiserver listens on 127.0.0.1. @default any free port */
  readonly port?: number | undefined;
  /**
   * Where the objects are kept after the end. Certificates and kubeconfig are new with each start.
   * @default nothing is kept
   */
  readonly data?: string | undefined;
  /**
   * Give up when the cluster is not ready after this long, in milliseconds. Building programs is not counted.
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined;
  /** Aborting ends what was started, and rejects. */
  readonly signal?: AbortSignal | undefined;
}

const realClusterDefaults = { timeoutMs: 60_000 } as const satisfies RealClusterOptions;

/** A Kubernetes cluster without nodes, made of the real programs. Disposing ends all of it. */
export interface RealCluster extends AsyncDisposable {
  /** `https://127.0.0.1:6443`: kube-apiserver. */
  readonly url: string;
  /** Path. Its user is a member of `system:masters`. */
  readonly kubeconfig: string;
  /** Path of the program. */
  readonly kubectl: string;
  /** Path of the program. */
  readonly helm: string;
  /** Path of a folder that holds a log of each program. */
  readonly logs: string;
  /** PEM: signs the certificates of kube-apiserver and of its clients. */
  readonly ca: string;
  /** PEM: signs the certificate that the aggregator presents to the servers behind it. */
  readonly frontProxyCa: string;
  /** What runs, the supervisor included. */
  readonly programs: readonly RunningProgram[];
  /** From the first program's start to the moment when everything was ready, in milliseconds. */
  readonly startMs: number;
  /** Resolves with the first program that ends on its own; never in the life of a cluster that is well. */
  readonly firstExit: Promise<ProgramExit>;
  /**
   * Runs kubectl as the administrator and resolves to what it printed. Caches and preferences of the person who runs it
   * are left alone.
   *
   * @throws {ProgramFailedError} when kubectl does not succeed.
   */
  run(args: readonly string[], options?: RunOptions): Promise<string>;
}

const baseNames = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "helm"] as const;
const fluxNames = ["source-controller", "helm-controller"] as const;

const MAX_ATTEMPTS = 5;

/**
 * Starts etcd, kube-apiserver and kube-controller-manager on loopback, and Flux if asked for. Resolves when all of them
 * are ready. Programs that are not there yet are built first, which takes minutes: `ensurePrograms` does it beforehand.
 *
 * Every program ends with this process, however that ends. Any number of clusters may run side by side.
 *
 * @throws {TestbedError} when a program cannot be built or ends; the message has the end of its log.
 */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const { signal } = options;
  const paths = await ensurePrograms<ProgramName>([...baseNames, ...(options.flux === true ? fluxNames : [])], {
    signal,
  });
  if (options.port !== undefined) await assertFreePort(options.port);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(paths, options);
    } catch (error) {
      if (!isPortTaken(error) || options.port !== undefined || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Between the search for a free port and its use, another process may have taken it. */
function isPortTaken(error: unknown): boolean {
  return error instanceof ProgramExitError && error.tail.includes("address already in use");
}

async function startOnce(paths: ProgramPaths<ProgramName>, options: RealClusterOptions): Promise<RealCluster> {
  const folders = await makeFolders(options.data);
  const supervisor = await Supervisor.start(folders.logs);
  supervisor.removeAtEnd([folders.runtime, folders.supervisorNote]);
  try {
    return await startPrograms(new Start(paths, folders, supervisor, options));
  } catch (error) {
    // The logs stay for whoever reads the message, unless it tells of nothing that is in them.
    const logsAreNews = error instanceof TestbedError && !isPortTaken(error) && error !== options.signal?.reason;
    if (logsAreNews && options.data === undefined) supervisor.removeAtEnd([]);
    await supervisor[Symbol.asyncDispose]();
    throw error;
  }
}

async function startPrograms(start: Start): Promise<RealCluster> {
  const { options, folders, supervisor, paths } = start;
  await noteSupervisor(folders, supervisor.pid);
  const [port = 0, storage = 0, sourceHealth = 0, helmHealth = 0] = await findFreePorts(4);
  const url = `https://127.0.0.1:${options.port ?? port}`;
  const files = await writeClusterFiles(folders, url);
  using client = new ApiClient(url, files.ca, files.admin);
  const run = kubectlRunner(paths.kubectl, files);

  const startedAtMs = performance.now();
  await start.program("etcd", etcdArguments(files, { isKept: options.data !== undefined }));
  await start.ready("etcd", (signal) => poll(() => isEtcdHealthy(files.etcdSocket), signal));
  await start.program("kube-apiserver", apiServerArguments(files, options.port ?? port));
  await start.ready("kube-apiserver", (signal) => client.waitFor("/readyz", signal));
  await Promise.all([
    startControllerManager(start, files, client),
    ...(options.flux === true ? [startFlux(start, files, client, run, { storage, sourceHealth, helmHealth })] : []),
  ]);
  return {
    url,
    kubeconfig: files.kubeconfig,
    kubectl: paths.kubectl,
    helm: paths.helm,
    logs: files.logs,
    ca: files.ca,
    frontProxyCa: files.frontProxyCa,
    programs: [...supervisor.programs, { name: "supervisor", pid: supervisor.pid }],
    startMs: performance.now() - startedAtMs,
    firstExit: supervisor.firstExit,
    run,
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  };
}

async function startControllerManager(start: Start, files: ClusterFiles, client: ApiClient): Promise<void> {
  await start.program("kube-controller-manager", controllerManagerArguments(files));
  // The first thing to be seen of it that a test may wait for.
  await start.ready("kube-controller-manager", (signal) =>
    client.waitFor("/api/v1/namespaces/default/serviceaccounts/default", signal),
  );
}

async function startFlux(
  start: Start,
  files: ClusterFiles,
  client: ApiClient,
  run: RealCluster["run"],
  ports: FluxPorts,
): Promise<void> {
  const namespace = "flux-system";
  const definitions = await fluxDefinitions();
  await start.ready("kube-apiserver", async (signal) => {
    // Conflict: the data are those of an earlier start.
    await client.send("POST", "/api/v1/namespaces", signal, { metadata: { name: namespace } });
    const paths = definitions.flatMap((path) => ["-f", path]);
    await run(["apply", "--server-side", "--force-conflicts", ...paths], { signal });
    await run(["wait", "--for=condition=Established", ...paths], { signal });
  });
  const env = { KUBECONFIG: files.kubeconfig, RUNTIME_NAMESPACE: namespace, TMPDIR: files.runtime };
  await start.program("source-controller", sourceControllerArguments(files, ports), env);
  await start.program("helm-controller", helmControllerArguments(ports), env);
  await start.ready("source-controller", (signal) => poll(() => isHealthy(ports.sourceHealth), signal));
  await start.ready("helm-controller", (signal) => poll(() => isHealthy(ports.helmHealth), signal));
}

/** One attempt to start a cluster: what has to be ready is waited for until then, and no longer than the programs run. */
class Start {
  readonly paths: ProgramPaths<ProgramName>;
  readonly folders: ClusterFolders;
  readonly supervisor: Supervisor;
  readonly options: RealClusterOptions;
  readonly #timeoutMs: number;
  readonly #deadline: AbortSignal;

  constructor(
    paths: ProgramPaths<ProgramName>,
    folders: ClusterFolders,
    supervisor: Supervisor,
    options: RealClusterOptions,
  ) {
    this.paths = paths;
    this.folders = folders;
    this.supervisor = supervisor;
    this.options = options;
    this.#timeoutMs = options.timeoutMs ?? realClusterDefaults.timeoutMs;
    this.#deadline = AbortSignal.timeout(this.#timeoutMs);
  }

  async program(name: ProgramName, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<void> {
    await this.supervisor.start({ name, command: this.paths[name], args, env });
  }

  /** Waits for a program to be ready; the work ends with the signal it gets. */
  async ready(name: ProgramName, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.options;
    try {
      await this.supervisor.race(work(AbortSignal.any([this.#deadline, ...(signal === undefined ? [] : [signal])])));
    } catch (cause) {
      signal?.throwIfAborted(); // whatever the work makes of it
      if (!this.#deadline.aborted || cause instanceof ProgramExitError) throw cause;
      const log = join(this.folders.logs, `${name}.log`);
      throw new TestbedError(
        `${name} is not ready after ${this.#timeoutMs / 1000} s. The end of ${log}:\n${await this.supervisor.tail(name)}`,
        { cause },
      );
    }
  }
}

function kubectlRunner(kubectl: string, { kubeconfig, runtime }: ClusterFiles): RealCluster["run"] {
  // kubectl keeps what it discovers by host and port, and another cluster may have had this port before.
  const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(runtime, "kubectl-cache"), KUBERC: "off" };
  return (args, options) => runProgram(kubectl, args, { ...options, env: { ...env, ...options?.env } });
}

function isEtcdHealthy(socketPath: string): Promise<boolean> {
  return answersOk({ socketPath, path: "/health" });
}

function isHealthy(port: number): Promise<boolean> {
  return answersOk({ host: "127.0.0.1", port, path: "/readyz" });
}

function answersOk(address: RequestOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const outgoing = request(address, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}
