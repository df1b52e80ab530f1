/** `npm run testbed`: installs and compiles what is missing, then builds or starts the programs of a real cluster. */
import { compileTestbed } from "./compile-testbed.mjs";
import { checkNode, ensureInstalled, runScript } from "./setup.mjs";

await runScript(async () => {
  checkNode();
  await ensureInstalled();
  await compileTestbed();
  const { main } = await import("../testbed/dist/main.js");
  return main(process.argv.slice(2));
});
