import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["slipway-source", "module", "node", "default"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "testbed/src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 30_000,
  },
});
