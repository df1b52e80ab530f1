/**
 * For how long the main thread of this process has been on a CPU, in milliseconds, as Linux counts it. On a machine
 * with nothing else to do that is the time that passes; on a busy one it is what can be compared.
 */
import { readFileSync } from "node:fs";
import process from "node:process";

export function mainThreadMs() {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}
