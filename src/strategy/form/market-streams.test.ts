import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Candle } from '../../core/candle.js';
import { defineStrategy, type StrategyHooks, type StreamSetup } from '../definition.js';
import { decisionKey } from '../../core/intent.js';
import type { Intent } from '../intent.js';
import { MINUTE, rig, START } from '../../../test/harness/strategy-rig.js';

const SYMBOL = 'TESTUSDT';
const flat = (openTime: number, price: number): Candle => ({
  openTime,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 1,
});
const ALL = ['seconds', 'mark', 'mark-seconds'] as const;

const hooked = (hooks: Partial<StrategyHooks>, streams: readonly (typeof ALL)[number][] = ALL) =>
  defineStrategy({
    name: 'hooked',
    params: z.object({}),
    streams,
    create: () => ({ onCandle: () => undefined, ...hooks }),
  });

const streaming = (
  intents: (setup: StreamSetup<Record<string, never>>) => import('rxjs').Observable<Intent>,
  streams: readonly (typeof ALL)[number][] = ALL,
) =>
  defineStrategy({
    name: 'streaming',
    params: z.object({}),
    streams,
    intents: intents as never,
  });

describe('hooks for seconds and mark candles', () => {
  it('hear them with their context, each an object of its own', () => {
    const heard: unknown[] = [];
    const { host, close } = rig(
      hooked({
        onSecond: ({ symbol }, second) => heard.push([symbol, second]),
        onMarkCandle: ({ symbol, candle }, mark) => heard.push([symbol, candle.close, mark]),
      }),
    );
    close(100);
    const [second, mark] = [flat(START + MINUTE, 101), flat(START, 99)];
    host.second(SYMBOL, 'last', second);
    host.second(SYMBOL, 'mark', second);
    host.markCandle(SYMBOL, mark);
    expect(heard).toEqual([
      [SYMBOL, { ...second, price: 'last' }],
      [SYMBOL, { ...second, price: 'mark' }],
      [SYMBOL, 100, mark],
    ]);
  });

  it('act within the step, under keys that the venue makes stable', () => {
    const { world, host, settle, position } = rig(
      hooked({
        onSecond: (context, { close, price }) => context.target(price === 'mark' ? 0 : close / 100),
        onMarkCandle: (context) => context.target(-1),
      }),
    );
    world.price(SYMBOL, 100);
    host.second(SYMBOL, 'last', flat(START + 1_000, 100));
    settle();
    host.second(SYMBOL, 'mark', flat(START + 1_000, 100));
    settle();
    expect(position()).toBe(0);
    host.markCandle(SYMBOL, flat(START, 100));
    settle();
    expect(position()).toBe(-1);
    const keys = world.intents.map(({ cause, ordinal }) => decisionKey(cause, ordinal));
    expect(keys).toEqual([
      `second:${SYMBOL}:last:${START + 1_000}#0`,
      `second:${SYMBOL}:mark:${START + 1_000}#0`,
      `mark-candle:${SYMBOL}:${START}#0`,
    ]);
  });

  it('may order before any live candle, and not after the end', () => {
    const { world, host, close } = rig(
      hooked({ onSecond: (context, { close: price }) => context.target(price > 100 ? 1 : -1) }),
    );
    close(100, SYMBOL, false);
    host.second(SYMBOL, 'last', flat(START + MINUTE, 101));
    expect(world.intents).toHaveLength(1);
    host.stop();
    host.second(SYMBOL, 'last', flat(START + MINUTE + 1_000, 99));
    expect(world.intents).toHaveLength(1);
  });

  it('that throw ask for nothing', () => {
    const { world, host } = rig(
      hooked({
        onSecond: (context) => {
          context.target(1);
          throw new Error('no');
        },
      }),
    );
    host.second(SYMBOL, 'last', flat(START, 100));
    expect(world.intents).toEqual([]);
    expect(world.notes.join('\n')).toContain('onSecond threw Error: no');
  });

  it.each([
    [{ onSecond: () => undefined }, ['mark'], /onSecond, so streams must name 'seconds'/],
    [{ onMarkCandle: () => undefined }, ['seconds'], /onMarkCandle, so streams must name 'mark'/],
  ] as const)('that nothing is subscribed for are refused: %o', (hooks, streams, message) => {
    expect(() => rig(hooked(hooks, streams))).toThrow(message);
  });
});

describe('the stream form', () => {
  it('has seconds$ and markCandles$, and intents on them belong to the step', () => {
    const { world, host, settle, position } = rig(
      streaming(({ seconds$, target }) =>
        seconds$().pipe(map(({ close }) => target(SYMBOL, close > 100 ? 1 : -1))),
      ),
    );
    world.price(SYMBOL, 101);
    host.second(SYMBOL, 'last', flat(START, 101));
    settle();
    host.second(SYMBOL, 'mark', flat(START + 1_000, 1));
    host.second(SYMBOL, 'last', flat(START + 2_000, 99));
    settle();
    expect(position()).toBe(-1);
    expect(world.intents[0]?.cause).toEqual({
      kind: 'second',
      symbol: SYMBOL,
      price: 'last',
      openTime: START,
    });
    expect(host.state).toBe('running');
  });

  it('has marks from tickers and, where asked for, from mark seconds', () => {
    const seen = (streams: readonly (typeof ALL)[number][]): readonly number[] => {
      const marks: number[] = [];
      const { host } = rig(
        streaming(
          ({ mark$ }) =>
            mark$().pipe(map((mark) => (marks.push(mark), { kind: 'exit', symbol: SYMBOL }))),
          streams,
        ),
      );
      host.ticker(SYMBOL, 100, 101);
      host.second(SYMBOL, 'mark', flat(START, 102));
      host.second(SYMBOL, 'last', flat(START, 103));
      host.markCandle(SYMBOL, flat(START, 104));
      return marks;
    };
    expect(seen(['mark-seconds'])).toEqual([101, 102]);
    expect(seen([])).toEqual([101]);
  });

  it.each([
    ['seconds', (setup: StreamSetup<never>) => setup.seconds$()],
    ['mark-seconds', (setup: StreamSetup<never>) => setup.seconds$(SYMBOL, 'mark')],
    ['mark', (setup: StreamSetup<never>) => setup.markCandles$()],
  ] as const)('says that %s was not asked for', (stream, use) => {
    const { world, close } = rig(streaming(use as never, []));
    close(100);
    expect(world.notes.join('\n')).toContain(`its streams must name '${stream}'`);
  });
});
