import fc from "fast-check";
import { expect, test } from "vitest";
import { anyProgram } from "./any-program.ts";
import { ours, peer } from "./libraries.ts";
import { type Result, runProgram } from "./run-program.ts";

/** `SLIPWAY_RUNS` asks for more programs; `SLIPWAY_SEED` and `SLIPWAY_PATH`, as a failure prints them, for the same ones. */
const { SLIPWAY_RUNS, SLIPWAY_SEED, SLIPWAY_PATH } = process.env;
const numRuns = Number(SLIPWAY_RUNS ?? 2_000);
const replay = {
  ...(SLIPWAY_SEED !== undefined && { seed: Number(SLIPWAY_SEED) }),
  ...(SLIPWAY_PATH !== undefined && { path: SLIPWAY_PATH }),
};

test(`${numRuns} programs made at random do the same with both libraries`, { timeout: 60_000 + numRuns * 200 }, () => {
  const whole = { count: 0, synthesised: 0 };
  fc.assert(
    fc.property(anyProgram, (program) => {
      const theirs = runProgram(program, peer);
      const mine = runProgram(program, ours);
      whole.count += 1;
      if (theirs.effects !== undefined && mine.effects !== undefined) whole.synthesised += 1;
      expect(mine.results.map(withLaterError(theirs.results))).toStrictEqual(theirs.results);
      expect(mine.effects).toStrictEqual(theirs.effects);
    }),
    { numRuns, ...replay },
  );
  const share = whole.synthesised / whole.count;
  process.stdout.write(`${whole.count} programs, ${(100 * share).toFixed(1)} % of them synthesised on both sides\n`);
  if (SLIPWAY_PATH === undefined) expect(share).toBeGreaterThan(0.8);
});

/**
 * An object without metadata has no name for its file. We meet it when it is rendered, cdk8s when all of its chart is,
 * and then another object may have failed: a row of app.test.ts.
 */
function withLaterError(theirs: readonly Result[]): (mine: Result, index: number) => Result {
  return (mine, index) => {
    const other = theirs[index] ?? mine;
    const isEarlier = "throws" in mine && "throws" in other && /^Cannot read .* \(reading 'name'\)$/.test(mine.throws);
    return isEarlier && other.throws.startsWith("Failed serializing construct") ? other : mine;
  };
}
