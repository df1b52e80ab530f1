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

const path = process.env[RUNS_VARIABLE];

if (path !== undefined) {
  let folder: import("./run-folder.ts").RunFolder | undefined;
  receiveRuns((run) => {
    folder ??= new (loadRunFolder())(path);
    folder.leave(run);
  });
}

/** What it needs is loaded when there is something to leave. */
function loadRunFolder(): typeof import("./run-folder.ts").RunFolder {
  const file = fileURLToPath(import.meta.url).replace("child-host", "run-folder");
  return quietly(() => createRequire(import.meta.url)(file)).RunFolder;
}
