import { expect, it } from 'vitest';
import { runBacktest } from '../../src/backtest/run.js';
import { fixed, fixedFromText, type Amount } from '../../src/core/fixed.js';
import type { OrderIntent } from '../../src/core/intent.js';
import { CandleColumns } from '../../src/market/candle-columns.js';
import { createGate } from '../../src/risk/gate.js';
import { DEFAULT_LIMITS } from '../../src/risk/limits.js';
import { STANDARD_LISTINGS } from '../../src/sandbox/listings.js';
import { candlesOf } from '../../src/sandbox/market.js';
import { createSyntheticMarket } from '../../src/sandbox/synthetic-market.js';
import { createHost, type StrategyHost } from '../../src/strategy/host/host.js';
import { loadStrategy } from '../../src/strategy/loader/loader.js';
import type { HostOptions } from '../../src/strategy/host/strategy-host.js';
import type { StrategyWorld } from '../../src/strategy/world.js';
import { LocalLine, overLine } from '../harness/local-line.js';

const MINUTE = 60_000;
const START = Date.UTC(2025, 4, 5);
const END = START + 2 * 24 * 60 * MINUTE;

/** Quick enough to act within two days, and how many symbols each is given. */
const LIBRARY: readonly (readonly [name: string, symbols: number, params: object])[] = [
  ['sma-cross', 1, { fast: 3, slow: 8 }],
  ['donchian-breakout', 1, { entry: 10, exit: 5 }],
  ['bollinger-reversion', 1, { length: 10, deviations: 1.5 }],
  ['volatility-target', 1, { lookback: 20, yearlyPct: 0.5, band: 0.1 }],
  ['trend-pullback', 1, { trend: 2, length: 3 }],
  ['momentum-rotation', 3, { lookback: 10, everyMinutes: 10 }],
  ['pairs-spread', 2, { lookback: 20, entry: 1.5 }],
  ['grid', 1, { stepPct: 0.1, levels: 4, equityPct: 4 }],
  ['dollar-cost', 1, { amount: 60, everyMinutes: 15, cap: 250 }],
  ['opening-range', 1, { range: 10, leaveAfter: 100 }],
  ['stream-momentum', 1, { lookback: 10, enterPct: 0.05 }],
];

const markets = STANDARD_LISTINGS.slice(0, 3).map(({ instrument, maintenanceRate }) => {
  const { symbol } = instrument;
  const candles = candlesOf(createSyntheticMarket(7, STANDARD_LISTINGS), {
    ...{ kind: 'last', symbol, interval: '1m', limit: Infinity },
    ...{ fromMs: START, toMs: END - 1, nowMs: END },
  });
  return { instrument, maintenanceRate, columns: CandleColumns.from(candles) };
});

/** Every order of a run over the same candles, whole: what its identity and its bytes are made of. */
function intentsOf(
  count: number,
  create: (settings: Omit<HostOptions, 'definition' | 'params'>) => StrategyHost,
): readonly OrderIntent[] {
  const intents: OrderIntent[] = [];
  const [first, ...others] = markets.slice(0, count);
  if (first === undefined) throw new Error('there is a market');
  const symbols = markets.slice(0, count).map(({ instrument }) => instrument.symbol);
  const settings = { id: 'same', symbols, interval: '1m' } as const;
  const watched = (world: StrategyWorld): StrategyWorld =>
    new Proxy(world, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (name === 'submit')
          return (intent: OrderIntent) => {
            intents.push(intent);
            return target.submit(intent);
          };
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  runBacktest({
    ...first,
    others,
    seat: {
      ...settings,
      leverage: fixedFromText('2'),
      create: (world) =>
        create({
          ...settings,
          size: { kind: 'notional', notional: 250 },
          protection: { stopLossPct: 3 },
          world: watched(world),
        }),
    },
    base: '1m',
    currency: 'USDT',
    cash: fixedFromText<'USDT'>('10000') as Amount,
    hedgeRate: fixedFromText('90'),
    takerFeeRate: fixed(59_000),
    makerFeeRate: fixed(23_000),
    slippageBps: 0,
    limitFill: 'through',
    intrabar: 'pessimistic',
    gate: createGate({ preset: 'none', limits: DEFAULT_LIMITS }),
  });
  return intents;
}

it.each(LIBRARY)('%s has the same orders on a thread and without one', async (name, count, raw) => {
  const definition = await loadStrategy(name, { configDir: '.' });
  const params = definition.params.parse(raw);
  const here = intentsOf(count, (settings) => createHost({ ...settings, definition, params }));
  const openForm = overLine(new LocalLine(definition, params));
  const there = intentsOf(count, (settings) => createHost({ ...settings, definition, openForm }));
  expect(here.length).toBeGreaterThan(3);
  expect(there).toEqual(here);
});
