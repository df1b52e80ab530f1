import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath, pid, ppid } from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDataFolder } from "./data-folder.ts";

let parent: string;
let folders = 0;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "slipway-folder-"));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const newFolder = (): string => join(parent, String(++folders));

/** A process that waits to be told to take the folder. */
class Other implements AsyncDisposable {
  readonly #child;
  readonly #lines: AsyncIterator<string>;

  constructor(folder: string) {
    const script = fileURLToPath(new URL("testdata/hold-folder.mjs", import.meta.url));
    this.#child = spawn(execPath, [script, folder], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  static async start(folder: string): Promise<Other> {
    const other = new Other(folder);
    expect(await other.line()).toBe("ready");
    return other;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value ?? "";
  }

  /** `open`, or the error. */
  async take(): Promise<string> {
    this.#child.stdin.write("take\n");
    return this.line();
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await exit;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

test("the folder is made, with those above it, for this user alone", async () => {
  const path = join(newFolder(), "a", "b");
  await using folder = await openDataFolder(path);
  expect(folder.path).toBe(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test("the rights of a folder that exists are left alone, and so is what is in it", async () => {
  await writeFile(join(parent, "mine"), "mine");
  const { mode } = await stat(parent);
  await using folder = await openDataFolder(parent);
  expect((await stat(folder.path)).mode).toBe(mode);
  expect(await readFile(join(parent, "mine"), "utf8")).toBe("mine");
});

test("a second process is refused and told who has it", async () => {
  const path = newFolder();
  await using folder = await openDataFolder(path);
  await using other = await Other.start(path);
  expect(await other.take()).toBe(
    `DATA_FOLDER_IN_USE ${folder.path}: process ${pid} uses this data folder. ` +
      "Stop that process, or choose another folder.",
  );
});

test("so is this process, by another one and by itself", async () => {
  const path = newFolder();
  {
    await using other = await Other.start(path);
    expect(await other.take()).toBe("open");
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: "DATA_FOLDER_IN_USE",
      message: expect.stringContaining(`process ${other.pid} uses`),
    });
  }
  await using _folder = await openDataFolder(path);
  await expect(openDataFolder(path)).rejects.toMatchObject({
    code: "DATA_FOLDER_IN_USE",
    message: expect.stringContaining(`this process, ${pid}, uses`),
  });
});

test("a folder whose process was killed can be taken at once", async () => {
  const path = newFolder();
  await using other = await Other.start(path);
  expect(await other.take()).toBe("open");
  await other.kill();
  expect(await readFile(join(path, "pid"), "utf8"), "the killed process did not tidy up").toBe(`${other.pid}\n`);
  await using _folder = await openDataFolder(path);
  expect(await readFile(join(path, "pid"), "utf8")).toBe(`${pid}\n`);
});

test.for([
  { what: "a stranger that runs and has the same number", left: `${ppid}\n` },
  { what: "this process, which has the same number", left: `${pid}\n` },
  { what: "nobody", left: "" },
])("a killed process left a note that names $what: the folder is free", async ({ left }) => {
  const path = newFolder();
  await (await openDataFolder(path))[Symbol.asyncDispose]();
  await writeFile(join(path, "pid"), left);
  await using folder = await openDataFolder(path);
  expect(await readFile(join(folder.path, "pid"), "utf8")).toBe(`${pid}\n`);
});

test("of several processes that start at once exactly one has it, and the others name that one", async () => {
  const path = newFolder();
  await using a = await Other.start(path);
  await using b = await Other.start(path);
  await using c = await Other.start(path);
  const others = [a, b, c];
  const answers = await Promise.all(others.map((other) => other.take()));
  const winner = others[answers.indexOf("open")];
  expect(answers.filter((answer) => answer === "open")).toHaveLength(1);
  for (const answer of answers.filter((answer) => answer !== "open")) {
    expect(answer).toContain(`process ${winner?.pid} uses`);
  }
});

test("disposal gives it up, a second one changes nothing", async () => {
  const path = newFolder();
  const first = await openDataFolder(path);
  await first[Symbol.asyncDispose]();
  await using _second = await openDataFolder(path);
  await first[Symbol.asyncDispose]();
  await using other = await Other.start(path);
  expect(await other.take()).toContain(`process ${pid} uses`);
});

test.for([
  { what: "a file", path: async () => writeFile(join(parent, "file"), "").then(() => join(parent, "file")) },
  { what: "below a file", path: async () => join(parent, "mine", "x") },
])("a path that is $what is refused", async ({ path: make }) => {
  const path = await make();
  await expect(openDataFolder(path)).rejects.toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringContaining(`${path}: cannot be a data folder: `),
  });
});
