/** `npm run testbed`: installs and compiles what is missing, then builds or starts the programs of a real cluster. */
import { join } from "node:path";
import { run } from "./run.mjs";
import { checkNode, ensureInstalled, root, runScript, SetupError } from "./setup.mjs";

await runScript(async () => {
  checkNode();
  await ensureInstalled();
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const code = await run(process.execPath, [compiler, "-b", "testbed"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (code !== 0) throw new SetupError("The testbed does not compile; the errors are above.", { exitCode: code });
  const { main } = await import("../testbed/dist/main.js");
  return main(process.argv.slice(2));
});
