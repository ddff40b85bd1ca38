import type { Currency } from '../core/currency.js';
import type { Amount, Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import type { StrategySeat } from '../engine/engine.js';
import type { ExchangeEvent } from '../exchange/simulated-exchange.js';
import type { CandleColumns } from '../market/candle-columns.js';
import type { Gate } from '../risk/gate.js';
import type { FundingRates } from './funding-rates.js';
import type { MarketNews } from './market-news.js';
import type { Pulse } from './pulse.js';

/** One symbol of a run. */
export interface BacktestMarket {
  readonly instrument: Instrument;
  readonly maintenanceRate: Ratio;
  /** The range, warm-up included. At least one candle. */
  readonly columns: CandleColumns;
}

export interface BacktestPlan extends BacktestMarket {
  readonly seat: StrategySeat;
  /** Further symbols of the seat, walked in step with the first: by open time, then in this order. */
  readonly others?: readonly BacktestMarket[];
  /** Interval of all `columns`. */
  readonly base: Interval;
  readonly currency: Currency;
  readonly cash: Amount;
  /** INR per USDT. */
  readonly hedgeRate: Ratio;
  readonly takerFeeRate: Ratio;
  readonly makerFeeRate: Ratio;
  readonly slippageBps: number;
  readonly limitFill: 'through' | 'touch';
  readonly intrabar: 'pessimistic' | 'nearest' | 'optimistic';
  readonly gate: Gate;
  /** Stops follow the price: one that was moved and fires is a trailing stop. Absent: false. */
  readonly trails?: boolean;
  /** Settled rates: exchanged at their times, and told. Absent: no funding. */
  readonly funding?: FundingRates;
  /** Told beside the candles, each at its time: what comes before the first live candle is left out. */
  readonly news?: readonly MarketNews[];
  /** Open time of the first candle to act on, ms UTC: those before it are history. Absent: all are live. */
  readonly liveFromMs?: number;
  /** Called now and then with the candles done; long runs show it. */
  readonly progress?: (done: number) => void;
  /** Written as the run goes on, for another thread. */
  readonly pulse?: Pulse;
  /** Told what happens at the exchange, as it happens. */
  readonly heard?: (event: ExchangeEvent) => void;
}

export const marketsOf = (plan: BacktestPlan): readonly BacktestMarket[] => [
  plan,
  ...(plan.others ?? []),
];
