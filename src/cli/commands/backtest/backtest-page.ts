import {
  intervalsOf,
  marketsOf,
  strategyNames,
  type BacktestPlan,
} from '../../../backtest/plan.js';
import type { BacktestReport } from '../../../backtest/result.js';
import type { RunRecord } from '../../../backtest/run-record.js';
import { numberFromFixed } from '../../../core/fixed/fixed.js';
import { oneLine } from '../../../core/terminal-text.js';
import type { ReportInput } from '../../../report/page/report-page.js';

interface ReportedRun extends BacktestReport {
  readonly plan: BacktestPlan;
  readonly origin: string;
  readonly warnings: readonly string[];
  readonly record: RunRecord;
}

const INTERRUPTED = 'the run was stopped before the end of its data';

/** A run of `sluice backtest` for its page. */
export function backtestPage({
  plan,
  origin,
  warnings,
  record,
  ...reported
}: ReportedRun): ReportInput {
  const { result, cash, curve, benchmark, trades, openTrades } = reported;
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
      ...record.findings.map(({ text }) => text),
    ].map(oneLine),
    figures: result,
    curve,
    benchmark,
    markets: marketsOf(plan).map(({ instrument, columns }) => ({
      symbol: instrument.symbol,
      columns,
    })),
    trades,
    openTrades,
    evidence: record.evidence,
    inputs: record.inputs,
    repeat: record.repeat,
    runHash: record.run_hash,
  };
}
