import { map, merge, NEVER, Subject, throwError, timer } from 'rxjs';
import { debounceTime, filter, take, tap } from 'rxjs/operators';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Candle } from '../../core/candle.js';
import { fixed } from '../../core/fixed.js';
import { defineStrategy, type StreamSetup } from '../definition.js';
import type { Intent } from '../intent.js';
import { START, MINUTE, rig } from '../../../test/harness/strategy-rig.js';

describe('the stream form', () => {
  type Setup = StreamSetup<Record<string, never>>;
  const streaming = (intents: (setup: Setup) => import('rxjs').Observable<Intent>) =>
    defineStrategy({ name: 'streaming', params: z.object({}), intents: intents as never });

  it('decides what it emits within the step, under the candle’s cause', () => {
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

  it('explains the step that it is in', () => {
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

  it('gives each candle as an object that may be kept', () => {
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

  it('hears tickers, marks, fills, ends, positions and the wallet', () => {
    const heard: string[] = [];
    const tell = (name: string) => (value: unknown) => {
      heard.push(`${name} ${JSON.stringify(value)}`);
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
            setup.ticker$().pipe(filter(tell('ticker'))),
            setup.mark$().pipe(filter(tell('mark'))),
            setup.fills$.pipe(filter(tell('fill'))),
            setup.orders$.pipe(filter(tell('order'))),
            setup.position$().pipe(filter(tell('position'))),
            setup.wallet$.pipe(filter(tell('wallet'))),
          ) as never,
      ),
    );
    close(100);
    settle();
    host.ticker('TESTUSDT', 101);
    host.ticker('TESTUSDT', 102, 103);
    world.setPosition('TESTUSDT', fixed(0));
    host.positionMoved('TESTUSDT', 'venue');
    expect(heard.map((text) => text.split(' ')[0])).toEqual([
      'wallet',
      'position',
      'fill',
      'order',
      'ticker',
      'ticker',
      'mark',
      'position',
    ]);
    expect(heard).toContain('mark 103');
    expect(heard).toContain('wallet {"currency":"USDT","equity":10000}');
    expect(heard.at(-1)).toBe('position {"quantity":0}');
  });

  it('is stopped, and refused by name, when it emits outside of any step', () => {
    const outside = new Subject<Intent>();
    const { world, host, close } = rig(streaming(() => outside));
    close(100);
    outside.next({ kind: 'target', symbol: 'TESTUSDT', conviction: 1 });
    expect(world.intents).toEqual([]);
    expect(host.state).toBe('failed');
    expect(world.notes.join('\n')).toMatch(/refused: target: it came outside of any step/);
  });

  it('has time operators on venue time through the scheduler', () => {
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

  it('has timers that repeat, and that end with it', () => {
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
  ] as const)('is stopped by %s', (_, intents, state, message) => {
    const { world, host, close } = rig(streaming(intents as never));
    close(100);
    expect(host.state).toBe(state);
    expect(world.notes.join('\n')).toMatch(message);
  });

  it('is stopped by a throw in an operator, with its place', () => {
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
    expect(world.notes[0]).toMatch(/in an operator at .*stream-form\.test\.ts:\d+/);
  });

  it('refuses what is no intent', () => {
    const { world, host, close } = rig(
      streaming(({ candles$ }) => candles$().pipe(map(() => undefined as never))),
    );
    close(100);
    expect(world.notes[0]).toMatch(/undefined is no intent/);
    expect(host.state).toBe('running');
  });

  it('is told which candles it can have', () => {
    const definition = streaming(({ candles$ }) => candles$('TESTUSDT', '5m') as never);
    const { host, world } = rig(definition);
    expect(host.counts.errors).toBe(1);
    expect(world.notes[0]).toMatch(/configured for 1m candles, not 5m/);
  });
});
