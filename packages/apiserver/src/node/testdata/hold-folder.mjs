/** Takes the data folder of the first argument, prints `open` or the error, and stays until standard input ends. */
import { argv, stdin } from "node:process";
import { loadSource } from "./load-source.mjs";

const { openDataFolder } = await loadSource("../data-folder.ts");
console.log("ready");
for await (const _ of stdin) break; // so that a test can let several begin at once
try {
  await openDataFolder(argv[2]);
  console.log("open");
  setInterval(() => {}, 1_000);
} catch (error) {
  console.log(`${error.code} ${error.message}`);
  process.exit(0);
}
