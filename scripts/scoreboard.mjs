/** `npm run scoreboard`: see tests/replay/scoreboard-command.ts. */
import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("/tests/replay/scoreboard-command.ts", process.argv.slice(2));
