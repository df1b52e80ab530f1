import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countReport, formatCounts, sumCounts } from "./counts.mjs";
import { run } from "./run.mjs";
import { root, SetupError } from "./setup.mjs";

const shown = { cwd: root, stdio: ["ignore", "inherit", "inherit"] };

/**
 * Runs the steps of a test command one after the other; the last line says what passed and failed. What a step throws
 * is one failure, and ends the run.
 *
 * @param {readonly (() => Promise<import("./counts.mjs").Counts | void>)[]} steps
 * @returns {Promise<number>} The exit code.
 */
export async function runTestSteps(steps) {
  const all = [];
  try {
    for (const step of steps) all.push((await step()) ?? sumCounts([]));
  } catch (error) {
    all.push({ passed: 0, failed: 1, skipped: 0 });
    process.stderr.write(`${error instanceof SetupError ? error.message : error.stack}\n`);
  }
  const counts = sumCounts(all);
  process.stdout.write(`${formatCounts(counts)}\n`);
  return counts.failed === 0 ? 0 : 1;
}

/** Checks the types of sources and tests; counts as one. */
export async function typeCheck() {
  const code = await run(process.execPath, [tool("typescript/bin/tsc"), "-p", "tsconfig.test.json"], shown);
  if (code !== 0) process.stdout.write("\nThe type check has failed.\n\n");
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** @param {readonly string[]} args For vitest. */
export async function runVitest(args) {
  const folder = await mkdtemp(join(tmpdir(), "slipway-test-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  try {
    const code = await run(process.execPath, [tool("vitest/vitest.mjs"), "run", ...reporters, ...args], shown);
    return countReport(await readReport(report), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} path */
async function readReport(path) {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    process.stderr.write("vitest has left no report: it did not come to its end.\n");
    return undefined;
  }
}

/** @param {string} path */
function tool(path) {
  return join(root, "node_modules", path);
}
