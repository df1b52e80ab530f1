import { spawn } from "node:child_process";
import { constants } from "node:os";

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM"];

/**
 * Runs a program to its end. Resolves to its exit code (128 and the number of the signal that ended it, as a shell
 * says it). Signals sent to this process reach it, so nothing is left running.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<number>}
 */
export function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
    const settle = (finish) => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
      finish();
    };
    child.once("error", (error) => settle(() => reject(error)));
    child.once("close", (code, signal) => settle(() => resolve(code ?? 128 + (constants.signals[signal] ?? 0))));
  });
}
