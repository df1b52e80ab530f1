/**
 * One program with one library, in a process of its own:
 * `node bench/core/child.mjs --library cdk8s --program deployments --size 1000 --outdir DIR`.
 * Prints what it has measured as JSON. With `--expose-gc` also the heap that is in use afterwards.
 */
import { createRequire, Module } from "node:module";
import { parseArgs } from "node:util";
import { mainThreadMs } from "../lib/main-thread.mjs";
import { programs } from "./programs.mjs";

const { values } = parseArgs({
  options: {
    library: { type: "string" },
    program: { type: "string" },
    size: { type: "string" },
    outdir: { type: "string" },
  },
});
const require = createRequire(import.meta.url);

const libraries = {
  cdk8s: () => require("cdk8s"),
  "@slipway/core": () => import("@slipway/core"),
  "@slipway/cdk8s": () => {
    // As an alias in package.json does it: whoever asks for cdk8s, cdk8s-plus-33 too, gets the drop-in.
    const dropIn = require.resolve("@slipway/cdk8s");
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (request, ...rest) => (request === "cdk8s" ? dropIn : resolve(request, ...rest));
    return require("cdk8s");
  },
};

const library = await libraries[values.library]();
const heapBefore = usedHeap();
const app = programs[values.program](library, { size: Number(values.size), outdir: values.outdir });
const start = performance.now();
const startOnMain = mainThreadMs();
app.synth();
const synthMs = performance.now() - start;
const mainMs = mainThreadMs();
const heap = usedHeap() - heapBefore;
const peakMb = process.resourceUsage().maxRSS / 1000;
process.stdout.write(JSON.stringify({ synthMs, synthMainMs: mainMs - startOnMain, mainMs, heap, peakMb }));

/** After a collection; 0 when the process may not ask for one. */
function usedHeap() {
  if (globalThis.gc === undefined) return 0;
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
