import { resolve } from 'node:path';
import { openInBrowser } from '../io/node/open-in-browser.js';
import { packageRoot } from '../io/node/package-root.js';
import { pageDataOf, reportPage, type ReportInput } from '../report/page/report-page.js';
import type { Io } from './command-io.js';

/** The built page, in the package and in a checkout. */
const TEMPLATE = 'lib/pages/report.html';

/** @returns the HTML page of a run; undefined if the page is not built, which standard error says */
export async function reportPageText(
  inputOf: () => ReportInput,
  io: Pick<Io, 'files' | 'stderr'>,
): Promise<string | undefined> {
  const template = await io.files.read(`${packageRoot()}${TEMPLATE}`);
  if (template === undefined) {
    io.stderr(
      `sluice: warning: no report was written: ${TEMPLATE} is missing; build it with: node scripts/prepare.mjs\n`,
    );
    return undefined;
  }
  return reportPage(new TextDecoder().decode(template), pageDataOf(inputOf()));
}

/** Opens the report, or says where it is. */
export async function openReport(path: string, io: Pick<Io, 'stderr'>): Promise<void> {
  const problem = await openInBrowser(resolve(path));
  if (problem !== undefined)
    io.stderr(`sluice: the report is not open: ${problem}. It is ${resolve(path)}\n`);
}
