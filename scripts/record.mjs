/** `npm run record`: see tests/replay/record-command.ts. */
import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("/tests/replay/record-command.ts", process.argv.slice(2));
