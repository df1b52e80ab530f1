import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ProgramExitError, Supervisor } from "./supervisor.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipway-supervisor-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sleeper = { name: "sleeper", command: "sleep", args: ["600"] };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("disposing ends the programs and removes the folders", async () => {
  const supervisor = await Supervisor.start(folder);
  const { pid } = await supervisor.start(sleeper);
  const data = join(folder, "data");
  await mkdir(data);
  supervisor.removeAtEnd([data]);
  expect(isRunning(pid)).toBe(true);
  await supervisor[Symbol.asyncDispose]();
  expect(isRunning(pid)).toBe(false);
  expect(await readdir(folder)).toEqual(["sleeper.log"]);
});

test("a program that does not hear the polite signals is ended as well", async () => {
  const supervisor = await Supervisor.start(folder);
  const script = "trap '' INT TERM HUP; echo deaf; while :; do sleep 1; done";
  const { pid } = await supervisor.start({ name: "deaf", command: "/bin/sh", args: ["-c", script] });
  await vi.waitFor(async () => expect(await supervisor.tail("deaf")).toBe("deaf"));
  await supervisor[Symbol.asyncDispose]();
  expect(isRunning(pid)).toBe(false);
});

test("work is given up when a program ends, with the end of its log", async () => {
  await using supervisor = await Supervisor.start(folder);
  await supervisor.start(sleeper);
  const script = "for i in $(seq 100); do echo line $i; done; exit 7";
  await supervisor.start({ name: "failing", command: "/bin/sh", args: ["-c", script] });
  const error = await supervisor.race(new Promise(() => {})).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ProgramExitError);
  const { message, tail, program } = error as ProgramExitError;
  expect(program).toEqual({ name: "failing", reason: "exit code 7", log: join(folder, "failing.log") });
  expect(message.split("\n")[0]).toBe(`failing has ended (exit code 7). The end of ${join(folder, "failing.log")}:`);
  expect(tail).toMatch(/^line 71\n[\s\S]*line 100$/);
});

test("a program that is not there is one that has ended", async () => {
  await using supervisor = await Supervisor.start(folder);
  await expect(supervisor.start({ name: "none", command: join(folder, "none"), args: [] })).rejects.toThrow("ENOENT");
});

test("programs get the environment of this process, and what is added to it", async () => {
  await using supervisor = await Supervisor.start(folder);
  const script = 'echo "$PATH $COLOUR"; exec sleep 600';
  await supervisor.start({ name: "env", command: "/bin/sh", args: ["-c", script], env: { COLOUR: "blue" } });
  await vi.waitFor(async () => expect(await supervisor.tail("env")).toBe(`${process.env.PATH} blue`));
});

/** A process that does what `Supervisor` does, and hands its supervisor's events on. */
function spawnRunner(): ChildProcess {
  const supervisor = JSON.stringify(join(import.meta.dirname, "../supervisor.mjs"));
  const start = { start: { ...sleeper, env: { PATH: process.env.PATH }, log: join(folder, "sleeper.log") } };
  const script = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, [${supervisor}], { detached: true, stdio: ["pipe", "inherit", "ignore"] });
    child.stdin.write(${JSON.stringify(`${JSON.stringify({ remove: [folder] })}\n${JSON.stringify(start)}\n`)});
    setInterval(() => {}, 1000);
  `;
  return spawn(process.execPath, ["--eval", script], { stdio: ["ignore", "pipe", "inherit"], detached: true });
}

test.for(["its process", "its process group"])(
  "nothing survives a runner when SIGKILL is sent to %s",
  async (target) => {
    const runner = spawnRunner();
    const [line] = await once(createInterface({ input: runner.stdout ?? process.stdin }), "line");
    const { pid } = JSON.parse(line).started;
    expect(isRunning(pid)).toBe(true);
    process.kill((runner.pid ?? 0) * (target === "its process" ? 1 : -1), "SIGKILL");
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
    await vi.waitFor(async () => await expect(readdir(folder)).rejects.toThrow("ENOENT"), { timeout: 10_000 });
  },
);
