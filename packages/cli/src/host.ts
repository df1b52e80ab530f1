import { styleText } from "node:util";
import { type ServerHost, systemHost } from "@slipway/apiserver";

/** The surroundings of a command: handed in, so that tests run commands without a process. */
export interface CliHost {
  readonly cwd: string;
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user or the system asks the program to end. */
  readonly interrupted: AbortSignal;
  readonly server: ServerHost;
}

/** npm passes Ctrl-C on to a process that the terminal has told already: the same wish, twice in a moment. */
const sameWishMs = 1000;

/** Those of this process. SIGINT and SIGTERM abort `interrupted`; a later one ends the process at once. */
export function processHost(): CliHost {
  const interrupt = new AbortController();
  let interruptedAtMs = 0;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (!interrupt.signal.aborted) {
        interruptedAtMs = performance.now();
        interrupt.abort();
      } else if (performance.now() - interruptedAtMs > sameWishMs) process.exit(signal === "SIGINT" ? 130 : 143);
    });
  }
  const stderr = { write: (text: string) => void process.stderr.write(text) };
  return {
    cwd: process.cwd(),
    stdout: { write: (text) => void process.stdout.write(text) },
    stderr,
    env: process.env,
    interrupted: interrupt.signal,
    server: systemHost((message, error) => {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      stderr.write(`${styleText("red", "error")} ${message}: ${detail}\n`);
    }),
  };
}
