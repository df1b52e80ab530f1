import type { Command } from "commander";
import type { ExitCode } from "./exit-codes.ts";
import type { CliHost } from "./host.ts";

/** A command of `slipway`: where it adds itself to the program, and what it does. */
export interface CliCommand {
  /** Adds the command with its flags to `program`; `run` reports the exit code. */
  register(program: Command, host: CliHost, run: (work: () => Promise<ExitCode>) => Promise<void>): void;
}
