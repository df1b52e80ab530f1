import { isAbsolute, relative, resolve } from "node:path";
import type { LogFormat } from "@slipway/apiserver";
import { SlipwayError } from "@slipway/objects";
import { InvalidArgumentError } from "commander";
import type { CliCommand } from "../command.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../control-plane.ts";
import type { FileProblem } from "../definition-files.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliHost } from "../host.ts";
import { serverLog } from "../output/log.ts";

interface DevFlags {
  readonly port: number;
  readonly data: string;
  readonly definitions?: string;
  readonly verbosity: number;
  readonly logFormat: LogFormat;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}

/** Also as kubectl takes it, `-v=3`, of which commander leaves the sign. */
function parseVerbosity(text: string): number {
  const level = text.replace(/^=/, "");
  if (!/^\d{1,2}$/.test(level)) throw new InvalidArgumentError("A verbosity is a number from 0 on.");
  return Number(level);
}

function parseLogFormat(text: string): LogFormat {
  if (text !== "text" && text !== "json") throw new InvalidArgumentError("A log is text or json.");
  return text;
}

export const devCommand: CliCommand = {
  register(program, host, run) {
    program
      .command("dev")
      .description("Run a control plane in this process, without a cluster. Ctrl-C stops it.")
      .option("--port <number>", "port on 127.0.0.1; 0 takes any free one", parsePort, 6443)
      .option("--data <folder>", "where objects, certificates and the kubeconfig are kept", ".slipway")
      .option("--definitions <folder>", "ApplicationDefinitions to load, CustomResourceDefinitions to serve (*.yaml)")
      .option("-v, --verbosity <level>", "what is logged on stderr: 0 failures, 3 requests too", parseVerbosity, 0)
      .option("--log-format <format>", "text, as klog writes it, or json", parseLogFormat, "text")
      .addHelpText(
        "after",
        "\nExamples:\n  slipway dev --definitions examples/platform/definitions\n  slipway dev --port 0 --data /tmp/platform\n",
      )
      .action((flags: DevFlags) => run(() => dev(flags, host)));
  },
};

async function dev({ port, data, definitions, verbosity, logFormat }: DevFlags, host: CliHost): Promise<0> {
  const { server, requestLog } = serverLog(host, { verbosity, format: logFormat });
  const controlPlane = await start({
    port,
    dataFolder: resolve(host.cwd, data),
    definitionsFolder: definitions === undefined ? undefined : resolve(host.cwd, definitions),
    host: server,
    requestLog,
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
