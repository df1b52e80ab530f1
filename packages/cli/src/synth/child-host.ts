/**
 * Loaded into every process of Node that an app of a `cdk8s.yaml` starts, before its program: Apps of ours hand over what
 * they make, with where it comes from. It costs next to nothing until one does.
 */
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { quietly } from "../program/quietly.ts";
import { receiveRuns } from "./receive-runs.ts";

/** Names the folder in which processes of an app leave what their Apps make. */
export const RUNS_VARIABLE = "SLIPWAY_SYNTH_RUNS";

/** Of this file, for `node --import`. */
export const childHostUrl: string = import.meta.url;

const folder = process.env[RUNS_VARIABLE];

if (folder !== undefined) {
  receiveRuns((run) => {
    const require = createRequire(import.meta.url);
    const file = fileURLToPath(import.meta.url).replace("child-host", "child-run");
    const { leaveRun } = quietly(() => require(file)) as typeof import("./child-run.ts");
    leaveRun(run, folder);
  });
}
