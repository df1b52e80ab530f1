/** How many checks passed and failed: what every test command of this repository says last. */

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/** @param {readonly Counts[]} all @returns {Counts} */
export function sumCounts(all) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const name of Object.keys(sum)) for (const counts of all) sum[name] += counts[name];
  return sum;
}

/** @param {Counts} counts */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/**
 * What a JSON report of vitest says. A run that ended badly has failed, whatever else is in it: an error outside of
 * tests, a crash, no tests at all.
 *
 * @param {unknown} report `undefined`: there is none.
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countReport(report, exitCode) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const isFailed = ({ status }) => status === "failed";
  // A file that does not load has no tests that could fail.
  const broken = report.testResults.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed));
  const failed = report.numFailedTests + broken.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
