import { assert } from '../core/assert.js';
import type { Candle } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import { fixedFromText, type Amount } from '../core/fixed/fixed.js';
import { CandleColumns } from '../market/candles/candle-columns.js';
import { createGate } from '../risk/gate.js';
import { riskSchema } from '../risk/limits/risk-config.js';
import { entrySchema } from '../strategy/contract/entry-style.js';
import { createHost, type StrategyHost } from '../strategy/host/host.js';
import { parseParams } from '../strategy/contract/params.js';
import { protectionSchema } from '../strategy/contract/protection.js';
import { sizeSchema } from '../strategy/target/size/size-schema.js';
import type { HostObserver } from '../strategy/host/strategy-host.js';
import type { StrategyPort } from '../strategy/contract/strategy-port.js';
import type { BacktestMarket, BacktestPlan } from '../backtest/plan.js';
import type { SimulateOptions } from './simulate-options.js';
import { instrumentOf } from './instrument.js';
import { bySymbol, fundingOf, marketEventsOf } from './streams.js';

/** The wallet's currency. */
const CURRENCY: Currency = 'USDT';
const MAINTENANCE_RATE = '0.01';

/** Observes a simulation. */
export interface SimulationListener {
  wrapPort(port: StrategyPort): StrategyPort;
  wrapHost(host: StrategyHost): StrategyHost;
  readonly observer: HostObserver;
}

/** The backtest plan of a simulation. */
export function simulationPlan(
  options: SimulateOptions,
  listener: SimulationListener,
): BacktestPlan {
  const { candleInterval = '1m', cash = 1_000_000, strategy } = options;
  const [first, ...others] = marketsOf(options);
  assert(first !== undefined, 'A simulation has a symbol');
  const { symbol } = first.instrument;
  const funding = fundingOf(options, symbol);
  return {
    ...first,
    others,
    strategies: [strategyInstanceOf(options, [first, ...others], listener)],
    base: candleInterval,
    marketEvents: marketEventsOf(options, strategy, symbol),
    liveFromMs: liveFrom(first, options.history ?? 0),
    ...(funding !== undefined && { funding }),
    currency: CURRENCY,
    cash: amountOf('cash', cash) as Amount,
    hedgeRate: fixedFromText('90'),
    takerFeeRate: amountOf<'ratio'>('takerFee', options.takerFee ?? 0),
    makerFeeRate: amountOf<'ratio'>('makerFee', options.makerFee ?? 0),
    slippage: { kind: 'fixed', bps: options.slippageBps ?? 0 },
    limitFill: 'through',
    intrabar: 'pessimistic',
    hasTrailingStop: options.protect?.trailing_pct !== undefined,
    gate: createGate(riskSchema('backtest').parse({ preset: 'none', symbols_allow: '*' })),
  };
}

function strategyInstanceOf(
  options: SimulateOptions,
  markets: readonly BacktestMarket[],
  listener: SimulationListener,
): BacktestPlan['strategies'][number] {
  const { strategy, candleInterval = '1m', interval = candleInterval } = options;
  const symbols = markets.map(({ instrument }) => instrument.symbol);
  return {
    id: strategy.name,
    symbols,
    interval,
    leverage: amountOf<'ratio'>('leverage', options.leverage ?? 1),
    create: (port) =>
      listener.wrapHost(
        createHost({
          id: strategy.name,
          definition: strategy,
          params: parseParams(strategy, options.params),
          symbols,
          interval,
          base: candleInterval,
          size: sizeSchema.parse(options.size ?? { quantity: '1' }),
          protection: protectionSchema.parse(options.protect ?? {}),
          entry: entrySchema.parse(options.entry ?? 'market'),
          port: listener.wrapPort(port),
          observer: listener.observer,
        }),
      ),
  };
}

function marketsOf({ candles, instruments = {} }: SimulateOptions): readonly BacktestMarket[] {
  const markets = Object.entries(bySymbol(candles, DEFAULT_SYMBOL)).map(([symbol, list]) => {
    checkOrder(symbol, list);
    return {
      instrument: instrumentOf(symbol, instruments[symbol]),
      maintenanceRate: fixedFromText<'ratio'>(MAINTENANCE_RATE),
      columns: CandleColumns.from(list),
    };
  });
  if (markets.length === 0) throw new RangeError('candles: no symbol is given');
  return markets;
}

const DEFAULT_SYMBOL = 'TESTUSDT';

/** Open time of the first live candle. */
function liveFrom({ columns }: BacktestMarket, history: number): number {
  if (!Number.isSafeInteger(history) || history < 0 || history > columns.length)
    throw new RangeError(
      `history: ${history} is not a number of candles from 0 to ${columns.length}`,
    );
  return history === columns.length ? Infinity : (columns.openTime[history] as number);
}

function checkOrder(symbol: string, candles: readonly Candle[]): void {
  if (candles.length === 0) throw new RangeError(`candles: the list of ${symbol} is empty`);
  candles.forEach(({ openTime }, index) => {
    const before = candles[index - 1]?.openTime ?? -Infinity;
    if (openTime <= before)
      throw new RangeError(`candles of ${symbol}: number ${index} does not open after the last`);
  });
}

function amountOf<Unit extends string>(name: string, value: number) {
  try {
    return fixedFromText<Unit>(value.toFixed(8));
  } catch (cause) {
    throw new RangeError(`${name}: ${value} is not a number that can be used`, { cause });
  }
}
