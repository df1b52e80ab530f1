/** `npm run check:promises`: installs what `tools/` needs and is missing, then looks for promises that nobody waits for. */
import { join } from "node:path";
import { run } from "./run.mjs";
import { checkNode, ensureInstalled, root, runScript } from "./setup.mjs";

await runScript(async () => {
  checkNode();
  await ensureInstalled();
  await ensureInstalled(join(root, "tools"));
  const check = join(root, "tools", "check-promises.mjs");
  return run(process.execPath, [check], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
});
