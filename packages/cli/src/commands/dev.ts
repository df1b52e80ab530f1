import { isAbsolute, relative, resolve } from "node:path";
import { SlipwayError } from "@slipway/objects";
import { InvalidArgumentError } from "commander";
import type { CliCommand } from "../command.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../control-plane.ts";
import type { FileProblem } from "../definition-files.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliHost } from "../host.ts";

interface DevFlags {
  readonly port: number;
  readonly data: string;
  readonly definitions?: string;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}

export const devCommand: CliCommand = {
  register(program, host, run) {
    program
      .command("dev")
      .description("Run a control plane in this process, without a cluster. Ctrl-C stops it.")
      .option("--port <number>", "port on 127.0.0.1; 0 takes any free one", parsePort, 6443)
      .option("--data <folder>", "where objects, certificates and the kubeconfig are kept", ".slipway")
      .option("--definitions <folder>", "ApplicationDefinitions (*.yaml) to load; changed files are loaded again")
      .addHelpText(
        "after",
        "\nExamples:\n  slipway dev --definitions examples/platform/definitions\n  slipway dev --port 0 --data /tmp/platform\n",
      )
      .action((flags: DevFlags) => run(() => dev(flags, host)));
  },
};

async function dev({ port, data, definitions }: DevFlags, host: CliHost): Promise<0> {
  const controlPlane = await start({
    port,
    dataFolder: resolve(host.cwd, data),
    definitionsFolder: definitions === undefined ? undefined : resolve(host.cwd, definitions),
    host: host.server,
  });
  try {
    host.stderr.write(describeProblems(controlPlane.problems, host.cwd));
    host.stdout.write(describe(controlPlane, resolve(host.cwd, data), host.cwd));
    await aborted(host.interrupted);
    host.stderr.write("  stopping\n");
  } finally {
    await controlPlane[Symbol.asyncDispose]();
  }
  return exitCodes.success;
}

/** @throws {SlipwayError} as {@link startControlPlane}; a taken port names the flag that chooses another. */
async function start(options: ControlPlaneOptions): Promise<ControlPlane> {
  try {
    return await startControlPlane(options);
  } catch (cause) {
    if (!SlipwayError.isSlipwayError(cause) || cause.code !== "PORT_IN_USE") throw cause;
    throw new SlipwayError(
      `port ${options.port} on 127.0.0.1 is in use. ` +
        "Stop the program that listens there, or choose another port with --port (0 takes any free one).",
      { code: "PORT_IN_USE", cause },
    );
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}

/** As the user would type it: relative below the working directory, absolute elsewhere. */
function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}

function describeProblems(problems: readonly FileProblem[], cwd: string): string {
  return problems.map(({ file, problem }) => `  not served: ${located(file, problem, cwd)}\n`).join("");
}

/** Problems of syntax begin with the file and the line; others get the file in front. */
function located(file: string | undefined, problem: string, cwd: string): string {
  if (file === undefined) return problem;
  const short = shortPath(file, cwd);
  return problem.startsWith(`${file}:`) ? short + problem.slice(file.length) : `${short}: ${problem}`;
}

function describe({ url, kubeconfig, kinds }: ControlPlane, dataFolder: string, cwd: string): string {
  const config = shortPath(kubeconfig, cwd);
  const shown = isAbsolute(config) ? config : `$PWD/${config}`;
  return `  Slipway control plane on ${url}   data in ${shortPath(dataFolder, cwd)}/
  ${kinds} kinds in apps.cozystack.io/v1alpha1

  export KUBECONFIG=${shown}
  kubectl api-resources --api-group apps.cozystack.io
  kubectl apply -f examples/platform/postgres.yaml
  kubectl get postgreses -n tenant-root

  No Helm controller runs here, so nothing is installed and READY stays Unknown.
`;
}
