import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MINUTE, quantity, rig, START, textOf } from '../../../test/support/rigs/strategy-rig.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import { numberFromFixed, fixedFromText } from '../../core/fixed/fixed.js';
import { defineStrategy } from './definition.js';
import type { StrategyContext } from './strategy-context.js';
import type { StrategyHooks } from './hooks.js';
import { candlesFromCloses } from '../../testing/candles.js';

const noParams = z.object({});

const hooked = (hooks: StrategyHooks) =>
  defineStrategy({ name: 'hooked', params: noParams, create: () => hooks });

describe('other intervals', () => {
  it('other intervals are fed to indicators and dispatched before the own candle of the same close', () => {
    const seen: string[] = [];
    const definition = defineStrategy({
      name: 'filter',
      params: z.object({ trend: z.number().default(2) }),
      intervals: () => ['3m'],
      create: ({ params, indicators }) => {
        const trend = indicators.sma(params.trend, { on: 'close', interval: '3m' });
        return {
          onInterval: (_context, candle, interval) =>
            void seen.push(`${interval} ${candle.close} ${trend.value}`),
          onCandle: (context) =>
            void seen.push(
              `1m ${context.candle.close} ${context.candles('3m').length} ${trend.value}`,
            ),
        };
      },
    });
    const { host } = rig(definition, { params: { trend: 2 } });
    expect(host.intervals).toEqual(['3m']);
    expect(host.needs).toEqual([
      { interval: '1m', count: 0 },
      { interval: '3m', count: 2 },
    ]);
    const minutes = CandleColumns.from(candlesFromCloses([1, 2, 3]));
    const threes = CandleColumns.from(candlesFromCloses([3], '3m'));
    for (let at = 0; at < 3; at++) {
      if (at === 2) host.candlesOf('TESTUSDT').onCandle('3m', threes, 0, true);
      host.candlesOf('TESTUSDT').onCandle('1m', minutes, at, true);
    }
    host.candlesOf('TESTUSDT').onCandle('5m', threes, 0, true);
    expect(seen).toEqual([
      '1m 1 0 undefined',
      '1m 2 0 undefined',
      '3m 3 undefined',
      '1m 3 1 undefined',
    ]);
  });

  it.each([
    ['1s' as const, /1s candles cannot be made of the 1m candles.*streams: \['seconds'\]/],
    ['1m' as const, undefined],
  ])('%s: an interval that cannot be aggregated is refused by name', (interval, message) => {
    const definition = defineStrategy({
      name: 'odd',
      params: noParams,
      intervals: [interval],
      create: () => ({}),
    });
    const make = () => rig(definition);
    if (message === undefined) expect(make).not.toThrow();
    else expect(make).toThrow(message);
  });

  it('an interval missing in the definition is an error of the requesting hook', () => {
    const { close, world } = rig(
      hooked({ onCandle: (context) => void context.candles('1h').length }),
    );
    close(100);
    expect(world.notes[0]).toMatch(
      /There are no 1h candles: name 1h in intervals at .*contract\.test/,
    );
  });

  it('the history of other intervals has closed candles only', () => {
    const seen: unknown[] = [];
    const onCandle = (context: StrategyContext): void => {
      const { length, last } = context.candles();
      seen.push([
        length,
        last?.close,
        context.candles().ago(1)?.close,
        context.candles().closes(2),
      ]);
    };
    const { close } = rig(hooked({ onCandle }));
    for (const price of [1, 2, 3]) close(price);
    expect(seen).toEqual([
      [1, 1, undefined, [1]],
      [2, 2, 1, [1, 2]],
      [3, 3, 2, [2, 3]],
    ]);
  });
});

