/**
 * A program of the tests in a process of its own: `node scripts/test-process.mjs clients/server …` runs
 * tests/clients/server-command.ts with the arguments that follow.
 */
import { runTypeScript } from "./run-typescript.mjs";

const [name, ...args] = process.argv.slice(2);
await runTypeScript(`/tests/${name}-command.ts`, args);
