/** Takes the data folder of the first argument, prints `open` or the error, and stays until standard input ends. */
import { argv, exit, stdin, stdout } from "node:process";
import { loadSource } from "./load-source.mjs";

const { openDataFolder } = await loadSource("../data-folder.ts");
stdout.write("ready\n");
for await (const _ of stdin) break; // so that a test can let several begin at once
try {
  await openDataFolder(argv[2]);
  stdout.write("open\n");
  setInterval(() => {}, 1_000);
} catch (error) {
  stdout.write(`${error.code} ${error.message}\n`, () => exit());
}
