/**
 * Runs the command that a TypeScript module exports as `main(args)`, with the sources of the workspace and no build:
 * Node 20 cannot load TypeScript itself. `main` resolves to the exit code.
 */
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function runTypeScript(module, args) {
  const server = await createServer({
    root,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    oxc: { target: "node20" },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    ssr: { resolve: { conditions: ["slipway-source", "module", "node", "default"] } },
  });
  try {
    const { main } = await server.ssrLoadModule(module);
    process.exitCode = await main(args);
  } catch (error) {
    if (!isOfUser(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } finally {
    await server.close();
  }
}

/** An argument that is not understood, or a file that is not there or not accessible: its message says it all. */
function isOfUser(error) {
  return error.code?.startsWith?.("ERR_PARSE_ARGS") || error.syscall !== undefined;
}
