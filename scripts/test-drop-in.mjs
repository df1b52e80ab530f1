/**
 * `npm run test:drop-in`: builds what is missing, installs the peers of the drop-in, and runs the tests that pack it and
 * install it beside them. Arguments are vitest's. The last line says how many passed and failed.
 */
import { join } from "node:path";
import { runTestSteps, runVitest } from "./run-tests.mjs";
import { checkNode, ensureBuilt, ensureInstalled, root } from "./setup.mjs";

const named = process.argv.slice(2);

process.exitCode = await runTestSteps([
  async () => checkNode(),
  ensureInstalled,
  ensureBuilt,
  () => ensureInstalled(join(root, "tests", "drop-in", "peers")),
  () => runVitest(["--config", "vitest.e2e.config.ts", ...(named.length > 0 ? named : ["tests/drop-in"])]),
]);
