import { resolve } from 'node:path';
import { StartError } from '../core/command-errors.js';
import { openInBrowser } from '../io/node/open-in-browser.js';
import { packageRoot } from '../io/node/package-root.js';
import type { ComparisonPage } from '../report/page/comparison-data.js';
import { pageDataOf, reportPage, type ReportInput } from '../report/page/report-page.js';
import type { Io } from './command-io.js';

/** The built page, in the package and in a checkout. */
const TEMPLATE = 'lib/pages/report.html';
const MISSING = `${TEMPLATE} is missing; build it with: node scripts/prepare.mjs`;

/** @returns the HTML page of a run; undefined if the page is not built, which standard error says */
export async function reportPageText(
  inputOf: () => ReportInput,
  io: Pick<Io, 'files' | 'stderr'>,
): Promise<string | undefined> {
  const template = await readTemplate(io);
  if (template === undefined) {
    io.stderr(`sluice: warning: no report was written: ${MISSING}\n`);
    return undefined;
  }
  return reportPage(template, pageDataOf(inputOf()));
}

/** @returns the HTML page of a comparison. @throws StartError if the page is not built */
export async function comparisonPageText(
  data: ComparisonPage,
  io: Pick<Io, 'files'>,
): Promise<string> {
  const template = await readTemplate(io);
  if (template === undefined) throw new StartError(`no page was written: ${MISSING}`);
  return reportPage(template, data);
}

async function readTemplate({ files }: Pick<Io, 'files'>): Promise<string | undefined> {
  const bytes = await files.read(`${packageRoot()}${TEMPLATE}`);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Opens the report, or says where it is. */
export async function openReport(path: string, io: Pick<Io, 'stderr'>): Promise<void> {
  const problem = await openInBrowser(resolve(path));
  if (problem !== undefined)
    io.stderr(`sluice: the report is not open: ${problem}. It is ${resolve(path)}\n`);
}