describe('a hook', () => {
  it('onTimer is called once at the last requested time, and may act', () => {
    const received: string[] = [];
    const { host, world, close, settle } = rig(
      hooked({
        onStart(view) {
          view.timer(START + 3 * MINUTE, 'hour');
          view.timer(START + 2 * MINUTE, 'hour');
          view.timer(START + 2 * MINUTE, 'day');
        },
        onTimer(context, { key, at }) {
          received.push(`${key} ${at - START} ${context.time - START}`);
          if (key === 'hour') context.target(1);
        },
      }),
    );
    close(100);
    world.advance(START + 10 * MINUTE, host);
    settle();
    expect(received).toEqual([
      `hour ${2 * MINUTE} ${2 * MINUTE}`,
      `day ${2 * MINUTE} ${2 * MINUTE}`,
    ]);
    expect(world.intents.map(({ cause }) => cause)).toEqual([
      { kind: 'timer', venueTime: START + 2 * MINUTE, key: 'TESTUSDT:hour' },
    ]);
  });

  it('onPosition has the position before and after, by fills and without them', () => {
    const received: string[] = [];
    const { host, world, close, settle } = rig(
      hooked({
        onCandle: (context) => context.target(1),
        onFill: () => void received.push('fill'),
        onPosition: (_context, { before, quantity: now }) =>
          void received.push(`${before} → ${now}`),
      }),
    );
    close(100);
    settle();
    world.setPosition('TESTUSDT', quantity('0'));
    host.onPositionChanged('TESTUSDT', 'venue');
    expect(received).toEqual(['fill', '0 → 1', '1 → 0']);
  });

  it('onFunding requires its stream, and context.funding has the same rate', () => {
    const received: unknown[] = [];
    const definition = defineStrategy({
      name: 'tilt',
      params: noParams,
      streams: ['funding'],
      create: () => ({
        onFunding: (context, funding) => void received.push(funding, context.funding),
      }),
    });
    const { host, world, close } = rig(definition);
    close(100);
    const fact = { rate: 0.0001, nextSettlementMs: START + 60 * MINUTE };
    world.fundings.set('TESTUSDT', fact);
    host.onFunding('TESTUSDT', fact);
    expect(received).toEqual(Array(2).fill({ symbol: 'TESTUSDT', ...fact }));
    expect(() => rig(hooked({ onFunding: () => {} }))).toThrow(/streams must name 'funding'/);
  });

  it('onRevision has the new values, and the history keeps the old', () => {
    const received: unknown[] = [];
    const { host, close } = rig(
      hooked({
        onRevision: (context, candle) =>
          void received.push(candle.close, context.candles().last?.close),
      }),
    );
    close(100);
    host.onRevision('TESTUSDT', { openTime: START, open: 1, high: 1, low: 1, close: 1, volume: 1 });
    expect(received).toEqual([1, 100]);
  });
});

