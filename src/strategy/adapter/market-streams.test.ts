import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Candle } from '../../core/candle.js';
import { defineStrategy } from '../contract/definition.js';
import type { StrategyHooks } from '../contract/hooks.js';
import type { StreamSetup } from '../contract/stream-setup.js';
import { decisionKey } from '../../core/intent.js';
import type { Intent } from '../contract/intent.js';
import { MINUTE, rig, START } from '../../../test/support/rigs/strategy-rig.js';

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
  it('a hook gets each second and mark candle as an object of its own, with its context', () => {
    const received: unknown[] = [];
    const { host, close } = rig(
      hooked({
        onSecond: ({ symbol }, second) => received.push([symbol, second]),
        onMarkCandle: ({ symbol, candle }, mark) => received.push([symbol, candle.close, mark]),
      }),
    );
    close(100);
    const [second, mark] = [flat(START + MINUTE, 101), flat(START, 99)];
    host.onSecond(SYMBOL, 'last', second);
    host.onSecond(SYMBOL, 'mark', second);
    host.onMarkCandle(SYMBOL, mark);
    expect(received).toEqual([
      [SYMBOL, { ...second, price: 'last' }],
      [SYMBOL, { ...second, price: 'mark' }],
      [SYMBOL, 100, mark],
    ]);
  });

  it('a hook acts within its event, under a key that is the same after a restart', () => {
    const { world, host, settle, position } = rig(
      hooked({
        onSecond: (context, { close, price }) => context.target(price === 'mark' ? 0 : close / 100),
        onMarkCandle: (context) => context.target(-1),
      }),
    );
    world.price(SYMBOL, 100);
    host.onSecond(SYMBOL, 'last', flat(START + 1_000, 100));
    settle();
    host.onSecond(SYMBOL, 'mark', flat(START + 1_000, 100));
    settle();
    expect(position()).toBe(0);
    host.onMarkCandle(SYMBOL, flat(START, 100));
    settle();
    expect(position()).toBe(-1);
    const keys = world.intents.map(({ cause, ordinal }) => decisionKey(cause, ordinal));
    expect(keys).toEqual([
      `second:${SYMBOL}:last:${START + 1_000}#0`,
      `second:${SYMBOL}:mark:${START + 1_000}#0`,
      `mark-candle:${SYMBOL}:${START}#0`,
    ]);
  });

  it('a hook may order before any live candle, and not after the end', () => {
    const { world, host, close } = rig(
      hooked({ onSecond: (context, { close: price }) => context.target(price > 100 ? 1 : -1) }),
    );
    close(100, SYMBOL, false);
    host.onSecond(SYMBOL, 'last', flat(START + MINUTE, 101));
    expect(world.intents).toHaveLength(1);
    host.stop();
    host.onSecond(SYMBOL, 'last', flat(START + MINUTE + 1_000, 99));
    expect(world.intents).toHaveLength(1);
  });

  it('the intents of a hook that throws are discarded', () => {
    const { world, host } = rig(
      hooked({
        onSecond: (context) => {
          context.target(1);
          throw new Error('no');
        },
      }),
    );
    host.onSecond(SYMBOL, 'last', flat(START, 100));
    expect(world.intents).toEqual([]);
    expect(world.notes.join('\n')).toContain('onSecond threw Error: no');
  });

  it.each([
    [{ onSecond: () => undefined }, ['mark'], /onSecond, so streams must name 'seconds'/],
    [{ onMarkCandle: () => undefined }, ['seconds'], /onMarkCandle, so streams must name 'mark'/],
  ] as const)('a hook without its subscription is refused: %o', (hooks, streams, message) => {
    expect(() => rig(hooked(hooks, streams))).toThrow(message);
  });
});

describe('the stream form', () => {
  it('intents on seconds$ and markCandles$ belong to the event', () => {
    const { world, host, settle, position } = rig(
      streaming(({ seconds$, target }) =>
        seconds$().pipe(map(({ close }) => target(SYMBOL, close > 100 ? 1 : -1))),
      ),
    );
    world.price(SYMBOL, 101);
    host.onSecond(SYMBOL, 'last', flat(START, 101));
    settle();
    host.onSecond(SYMBOL, 'mark', flat(START + 1_000, 1));
    host.onSecond(SYMBOL, 'last', flat(START + 2_000, 99));
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

  it('mark$ emits marks from tickers and, if subscribed, from mark seconds', () => {
    const seen = (streams: readonly (typeof ALL)[number][]): readonly number[] => {
      const marks: number[] = [];
      const { host } = rig(
        streaming(
          ({ mark$ }) =>
            mark$().pipe(map((mark) => (marks.push(mark), { kind: 'exit', symbol: SYMBOL }))),
          streams,
        ),
      );
      host.onTicker(SYMBOL, 100, 101);
      host.onSecond(SYMBOL, 'mark', flat(START, 102));
      host.onSecond(SYMBOL, 'last', flat(START, 103));
      host.onMarkCandle(SYMBOL, flat(START, 104));
      return marks;
    };
    expect(seen(['mark-seconds'])).toEqual([101, 102]);
    expect(seen([])).toEqual([101]);
  });

  it.each([
    ['seconds', (setup: StreamSetup<never>) => setup.seconds$()],
    ['mark-seconds', (setup: StreamSetup<never>) => setup.seconds$(SYMBOL, 'mark')],
    ['mark', (setup: StreamSetup<never>) => setup.markCandles$()],
  ] as const)('the stream of %s without its subscription is an error', (stream, use) => {
    const { world, close } = rig(streaming(use as never, []));
    close(100);
    expect(world.notes.join('\n')).toContain(`its streams must name '${stream}'`);
  });
});
