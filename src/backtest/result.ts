import type { Currency } from '../core/currency.js';
import {
  add,
  multiply,
  negate,
  numberFromFixed,
  subtract,
  textFromFixed,
  ZERO,
  type Amount,
} from '../core/fixed/fixed.js';
import { compareWithBenchmark, type BenchmarkComparison } from '../report/statistics/benchmark.js';
import { DAY_MS } from '../core/interval.js';
import type { EquityBand, EquityCurve } from '../report/statistics/equity-curve.js';
import { statisticsOf, type Statistics } from '../report/statistics/statistics.js';
import {
  tradeGroups,
  type MeasuredTrade,
  type TradeGroup,
} from '../report/statistics/trade-statistics.js';
import {
  RoundTripTracker,
  type OpenTrade,
  type RoundTrip,
  type RoundTripFill,
} from '../report/round-trips.js';
import type { Writable } from '../core/table/writable.js';
import type { StrategyError } from '../strategy/host/strategy-error.js';
import { feeRegimeOf, type FeeRegime } from './fee-regime.js';
import { buyAndHold } from './buy-and-hold.js';
import type { EquityBounds } from './equity-bounds.js';
import { measureTrade } from './excursions.js';
import { marketsOf, ownerOf, type BacktestPlan } from './plan.js';
import type { BacktestRun } from './run.js';
import { slippageCost } from './slippage.js';

/** The output of `sluice backtest --json` and the content of `result.json`. */
export interface BacktestResult extends Statistics, BenchmarkComparison {
  /** Folder of the run's files. */
  readonly run: string;
  /** Open of the first candle and close of the last one, ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly currency: Currency;
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
  /** Final equity if the prices inside each candle come in the worst and in the best order; null: not run. */
  readonly equity_low: string | null;
  readonly equity_high: string | null;
  /** Candles in which another order of prices may change the result. */
  readonly ambiguous_bars: number;
  /** Final equity − cash: price_pnl − fees − funding − slippage, in the run's currency. */
  readonly net_profit: string;
  /** Profit of the price moves alone, that of the open positions included. */
  readonly price_pnl: string;
  /** Less rebates. */
  readonly fees: string;
  readonly fee_regime: FeeRegime;
  readonly funding: string;
  /** USDT. */
  readonly slippage: string;
  /** Parts of the net profit in the run's currency: they sum to it. A cost is negative. */
  readonly profit_split: ProfitSplit;
  readonly by_strategy: Readonly<Record<string, TradeGroup>>;
  /** Positions at the end, which no closed trade includes. */
  readonly open_trades: readonly OpenTradeRow[];
  /** Of the candle loop only, for the first run in the process. */
  readonly engine_ns_per_bar: number;
  readonly load_ms: number;
  /** Path of the HTML report; null if none was written. */
  readonly report: string | null;
  /** Errors of the strategy's code. The command exits with 1 unless the list is empty. */
  readonly errors: readonly StrategyError[];
}

export interface ProfitSplit {
  readonly price: string;
  readonly fees: string;
  readonly funding: string;
  readonly slippage: string;
}

export interface OpenTradeRow {
  readonly symbol: string;
  readonly side: 'long' | 'short';
  readonly quantity: string;
  /** ISO 8601 in UTC. */
  readonly entry_time: string;
  readonly entry_price: string;
}

export interface RunMeasurements {
  readonly run: string;
  readonly engineMs: number;
  readonly loadMs: number;
}

export interface BacktestReport {
  readonly result: BacktestResult;
  readonly trades: readonly MeasuredTrade[];
  readonly curve: EquityCurve;
  /** Equity of buy and hold at the times of the curve. */
  readonly benchmark: EquityCurve;
  /** Lowest and highest equity at the times of the curve; undefined: one answer, or not run. */
  readonly band: EquityBand | undefined;
  readonly openTrades: readonly OpenTrade[];
  /** Equity before the first row. */
  readonly cash: number;
}

