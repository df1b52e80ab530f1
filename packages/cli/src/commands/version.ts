import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { slipwayVersion } from "../version.ts";

export const versionCommand: CliCommand = {
  register(program, host, run) {
    program
      .command("version")
      .description("Print the version of slipway.")
      .action(() =>
        run(async () => {
          host.stdout.write(`slipway ${slipwayVersion}\n`);
          return exitCodes.success;
        }),
      );
  },
};
