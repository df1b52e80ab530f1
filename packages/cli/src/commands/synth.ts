import type { CliCommand } from "../command.ts";
import { synthHelp } from "../synth/help.ts";
import { synth } from "../synth/synth.ts";

/** For the list of commands. `slipway synth` itself is run without any of the others being loaded: see `bin.ts`. */
export const synthCommand: CliCommand = {
  register(program, host, run) {
    program
      .command("synth")
      .description("Run a program and write the Kubernetes objects that it makes.")
      .argument("[args...]")
      .allowUnknownOption()
      .helpOption(false)
      .configureHelp({ formatHelp: () => synthHelp })
      .action((_args, _options, command) => run(() => synth(command.args, host)));
  },
};
