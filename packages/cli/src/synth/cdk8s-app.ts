import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { getMember, isJsonObject } from "@slipway/objects";
import { SynthFailure } from "./failure.ts";
import { loadYaml } from "./load-now.ts";

/** An app as the cdk8s command knows it. */
export interface Cdk8sApp {
  readonly file: string;
  /** For a shell, in the folder of the file. */
  readonly command: string;
  /** As the file has it. */
  readonly output: string | undefined;
  /** What the file asks for and is not done, one sentence each. */
  readonly warnings: readonly string[];
}

export const CDK8S_FILE = "cdk8s.yaml";

/** The `cdk8s.yaml` that `path` is, or has in it. */
export function findCdk8sFile(path: string): string | undefined {
  if (basename(path) === CDK8S_FILE) return path;
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = join(path, CDK8S_FILE);
  return isFolder && existsSync(file) ? file : undefined;
}

/**
 * @throws {SlipwayError} `INVALID_YAML`.
 * @throws {SynthFailure} when it names no command.
 * @see cdk8s, docs/cli/synth.md: the settings of cdk8s.yaml
 */
export function readCdk8sFile(file: string): Cdk8sApp {
  const config = loadYaml().readYaml(readFileSync(file, "utf8"), { source: file });
  const setting = (name: string): unknown => (isJsonObject(config) ? getMember(config, name) : undefined);
  const [command, output] = [setting("app"), setting("output")];
  if (typeof command !== "string" || command === "") {
    throw new SynthFailure(`error: ${file}: app is missing. Give it the command that runs the program.`);
  }
  const warnings = ["validations", "synthConfig"]
    .filter((name) => setting(name) !== undefined)
    .map((name) => `${name} has no effect on slipway synth`);
  return { file, command, output: typeof output === "string" ? output : undefined, warnings };
}

/**
 * Runs the command of an app, its output on stderr.
 * @throws {SynthFailure} when it does not succeed.
 */
export async function runCdk8sApp({ file, command }: Cdk8sApp, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(command, { shell: true, cwd: dirname(file), env, stdio: ["inherit", 2, "inherit"] });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (code === 0) return;
  const fact = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  throw new SynthFailure(`error: ${file}: the app (${command}) ${fact}, so nothing is written. What it says is above.`);
}
