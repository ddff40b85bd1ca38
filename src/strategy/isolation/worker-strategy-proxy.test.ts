import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  InProcessWorkerChannel,
  adapterOverChannel,
} from '../../../test/support/fakes/in-process-worker-channel.js';
import { rig, textOf } from '../../../test/support/rigs/strategy-rig.js';
import { defineStrategy, type StrategyDefinition } from '../contract/definition.js';
import { createHost } from '../host/host.js';
import type { StrategyContext } from '../contract/strategy-context.js';
import type { Intent } from '../contract/intent.js';
import type { HostOptions } from '../host/strategy-host.js';
import type { WorkerFailure } from './worker-strategy-proxy.js';

/** The same strategy in process and over a worker channel; each test treats both alike. */
const both = (definition: StrategyDefinition, options: Partial<HostOptions> = {}) => {
  const failures: WorkerFailure[] = [];
  const channel = new InProcessWorkerChannel(definition, {});
  const openAdapter = adapterOverChannel(channel, (failure) => failures.push(failure));
  const here = rig(definition, options);
  const there = rig(definition, { ...options, openAdapter });
  const outcomes = ({ world, host }: typeof here) => ({
    intents: world.intents.map(textOf),
    notes: world.notes,
    states: [...world.states],
    counts: { ...host.counts },
    state: host.state,
  });
  return {
    here,
    there,
    channel,
    failures,
    outcomes: () => [outcomes(here), outcomes(there)] as const,
  };
};

const at = (step: number): number => 100 + 7 * Math.sin(step / 3);

/** Uses everything that a hook may read and do, with an occasional throw. */
const busy = defineStrategy({
  name: 'busy',
  params: z.object({}),
  intervals: ['5m'],
  state: { version: 1, initial: () => ({ seen: 0, fills: [] as number[] }) },
  create: ({ indicators, state, symbols }) => {
    const mean = indicators.sma(3);
    const slow = indicators.sma(2, { on: 'close', interval: '5m' });
    return {
      warmup: 3,
      onStart: (view) => view.timer(view.time + 90_000, 'soon'),
      onTimer: (context, { key, at: due }) => {
        context.explain(`${key} of ${due} at ${context.time}`);
        context.timer(context.time + 300_000, key);
      },
      onInterval: (context, candle, interval) =>
        context.explain(`${interval} ${candle.close} ${context.candles('5m').length}`),
      onFill: (context, fill) => {
        state.fills.push(fill.price);
        context.explain(`filled ${fill.quantity}`);
      },
      onOrder: (context, order) => context.explain(`${order.end} ${order.filledQuantity}`),
      onCandle: (context) => {
        state.seen += 1;
        const average = mean.next(context.candle.close);
        const { quantity, entryPrice } = context.position;
        context.explain(
          [
            ...[context.symbol, quantity, entryPrice, context.equity, average, slow.value],
            ...[context.instrument.priceStep, context.orders.length, symbols.length],
            ...context.candles().closes(3),
            context.candles().ago(1)?.high,
            context.quantityOf({ equityPct: 5 }),
          ].join(' '),
        );
        if (context.candles().length % 17 === 0) throw new Error('now and then');
        if (state.seen % 5 === 0) context.limit({ side: 'buy', price: 90, quantity: 1 });
        if (state.seen % 11 === 0) for (const { key } of context.orders) context.cancel(key);
        if (average !== undefined) context.target(context.candle.close > average ? 1 : -0.5);
        if (state.seen % 13 === 0) context.target(1, 'OTHERUSDT');
      },
      onStop: (view) => view.explain('goodbye'),
    };
  },
});

/** Steps between pauses, so that the throws are too rare to end the strategy. */
const PAUSE_EVERY = 15;

