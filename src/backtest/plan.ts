import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import type { Amount, Ratio } from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import type { StrategyInstance } from '../engine/engine.js';
import type { ExchangeEvent } from '../exchange/simulated-exchange.js';
import type { CandleColumns } from '../market/candles/candle-columns.js';
import type { Gate } from '../risk/gate.js';
import type { MissingCandles } from './data/candle-loader.js';
import type { FundingRates } from './data/funding-rates.js';
import type { TimedHedgeRate } from './data/hedge-rates.js';
import type { MarkColumns } from './data/mark-prices.js';
import type { MarketDataEvent } from './data/market-data-events.js';
import type { Heartbeat } from './heartbeat.js';
import type { Slippage } from './slippage.js';

/** One symbol of a run. */
export interface BacktestMarket {
  readonly instrument: Instrument;
  readonly maintenanceRate: Ratio;
  /** The range, warm-up included. At least one candle. */
  readonly columns: CandleColumns;
  /** Candles of the mark price, row by row those of `columns`. Default: the mark price is the last price. */
  readonly mark?: MarkColumns;
  /** Mark prices at settlements of funding, in their own interval. Default: the mark price of the moment. */
  readonly settlementMarks?: CandleColumns;
  /** Default: the gaps between the candles. */
  readonly missing?: MissingCandles;
}

export interface BacktestPlan extends BacktestMarket {
  /** At least one. Each owns its symbols; the account is one. */
  readonly strategies: readonly StrategyInstance[];
  /** Further symbols of the strategies, in step with the first: by open time, then in this order. */
  readonly others?: readonly BacktestMarket[];
  /** Interval of all `columns`. */
  readonly base: Interval;
  readonly currency: Currency;
  readonly cash: Amount;
  /** INR per USDT. */
  readonly hedgeRate: Ratio;
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  readonly slippage: Slippage;
  readonly limitFill: 'through' | 'touch';
  readonly intrabar: 'pessimistic' | 'nearest' | 'optimistic';
  readonly gate: Gate;
  /** Venue ms that an order takes to the exchange; above 0. Default: orders are there at once. */
  readonly latencyMs?: number;
  /** Share of the volume of a candle that the orders of its symbol may trade, above 0 and at most 1. Default: any. */
  readonly maxVolumeShare?: number;
  /** 40 % of each fee comes back (supplement: part 12). Default: false. */
  readonly rebates?: boolean;
  /** INR per USDT from a time on, ascending. Default: `hedgeRate` throughout. */
  readonly hedgeRates?: readonly TimedHedgeRate[];
  /** Stops trail the price, so a moved stop that fires is a trailing stop. Default: false. */
  readonly hasTrailingStop?: boolean;
  /** Settled rates, charged and passed to the strategy at their times. Default: no funding. */
  readonly funding?: FundingRates;
  /** Passed to the strategy at their times. Those before the first live candle are dropped. */
  readonly marketEvents?: readonly MarketDataEvent[];
  /** Open time of the first live candle, ms UTC; earlier ones are history. Default: all are live. */
  readonly liveFromMs?: number;
  /** Open time of the last candle that runs, ms UTC. Default: the last one. */
  readonly untilMs?: number;
  /** Written during the run, for another thread. */
  readonly heartbeat?: Heartbeat;
  /** Receives each event of the exchange at once. */
  readonly onExchangeEvent?: (event: ExchangeEvent) => void;
}

export const marketsOf = (plan: BacktestPlan): readonly BacktestMarket[] => [
  plan,
  ...(plan.others ?? []),
];

/** `a, b`: the strategies of a run. */
export const strategyNames = ({ strategies }: BacktestPlan): string =>
  strategies.map(({ id }) => id).join(', ');

/** The intervals of the strategies, each once. */
export const intervalsOf = ({ strategies }: BacktestPlan): readonly Interval[] => [
  ...new Set(strategies.map(({ interval }) => interval)),
];

/** The id of the strategy that owns a symbol. @throws AssertionError for a symbol of none */
export function ownerOf({ strategies }: BacktestPlan, symbol: string): string {
  const owner = strategies.find(({ symbols }) => symbols.includes(symbol));
  assert(owner !== undefined, `A strategy of the run owns ${symbol}`);
  return owner.id;
}
