/** `npm start`: installs and builds what is missing, then runs `slipway dev` with the example platform in this process. */
import { join } from "node:path";
import { checkNode, ensureBuilt, ensureInstalled, root, runScript } from "./setup.mjs";

await runScript(async () => {
  checkNode();
  await ensureInstalled();
  await ensureBuilt();
  const { keepHeapSmall } = await import("../packages/cli/dist/small-heap.js");
  keepHeapSmall();
  const { main, processHost } = await import("../packages/cli/dist/index.js");
  return main(["dev", ...withExample(process.argv.slice(2))], processHost());
});

/** @param {readonly string[]} args */
function withExample(args) {
  if (args.some((arg) => arg === "--definitions" || arg.startsWith("--definitions="))) return args;
  return ["--definitions", join(root, "examples", "platform", "definitions"), ...args];
}
