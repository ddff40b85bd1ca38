import type { BacktestMarket } from '../../../src/backtest/plan.js';
import { runBacktest } from '../../../src/backtest/run.js';
import { fixed, fixedFromText, type Amount } from '../../../src/core/fixed/fixed.js';
import type { OrderIntent } from '../../../src/core/intent.js';
import type { StrategyInstance } from '../../../src/engine/engine.js';
import { CandleColumns } from '../../../src/market/candles/candle-columns.js';
import { createGate } from '../../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../../src/risk/limits/risk-limits.js';
import { STANDARD_LISTINGS } from '../../../src/market/synthetic/listings.js';
import { candlesOf } from '../../../src/market/synthetic/market.js';
import { createSyntheticMarket } from '../../../src/market/synthetic/synthetic-market.js';
import type { StrategyPort } from '../../../src/strategy/contract/strategy-port.js';

/** Minutes of the sandbox's own market: `fromMs` ≤ open time < `endMs`. */
export function syntheticMarkets(
  seed: number,
  symbols: readonly string[],
  { fromMs, endMs }: { readonly fromMs: number; readonly endMs: number },
): readonly BacktestMarket[] {
  const market = createSyntheticMarket(seed, STANDARD_LISTINGS);
  return symbols.map((symbol) => {
    const listing = STANDARD_LISTINGS.find(({ instrument }) => instrument.symbol === symbol);
    if (listing === undefined) throw new Error(`${symbol} is not listed`);
    const { instrument, maintenanceRate } = listing;
    const candles = candlesOf(market, {
      ...{ kind: 'last', symbol, interval: '1m', limit: Infinity },
      ...{ fromMs, toMs: endMs - 1, nowMs: endMs },
    });
    const columns = CandleColumns.from(candles.filter(({ openTime }) => openTime < endMs));
    return { instrument, maintenanceRate, columns };
  });
}

/** Every order that a seat submits in a backtest without limits, whole, in order. */
export function backtestOrders(
  [first, ...others]: readonly BacktestMarket[],
  seat: StrategyInstance,
): readonly OrderIntent[] {
  if (first === undefined) throw new Error('there is no market');
  const orders: OrderIntent[] = [];
  runBacktest({
    ...first,
    others,
    strategies: [{ ...seat, create: (world) => seat.create(recordingStrategyPort(world, orders)) }],
    base: '1m',
    currency: 'USDT',
    cash: fixedFromText<'USDT'>('10000') as Amount,
    hedgeRate: fixedFromText('90'),
    takerFeeRate: fixed(59_000),
    makerFeeRate: fixed(23_000),
    slippage: { kind: 'fixed', bps: 0 },
    limitFill: 'through',
    intrabar: 'pessimistic',
    gate: createGate({ preset: 'none', limits: DEFAULT_LIMITS }),
  });
  return orders;
}

/** The same world, whose orders are heard before they are submitted. */
const recordingStrategyPort = (world: StrategyPort, orders: OrderIntent[]): StrategyPort =>
  new Proxy(world, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (name === 'submit')
        return (intent: OrderIntent) => {
          orders.push(intent);
          return target.submit(intent);
        };
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
