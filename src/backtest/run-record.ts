import { fillsCsv, type FillRow } from '../report/run/fills-csv.js';
import type { HonestyChecks } from '../report/run/checks-schema.js';
import type { ProfitEvidence } from '../report/run/evidence-schema.js';
import type { RunInputs } from '../report/run/inputs-schema.js';
import { SCHEMA_VERSION } from '../report/run/result-schema.js';
import { runHashOf, type RunTables } from '../report/run/run-hash.js';
import { equityCsv, tradesCsv } from '../report/run-folder.js';
import type { RunFill } from './effects/run-fills.js';
import type { ResultFinding } from './findings/finding.js';
import type { BacktestReport, BacktestResult } from './result.js';
import type { BacktestRun } from './run.js';
import { slippageCost } from './slippage.js';

/** A longer equity curve is thinned out in `equity.csv`. */
const MAX_EQUITY_ROWS = 50_000;

/** The content of `result.json`, apart from the name of its folder. */
export interface RunRecord extends BacktestResult {
  readonly schema_version: typeof SCHEMA_VERSION;
  /** ISO 8601, by the clock of this machine. */
  readonly created_at: string;
  readonly run_hash: string;
  /** Ended by Ctrl-C: the figures are those up to `to`. */
  readonly interrupted: boolean;
  readonly inputs: RunInputs;
  /** Reasons to doubt the result. */
  readonly findings: readonly ResultFinding[];
  /** Of `--check`; null: it was not asked for. */
  readonly checks: HonestyChecks | null;
  readonly evidence: ProfitEvidence;
  /** A shell command that repeats the run. */
  readonly repeat: string;
}

export interface RecordedRun {
  readonly record: RunRecord;
  readonly tables: RunTables;
}

/** The record of a run and its tables: all that its folder holds. */
export function recordRun(
  { result, trades, curve, cash }: BacktestReport,
  run: BacktestRun,
  facts: Pick<
    RunRecord,
    'created_at' | 'interrupted' | 'inputs' | 'findings' | 'checks' | 'evidence' | 'repeat'
  >,
): RecordedRun {
  const tables: RunTables = {
    'trades.csv': tradesCsv(trades),
    'equity.csv': equityCsv(curve, cash, MAX_EQUITY_ROWS),
    'fills.csv': fillsCsv(run.fills, fillRow),
  };
  const { run: folder, ...figures } = result;
  const { inputs, findings, checks, evidence, repeat, created_at, interrupted } = facts;
  const record: RunRecord = {
    schema_version: SCHEMA_VERSION,
    run: folder,
    created_at,
    run_hash: runHashOf({ ...figures, inputs }, tables),
    interrupted,
    ...figures,
    findings,
    checks,
    evidence,
    inputs,
    repeat,
  };
  return { record, tables };
}

/** Written out: a spread for each of a million fills takes longer than the text. */
const fillRow = (fill: RunFill): FillRow => {
  const { order, execution } = fill;
  return {
    time: execution.time,
    symbol: order.symbol,
    currency: order.currency,
    side: fill.side,
    quantity: execution.quantity,
    price: execution.price,
    fee: execution.fee,
    maker: execution.maker,
    slippage: slippageCost(fill),
    realisedPnl: fill.realisedPnl,
    orderId: order.orderId,
    orderType: order.type,
    reason: fill.realisedPnl === undefined ? 'entry' : fill.reason,
  };
};
