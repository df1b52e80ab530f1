import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { root, SetupError } from "./setup.mjs";

/**
 * Compiles `testbed/src` to `testbed/dist` where it has changed: Node 20 does not run TypeScript. Tests need no build,
 * they import the sources.
 *
 * @throws {SetupError} when the compiler does not succeed.
 */
export async function compileTestbed() {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  // The compiler's own notes lie outside dist: without --force it would not see that dist is gone.
  const isComplete = existsSync(join(root, "testbed", "dist", "main.js"));
  const args = [compiler, "-b", "testbed", ...(isComplete ? [] : ["--force"])];
  const code = await run(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (code !== 0) throw new SetupError("The testbed does not compile; the errors are above.", { exitCode: code });
}
