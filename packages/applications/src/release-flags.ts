import type { Nanoseconds } from "./duration.ts";

/** What every release gets, whatever its kind; a definition's annotations override some of it. */
export interface ReleaseFlags {
  /** `--helmrelease-interval` @default 5m */
  readonly interval: Nanoseconds;
  /** `--helmrelease-retry-interval` @default 30s */
  readonly retryInterval: Nanoseconds;
  /** `--helmrelease-install-timeout` @default 10m */
  readonly installTimeout: Nanoseconds;
  /** `--helmrelease-upgrade-timeout` @default 10m */
  readonly upgradeTimeout: Nanoseconds;
  /** `--helmrelease-max-history`; 0 is unlimited. @default 5 */
  readonly maxHistory: number;
}

export const defaultReleaseFlags: ReleaseFlags = {
  interval: 300_000_000_000n,
  retryInterval: 30_000_000_000n,
  installTimeout: 600_000_000_000n,
  upgradeTimeout: 600_000_000_000n,
  maxHistory: 5,
};
