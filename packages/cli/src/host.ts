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

/** Those of this process. SIGINT and SIGTERM abort `interrupted`; a second one ends the process at once. */
export function processHost(): CliHost {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (interrupt.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
      interrupt.abort();
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
