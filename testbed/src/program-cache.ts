import { constants } from "node:fs";
import { access, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type GoBuildProgress, goBuild } from "./go-build.ts";
import { type Program, type ProgramName, readProgram } from "./programs.ts";

export interface ProgramCacheOptions {
  /** `KUBEBUILDER_ASSETS`, `XDG_CACHE_HOME`, and what Go wants. @default that of this process */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Where progress goes, a line at a time. @default standard error */
  readonly tell?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where each program is. */
export type ProgramPaths<Name extends ProgramName> = Readonly<Record<Name, string>>;

const PROGRESS_INTERVAL_MS = 10_000;
const PREFIX = ".building-";
/** A build that was killed leaves its unfinished file; nothing builds for that long. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/**
 * Paths of these programs. A program that the folder `KUBEBUILDER_ASSETS` holds is taken from there; any other comes
 * from the cache, and is built first when it is not there.
 *
 * Runs that build the same program at the same time do not disturb each other: each has a file of its own until it is
 * complete.
 *
 * @throws {TestbedError} when a program has to be built and cannot be.
 */
export async function ensurePrograms<Name extends ProgramName>(
  names: readonly Name[],
  options: ProgramCacheOptions = {},
): Promise<ProgramPaths<Name>> {
  const env = options.env ?? process.env;
  const settings: BuildSettings = {
    env,
    signal: options.signal ?? new AbortController().signal,
    tell: options.tell ?? ((line) => process.stderr.write(`  ${line}\n`)),
  };
  const found = await Promise.all(names.map(async (name) => [name, await findProgram(name, env)] as const));
  const missing = found.filter(([, { isPresent }]) => !isPresent);
  for (const [index, [, { program, path }]] of missing.entries()) {
    if (await isExecutable(path)) continue; // another run was faster
    settings.tell(`Building ${program.name} ${program.version}, ${index + 1} of ${missing.length} …`);
    await build(program, path, settings);
  }
  return Object.fromEntries(found.map(([name, { path }]) => [name, path])) as ProgramPaths<Name>;
}

interface Found {
  readonly program: Program;
  readonly path: string;
  readonly isPresent: boolean;
}

async function findProgram(name: ProgramName, env: NodeJS.ProcessEnv): Promise<Found> {
  const program = await readProgram(name, `${process.platform}-${process.arch}`);
  const assets = env.KUBEBUILDER_ASSETS ?? "";
  if (assets !== "") {
    const path = resolve(assets, name);
    if (await isExecutable(path)) return { program, path, isPresent: true };
  }
  const path = join(cacheFolder(env), program.cacheName, name);
  return { program, path, isPresent: await isExecutable(path) };
}

/** `$XDG_CACHE_HOME/slipway/testbed`; relative values do not count. @see XDG Base Directory Specification */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const set = env.XDG_CACHE_HOME ?? "";
  return join(set.startsWith("/") ? set : join(homedir(), ".cache"), "slipway", "testbed");
}

type BuildSettings = { readonly [Name in keyof ProgramCacheOptions]-?: Exclude<ProgramCacheOptions[Name], undefined> };

async function build(program: Program, path: string, { env, tell, signal }: BuildSettings): Promise<void> {
  const folder = join(path, "..");
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const unfinished = join(folder, `${PREFIX}${process.pid}-${Math.random().toString(36).slice(2)}`);
  const startedAtMs = Date.now();
  const duration = (): string => formatDuration(Date.now() - startedAtMs);
  let progress: GoBuildProgress = { downloadedModules: 0, compiledPackages: 0 };
  const timer = setInterval(() => {
    const { downloadedModules, compiledPackages } = progress;
    tell(
      `${program.name}: ${downloadedModules} modules downloaded, ${compiledPackages} packages compiled, ${duration()}`,
    );
  }, PROGRESS_INTERVAL_MS);
  try {
    await goBuild(program, unfinished, {
      env,
      signal,
      onProgress: (next) => {
        progress = next;
      },
    });
    await rename(unfinished, path);
    tell(`${program.name}: built in ${duration()}`);
  } finally {
    clearInterval(timer);
    await rm(unfinished, { force: true });
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(PREFIX)) continue;
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
