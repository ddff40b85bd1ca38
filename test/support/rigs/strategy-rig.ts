import { z } from 'zod';
import { fixedFromText, numberFromFixed, textFromFixed } from '../../../src/core/fixed/fixed.js';
import type { OrderIntent } from '../../../src/core/intent.js';
import { CandleColumns } from '../../../src/market/candles/candle-columns.js';
import {
  defineStrategy,
  type StrategyDefinition,
} from '../../../src/strategy/contract/definition.js';
import type { StrategyContext } from '../../../src/strategy/contract/strategy-context.js';
import type { StrategyHooks } from '../../../src/strategy/contract/hooks.js';
import { createHost, type HostOptions } from '../../../src/strategy/host/host.js';
import type { AdapterOpener, StrategyHost } from '../../../src/strategy/host/strategy-host.js';
import { testInstrument } from '../../../src/testing/instrument.js';
import { flatCandle } from '../builders/flat-candle.js';
import { FakeStrategyPort } from '../fakes/fake-strategy-port.js';

export const START = Date.UTC(2025, 0, 1);
export const MINUTE = 60_000;
export const quantity = (text: string) => fixedFromText<'quantity'>(text);

/** A strategy that does at each candle what the test says. */
export const scripted = (hooks: Partial<StrategyHooks> = {}) => {
  const script: ((context: StrategyContext) => void)[] = [];
  const definition = defineStrategy({
    name: 'scripted',
    params: z.object({}),
    create: () => ({ ...hooks, onCandle: (context) => script.shift()?.(context) }),
  });
  return { definition, script };
};

/** `openAdapter`: its code is elsewhere. */
type RigOptions = Partial<HostOptions> & {
  readonly openAdapter?: AdapterOpener;
  /** Closes of the warm-up, before the start of trading. */
  readonly history?: readonly number[];
  /** Runs after the warm-up, which does not know the position of an earlier run. */
  readonly beforeStart?: (world: FakeStrategyPort, host: StrategyHost) => void;
};

export const rig = (definition: StrategyDefinition, options: RigOptions = {}) => {
  const symbols = options.symbols ?? ['TESTUSDT'];
  const port =
    options.port instanceof FakeStrategyPort
      ? options.port
      : new FakeStrategyPort(symbols.map((symbol) => testInstrument({ symbol })));
  const host = createHost({
    id: 'mine',
    definition,
    params: {},
    symbols,
    interval: '1m',
    size: { kind: 'quantity', quantity: quantity('1') },
    port,
    ...options,
  });
  const columns = new Map(symbols.map((symbol) => [symbol, new CandleColumns()]));
  const counts = new Map<string, number>();
  /** A candle closes; orders stay under way until `settle`. */
  const close = (price: number, symbol = symbols[0] ?? '', live = true) => {
    const index = counts.get(symbol) ?? 0;
    counts.set(symbol, index + 1);
    const openTime = START + index * MINUTE;
    const series = columns.get(symbol) ?? new CandleColumns();
    series.push(flatCandle(openTime, price));
    port.price(symbol, price);
    port.advance(openTime + MINUTE, host);
    host.candlesOf(symbol).onCandle('1m', series, index, live);
  };
  for (const price of options.history ?? []) close(price, undefined, false);
  options.beforeStart?.(port, host);
  host.start();
  const settle = () => port.settle(host);
  const position = (symbol = symbols[0] ?? '') => numberFromFixed(port.position(symbol));
  const keyOf = (symbol = symbols[0] ?? '') => port.workingOrders(symbol)[0]?.key ?? -1;
  return { world: port, host, close, settle, position, keyOf };
};

export const textOf = ({ terms, leg, ordinal }: OrderIntent): string =>
  `${terms.side} ${textFromFixed(terms.quantity)}${terms.reduceOnly ? ' reduce-only' : ''} #${ordinal}/${leg}`;

export const target = (conviction: number) => (context: StrategyContext) =>
  context.target(conviction);
export const nothing = () => {};
