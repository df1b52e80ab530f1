import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const repository = resolve(import.meta.dirname, "../..");

/** Where the packages of others are that the drop-in is tested beside. */
export const peers: string = join(import.meta.dirname, "peers", "node_modules");

export const dropIn: string = join(repository, "packages", "cdk8s");

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. What it says is no test of ours: see that `code` is asserted. */
export function run(command: string, args: readonly string[], cwd: string): Promise<Ran> {
  // Not what the test runner of this repository, or the npm that runs it, sets for itself.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|VITEST|NODE_OPTIONS|NODE_ENV)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), NO_COLOR: "1" };
  return new Promise((settle) => {
    execFile(command, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr }),
    );
  });
}

/** The stdout of `node` with these arguments; a failure throws with what it said. */
export async function node(args: readonly string[], cwd: string): Promise<string> {
  return succeed(await run(process.execPath, args, cwd), args);
}

function succeed({ code, stdout, stderr }: Ran, args: readonly string[]): string {
  if (code !== 0) throw new Error(`${args.join(" ")} has ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/**
 * The tarball that `npm publish` would send of a package that is installed or built in `source`, written to `folder`.
 *
 * @returns its path.
 */
export async function pack(source: string, folder: string): Promise<string> {
  const args = ["pack", source, "--pack-destination", folder, "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(succeed(await run("npm", args, folder), args)) as [{ readonly filename: string }];
  return join(folder, packed.filename);
}

/** The names of the files in a tarball. */
export async function filesIn(tarball: string): Promise<string[]> {
  const listed = succeed(await run("tar", ["-tzf", tarball], dirname(tarball)), ["tar", tarball]);
  return listed
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
}

export interface Project extends AsyncDisposable {
  readonly path: string;
}

/** A folder of somebody who uses the drop-in. What is not text is written as JSON. */
export async function createProject(files: Readonly<Record<string, string | object>>): Promise<Project> {
  const path = await mkdtemp(join(tmpdir(), "slipway-drop-in-"));
  await writeFiles(path, files);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** `npm install`, without the network and without any of the options that make npm accept what it refuses. */
export async function npmInstall(folder: string): Promise<Ran> {
  return run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
}

/** What a project needs for development, from the installed peers: linked, since no test is about these packages. */
export async function linkTools(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const place = join(folder, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(peers, name), place);
  }
}

/** Below `folder`, the packages that are installed, without what they bring themselves. */
export async function installedIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, "node_modules"));
  const packages = names.filter((name) => !name.startsWith("."));
  return packages.sort();
}
