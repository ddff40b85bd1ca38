// Prints `N passed, N failed` (and skipped, where there are) from vitest's JSON reports, summed.
// A line before it names each test that passed at its second attempt only.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests?: number, testResults?: { status: string, assertionResults: { status?: string, fullName?: string, failureMessages?: string[] }[] }[] }} Report */

// A file that cannot be loaded has no tests, and is a failure all the same.
const brokenFiles = (/** @type {Report} */ { testResults = [] }) =>
  testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    .length;

/** The names of tests that failed and then passed: they are right, and need a look.
 * @param {...Report} reports */
export function retriedTests(...reports) {
  return reports
    .flatMap(({ testResults = [] }) => testResults)
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName = '' }) => fullName);
}

/** @param {...Report} reports */
export function countTests(...reports) {
  const sum = (/** @type {(report: Report) => number} */ of) =>
    reports.reduce((total, report) => total + of(report), 0);
  const passed = sum((report) => report.numPassedTests);
  const failed = sum((report) => report.numFailedTests + brokenFiles(report));
  const skipped = sum((report) => report.numPendingTests ?? 0);
  const counts = `${passed} passed, ${failed} failed`;
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
  for (const name of retriedTests(...reports))
    process.stdout.write(`passed at the second attempt: ${name}\n`);
  process.stdout.write(`${countTests(...reports)}\n`);
}
