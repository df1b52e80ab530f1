/**
 * Starts programs and ends all of them when its standard input ends: whoever started it has stopped, crashed or was
 * killed, and the kernel closes the pipe in each case. Reads one JSON command a line, writes one JSON event a line:
 *
 *   {"start": {"name", "command", "args", "env", "log"}}   → {"started": {"name", "pid"}}, later {"exited": {"name", "reason"}}
 *   {"remove": [folders]}                                  what is removed at the end; replaces what was said before
 *
 * Plain JavaScript, because it runs as a process of its own from sources as well as from a build.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";

/** @type {Map<string, Promise<void>>} By name; resolved when the program is gone. */
const ended = new Map();
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
/** @type {readonly string[]} */
let folders = [];
let isEnding = false;

process.stdout.on("error", () => {}); // nobody reads any more
process.on("uncaughtException", () => void end()); // whatever it was, nothing is left behind
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void end());
createInterface({ input: process.stdin })
  .on("line", obey)
  .on("close", () => void end());

/** @param {string} line */
function obey(line) {
  const command = JSON.parse(line);
  if (command.remove !== undefined) folders = command.remove;
  if (command.start !== undefined && !isEnding) start(command.start);
}

/** @param {{ name: string, command: string, args: string[], env: Record<string, string>, log: string }} program */
function start({ name, command, args, env, log }) {
  const file = openSync(log, "a");
  const child = spawn(command, args, { env, stdio: ["ignore", file, file] });
  closeSync(file);
  running.add(child);
  const exited = new Promise((resolve) => {
    const finish = (reason) => {
      running.delete(child);
      tell({ exited: { name, reason } });
      resolve();
    };
    child.once("error", ({ message }) => finish(message));
    child.once("exit", (code, signal) => finish(signal ?? `exit code ${code}`));
  });
  ended.set(name, exited);
  if (child.pid !== undefined) tell({ started: { name, pid: child.pid } });
}

/** Nothing here needs a last word: etcd is made for crashes, the others keep nothing of their own. */
async function end() {
  if (isEnding) return;
  isEnding = true;
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ended.values());
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  process.exit(0);
}

/** @param {unknown} event */
function tell(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
