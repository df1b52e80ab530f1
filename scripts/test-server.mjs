/** The server that tests start as a process of its own: see tests/clients/server-command.ts. */
import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("/tests/clients/server-command.ts", process.argv.slice(2));
