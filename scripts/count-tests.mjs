// Prints `N passed, N failed` (and skipped, where there are) from vitest's JSON report.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @param {{ numPassedTests: number, numFailedTests: number, numPendingTests?: number, testResults?: { status: string, assertionResults: unknown[] }[] }} report */
export function countTests(report) {
  // A file that cannot be loaded has no tests, and is a failure all the same.
  const broken = (report.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const skipped = report.numPendingTests ?? 0;
  const counts = `${report.numPassedTests} passed, ${report.numFailedTests + broken} failed`;
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = process.argv[2];
  process.stdout.write(`${countTests(JSON.parse(readFileSync(path, 'utf8')))}\n`);
}
