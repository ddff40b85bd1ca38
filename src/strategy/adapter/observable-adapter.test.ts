import { map, merge, NEVER, Subject, throwError, timer } from 'rxjs';
import { debounceTime, filter, take, tap } from 'rxjs/operators';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Candle } from '../../core/candle.js';
import { fixed } from '../../core/fixed/fixed.js';
import { defineStrategy } from '../contract/definition.js';
import type { StreamSetup } from '../contract/stream-setup.js';
import type { Intent } from '../contract/intent.js';
import { START, MINUTE, rig } from '../../../test/support/rigs/strategy-rig.js';

describe('the stream form', () => {
  type Setup = StreamSetup<Record<string, never>>;
  const streaming = (intents: (setup: Setup) => import('rxjs').Observable<Intent>) =>
    defineStrategy({ name: 'streaming', params: z.object({}), intents: intents as never });

  it('an intent emitted during a candle has the candle’s cause', () => {
    const { world, close, settle, position } = rig(
      streaming(({ candles$, target }) =>
        candles$('TESTUSDT', '1m').pipe(
          map(({ close: price }) => target('TESTUSDT', price > 100 ? 1 : -1)),
        ),
      ),
    );
    close(101);
    settle();
    close(99);
    settle();
    expect(position()).toBe(-1);
    expect(world.intents[0]?.cause).toMatchObject({ kind: 'candle', openTime: START });
  });

  it('an explanation belongs to the current event', () => {
    const { world, close } = rig(
      streaming(({ candles$, explain, target }) =>
        candles$().pipe(
          tap(({ close: price }) => explain(`close ${price}`)),
          map(() => target('TESTUSDT', 1)),
        ),
      ),
    );
    close(101);
    expect(world.notes).toContain('info: mine: close 101');
  });

  it('each candle is an object of its own', () => {
    const kept: Candle[] = [];
    const { close } = rig(
      streaming(({ candles$ }) =>
        candles$().pipe(
          filter((candle) => kept.push(candle) < 0),
          map(() => ({ kind: 'exit', symbol: '' }) as const),
        ),
      ),
    );
    close(1);
    close(2);
    expect(kept.map((candle) => candle.close)).toEqual([1, 2]);
  });

  it('a stream strategy gets tickers, marks, fills, order ends, positions and the wallet', () => {
    const received: string[] = [];
    const record = (name: string) => (value: unknown) => {
      received.push(`${name} ${JSON.stringify(value)}`);
      return false;
    };
    const { world, host, close, settle } = rig(
      streaming(
        (setup) =>
          merge(
            setup.candles$().pipe(
              take(1),
              map(() => setup.target('TESTUSDT', 1)),
            ),
            setup.ticker$().pipe(filter(record('ticker'))),
            setup.mark$().pipe(filter(record('mark'))),
            setup.fills$.pipe(filter(record('fill'))),
            setup.orders$.pipe(filter(record('order'))),
            setup.position$().pipe(filter(record('position'))),
            setup.wallet$.pipe(filter(record('wallet'))),
          ) as never,
      ),
    );
    close(100);
    settle();
    host.onTicker('TESTUSDT', 101);
    host.onTicker('TESTUSDT', 102, 103);
    world.setPosition('TESTUSDT', fixed(0));
    host.onPositionChanged('TESTUSDT', 'venue');
    expect(received.map((text) => text.split(' ')[0])).toEqual([
      'wallet',
      'position',
      'fill',
      'order',
      'ticker',
      'ticker',
      'mark',
      'position',
    ]);
    expect(received).toContain('mark 103');
    expect(received).toContain('wallet {"currency":"USDT","equity":10000}');
    expect(received.at(-1)).toBe('position {"quantity":0}');
  });

  it('an intent outside of any step is refused by name and stops the strategy', () => {
    const outside = new Subject<Intent>();
    const { world, host, close } = rig(streaming(() => outside));
    close(100);
    outside.next({ kind: 'target', symbol: 'TESTUSDT', conviction: 1 });
    expect(world.intents).toEqual([]);
    expect(host.state).toBe('failed');
    expect(world.notes.join('\n')).toMatch(/refused: target: it came outside of any step/);
  });

  it('time operators run on venue time through the scheduler', () => {
    const { world, host, close, settle, position } = rig(
      streaming(({ candles$, scheduler, target }) =>
        candles$().pipe(
          debounceTime(30_000, scheduler),
          map(() => target('TESTUSDT', 1)),
        ),
      ),
    );
    close(100);
    world.advance(START + MINUTE + 29_999, host);
    expect(world.intents).toEqual([]);
    world.advance(START + MINUTE + 30_000, host);
    settle();
    expect(position()).toBe(1);
    expect(world.intents[0]?.cause).toMatchObject({
      kind: 'timer',
      venueTime: START + MINUTE + 30_000,
    });
  });

  it('repeating timers end with the strategy', () => {
    let ticks = 0;
    const { world, host, close } = rig(
      streaming(({ scheduler }) =>
        timer(1_000, 1_000, scheduler).pipe(
          filter(() => ++ticks < 0),
          map(() => ({ kind: 'exit', symbol: 'TESTUSDT' }) as const),
        ),
      ),
    );
    close(100);
    const before = ticks;
    world.advance(START + MINUTE + 5_000, host);
    expect(ticks - before).toBe(5);
    host.stop();
    world.advance(START + MINUTE + 10_000, host);
    expect(ticks - before).toBe(5);
  });

  it.each([
    ['an error', () => throwError(() => new Error('broken')), 'failed', /broken/],
    ['completion', () => NEVER.pipe(take(0)), 'stopped', /completed/],
  ] as const)('the strategy is stopped by %s', (_, intents, state, message) => {
    const { world, host, close } = rig(streaming(intents as never));
    close(100);
    expect(host.state).toBe(state);
    expect(world.notes.join('\n')).toMatch(message);
  });

  it('a throw in an operator stops the strategy, with its source location', () => {
    const { world, host, close } = rig(
      streaming(({ candles$ }) =>
        candles$().pipe(
          map(() => {
            throw new Error('in an operator');
          }),
        ),
      ),
    );
    close(100);
    expect(host.state).toBe('failed');
    expect(world.notes[0]).toMatch(/in an operator at .*observable-adapter\.test\.ts:\d+/);
  });

  it('a value that is no intent is refused', () => {
    const { world, host, close } = rig(
      streaming(({ candles$ }) => candles$().pipe(map(() => undefined as never))),
    );
    close(100);
    expect(world.notes[0]).toMatch(/undefined is no intent/);
    expect(host.state).toBe('running');
  });

  it('the error for an unknown interval names the available candles', () => {
    const definition = streaming(({ candles$ }) => candles$('TESTUSDT', '5m') as never);
    const { host, world } = rig(definition);
    expect(host.counts.errors).toBe(1);
    expect(world.notes[0]).toMatch(/configured for 1m candles, not 5m/);
  });
});