describe('durable state', () => {
  interface Kept {
    seen: number;
    last?: number | undefined;
  }
  const counting = (act: (context: StrategyContext<Kept>) => void = () => {}) =>
    defineStrategy({
      name: 'counting',
      params: noParams,
      state: { version: 1, initial: (): Kept => ({ seen: 0 }) },
      create: () => ({
        onCandle(context) {
          context.state.seen += 1;
          context.state.last = context.candle.close;
          act(context);
        },
      }),
    });

  it('state is persisted by itself without an order of the event, and with the order otherwise', () => {
    const { world, close } = rig(
      counting((context) => {
        if (context.state.seen === 2) context.target(1);
      }),
    );
    close(100);
    expect(world.states.get('TESTUSDT')).toEqual({
      version: 1,
      value: '{"seen":1,"last":100}',
      seen: { 'TESTUSDT 1m': START },
    });
    expect(world.intents).toEqual([]);
    close(101);
    expect(world.intents[0]?.persistedState).toEqual({
      key: 'TESTUSDT',
      version: 1,
      value: '{"seen":2,"last":101}',
      seen: { 'TESTUSDT 1m': START + MINUTE },
    });
  });

  it('a candle that a previous run has processed is not decided on again', () => {
    const acting = () => counting((context) => context.target(context.state.seen % 2));
    const first = rig(acting());
    first.close(100);
    first.settle();
    const again = rig(acting(), { port: first.world });
    // The venue delivers the last candle late, so that it is live for both.
    again.close(100);
    expect(first.world.intents).toHaveLength(1);
    expect(first.world.states.get('TESTUSDT')?.value).toBe('{"seen":1,"last":100}');
    again.close(101);
    again.settle();
    expect(first.world.intents).toHaveLength(2);
    expect(first.world.states.get('TESTUSDT')?.value).toBe('{"seen":2,"last":101}');
  });

  it('a candle without persisted state is decided on, for each symbol by itself', () => {
    const all = () =>
      defineStrategy({
        name: 'all',
        params: noParams,
        scope: 'all',
        state: { version: 1, initial: () => ({ received: '' }) },
        create: () => ({
          onCandle: (context) => void (context.state.received += context.symbol.slice(0, 1)),
          onCandles: (context) => void (context.state.received += '.'),
        }),
      });
    const symbols = ['AUSDT', 'BUSDT'];
    const first = rig(all(), { symbols });
    first.close(100, 'AUSDT');
    const again = rig(all(), { symbols, port: first.world });
    for (const symbol of symbols) again.close(100, symbol);
    again.host.onSyncedCandles(START + MINUTE, true);
    expect(first.world.states.get('*')?.value).toBe('{"received":"AB."}');
    const third = rig(all(), { symbols, port: first.world });
    for (const symbol of symbols) third.close(100, symbol);
    third.host.onSyncedCandles(START + MINUTE, true);
    expect(first.world.states.get('*')?.value).toBe('{"received":"AB."}');
  });

  it('a restarted strategy has its persisted state, and history does not change it', () => {
    const first = rig(counting());
    first.close(100);
    const seen: number[] = [];
    const again = rig(
      counting((context) => void seen.push(context.state.seen)),
      {
        port: first.world,
      },
    );
    again.close(100, 'TESTUSDT', false);
    again.close(101, 'TESTUSDT', false);
    again.close(102);
    expect(seen).toEqual([2, 2, 2]);
    expect(first.world.states.get('TESTUSDT')?.value).toBe('{"seen":2,"last":102}');
  });

  it('a throw rolls back the state and discards the intents', () => {
    const { world, close } = rig(
      counting((context) => {
        context.target(1);
        throw new Error('halfway');
      }),
    );
    close(100);
    expect(world.states.size).toBe(0);
    expect(world.intents).toEqual([]);
  });

  it.each([
    ['a number that is none', (state: Kept) => void (state.seen = Number.NaN), /state.seen is NaN/],
    [
      'too much',
      (state: Kept) => void Object.assign(state, { text: 'x'.repeat(70_000) }),
      /its state is 700\d\d characters of JSON, more than 65536/,
    ],
    ['a map', (state: Kept) => void Object.assign(state, { map: new Map() }), /no plain value/],
  ])('state with %s is refused, with the intents of its event', (_what, change, message) => {
    const { world, close } = rig(
      counting(({ state, target }) => {
        change(state);
        void target;
      }),
    );
    close(100);
    expect(world.notes[0]).toMatch(message);
    expect(world.states.size).toBe(0);
  });

  const versioned = (version: number, more: object = {}) =>
    defineStrategy({
      name: 'versioned',
      params: noParams,
      state: { version, initial: () => ({ count: 0 }), ...more },
      create: () => ({
        onCandle: (context) => {
          context.state.count += 1;
          context.explain(`count ${context.state.count}`);
        },
      }),
    });

  it('state of an earlier version is migrated, and written anew', () => {
    const first = rig(versioned(1));
    first.close(100);
    const migrate = (old: unknown, from: number) => ({
      count: (old as { count: number }).count * 10 + from,
    });
    const { world, close } = rig(versioned(2, { migrate }), { port: first.world });
    close(100);
    close(101);
    expect(world.states.get('TESTUSDT')).toMatchObject({ version: 2, value: '{"count":12}' });
  });

  it.each([
    [{}, /strategies\/mine\.ts.*kept as version 1, and this file's is 2: give state a migrate/],
    [
      { migrate: () => ({ count: 'two' }), schema: z.object({ count: z.number() }) },
      /state\.count/,
    ],
    [
      {
        migrate: () => {
          throw new Error('no idea');
        },
      },
      /its migrate threw Error: no idea/,
    ],
  ])('unreadable state fails this strategy alone: %o', (more, message) => {
    const first = rig(versioned(1));
    first.close(100);
    first.world.setPosition('TESTUSDT', quantity('2'));
    const { host, world, close } = rig(versioned(2, more), {
      port: first.world,
      source: 'strategies/mine.ts',
      onError: 'flatten',
    });
    expect(host.state).toBe('failed');
    expect(world.notes.join('\n')).toMatch(message);
    expect(world.states.get('TESTUSDT')?.version, 'it is not written over').toBe(1);
    expect(world.intents.map(textOf), 'the policy is carried out').toEqual([
      'sell 2 reduce-only #0/0',
    ]);
    close(100);
    expect(host.state).toBe('failed');
  });
});

describe('a strategy that fails', () => {
  const throwing = (policy: 'hold' | 'protect' | 'flatten') => {
    const made = rig(
      hooked({
        onCandle: (context) => {
          if (context.position.quantity === 0) context.target(1);
          else throw new Error('always');
        },
      }),
      { onError: policy, ...(policy === 'protect' && { protection: { stopLossPct: 5 } }) },
    );
    made.close(100);
    made.settle();
    return made;
  };

  it('a strategy that throws three times logs the location, and holds its position', () => {
    const { host, world, close, position } = throwing('hold');
    for (let at = 0; at < 4; at++) close(100);
    expect(host.state).toBe('failed');
    expect(world.notes.filter((note) => /contract\.test\.ts:\d+/.test(note))).toHaveLength(3);
    expect(world.notes.at(-1)).toMatch(/Its positions and their stops stay as they are/);
    expect(position()).toBe(1);
  });

  /** Wants 1, then what the policy meets, and throws from the third candle on. */
  const leaving = (policy: 'hold' | 'flatten', second: number) => {
    let candles = 0;
    return rig(
      hooked({
        onCandle: (context) => {
          candles += 1;
          if (candles > 2) throw new Error('always');
          context.target(candles === 1 ? 1 : second);
        },
      }),
      { onError: policy },
    );
  };

  it('an exit that a strategy had decided before it failed goes on, also after a late fill', () => {
    const { host, close, settle, position, world } = leaving('hold', 0);
    for (let at = 0; at < 5; at++) close(100);
    expect(host.state).toBe('failed');
    expect(world.intents.map(textOf), 'its entry is still under way').toEqual(['buy 1 #0/0']);
    settle();
    settle();
    expect(position()).toBe(0);
  });

  it.each([
    { exits: 'finish', left: 0 },
    { exits: 'freeze', left: 1 },
  ] as const)('a stop of the strategy lets its decided exit $exits', ({ exits, left }) => {
    const { host, close, settle, position } = leaving('hold', 0);
    close(100);
    close(100);
    host.stop(exits);
    expect(host.state).toBe('stopped');
    settle();
    settle();
    expect(position()).toBe(left);
  });

  it('an exit of a failed strategy is tried again until it is done', () => {
    const { host, close, settle, position, world } = leaving('hold', 0);
    close(100);
    settle();
    world.verdictFor = () => 'refused';
    for (let at = 0; at < 4; at++) close(100);
    expect(host.state).toBe('failed');
    expect(position()).toBe(1);
    world.verdictFor = () => 'accepted';
    close(100);
    settle();
    expect(position()).toBe(0);
  });

  it('the second leg of a reversal is not opened once its strategy has failed', () => {
    const { host, close, settle, position } = leaving('hold', -1);
    close(100);
    settle();
    for (let at = 0; at < 4; at++) close(100);
    expect(host.state).toBe('failed');
    for (let at = 0; at < 3; at++) settle();
    close(100);
    settle();
    expect(position()).toBe(0);
  });

  it('an entry under way at the failure is closed with flatten when it fills', () => {
    const { host, close, settle, position } = leaving('flatten', 1);
    for (let at = 0; at < 5; at++) close(100);
    expect(host.state).toBe('failed');
    settle();
    settle();
    expect(position()).toBe(0);
  });

  it('the position of a failed strategy is closed with flatten, and again until it is flat', () => {
    const { host, world, close, settle, position } = throwing('flatten');
    world.verdictFor = () => 'refused';
    for (let at = 0; at < 3; at++) close(100);
    settle();
    expect(host.state).toBe('failed');
    expect(position()).toBe(1);
    world.verdictFor = () => 'accepted';
    close(100);
    settle();
    expect(position()).toBe(0);
  });

  it('the position of a failed strategy gets a missing stop with protect', () => {
    const { host, world, close } = throwing('protect');
    world.protections.clear();
    for (let at = 0; at < 3; at++) close(100);
    expect(host.state).toBe('failed');
    // The entry had attached one.
    expect(world.protections.size).toBe(0);
    const adopted = rig(
      hooked({
        onCandle: () => {
          throw new Error('always');
        },
      }),
      {
        onError: 'protect',
        protection: { stopLossPct: 5 },
      },
    );
    adopted.world.price('TESTUSDT', 100);
    adopted.world.setPosition('TESTUSDT', quantity('1'), fixedFromText('100'));
    for (let at = 0; at < 3; at++) adopted.close(100);
    const stop = adopted.world.protections.get('TESTUSDT')?.stopLoss;
    expect(stop === undefined ? stop : numberFromFixed(stop)).toBe(95);
  });

  it('100,000 intents of one call are discarded, and reported with their location', () => {
    const { host, world, close } = rig(
      hooked({
        onCandle(context) {
          for (let at = 0; at < 100_000; at++) context.target(at % 2);
        },
      }),
    );
    for (let at = 0; at < 3; at++) close(100);
    expect(world.intents).toEqual([]);
    expect(host.state).toBe('failed');
    expect(world.notes[0]).toMatch(/more than 100 intents in one call at .*contract\.test\.ts:\d+/);
  });

  it('an intent on another symbol is refused with its location', () => {
    const { world, close } = rig(hooked({ onCandle: (context) => context.target(1, 'DOGEUSDT') }));
    close(100);
    expect(world.intents).toEqual([]);
    expect(world.notes[0]).toMatch(
      /DOGEUSDT is not a symbol of this strategy.*contract\.test\.ts:\d+/,
    );
  });
});

describe('exits', () => {
  const stops = (protection: object, prices: readonly number[]) => {
    const { world, close, settle, position } = rig(
      hooked({ onCandle: (context) => context.target(1) }),
      { protection },
    );
    const set = prices.map((price) => {
      close(price);
      settle();
      const { stopLoss } = world.protections.get('TESTUSDT') ?? {};
      return stopLoss === undefined ? undefined : numberFromFixed(stopLoss);
    });
    return { set, attached: world.intents[0]?.terms.stopLoss, position: position(), world };
  };

  it('a trailing stop follows the best price, and never moves back', () => {
    const { set, attached } = stops({ trailingPct: 10 }, [100, 110, 120, 115, 130]);
    expect(attached).toBe(fixedFromText('90'));
    expect(set).toEqual([undefined, 99, 108, 108, 117]);
  });

  it.each([
    ['farther away than the trailed one', { trailingPct: 10 }, [100, 120, 110], 108],
    ['farther than the first one', { trailingPct: 10 }, [100, 95], 90],
    ['nearer than the trailed one', { stopLossPct: 2, trailingPct: 10 }, [100, 120, 118], 115.64],
    [
      'farther than the entry, at break even',
      { stopLossPct: 5, breakEvenPct: 2 },
      [100, 103, 101],
      100,
    ],
  ])(
    'an increase whose own stop is %s brings the nearer one',
    (_what, protection, prices, stop) => {
      const { world, close, settle } = rig(
        hooked({
          onCandle(context) {
            context.target(context.candle.close === prices.at(-1) ? 1 : 0.5);
          },
        }),
        { protection },
      );
      for (const price of prices) {
        close(price);
        settle();
      }
      const increases = world.intents.filter(({ terms }) => !terms.reduceOnly);
      expect(increases).toHaveLength(2);
      expect(increases.at(-1)?.terms.stopLoss).toBe(fixedFromText(String(stop)));
    },
  );

  it('a break-even stop moves to the entry once the price has moved far enough', () => {
    const { set } = stops({ stopLossPct: 5, breakEvenPct: 2 }, [100, 101, 103, 120]);
    expect(set).toEqual([undefined, undefined, 100, 100]);
  });

  it('max_hold closes an old position, and the same target does not open it again', () => {
    const { world, position } = stops({ maxHoldMs: 2 * MINUTE }, [100, 100, 100, 100, 100]);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'sell 1 reduce-only #1/0']);
    expect(position).toBe(0);
  });

  it('a trailing stop follows a new position, after the old one was closed while the bot was down', () => {
    const definition = hooked({ onCandle: (context) => context.target(1) });
    const options = { protection: { trailingPct: 10, maxHoldMs: 60 * MINUTE } };
    const before = rig(definition, options);
    const { world } = before;
    before.close(200);
    before.settle();
    before.close(220);
    world.setPosition('TESTUSDT', quantity('0'));
    world.venueTime += 60 * MINUTE;
    const { close, settle, position } = rig(definition, { ...options, port: world });
    for (const price of [100, 110, 120]) {
      close(price);
      settle();
    }
    expect(position()).toBe(1);
    expect(world.protections.get('TESTUSDT')?.stopLoss).toBe(fixedFromText('108'));
  });

  it('protect moves the stop of the open position, on its right side only', () => {
    const script: ((context: StrategyContext) => void)[] = [
      (context) => context.protect({ stopLoss: 90 }),
      (context) => context.target(-1),
      (context) => context.protect({ stopLoss: 90 }),
      (context) => context.protect({ stopLoss: 105.005, takeProfit: 80 }),
    ];
    const { world, close, settle } = rig(
      hooked({ onCandle: (context) => script.shift()?.(context) }),
    );
    for (let at = 0; at < 4; at++) {
      close(100);
      settle();
    }
    expect(world.notes).toEqual([
      expect.stringMatching(/there is no position to protect/),
      expect.stringMatching(/stopLoss 90 is not above the entry at 100/),
    ]);
    const { stopLoss, takeProfit } = world.protections.get('TESTUSDT') ?? {};
    expect([stopLoss, takeProfit]).toEqual([fixedFromText('105'), fixedFromText('80')]);
  });
});

