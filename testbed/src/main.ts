import { parseArgs } from "node:util";
import { type RealCluster, startRealCluster } from "./cluster.ts";
import { TestbedError } from "./errors.ts";
import { ensurePrograms } from "./program-cache.ts";
import { type ProgramName, programNames } from "./programs.ts";

const usage = `A real Kubernetes cluster on this machine, without containers.

  npm run testbed -- build [NAME…]   builds what is missing, and prints where each program is
  npm run testbed -- start           starts a cluster and prints its kubeconfig; Ctrl-C ends and removes it
      --port N                       where kube-apiserver listens on 127.0.0.1 (0: any free port)
      --data DIR                     keeps the objects there, for the next start (nothing is kept)
      --flux                         with Flux's source-controller and helm-controller

Programs: ${programNames.join(", ")}
`;

/** The command line without `node` and the script's name. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [command = "help", ...rest] = args;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new TestbedError("Interrupted."));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await commandOf(command)(rest, stop.signal);
  } catch (error) {
    if (!(error instanceof TestbedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof UsageError ? 2 : error === stop.signal.reason ? 130 : 1;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

type Command = (args: readonly string[], signal: AbortSignal) => Promise<number>;

class UsageError extends TestbedError {
  override readonly name = "UsageError";

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}\n\n${usage}`, options);
  }
}

function commandOf(name: string): Command {
  switch (name) {
    case "build":
      return build;
    case "start":
      return start;
    case "help":
    case "--help":
    case "-h":
      return help;
    default:
      throw new UsageError(`There is no command "${name}".`);
  }
}

async function help(): Promise<number> {
  process.stdout.write(usage);
  return 0;
}

async function build(args: readonly string[], signal: AbortSignal): Promise<number> {
  const names = args.length === 0 ? programNames : args.map(programName);
  const paths = await ensurePrograms(names, { signal });
  for (const [name, path] of Object.entries(paths)) process.stdout.write(`${name} ${path}\n`);
  return 0;
}

function programName(name: string): ProgramName {
  const found = programNames.find((known) => known === name);
  if (found === undefined) throw new UsageError(`There is no program "${name}".`);
  return found;
}

async function start(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = readStartOptions(args);
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  await using cluster = await startRealCluster({ ...options, signal });
  process.stdout.write(describe(cluster, options.data));
  const exit = await Promise.race([stopped, cluster.firstExit]);
  if (exit === undefined) return 0;
  process.stderr.write(`${exit.name} has ended (${exit.reason}); its log was ${exit.log}.\n`);
  return 1;
}

interface StartOptions {
  readonly port: number | undefined;
  readonly data: string | undefined;
  readonly flux: boolean;
}

function readStartOptions(args: readonly string[]): StartOptions {
  const { port, data, flux = false } = parseStart(args);
  if (data === "") throw new UsageError("--data takes a folder.");
  if (port !== undefined && !/^\d{1,5}$/.test(port)) {
    throw new UsageError("--port takes a number; 0 is any free port.");
  }
  return { port: Number(port ?? 0) || undefined, data, flux };
}

function parseStart(args: readonly string[]): {
  readonly port?: string;
  readonly data?: string;
  readonly flux?: boolean;
} {
  try {
    const options = { port: { type: "string" }, data: { type: "string" }, flux: { type: "boolean" } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function describe({ url, kubeconfig, kubectl, startMs }: RealCluster, data: string | undefined): string {
  const kept =
    data === undefined ? "Ctrl-C ends it and removes everything." : `Ctrl-C ends it; the objects stay in ${data}.`;
  return `  Kubernetes on ${url}   ready after ${(startMs / 1000).toFixed(1)} s

  export KUBECONFIG=${kubeconfig}
  ${kubectl} get namespaces

  ${kept}
`;
}
