import { defineConfig } from "vitest/config";

/** Tests that start whole processes: built code, real sockets. Run one file at a time. */
export default defineConfig({
  test: {
    include: ["tests/drop-in/**/*.e2e.ts", "tests/start/**/*.e2e.ts"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