describe('sizes from code', () => {
  it('a size from code equals the configured one', () => {
    const seen: unknown[] = [];
    const onCandle = (context: StrategyContext): void => {
      seen.push(
        context.quantityOf({ notional: 500 }),
        context.quantityOf({ equityPct: 10 }),
        context.quantityOf({ riskPct: 1, stopLoss: 98 }),
        context.quantityOf({ volatilityPct: 10, lookback: 2 }),
      );
    };
    const { close } = rig(hooked({ onCandle }));
    close(100);
    expect(seen).toEqual([5, 10, 50, undefined]);
    close(101);
    close(100);
    expect(seen.at(-1)).toBeGreaterThan(0);
  });

  it('a size without a measure is an error of the hook', () => {
    const { world, close } = rig(hooked({ onCandle: (context) => void context.quantityOf({}) }));
    close(100);
    expect(world.notes[0]).toMatch(/a size is exactly one of/);
  });

  it('a size by volatility is the share of equity with that volatility', () => {
    const size = { kind: 'volatility-pct', percent: 10, lookback: 2, maxEquityPct: 100 } as const;
    const { host, world, close } = rig(hooked({ onCandle: (context) => context.target(1) }), {
      size,
    });
    expect(host.warmupCandles).toBe(3);
    close(100);
    expect(world.notes[0]).toMatch(/volatility-pct needs 3 candles/);
    close(101);
    close(100);
    const change = Math.sqrt((0.01 ** 2 + (1 / 101) ** 2) / 2);
    const yearly = change * Math.sqrt((365 * 86_400_000) / MINUTE);
    const wanted = (10_000 * 0.1) / yearly / 100;
    expect(numberFromFixed(world.intents[0]?.terms.quantity ?? quantity('0'))).toBeCloseTo(
      wanted,
      2,
    );
  });
});
