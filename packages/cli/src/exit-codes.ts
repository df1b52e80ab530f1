/** What the exit code of `slipway` means. */
export const exitCodes = {
  success: 0,
  /** The work could not be done; the error is on stderr. */
  failure: 1,
  /** The command line is wrong; help is one line away. */
  usage: 2,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
