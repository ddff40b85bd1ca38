import {
  intervalsOf,
  marketsOf,
  strategyNames,
  type BacktestPlan,
} from '../../../backtest/plan.js';
import type { BacktestReport } from '../../../backtest/result.js';
import type { RunRecord } from '../../../backtest/run-record.js';
import type { BacktestRun } from '../../../backtest/run.js';
import { tradeDecisionsOf } from '../../../backtest/trade-decisions.js';
import { numberFromFixed } from '../../../core/fixed/fixed.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { ReportInput } from '../../../report/page/report-page.js';

interface ReportedRun extends BacktestReport {
  readonly plan: BacktestPlan;
  readonly origin: string;
  readonly warnings: readonly string[];
  readonly record: RunRecord;
  readonly run: BacktestRun;
}

const INTERRUPTED = 'the run was stopped before the end of its data';

const CHECK_FINDINGS: ReadonlySet<string> = new Set(['look-ahead', 'warm-up']);

/** A run of `sluice backtest` for its page. */
export function backtestPage({
  plan,
  origin,
  warnings,
  record,
  run,
  ...reported
}: ReportedRun): ReportInput {
  const { result, cash, curve, benchmark, band, trades, openTrades } = reported;
  return {
    kind: 'backtest',
    title: oneLine(strategyNames(plan)),
    interval: intervalsOf(plan).join(', '),
    origin: oneLine(`${origin}; fees: ${result.fee_regime.name}`),
    currency: plan.currency,
    rate: plan.currency === 'USDT' ? 1 : numberFromFixed(plan.hedgeRate),
    cash,
    warnings: [
      ...(record.interrupted ? [INTERRUPTED] : []),
      ...warnings,
      // An answer of --check is a badge of its own.
      ...record.findings.flatMap(({ id, text }) => (CHECK_FINDINGS.has(id) ? [] : [text])),
    ].map(oneLine),
    figures: result,
    curve,
    benchmark,
    bounds: band,
    markets: marketsOf(plan).map(({ instrument, columns }) => ({
      symbol: instrument.symbol,
      columns,
    })),
    trades,
    openTrades,
    decisionsOf: tradeDecisionsOf(run),
    checks: record.checks,
    evidence: record.evidence,
    inputs: record.inputs,
    repeat: record.repeat,
    runHash: record.run_hash,
  };
}
