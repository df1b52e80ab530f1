import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { TestbedError } from "./errors.ts";
import type { Program } from "./programs.ts";

export interface GoBuildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Aborting ends the compiler and rejects. */
  readonly signal: AbortSignal;
  /** Called with every line that tells of progress: a module that is fetched, a package that is compiled. */
  readonly onProgress: (progress: GoBuildProgress) => void;
}

export interface GoBuildProgress {
  readonly downloadedModules: number;
  readonly compiledPackages: number;
}

const SHOWN_LINES = 40;

/**
 * Compiles a program into the file `output`.
 *
 * @throws {TestbedError} when there is no Go, or it does not succeed; its own words are in the message.
 */
export async function goBuild(program: Program, output: string, options: GoBuildOptions): Promise<void> {
  const { signal, onProgress } = options;
  signal.throwIfAborted();
  const child = spawn("go", ["build", "-v", ...program.buildFlags, "-o", output, program.package], {
    cwd: program.folder,
    env: buildEnvironment(options.env),
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  let progress: GoBuildProgress = { downloadedModules: 0, compiledPackages: 0 };
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on("line", (line) => {
    const next = countLine(progress, line);
    if (next === undefined) {
      said.push(line);
      return;
    }
    progress = next;
    onProgress(next);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => {
      if (child.pid === undefined) reject(cannotStart(program, error)); // else it was aborted, and closes
    });
    child.once("close", resolve);
  });
  signal.throwIfAborted();
  if (code === 0) return;
  throw new TestbedError(
    `${program.name} ${program.version} could not be built in ${program.folder}. Go says:\n` +
      said.slice(-SHOWN_LINES).join("\n"),
  );
}

/** What a line of `go build -v` adds, or `undefined` when it is no progress but something to read. */
export function countLine(progress: GoBuildProgress, line: string): GoBuildProgress | undefined {
  if (line.startsWith("go: downloading ")) {
    return { ...progress, downloadedModules: progress.downloadedModules + 1 };
  }
  if (/^[\w.~-]+(\/[\w.~-]+)*$/.test(line)) return { ...progress, compiledPackages: progress.compiledPackages + 1 };
  return undefined;
}

/** Static programs for this machine, whatever else Go is set up for. */
function buildEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { GOOS: _os, GOARCH: _arch, GOFLAGS: _flags, ...rest } = env;
  return { ...rest, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" };
}

function cannotStart({ name }: Program, cause: Error): TestbedError {
  return new TestbedError(
    `${name} is not built yet, and Go, which builds it, cannot be started (${cause.message}). ` +
      "Install Go from https://go.dev/dl and put it on the PATH, " +
      `or set KUBEBUILDER_ASSETS to a folder that holds ${name}.`,
    { cause },
  );
}
