import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { SlipwayError } from "@slipway/objects";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { formatError } from "../output/error.ts";
import { describeFailure, shortPath } from "../program/describe-failure.ts";
import { findFile } from "../program/find-file.ts";
import { type ProgramEnd, runProgram } from "../program/run-program.ts";
import { parseSynthArguments, type SynthArguments } from "./arguments.ts";
import { CDK8S_FILE, findCdk8sFile, readCdk8sFile, runCdk8sApp } from "./cdk8s-app.ts";
import { childHostUrl, RUNS_VARIABLE } from "./child-host.ts";
import { DEFAULT_OUTDIR, deliver } from "./deliver.ts";
import { SynthFailure } from "./failure.ts";
import { synthesisOfFolder } from "./from-files.ts";
import { synthHelp } from "./help.ts";
import { ProgramHost } from "./program-host.ts";
import { RunFolder } from "./run-folder.ts";
import type { SynthHost } from "./synth-host.ts";
import type { Synthesis } from "./synthesis.ts";

/**
 * `slipway synth` with these arguments. A program runs in this process and may change it in any way, so this is called once
 * in a process.
 *
 * @returns The exit code. Never rejects.
 */
export async function synth(args: readonly string[], host: SynthHost): Promise<ExitCode> {
  try {
    const parsed = parseSynthArguments(args);
    if (!parsed.help) return await run(parsed, host);
    host.stdout.write(synthHelp);
    return exitCodes.success;
  } catch (error) {
    return fail(error, host);
  }
}

function fail(error: unknown, host: SynthHost): ExitCode {
  host.stderr.write(error instanceof SynthFailure ? `${error.message}\n` : formatError(error));
  if (!SlipwayError.isSlipwayError(error) || error.code !== "USAGE") return exitCodes.failure;
  host.stderr.write("Run slipway synth --help to see what there is.\n");
  return exitCodes.usage;
}

function run(args: SynthArguments, host: SynthHost): Promise<ExitCode> {
  const path = resolve(host.cwd, args.program ?? ".");
  const cdk8sFile = findCdk8sFile(path);
  return cdk8sFile === undefined ? runFile(findProgram(path, args.program), args, host) : runApp(cdk8sFile, args, host);
}

/** @throws {SlipwayError} `USAGE` when there is no program. */
function findProgram(path: string, named: string | undefined): string {
  if (named === undefined) throw usage(`there is no ${CDK8S_FILE} here. Name the program: slipway synth main.ts`);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? undefined : findFile(path, "/");
  if (file === undefined)
    throw usage(`${named}: there is no such program. It is a file, or a folder with a ${CDK8S_FILE}.`);
  if (/\.[cm]?[jt]s$/.test(file)) return file;
  throw usage(`${named}: a program is a file that ends in .ts, .mts, .cts, .js, .mjs or .cjs, or a ${CDK8S_FILE}.`);
}

function usage(message: string): SlipwayError {
  return new SlipwayError(message, { code: "USAGE" });
}

async function runFile(file: string, args: SynthArguments, host: SynthHost): Promise<ExitCode> {
  const defaultOutdir = resolve(host.cwd, host.env.CDK8S_OUTDIR ?? DEFAULT_OUTDIR);
  if (args.trace) process.env.SLIPWAY_TRACE = "1";
  const programHost = new ProgramHost({ wantsOrder: args.order === "apply" });
  const exitCode = await runProgram(file, args.programArgs, (end) => {
    try {
      return deliver(collect(end, programHost, file, host), { ...args, defaultOutdir }, host);
    } catch (error) {
      return fail(error, host);
    } finally {
      programHost[Symbol.dispose]();
    }
  });
  return exitCode as ExitCode;
}

/** @throws {SynthFailure} when the program failed, or made nothing. */
function collect(end: ProgramEnd, programHost: ProgramHost, file: string, { cwd }: SynthHost): Synthesis[] {
  const program = shortPath(file, cwd);
  const exports = exportsAt(end, program, cwd);
  const syntheses = orFailure(() => programHost.collect(exports), cwd);
  if (syntheses.length > 0) return syntheses;
  throw new SynthFailure(
    `error: ${program} made nothing: it has no App, or none that is synthesised. ` +
      "Call app.synth() at its end, or export the App (export default app).\n" +
      "An App of cdk8s that has an outdir of its own writes there by itself: leave outdir out.",
  );
}

function exportsAt(end: ProgramEnd, program: string, cwd: string): unknown {
  switch (end.how) {
    case "done":
      return end.exports;
    case "failed":
      throw new SynthFailure(describeFailure(end.error, cwd), { cause: end.error });
    case "exited":
      if (end.exitCode === 0) return undefined;
      throw new SynthFailure(`error: ${program} ended with exit code ${end.exitCode}, so nothing is written.`);
    case "stuck":
      throw new SynthFailure(
        `error: ${program} is not finished, and nothing is left that it could wait for: ` +
          "a top-level await is never answered, so nothing is written.",
      );
  }
}

function orFailure<Result>(work: () => Result, cwd: string): Result {
  try {
    return work();
  } catch (cause) {
    throw new SynthFailure(describeFailure(cause, cwd), { cause });
  }
}

async function runApp(file: string, args: SynthArguments, host: SynthHost): Promise<ExitCode> {
  if (args.programArgs.length > 0)
    throw usage("arguments after -- are for a program. Put them into the app command of cdk8s.yaml.");
  const app = readCdk8sFile(file);
  for (const warning of app.warnings) host.stderr.write(`warning: ${shortPath(file, host.cwd)}: ${warning}.\n`);
  const temporary = mkdtempSync(join(tmpdir(), "slipway-synth-"));
  try {
    await runCdk8sApp(app, { ...appEnvironment(host.env, temporary), ...(args.trace ? { SLIPWAY_TRACE: "1" } : {}) });
    const written = synthesisOfFolder(join(temporary, OUT));
    const syntheses = [...new RunFolder(join(temporary, RUNS)).collect(), ...(written === undefined ? [] : [written])];
    if (syntheses.length === 0) {
      throw new SynthFailure(
        `error: ${shortPath(file, host.cwd)}: the app (${app.command}) wrote nothing to CDK8S_OUTDIR. ` +
          "Call app.synth() at its end, and leave the outdir of the App out.",
      );
    }
    const defaultOutdir = resolve(dirname(file), host.env.CDK8S_OUTDIR ?? app.output ?? DEFAULT_OUTDIR);
    return deliver(syntheses, { ...args, defaultOutdir }, host);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const OUT = "out";
const RUNS = "runs";

/** What cdk8s sets for an app, and what Apps of ours look for in it. */
function appEnvironment(env: SynthHost["env"], folder: string): NodeJS.ProcessEnv {
  const preload = `--import ${childHostUrl}`;
  return {
    CDK8S_RECORD_CONSTRUCT_METADATA: "false",
    ...env,
    CDK8S_OUTDIR: join(folder, OUT),
    [RUNS_VARIABLE]: join(folder, RUNS),
    NODE_OPTIONS: env.NODE_OPTIONS === undefined ? preload : `${env.NODE_OPTIONS} ${preload}`,
  };
}