export function reportOf(
  plan: BacktestPlan,
  run: BacktestRun,
  bounds: EquityBounds | undefined,
  measurements: RunMeasurements,
): BacktestReport {
  const tracker = trackTrades(run);
  const trades = measured(tracker.trades, plan);
  const curve = curveOf(run);
  const { counts } = run.engine;
  const { tally } = plan.gate;
  const markets = marketsOf(plan);
  const startTime = Math.min(...markets.map(({ columns }) => columns.openTime[0] as number));
  const endTime = curve.times.at(curve.length - 1) as number;
  const bars = run.candles;
  const startEquity = numberFromFixed(plan.cash);
  const rate = plan.currency === 'USDT' ? 1 : numberFromFixed(plan.hedgeRate);
  const openSince = tracker.openTrades.map(({ entryTime }) => entryTime);
  const history = { startEquity, startTime, curve };
  const benchmark = { startEquity, startTime, curve: buyAndHold(plan, curve.times) };
  const result: BacktestResult = {
    run: measurements.run,
    from: new Date(startTime).toISOString(),
    to: new Date(endTime).toISOString(),
    days: (endTime - startTime) / DAY_MS,
    currency: plan.currency,
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
    equity_low: bounds === undefined ? null : textFromFixed(bounds.low),
    equity_high: bounds === undefined ? null : textFromFixed(bounds.high),
    ambiguous_bars: run.ambiguousCandles,
    ...statisticsOf({ ...history, trades, openSince, rate }),
    ...compareWithBenchmark(history, benchmark),
    by_strategy: tradeGroups(trades, rate, ({ symbol }) => ownerOf(plan, symbol)),
    ...profitOf(plan, run),
    fees: textFromFixed(run.totals.fees),
    fee_regime: feeRegimeOf(plan, run.fills),
    funding: textFromFixed(run.totals.funding),
    slippage: textFromFixed(run.slippage),
    open_trades: tracker.openTrades.map(openTradeRow),
    engine_ns_per_bar: Math.round((measurements.engineMs * 1e6) / bars),
    load_ms: Math.round(measurements.loadMs),
    report: null,
    errors: run.engine.hosts.flatMap((host) => host.errors),
  };
  return {
    result,
    trades,
    curve,
    benchmark: benchmark.curve,
    band: bounds?.band,
    openTrades: tracker.openTrades,
    cash: startEquity,
  };
}

function profitOf(
  plan: BacktestPlan,
  run: BacktestRun,
): Pick<BacktestResult, 'net_profit' | 'price_pnl' | 'profit_split'> {
  const { finalEquity, totals } = run;
  const net: Amount = subtract(finalEquity, plan.cash);
  const slipped = slippageIn(plan, run);
  const price = textFromFixed(add(add(add(net, totals.fees), totals.funding), slipped));
  return {
    net_profit: textFromFixed(net),
    price_pnl: price,
    profit_split: {
      price,
      fees: textFromFixed(negate(totals.fees)),
      funding: textFromFixed(negate(totals.funding)),
      slippage: textFromFixed(negate(slipped)),
    },
  };
}

/** Slippage in the run's currency; under changing rates at the rate of each order. */
function slippageIn(
  { currency, hedgeRate, hedgeRates }: BacktestPlan,
  { slippage, fills }: BacktestRun,
): Amount {
  if (currency === 'USDT') return slippage;
  if (hedgeRates === undefined) return multiply(slippage, hedgeRate);
  return fills.reduce<Amount>(
    (sum, fill) => add(sum, multiply(slippageCost(fill), fill.order.hedgeRate)),
    ZERO as Amount,
  );
}

/** The trades with their extremes, in their order. */
function measured(trades: readonly RoundTrip[], plan: BacktestPlan): readonly MeasuredTrade[] {
  const columnsOf = new Map(
    marketsOf(plan).map(({ instrument, columns }) => [instrument.symbol, columns]),
  );
  return trades.map((trade) => {
    const columns = columnsOf.get(trade.symbol);
    return columns === undefined ? trade : measureTrade(trade, columns);
  });
}

const openTradeRow = ({
  symbol,
  side,
  quantity,
  entryTime,
  entryPrice,
}: OpenTrade): OpenTradeRow => ({
  symbol,
  side,
  quantity: textFromFixed(quantity),
  entry_time: new Date(entryTime).toISOString(),
  entry_price: textFromFixed(entryPrice),
});

export const tradesOf = (run: BacktestRun): readonly RoundTrip[] => trackTrades(run).trades;

function trackTrades(run: BacktestRun): RoundTripTracker {
  const tracker = new RoundTripTracker();
  const fundings = run.fundings.values();
  let funding = fundings.next().value;
  for (const [index, { order, execution, realisedPnl, side, reason }] of run.fills.entries()) {
    for (; funding !== undefined && funding.afterFills <= index; funding = fundings.next().value) {
      tracker.funding(funding.fee.symbol, funding.fee.currency, funding.fee.amount);
    }
    const { symbol, currency } = order;
    const { quantity, price, fee, time } = execution;
    // Without a spread: a run has thousands of fills.
    const fill: Writable<RoundTripFill> = {
      symbol,
      currency,
      side,
      quantity,
      price,
      fee,
      time,
      reason,
    };
    if (realisedPnl !== undefined) fill.realisedPnl = realisedPnl;
    tracker.fill(fill);
  }
  return tracker;
}

const curveOf = ({ times, equity }: BacktestRun): EquityCurve => ({
  times,
  equity,
  length: times.length,
});
