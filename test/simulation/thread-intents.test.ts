import { expect, it } from 'vitest';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import type { OrderIntent } from '../../src/core/intent.js';
import { STANDARD_LISTINGS } from '../../src/market/synthetic/listings.js';
import { createHost, type StrategyHost } from '../../src/strategy/host/host.js';
import { loadStrategy } from '../../src/strategy/loader/loader.js';
import type { HostOptions } from '../../src/strategy/host/strategy-host.js';
import { backtestOrders, syntheticMarkets } from '../support/builders/backtest-orders.js';
import {
  InProcessWorkerChannel,
  adapterOverChannel,
} from '../support/fakes/in-process-worker-channel.js';

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

const symbols = STANDARD_LISTINGS.slice(0, 3).map(({ instrument }) => instrument.symbol);
const markets = syntheticMarkets(7, symbols, { fromMs: START, endMs: END });

/** Every order of a run over the same candles, whole: what its identity and its bytes are made of. */
function intentsOf(
  count: number,
  create: (settings: Omit<HostOptions, 'definition' | 'params'>) => StrategyHost,
): readonly OrderIntent[] {
  const settings = { id: 'same', symbols: symbols.slice(0, count), interval: '1m' } as const;
  const sized = {
    ...settings,
    size: { kind: 'notional', notional: 250 },
    protection: { stopLossPct: 3 },
  } as const;
  return backtestOrders(markets.slice(0, count), {
    ...settings,
    leverage: fixedFromText('2'),
    create: (port) => create({ ...sized, port }),
  });
}

it.each(LIBRARY)('%s has the same orders on a thread and without one', async (name, count, raw) => {
  const definition = await loadStrategy(name, { configDir: '.' });
  const params = definition.params.parse(raw);
  const here = intentsOf(count, (settings) => createHost({ ...settings, definition, params }));
  const openAdapter = adapterOverChannel(new InProcessWorkerChannel(definition, params));
  const there = intentsOf(count, (settings) =>
    createHost({ ...settings, definition, openAdapter }),
  );
  expect(here.length).toBeGreaterThan(3);
  expect(there).toEqual(here);
});
