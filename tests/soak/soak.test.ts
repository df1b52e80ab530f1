import { expect, test } from "vitest";
import { soak } from "./soak.ts";

test("watchers converge without a gap, while the server is ended, killed and loses its history", {
  timeout: 120_000,
}, async () => {
  const { problems, ...counts } = await soak({
    seed: 7,
    durationMs: 5_000,
    atLeast: { writes: 200, ends: 1 },
    watchers: 100,
    pauseMs: 300,
    disturbMs: 1_500,
    tell: () => {},
  });
  expect(problems).toEqual([]);
  expect(counts.converged).toBe(100);
  expect(counts.events).toBeGreaterThan(0);
});
