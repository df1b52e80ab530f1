import process from "node:process";
import { exitCodes } from "../exit-codes.ts";
import { synth } from "./synth.ts";

/**
 * `slipway synth` as a process of its own. Signals end it at once: programs do not wait, and what was written before is whole
 * whenever that happens.
 */
export async function synthAlone(args: readonly string[]): Promise<number> {
  const { stdout, stderr } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(exitCodes.failure); // whoever read it has seen enough
  });
  const exitCode = await synth(args, {
    cwd: process.cwd(),
    env: { ...process.env },
    stdout: { write: (text) => void stdout.write(text) },
    stderr: { write: (text) => void stderr.write(text) },
    hasColors: stdout.isTTY && stdout.hasColors(),
  });
  // A program that failed may have left timers and connections behind.
  await Promise.all([stdout, stderr].map((stream) => new Promise<void>((done) => stream.write("", () => done()))));
  process.exit(exitCode);
}
