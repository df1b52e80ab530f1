import { fileURLToPath } from "node:url";
// biome-ignore lint/correctness/noUndeclaredDependencies: only tests start this
import { createViteServer } from "vitest/node";

/**
 * Imports a TypeScript module of this repository as the tests see it: Node 20 cannot run it, and there is no build.
 *
 * @param {string} path relative to this folder
 */
export async function loadSource(path) {
  const server = await createViteServer({
    configFile: fileURLToPath(new URL("../../../../../vitest.config.ts", import.meta.url)),
    logLevel: "error",
    server: { middlewareMode: true, hmr: false, watch: null, ws: false },
  });
  return server.ssrLoadModule(fileURLToPath(new URL(path, import.meta.url)));
}
