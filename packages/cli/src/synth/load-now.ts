import { createRequire } from "node:module";
import { quietly } from "../program/quietly.ts";

const require = createRequire(import.meta.url);

/**
 * A package of ours, without waiting for it: the last event of a process waits for nothing. Most programs bring core along
 * or need neither.
 */
export function loadCore(): typeof import("@slipway/core") {
  return loadNow("@slipway/core") as typeof import("@slipway/core");
}

/** See {@link loadCore}. */
export function loadYaml(): typeof import("@slipway/objects/yaml") {
  return loadNow("@slipway/objects/yaml") as typeof import("@slipway/objects/yaml");
}

/** See {@link loadCore}. */
export function loadDiff(): typeof import("diff") {
  return loadNow("diff") as typeof import("diff");
}

/** Some versions of Node warn that it is new to require an ES module. */
function loadNow(name: string): unknown {
  return quietly(() => require(name));
}
