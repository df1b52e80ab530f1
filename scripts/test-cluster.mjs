/**
 * `npm run test:cluster`: builds the programs of a real cluster that are missing, then runs the tests that need one.
 * Arguments are vitest's. The last line says how many passed and failed; a build that fails is one failure.
 */
import { run } from "./run.mjs";
import { runTestSteps, runVitest } from "./run-tests.mjs";
import { checkNode, ensureInstalled, root, SetupError } from "./setup.mjs";

process.exitCode = await runTestSteps([
  async () => checkNode(),
  ensureInstalled,
  buildPrograms,
  () => runVitest(["--config", "vitest.cluster.config.ts", ...process.argv.slice(2)]),
]);

async function buildPrograms() {
  const code = await run(process.execPath, ["scripts/testbed.mjs", "build"], {
    cwd: root,
    stdio: ["ignore", "ignore", 2],
  });
  if (code !== 0) throw new SetupError("The real cluster cannot be built; the reason is above.", { exitCode: code });
}