describe('a strategy on a worker', () => {
  it('a strategy on a worker has the same orders, explanations, state, refusals and errors as without one', () => {
    const { here, there, outcomes } = both(busy, { symbols: ['TESTUSDT', 'SECONDUSDT'] });
    for (const each of [here, there]) {
      for (let step = 0; step < 60; step++) {
        each.close(at(step), 'TESTUSDT', step > 5);
        if (step % 3 !== 1) each.settle();
        if (step % PAUSE_EVERY === PAUSE_EVERY - 1)
          each.world.advance(each.world.venueTime + 600_000, each.host);
        each.close(at(step + 5), 'SECONDUSDT', step > 5);
        each.settle();
      }
      each.host.stop();
    }
    const [ours, theirs] = outcomes();
    expect(theirs).toEqual(ours);
    expect(ours.intents.length).toBeGreaterThan(10);
    expect(ours.notes.join('\n')).toMatch(/now and then at .*worker-strategy-proxy\.test\.ts:\d+/);
    expect(ours.notes.join('\n')).toMatch(
      /OTHERUSDT is not a symbol .*worker-strategy-proxy\.test\.ts:\d+/,
    );
  });

  it('each candle is sent once, regardless of the length of history', () => {
    const { there, channel } = both(busy);
    for (let step = 0; step < 40; step++) there.close(at(step));
    expect(there.host.state).toBe('running');
    const rows = channel.requests.map(({ call }) =>
      call.method === 'onCandle' ? call.rows.length : 0,
    );
    expect(Math.max(...rows)).toBe(6);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(40 * 6);
  });

  it('unchanged state is not sent again', () => {
    const { there, channel } = both(busy);
    for (let step = 0; step < 3; step++) there.close(100, undefined, false);
    const { delta } = channel.requests.at(-1) ?? {};
    expect(delta).toMatchObject({ instruments: [], symbols: [] });
    expect(delta).not.toHaveProperty('equity');
  });

  it('too many intents of a worker are refused by name', () => {
    const odd = (context: StrategyContext): void => {
      for (let count = 0; count < 5_000; count++) context.target(0.5);
    };
    const definition = defineStrategy({
      name: 'odd',
      params: z.object({}),
      create: () => ({ onCandle: odd }),
    });
    const { here, there, outcomes, channel } = both(definition);
    for (const each of [here, there]) each.close(100);
    const [ours, theirs] = outcomes();
    expect(theirs).toEqual(ours);
    expect(theirs.notes[0]).toMatch(/more than 100 intents .*worker-strategy-proxy\.test\.ts:\d+/);
    expect(channel.requests).not.toHaveLength(0);
  });
});

describe('durable state on a worker', () => {
  const counting = (change: (state: { n: number; big?: string }, step: number) => void) => {
    let step = 0;
    return defineStrategy({
      name: 'counting',
      params: z.object({}),
      state: { version: 2, initial: () => ({ n: 0 }) as { n: number; big?: string } },
      create: ({ state }) => ({
        onCandle: (context) => {
          step += 1;
          change(state, step);
          context.explain(`${state.n}`);
        },
      }),
    });
  };

  it.each<[string, (state: { n: number; big?: string }, step: number) => void]>([
    ['that a hook changed and persisted', (state) => (state.n += 1)],
    [
      'that a throw undoes',
      (state, step) => {
        state.n += 1;
        if (step === 4) throw new Error('no');
      },
    ],
    [
      'that is too large',
      (state, step) => {
        state.n += 1;
        if (step === 5) state.big = 'x'.repeat(70_000);
      },
    ],
  ])('durable state is the same as without a worker: one %s', (_, change) => {
    const definition = (): StrategyDefinition => counting(change);
    const channel = new InProcessWorkerChannel(definition(), {});
    const here = rig(definition());
    const there = rig(definition(), { openAdapter: adapterOverChannel(channel) });
    for (const each of [here, there])
      // History first, which does not change persisted state.
      for (let step = 0; step < 12; step++) each.close(100 + step, undefined, step > 2);
    expect(there.world.notes).toEqual(here.world.notes);
    expect([...there.world.states]).toEqual([...here.world.states]);
    expect(here.world.states.size).toBe(1);
  });

  it('durable state of a previous run is present from the start', () => {
    const definition = counting((state) => (state.n += 1));
    const first = rig(definition);
    first.close(100);
    const { here, there } = both(
      counting((state) => (state.n += 1)),
      { port: first.world },
    );
    // The persisted state includes the first candle.
    for (const price of [100, 101]) here.close(price);
    expect(first.world.notes.at(-1)).toBe('info: mine: 2');
    for (const price of [100, 101]) there.close(price);
    expect(first.world.notes.at(-1)).toBe('info: mine: 2');
  });
});

