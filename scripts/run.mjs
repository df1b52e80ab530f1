import { spawn } from "node:child_process";
import { constants } from "node:os";

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM"];
/** npm takes a dozen seconds to undo an install; nobody waits for that, and the next install begins anew anyway. */
const PATIENCE_MS = 3_000;

/**
 * Runs a program to its end. Resolves to its exit code (128 and the number of the signal that ended it, as a shell
 * says it). SIGINT and SIGTERM sent to this process end the program as well: nothing is left running.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<number>}
 */
export function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    let received;
    let patience;
    const forward = (signal) => {
      received ??= signal;
      child.kill(signal);
      patience ??= setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    };
    const settle = (finish) => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
      clearTimeout(patience);
      finish();
    };
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
    child.once("error", (error) => settle(() => reject(error)));
    child.once("close", (code, signal) => {
      const ended = received ?? signal; // a program that was told to end has not succeeded, whatever it says
      settle(() => resolve(ended === null ? code : 128 + constants.signals[ended]));
    });
  });
}
