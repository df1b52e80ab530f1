import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { TestbedError } from "./errors.ts";

export interface RunOptions {
  /** What the program reads from its standard input. @default nothing */
  readonly input?: string | undefined;
  /** @default that of this process */
  readonly cwd?: string | undefined;
  /** Beside the environment of this process. @default nothing */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Aborting ends the program and rejects. */
  readonly signal?: AbortSignal | undefined;
}

/** A program that was run to its end did not succeed. */
export class ProgramFailedError extends TestbedError {
  override readonly name = "ProgramFailedError";
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;

  constructor(command: string, exitCode: number | null, stdout: string, stderr: string) {
    super(
      `${command} has ended with ${exitCode === null ? "a signal" : `exit code ${exitCode}`}:\n${stderr || stdout}`,
    );
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/**
 * Runs a program to its end and resolves to what it wrote to its standard output.
 *
 * @throws {ProgramFailedError} when its exit code is not 0.
 */
export async function runProgram(path: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const child = spawn(path, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: "pipe",
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  child.stdin.on("error", () => {}); // it need not read to the end
  child.stdin.end(options.input ?? "");
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new ProgramFailedError([path, ...args].join(" "), code, stdout, stderr);
  return stdout;
}
