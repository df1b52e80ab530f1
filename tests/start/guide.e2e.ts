import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");

/** Blocks that start something which stays: how they are run here, and what is said when it is ready. */
const servers: Readonly<Record<string, { readonly command: string; readonly ready: string }>> = {
  "npm start": { command: "npm start -- --port 0", ready: "kubectl get" },
  "node examples/api-server/dist/server.js": {
    command: "node examples/api-server/dist/server.js 0",
    ready: "Widgets on",
  },
  "node examples/api-server/dist/books.js library.db": {
    command: "node examples/api-server/dist/books.js library.db 0",
    ready: "Books on",
  },
};

interface Block {
  readonly title: string;
  readonly text: string;
  /** `sh refused`: the last command is meant to fail. */
  readonly isRefused: boolean;
  /** A `text` block that follows. */
  readonly printed: string | undefined;
}

function blocksOf(markdown: string): Block[] {
  const pattern = /^```sh( refused)?\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?/gms;
  return [...markdown.matchAll(pattern)].map(([, refused, text = "", printed], index) => ({
    title: `${index + 1}: ${text.split("\n")[0]}`,
    text,
    isRefused: refused !== undefined,
    printed,
  }));
}

/** Columns are as wide as their content, and ages pass. */
function comparable(line: string): string {
  return line
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\b\d+s\b/g, "AGE");
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map(comparable)
    .filter((line) => line !== "");
}

/** `...` on a line stands for any number of lines. */
function isPrinted(printed: string, output: string): boolean {
  const parts = linesOf(printed).map((line) => (line === "..." ? "(?:.*\\n)*" : `${literal(line)}\\n`));
  return new RegExp(`^${parts.join("")}$`).test(`${linesOf(output).join("\n")}\n`);
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The repository with its packages installed and built, in a folder of its own: links to what is installed here. */
async function installedCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "slipway-guide-"));
  const entries = await readdir(repository, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  for (const path of [...files, "scripts", "examples", "packages"]) await copyOver(path, copy);
  await linkInstalled(copy);
  return copy;
}

/** With its times: they say whether a build is up to date. */
async function copyOver(path: string, copy: string): Promise<void> {
  await cp(join(repository, path), join(copy, path), {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !/\/examples\/[^/]+\/dist$|\/node_modules\/\.vite$/.test(source),
  });
}

/** Our own packages are those of the copy; all others are links. */
async function linkInstalled(copy: string): Promise<void> {
  const modules = join(copy, "node_modules");
  await mkdir(join(modules, "@slipway"), { recursive: true });
  for (const name of await readdir(join(repository, "node_modules"))) {
    if (name === "@slipway" || name === ".cache") continue;
    if (name === ".package-lock.json" || name === ".slipway") await copyOver(join("node_modules", name), copy);
    else await symlink(join(repository, "node_modules", name), join(modules, name));
  }
  for (const name of await readdir(join(repository, "packages"))) {
    await symlink(join(copy, "packages", name), join(modules, "@slipway", name));
  }
}

/** Of `SLIPWAY_KUBECTL`, else of the PATH. */
function findKubectl(): string | undefined {
  const candidate = process.env.SLIPWAY_KUBECTL ?? "kubectl";
  const { status } = spawnSync(candidate, ["version", "--client"], { stdio: "ignore" });
  return status === 0 ? candidate : undefined;
}

test("what is printed is compared, but for widths and ages", () => {
  const printed = "NAME   AGE\na      5s\n...\nz      5s\n";
  expect(isPrinted(printed, "NAME AGE\na    0s\nb 1s\nc 1s\nz    12s\n")).toBe(true);
  expect(isPrinted(printed, "NAME AGE\na    0s\nz    12s\n")).toBe(true);
  expect(isPrinted(printed, "NAME AGE\na    0s\nx    12s\n")).toBe(false);
  expect(isPrinted(printed, "NAME AGE\na    0s\nz    12s\nand more\n")).toBe(false);
  expect(isPrinted("a.b\n", "acb\n")).toBe(false);
});

/** Ctrl-C; resolves to the exit code. */
async function interrupt(child: ChildProcess): Promise<unknown> {
  if (child.pid === undefined) throw new Error("it was not started");
  const ended = new Promise((done) => child.once("exit", done));
  process.kill(-child.pid, "SIGINT");
  return ended;
}

const kubectl = findKubectl();
const readGuide = (name: string): string => readFileSync(join(repository, "docs/guide", name), "utf8");
const guides = (await readdir(join(repository, "docs/guide")))
  .filter((name) => name.endsWith(".md") && blocksOf(readGuide(name)).length > 0)
  .sort();

describe.for(guides)("docs/guide/%s", (guide) => {
  let copy: string;
  let server: ChildProcess | undefined;
  let path: string;
  /** A block relies on those before it. */
  let failed: string | undefined;

  beforeAll(async () => {
    copy = await installedCopy();
    path = process.env.PATH ?? "";
    if (kubectl?.includes("/") === true) {
      await mkdir(join(copy, ".bin"));
      await symlink(resolve(kubectl), join(copy, ".bin/kubectl"));
      path = `${join(copy, ".bin")}${delimiter}${path}`;
    }
  });
  afterAll(async () => {
    const isRunning = server?.exitCode === null && server.signalCode === null;
    if (isRunning && server?.pid !== undefined) process.kill(-server.pid, "SIGKILL");
    await rm(copy, { recursive: true, force: true });
  });

  /** As in one shell: what a block exports is there for the next one. */
  function run(text: string): { readonly code: number | null; readonly output: string } {
    const state = join(copy, ".state");
    const script = `[ -f ${state} ] && . ${state}\nset -e\ntrap 'export -p > ${state}' EXIT\n${text}`;
    const { status, stdout } = spawnSync("bash", ["-c", `{\n${script}\n} 2>&1`], {
      cwd: copy,
      encoding: "utf8",
      env: { ...process.env, PATH: path, HOME: join(copy, ".home") },
      timeout: 120_000,
    });
    return { code: status, output: stdout };
  }

  /** What stays is one program at a time: the reader has stopped the one before it. */
  async function start({ command, ready }: { readonly command: string; readonly ready: string }): Promise<void> {
    if (server !== undefined) expect(await interrupt(server)).toBe(0);
    const child = spawn("bash", ["-c", `exec ${command} 2>&1`], {
      cwd: copy,
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    server = child;
    let output = "";
    return new Promise((done, reject) => {
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
        if (output.includes(ready)) done();
      });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`ended with ${code}:\n${output}`)));
    });
  }

  async function attempt({ text, isRefused, printed }: Block): Promise<void> {
    const stays = servers[text.trim()];
    if (stays !== undefined) return start(stays);
    const { code, output } = run(text);
    expect(isRefused ? code !== 0 : code === 0, output).toBe(true);
    if (printed !== undefined && !isPrinted(printed, output)) expect(output).toBe(printed);
  }

  const blocks = blocksOf(readGuide(guide));

  for (const block of blocks) {
    test.skipIf(kubectl === undefined && /\bkubectl\b/.test(block.text))(`block ${block.title}`, async () => {
      expect(failed, "an earlier block has failed").toBeUndefined();
      failed = block.title;
      await attempt(block);
      failed = undefined;
    });
  }

  test("what stays ends on Ctrl-C", async () => {
    if (server === undefined) throw new Error("the guide has started nothing");
    expect(await interrupt(server)).toBe(0);
  });
});
