/** `npm run replay -- [DIR…]`: see tests/replay/replay-command.ts. */
import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("/tests/replay/replay-command.ts", process.argv.slice(2));
