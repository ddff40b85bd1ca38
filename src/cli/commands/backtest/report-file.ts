import { resolve } from 'node:path';
import type { BacktestPlan } from '../../../backtest/plan.js';
import { intervalsOf, marketsOf, strategyNames } from '../../../backtest/plan.js';
import type { BacktestReport } from '../../../backtest/result.js';
import type { RunRecord } from '../../../backtest/run-record.js';
import { numberFromFixed } from '../../../core/fixed/fixed.js';
import { oneLine } from '../../../core/terminal-text.js';
import { openInBrowser } from '../../../io/node/open-in-browser.js';
import { packageRoot } from '../../../io/node/package-root.js';
import { pageDataOf, reportPage, type ReportInput } from '../../../report/page/report-page.js';
import type { Io } from '../../command-io.js';
import type { BacktestOptions } from './backtest-options.js';

/** The built page, in the package and in a checkout. */
const TEMPLATE = 'lib/pages/report.html';

interface ReportedRun extends BacktestReport {
  readonly plan: BacktestPlan;
  readonly origin: string;
  readonly warnings: readonly string[];
  readonly record: RunRecord;
}

/** @returns the HTML page of the run; undefined if none was asked for, or the page is not built */
export async function reportText(
  { report }: Pick<BacktestOptions, 'report'>,
  run: ReportedRun,
  io: Io,
): Promise<string | undefined> {
  if (!report) return undefined;
  const template = await io.files.read(`${packageRoot()}${TEMPLATE}`);
  if (template === undefined) {
    io.stderr(
      `sluice: warning: no report was written: ${TEMPLATE} is missing; build it with: node scripts/prepare.mjs\n`,
    );
    return undefined;
  }
  return reportPage(new TextDecoder().decode(template), pageDataOf(inputOf(run)));
}

function inputOf({ plan, origin, warnings, record, ...reported }: ReportedRun): ReportInput {
  const { result, cash, curve, benchmark, trades, openTrades } = reported;
  return {
    kind: 'backtest',
    title: oneLine(strategyNames(plan)),
    interval: intervalsOf(plan).join(', '),
    origin: oneLine(origin),
    currency: plan.currency,
    rate: plan.currency === 'USDT' ? 1 : numberFromFixed(plan.hedgeRate),
    cash,
    warnings: warnings.map(oneLine),
    figures: result,
    curve,
    benchmark,
    markets: marketsOf(plan).map(({ instrument, columns }) => ({
      symbol: instrument.symbol,
      columns,
    })),
    trades,
    openTrades,
    inputs: record.inputs,
    repeat: record.repeat,
    runHash: record.run_hash,
  };
}

/** Opens the report, or says where it is. */
export async function openReport(path: string, io: Io): Promise<void> {
  const problem = await openInBrowser(resolve(path));
  if (problem !== undefined)
    io.stderr(`sluice: the report is not open: ${problem}. It is ${resolve(path)}\n`);
}