describe('a strategy that does not answer', () => {
  const buying = defineStrategy({
    name: 'buying',
    params: z.object({}),
    create: () => ({ onCandle: (context) => context.target(1) }),
  });

  it.each([
    ['late', 'onCandle did not return within 2 s'],
    ['gone', 'onCandle ended its thread (process.exit?)'],
  ] as const)(
    'a call without an answer because the worker is %s has no effect, and is reported once',
    (silence, reason) => {
      const { there, channel, failures } = both(buying);
      channel.unansweredFrom = 4;
      channel.failureReason = silence;
      // After open and start, the fourth call is the second candle.
      there.close(100);
      there.settle();
      there.close(101);
      there.close(102);
      expect(failures).toEqual([{ call: 4, reason }]);
      expect(there.world.intents).toHaveLength(1);
      expect(channel.requests).toHaveLength(5);
    },
  );

  it('the strategy fails with the engine’s event, and its error policy handles the position', () => {
    const { there, channel } = both(buying, { onError: 'flatten' });
    channel.unansweredFrom = 4;
    there.close(100);
    there.settle();
    there.close(101);
    there.host.onWorkerFailed('onCandle did not return within 2 s');
    there.settle();
    expect(there.host.state).toBe('failed');
    expect(there.position()).toBe(0);
    expect(channel.closed).toBe(true);
    expect(there.world.notes.join('\n')).toContain(
      'failed: onCandle did not return within 2 s. Its positions are closed',
    );
  });

  it('a strategy that does not answer its creation cannot run', () => {
    const channel = new InProcessWorkerChannel(buying, {});
    channel.unansweredFrom = 0;
    expect(() => rig(buying, { openAdapter: adapterOverChannel(channel) })).toThrow(
      'Strategy mine could not be made: create did not return within 30 s',
    );
  });

  it('a throw in create is reported with its source location', () => {
    const broken = defineStrategy({
      name: 'broken',
      params: z.object({}),
      create: () => {
        throw new Error('no luck');
      },
    });
    const { world } = rig(buying);
    const settings = { id: 'mine', symbols: ['TESTUSDT'], interval: '1m', port: world } as const;
    const size = { kind: 'notional', notional: 100 } as const;
    const openAdapter = adapterOverChannel(new InProcessWorkerChannel(broken, {}));
    expect(() => createHost({ ...settings, size, definition: broken, openAdapter })).toThrow(
      /Strategy mine \(broken\) could not be made: Error: no luck at .*worker-strategy-proxy\.test\.ts:\d+/,
    );
  });

  it('an intent outside of a call fails the strategy from the next call on', () => {
    const outside = new Subject<Intent>();
    const stream = defineStrategy({
      name: 'outside',
      params: z.object({}),
      intents: () => outside,
    });
    const { there, failures } = both(stream);
    there.close(100);
    const before = there.world.intents.length;
    outside.next({ kind: 'target', symbol: 'TESTUSDT', conviction: 1 });
    there.close(101);
    expect(there.world.intents).toHaveLength(before);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.reason).toMatch(
      /outside of any step at .*worker-strategy-proxy\.test\.ts:\d+/,
    );
  });
});
