import { numberFromFixed, textFromFixed } from '../core/fixed/fixed.js';
import { statisticsOf, type EquityCurve, type Statistics } from '../report/statistics.js';
import { RoundTripTracker, type RoundTrip } from '../report/round-trips.js';
import type { StrategyError } from '../strategy/host/strategy-error.js';
import { marketsOf, type BacktestPlan } from './plan.js';
import type { BacktestRun } from './run.js';

/** The output of `sluice backtest --json` and the content of `result.json`. */
export interface BacktestResult extends Statistics {
  /** Folder of the run's files. */
  readonly run: string;
  readonly bars: number;
  readonly fills: number;
  /** Closed round trips. */
  readonly trades: number;
  readonly refused: number;
  readonly refused_by: Readonly<Record<string, number>>;
  /** Refusals by limits that the preset records and does not enforce. */
  readonly would_refuse: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly rejected_by: Readonly<Record<string, number>>;
  readonly liquidations: number;
  /** Marked at the last close. */
  readonly final_equity: string;
  readonly equity_low: string;
  readonly equity_high: string;
  /** Candles in which another order of prices would change the result; null: not counted. */
  readonly ambiguous_bars: number | null;
  readonly fees: string;
  readonly funding: string;
  readonly slippage: string;
  /** Of the candle loop only, for the first run in the process. */
  readonly engine_ns_per_bar: number;
  readonly load_ms: number;
  /** Path of the HTML report; null if none was written. */
  readonly report: string | null;
  /** Errors of the strategy's code. The command exits with 1 unless the list is empty. */
  readonly errors: readonly StrategyError[];
}

export interface RunMeasurements {
  readonly run: string;
  readonly engineMs: number;
  readonly loadMs: number;
}

export interface BacktestReport {
  readonly result: BacktestResult;
  readonly trades: readonly RoundTrip[];
  readonly curve: EquityCurve;
}

export function reportOf(
  plan: BacktestPlan,
  run: BacktestRun,
  measured: RunMeasurements,
): BacktestReport {
  const trades = tradesOf(run);
  const curve = curveOf(run);
  const { counts } = run.engine;
  const { tally } = plan.gate;
  const markets = marketsOf(plan);
  const startTime = Math.min(...markets.map(({ columns }) => columns.openTime[0] as number));
  const bars = markets.reduce((sum, { columns }) => sum + columns.length, 0);
  const result: BacktestResult = {
    run: measured.run,
    bars,
    fills: run.fills.length,
    trades: trades.length,
    refused: counts.refused,
    refused_by: Object.fromEntries([...counts.refusedBy].map(([key, { count }]) => [key, count])),
    would_refuse: Object.fromEntries(tally.wouldRefuse),
    rejected: counts.rejected,
    rejected_by: Object.fromEntries(counts.rejectedBy),
    liquidations: run.liquidations,
    final_equity: textFromFixed(run.finalEquity),
    equity_low: textFromFixed(run.equityLow),
    equity_high: textFromFixed(run.equityHigh),
    ambiguous_bars: null,
    ...statisticsOf({ startEquity: numberFromFixed(plan.cash), startTime, curve, trades }),
    fees: textFromFixed(run.totals.fees),
    funding: textFromFixed(run.totals.funding),
    slippage: textFromFixed(run.slippage),
    engine_ns_per_bar: Math.round((measured.engineMs * 1e6) / bars),
    load_ms: Math.round(measured.loadMs),
    report: null,
    errors: run.engine.hosts.flatMap((host) => host.errors),
  };
  return { result, trades, curve };
}

export function tradesOf(run: BacktestRun): readonly RoundTrip[] {
  const tracker = new RoundTripTracker();
  const fundings = run.fundings.values();
  let funding = fundings.next().value;
  for (const [index, { order, execution, realisedPnl, side, reason }] of run.fills.entries()) {
    for (; funding !== undefined && funding.afterFills <= index; funding = fundings.next().value) {
      tracker.funding(funding.fee.symbol, funding.fee.currency, funding.fee.amount);
    }
    tracker.fill({
      symbol: order.symbol,
      currency: order.currency,
      side,
      quantity: execution.quantity,
      price: execution.price,
      fee: execution.fee,
      time: execution.time,
      ...(realisedPnl !== undefined && { realisedPnl }),
      reason,
    });
  }
  return tracker.trades;
}

const curveOf = ({ times, equity }: BacktestRun): EquityCurve => ({
  times,
  equity,
  length: times.length,
});
