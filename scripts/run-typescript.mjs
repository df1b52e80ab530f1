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
  } finally {
    await server.close();
  }
}
