/**
 * Builds what is missing and runs tests that start whole processes: `node scripts/end-to-end.mjs tests/start/kill.e2e.ts`.
 * Arguments are vitest's. The last line says how many passed and failed.
 */
import { runTestSteps, runVitest } from "./run-tests.mjs";
import { checkNode, ensureBuilt, ensureInstalled } from "./setup.mjs";

process.exitCode = await runTestSteps([
  async () => checkNode(),
  ensureInstalled,
  ensureBuilt,
  () => runVitest(["--config", "vitest.e2e.config.ts", ...process.argv.slice(2)]),
]);
