export type { ExitCode } from "./exit-codes.ts";
export { exitCodes } from "./exit-codes.ts";
export type { CliHost } from "./host.ts";
export { processHost } from "./host.ts";
export { main } from "./main.ts";
