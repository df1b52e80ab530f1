import type { CliHost } from "../host.ts";

/** What `slipway synth` needs of its surroundings. */
export interface SynthHost extends Pick<CliHost, "cwd" | "stdout" | "stderr" | "env"> {
  /**
   * stdout shows colours.
   * @default false
   */
  readonly hasColors?: boolean | undefined;
}
