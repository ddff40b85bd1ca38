import type { Currency } from '../core/currency.js';
import { Decimal } from '../core/decimal.js';
import {
  decimalFromFixed,
  fixed,
  fixedFromDecimal,
  fixedFromNumber,
  numberFromFixed,
  ZERO,
  type Amount,
  type Price,
  type Ratio,
  type Usdt,
} from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import { Engine, type StrategySeat } from '../engine/engine.js';
import { walkCandle } from '../exchange/candle-path.js';
import { createExchange } from '../exchange/create-exchange.js';
import type { LedgerTotals, SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { Note } from '../execution/effects.js';
import type { CandleColumns } from '../market/candle-columns.js';
import type { Gate } from '../risk/gate.js';
import { InlineVenue, type RunFill } from './inline-venue.js';

export interface BacktestPlan {
  readonly seat: StrategySeat;
  readonly instrument: Instrument;
  readonly maintenanceRate: Ratio;
  /** Interval of `columns`. */
  readonly base: Interval;
  /** The range, warm-up included. At least one candle. */
  readonly columns: CandleColumns;
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
  /** Called now and then with the candles done; long runs show it. */
  readonly progress?: (done: number) => void;
}

export interface BacktestRun {
  readonly engine: Engine;
  readonly fills: readonly RunFill[];
  readonly notes: readonly Note[];
  /** Equity at each candle's close, in the run's currency. */
  readonly equity: Float64Array;
  readonly equityLow: Amount;
  readonly equityHigh: Amount;
  readonly finalEquity: Amount;
  readonly totals: LedgerTotals;
  /** Cost of slippage against the unslipped prices, USDT; in the fills' prices already. */
  readonly slippage: Usdt;
  readonly liquidations: number;
}

const PROGRESS_EVERY = 65_536;

/**
 * Walks the candles over the simulated exchange and the one engine. A decision at the close of a
 * candle fills, if it is a market order, at the open of the next; what the fills of an open cause can
 * match at that same open (a reversal is two orders).
 */
export function runBacktest(plan: BacktestPlan): BacktestRun {
  const { columns, base } = plan;
  const { symbol } = plan.instrument;
  const exchange = createBacktestExchange(plan);
  const venue = new InlineVenue(exchange, plan.currency);
  const engine = new Engine({
    account: 'backtest',
    currency: plan.currency,
    base,
    seats: [plan.seat],
    gate: plan.gate,
    effects: venue,
    hedgeRate: plan.hedgeRate,
  });
  venue.attach(engine);
  let liquidations = 0;
  exchange.listen((event) => {
    if (event.kind === 'close' && event.close.kind === 'liquidated') liquidations += 1;
  });
  begin(engine, venue, exchange, plan);

  const series = engine.series.attach(symbol, columns);
  const equity = new Float64Array(columns.length);
  let low = exchange.equity(plan.currency);
  let high = low;
  const onOpen = (): void => matchOpen(exchange, venue, symbol);
  for (let index = 0; index < columns.length; index++) {
    const openTime = columns.openTime[index] as number;
    exchange.setTime(openTime);
    const ohlc = {
      open: columns.open[index] as number,
      high: columns.high[index] as number,
      low: columns.low[index] as number,
      close: columns.close[index] as number,
    };
    walkCandle(exchange, symbol, ohlc, plan.intrabar, onOpen);
    venue.drain();
    const closeTime = closeTimeOf(base, openTime);
    exchange.setTime(closeTime);
    venue.fireDue();
    engine.at(closeTime, closeTime);
    engine.accountIsCurrent();
    engine.candle(series, index, true);
    venue.drain();
    const now = exchange.equity(plan.currency);
    if (now < low) low = now;
    if (now > high) high = now;
    equity[index] = numberFromFixed(now);
    if (index % PROGRESS_EVERY === 0) plan.progress?.(index);
  }
  return {
    engine,
    fills: venue.fills,
    notes: venue.notes,
    equity,
    equityLow: low,
    equityHigh: high,
    finalEquity: exchange.equity(plan.currency),
    totals: exchange.totals(plan.currency),
    slippage: slippageOf(venue.fills, plan.slippageBps),
    liquidations,
  };
}

/** Market fills are worse by `bps` of the price (a buy pays p × (1 + bps/10,000)). */
function slippageOf(fills: readonly RunFill[], bps: number): Usdt {
  let cost = new Decimal(0);
  if (bps === 0) return ZERO;
  for (const { order, execution, side } of fills) {
    if (order.type !== 'market') continue;
    const price = decimalFromFixed(execution.price);
    const factor = new Decimal(bps)
      .div(10_000)
      .times(side === 'buy' ? 1 : -1)
      .plus(1);
    const unslipped = price.div(factor);
    cost = cost.plus(price.minus(unslipped).abs().times(decimalFromFixed(execution.quantity)));
  }
  return fixedFromDecimal(cost);
}

/** Matches until the fills of this open cause no further order. */
function matchOpen(exchange: SimulatedExchange, venue: InlineVenue, symbol: string): void {
  while (venue.busy) {
    venue.drain();
    exchange.settle(symbol);
  }
}

function begin(
  engine: Engine,
  venue: InlineVenue,
  exchange: SimulatedExchange,
  plan: BacktestPlan,
): void {
  const { currency, columns } = plan;
  const startedAt = exchange.nowMs;
  engine.at(startedAt, startedAt);
  engine.accountIsCurrent();
  engine.start([plan.instrument]);
  venue.drain();
  const open = fixedFromNumber<'price'>(columns.open[0] as number);
  exchange.jump(plan.instrument.symbol, open, open);
  venue.tellWallet();
  engine.accountSnapshot({ kind: 'open-orders', currency, startedAt, orders: [] });
  engine.accountSnapshot({ kind: 'positions', currency, startedAt, positions: [] });
  venue.drain();
}

function createBacktestExchange(plan: BacktestPlan): SimulatedExchange {
  const none = { USDT: ZERO as Amount, INR: ZERO as Amount };
  let id = 0;
  return createExchange({
    listings: [{ instrument: plan.instrument, maintenanceRate: plan.maintenanceRate }],
    takerFeeRate: plan.takerFeeRate,
    makerFeeRate: plan.makerFeeRate,
    slippageBps: plan.slippageBps,
    spot: none,
    futures: { ...none, [plan.currency]: plan.cash },
    hedgeRate: plan.hedgeRate,
    limitFill: plan.limitFill,
    nextId: () => `b${++id}`,
    startMs: plan.columns.openTime[0] as number,
  });
}

/** An instrument for a symbol nobody described: any size and price the ledger can hold. */
export function looseInstrument(symbol: string): Instrument {
  const step = fixed<never>(1);
  const most = fixed<never>(Number.MAX_SAFE_INTEGER);
  return {
    symbol,
    assetId: symbol,
    baseAsset: symbol.replace(/USDT$/, ''),
    quantityStep: step,
    minQuantity: step,
    maxQuantity: most,
    maxMarketQuantity: most,
    priceStep: step as Price,
    minPrice: step,
    maxPrice: most,
    minNotional: ZERO,
    leverageStep: step,
    minLeverage: fixed(1_000_000),
    maxLeverage: fixed(100_000_000_000),
  };
}
