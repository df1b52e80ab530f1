import { defineConfig } from "vitest/config";

/** Tests against a real cluster: the programs of `testbed/`, real sockets. One file at a time, each with its own cluster. */
export default defineConfig({
  ssr: { resolve: { conditions: ["slipway-source", "module", "node", "default"] } },
  test: {
    include: ["tests/cluster/**/*.cluster.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
