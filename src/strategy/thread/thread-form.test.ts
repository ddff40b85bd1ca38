import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LocalLine, overLine } from '../../../test/harness/local-line.js';
import { rig, textOf } from '../../../test/harness/strategy-rig.js';
import { defineStrategy, type StrategyDefinition } from '../definition.js';
import { createHost } from '../host/host.js';
import type { StrategyContext } from '../definition.js';
import type { Intent } from '../intent.js';
import type { HostOptions } from '../host/strategy-host.js';
import type { Loss } from './thread-form.js';

/** The same strategy here and over a line; what each test does to one it does to both. */
const both = (definition: StrategyDefinition, options: Partial<HostOptions> = {}) => {
  const losses: Loss[] = [];
  const line = new LocalLine(definition, {});
  const openForm = overLine(line, (loss) => losses.push(loss));
  const here = rig(definition, options);
  const there = rig(definition, { ...options, openForm });
  const told = ({ world, host }: typeof here) => ({
    intents: world.intents.map(textOf),
    notes: world.notes,
    states: [...world.states],
    counts: { ...host.counts },
    state: host.state,
  });
  return { here, there, line, losses, told: () => [told(here), told(there)] as const };
};

const at = (step: number): number => 100 + 7 * Math.sin(step / 3);

/** Everything that a hook may read and do, with a throw now and then. */
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

/** A throw now and then is not to end it. */
const LONG = 15;

describe('a strategy on a thread of its own', () => {
  it('does what it does here: orders, explanations, state, refusals, throws with their places', () => {
    const { here, there, told } = both(busy, { symbols: ['TESTUSDT', 'SECONDUSDT'] });
    for (const each of [here, there]) {
      for (let step = 0; step < 60; step++) {
        each.close(at(step), 'TESTUSDT', step > 5);
        if (step % 3 !== 1) each.settle();
        if (step % LONG === LONG - 1) each.world.advance(each.world.venueTime + 600_000, each.host);
        each.close(at(step + 5), 'SECONDUSDT', step > 5);
        each.settle();
      }
      each.host.stop();
    }
    const [ours, theirs] = told();
    expect(theirs).toEqual(ours);
    expect(ours.intents.length).toBeGreaterThan(10);
    expect(ours.notes.join('\n')).toMatch(/now and then at .*thread-form\.test\.ts:\d+/);
    expect(ours.notes.join('\n')).toMatch(/OTHERUSDT is not a symbol .*thread-form\.test\.ts:\d+/);
  });

  it('is sent each candle once, however many it has seen', () => {
    const { there, line } = both(busy);
    for (let step = 0; step < 40; step++) there.close(at(step));
    expect(there.host.state).toBe('running');
    const rows = line.asked.map(({ call }) => (call.method === 'candle' ? call.rows.length : 0));
    expect(Math.max(...rows)).toBe(6);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(40 * 6);
  });

  it('is not told again what has not changed', () => {
    const { there, line } = both(busy);
    for (let step = 0; step < 3; step++) there.close(100, undefined, false);
    const { news } = line.asked.at(-1) ?? {};
    expect(news).toMatchObject({ instruments: [], symbols: [] });
    expect(news).not.toHaveProperty('equity');
  });

  it('that asks for what cannot be sent or counted is refused by name', () => {
    const odd = (context: StrategyContext): void => {
      for (let count = 0; count < 5_000; count++) context.target(0.5);
    };
    const definition = defineStrategy({
      name: 'odd',
      params: z.object({}),
      create: () => ({ onCandle: odd }),
    });
    const { here, there, told, line } = both(definition);
    for (const each of [here, there]) each.close(100);
    const [ours, theirs] = told();
    expect(theirs).toEqual(ours);
    expect(theirs.notes[0]).toMatch(/more than 100 intents .*thread-form\.test\.ts:\d+/);
    expect(line.asked).not.toHaveLength(0);
  });
});

describe('durable state on a thread', () => {
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
    ['that a hook changed and kept', (state) => (state.n += 1)],
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
  ])('is as it is here: one %s', (_, change) => {
    const definition = (): StrategyDefinition => counting(change);
    const line = new LocalLine(definition(), {});
    const here = rig(definition());
    const there = rig(definition(), { openForm: overLine(line) });
    for (const each of [here, there])
      // History first, which changes nothing that is kept.
      for (let step = 0; step < 12; step++) each.close(100 + step, undefined, step > 2);
    expect(there.world.notes).toEqual(here.world.notes);
    expect([...there.world.states]).toEqual([...here.world.states]);
    expect(here.world.states.size).toBe(1);
  });

  it('of an earlier life is there from the beginning', () => {
    const definition = counting((state) => (state.n += 1));
    const first = rig(definition);
    first.close(100);
    const { here, there } = both(
      counting((state) => (state.n += 1)),
      { world: first.world },
    );
    // The first candle is in what was kept.
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
  ] as const)('because it is %s has done nothing, and is told of once', (silence, reason) => {
    const { there, line, losses } = both(buying);
    line.silentFrom = 4;
    line.silence = silence;
    // Made, opened and started: the fourth call is its second candle.
    there.close(100);
    there.settle();
    there.close(101);
    there.close(102);
    expect(losses).toEqual([{ call: 4, reason }]);
    expect(there.world.intents).toHaveLength(1);
    expect(line.asked).toHaveLength(5);
  });

  it('fails when the event of it has come, and its policy sees to the position', () => {
    const { there, line } = both(buying, { onError: 'flatten' });
    line.silentFrom = 4;
    there.close(100);
    there.settle();
    there.close(101);
    there.host.lost('onCandle did not return within 2 s');
    there.settle();
    expect(there.host.state).toBe('failed');
    expect(there.position()).toBe(0);
    expect(line.closed).toBe(true);
    expect(there.world.notes.join('\n')).toContain(
      'failed: onCandle did not return within 2 s. Its positions are closed',
    );
  });

  it('when it is made cannot be run', () => {
    const line = new LocalLine(buying, {});
    line.silentFrom = 0;
    expect(() => rig(buying, { openForm: overLine(line) })).toThrow(
      'Strategy mine could not be made: create did not return within 30 s',
    );
  });

  it('or throws when it is made says so with the place', () => {
    const broken = defineStrategy({
      name: 'broken',
      params: z.object({}),
      create: () => {
        throw new Error('no luck');
      },
    });
    const { world } = rig(buying);
    const settings = { id: 'mine', symbols: ['TESTUSDT'], interval: '1m', world } as const;
    const size = { kind: 'notional', notional: 100 } as const;
    const openForm = overLine(new LocalLine(broken, {}));
    expect(() => createHost({ ...settings, size, definition: broken, openForm })).toThrow(
      /Strategy mine \(broken\) could not be made: Error: no luck at .*thread-form\.test\.ts:\d+/,
    );
  });

  it('but acts when nobody has called is lost, from the next call on', () => {
    const outside = new Subject<Intent>();
    const stream = defineStrategy({
      name: 'outside',
      params: z.object({}),
      intents: () => outside,
    });
    const { there, losses } = both(stream);
    there.close(100);
    const before = there.world.intents.length;
    outside.next({ kind: 'target', symbol: 'TESTUSDT', conviction: 1 });
    there.close(101);
    expect(there.world.intents).toHaveLength(before);
    expect(losses).toHaveLength(1);
    expect(losses[0]?.reason).toMatch(/outside of any step at .*thread-form\.test\.ts:\d+/);
  });
});
