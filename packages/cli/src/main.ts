import { Command, CommanderError } from "commander";
import { devCommand } from "./commands/dev.ts";
import { synthCommand } from "./commands/synth.ts";
import { versionCommand } from "./commands/version.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { CliHost } from "./host.ts";
import { formatError } from "./output/error.ts";

const commands = [devCommand, synthCommand, versionCommand];

/** Runs `slipway` with these arguments, without the name of the program. Resolves to the exit code; never rejects. */
export async function main(argv: readonly string[], host: CliHost): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.success;
  const program = new Command("slipway")
    .description("Compose, launch and serve Kubernetes platforms.")
    .exitOverride()
    .showHelpAfterError("Run with --help to see what there is.")
    .configureOutput({ writeOut: (text) => host.stdout.write(text), writeErr: (text) => host.stderr.write(text) });
  for (const command of commands) {
    command.register(program, host, async (work) => {
      exitCode = await work();
    });
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    host.stderr.write(formatError(error));
    return exitCodes.failure;
  }
  return exitCode;
}
