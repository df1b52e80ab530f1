import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { transformWithOxc } from "vite";

const repository = resolve(import.meta.dirname, "../..");

/** Compiled from source. What `slipway synth` must not need, the other packages and commander, is not there. */
const ours = ["objects", "core", "cli"];

const others = ["@oxc-project/runtime", "cdk8s", "cdk8s-plus-33", "constructs", "diff", "oxc-transform", "yaml"];

export interface Outcome {
  /** `undefined` when a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export type Files = Readonly<Record<string, string>>;

/** A temporary folder with packages installed, in which programs are written and run by `slipway synth` in processes. */
export class ProgramFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** A new folder below this one, which finds the same packages, with these files in it. */
  async project(files: Files): Promise<Project> {
    const project = new Project(await mkdtemp(join(this.path, "project-")), this);
    await project.write(files);
    return project;
  }

  get command(): string {
    return join(this.path, "node_modules/@slipway/cli/dist/bin.js");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

export class Project {
  readonly path: string;
  readonly #folder: ProgramFolder;

  constructor(path: string, folder: ProgramFolder) {
    this.path = path;
    this.#folder = folder;
  }

  async write(files: Files): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, name)), { recursive: true });
      await writeFile(join(this.path, name), text);
    }
  }

  /** `slipway synth` with these arguments, in this folder. */
  async synth(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return runCommand(process.execPath, [this.#folder.command, "synth", ...args], this.path, env);
  }

  /** As {@link synth}, with stdout read by a command of the shell. */
  async synthInto(reader: string, args: readonly string[]): Promise<Outcome> {
    const words = [process.execPath, this.#folder.command, "synth", ...args].map((word) => `'${word}'`);
    return runCommand("sh", ["-c", `${words.join(" ")} | ${reader}`], this.path, {});
  }

  read(name: string): Promise<string> {
    return readFile(join(this.path, name), "utf8");
  }

  /** All files below a folder of it, sorted. */
  async files(folder: string): Promise<string[]> {
    const entries = await readdir(join(this.path, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    const prefix = join(this.path, folder, "/");
    return files.map((entry) => join(entry.parentPath, entry.name).slice(prefix.length)).sort();
  }
}

async function runCommand(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { CDK8S_OUTDIR: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  return { code: code ?? undefined, stdout, stderr };
}

export async function createProgramFolder({ without = [] as readonly string[] } = {}): Promise<ProgramFolder> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-programs-"));
  for (const name of ours) await compilePackage(name, join(folder, "node_modules/@slipway", name));
  for (const name of others.filter((each) => !without.includes(each)))
    await link(join(repository, "node_modules", name), join(folder, "node_modules", name));
  return new ProgramFolder(folder);
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

async function compilePackage(name: string, target: string): Promise<void> {
  const source = join(repository, "packages", name);
  await cp(join(source, "package.json"), join(target, "package.json"));
  const files = await readdir(join(source, "src"), { recursive: true });
  for (const file of files.filter((each) => each.endsWith(".ts") && !each.endsWith(".test.ts"))) {
    const path = join(source, "src", file);
    const { code } = await transformWithOxc(await readFile(path, "utf8"), path, {
      target: "node20",
      sourcemap: false,
      typescript: { rewriteImportExtensions: "rewrite", onlyRemoveTypeImports: true },
    });
    const compiled = join(target, "dist", file.replace(/ts$/, "js"));
    await mkdir(dirname(compiled), { recursive: true });
    await writeFile(compiled, code);
  }
}
