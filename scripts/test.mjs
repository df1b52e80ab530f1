/**
 * `npm test`: installs what is missing, type-checks sources and tests, and runs every test. Arguments are vitest's. The
 * last line says how many passed and failed; the type check counts as one.
 */
import { runTestSteps, runVitest, typeCheck } from "./run-tests.mjs";
import { checkNode, ensureInstalled } from "./setup.mjs";

process.exitCode = await runTestSteps([
  async () => checkNode(),
  ensureInstalled,
  typeCheck,
  () => runVitest(process.argv.slice(2)),
]);
