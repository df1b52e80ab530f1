import { spawnSync } from "node:child_process";

/** How programs are run. Tests of cdk8s programs replace the member, so it is looked up at every call. */
export const _child_process: { spawnSync: typeof spawnSync } = { spawnSync };
