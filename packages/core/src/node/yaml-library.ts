import { createRequire } from "node:module";

let library: typeof import("yaml") | undefined;

/** The `yaml` package, which takes a while to load and which most programs never need. */
export function yamlLibrary(): typeof import("yaml") {
  library ??= createRequire(import.meta.url)("yaml") as typeof import("yaml");
  return library;
}
