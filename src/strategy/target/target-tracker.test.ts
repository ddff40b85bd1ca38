import { describe, expect, it } from 'vitest';
import { fixed, fixedFromText } from '../../core/fixed/fixed.js';
import { NO_EXPIRY } from '../../core/intent.js';
import type { StrategyContext } from '../contract/strategy-context.js';
import { FakeStrategyPort } from '../../../test/support/fakes/fake-strategy-port.js';
import { testInstrument } from '../../testing/instrument.js';
import {
  START,
  MINUTE,
  quantity,
  scripted,
  rig,
  textOf,
  target,
  nothing,
} from '../../../test/support/rigs/strategy-rig.js';

describe('a target', () => {
  it('a target becomes one market order with the cause, the times and the reference of its candle', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition);
    script.push(target(0.5));
    close(100);
    expect(world.intents).toEqual([
      {
        strategyId: 'mine',
        cause: { kind: 'candle', symbol: 'TESTUSDT', interval: '1m', openTime: START },
        ordinal: 0,
        leg: 0,
        terms: {
          symbol: 'TESTUSDT',
          currency: 'USDT',
          side: 'buy',
          type: 'market',
          quantity: quantity('0.5'),
          reduceOnly: false,
        },
        referencePrice: fixedFromText('100'),
        decidedAt: START + MINUTE,
        decidedMonotonic: MINUTE,
        validUntil: START + 3 * MINUTE,
      },
    ]);
  });

  it('a reversal is two orders of one decision, the second after the first has ended', () => {
    const { definition, script } = scripted();
    const { world, close, settle, position } = rig(definition);
    script.push(target(1), target(-1));
    close(100);
    settle();
    close(101);
    expect(world.intents.slice(1).map(textOf)).toEqual(['sell 1 reduce-only #0/0']);
    settle();
    expect(world.intents.slice(1).map(textOf)).toEqual(['sell 1 reduce-only #0/0', 'sell 1 #0/1']);
    expect(world.intents[1]?.cause).toEqual(world.intents[2]?.cause);
    expect(world.intents[1]?.validUntil).toBe(NO_EXPIRY);
    expect(world.intents[2]?.validUntil).toBe(START + 4 * MINUTE);
    expect(position()).toBe(-1);
  });

  it('a repeated conviction keeps its quantity, and a new one is sized afresh', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition, { size: { kind: 'notional', notional: 100 } });
    script.push(target(1), target(1), target(0.5));
    for (const price of [100, 50, 50]) {
      close(price);
      settle();
    }
    // 100 USDT at 100 is 1; half of it at 50 is 1 as well.
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0']);
    script.push(target(1));
    close(50);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/0']);
  });

  it('a target has one order at a time, and a change meanwhile is netted when it ends', () => {
    const { definition, script } = scripted();
    const { world, close, settle, position } = rig(definition);
    script.push(target(1), target(0.4));
    close(100);
    close(100);
    expect(world.intents).toHaveLength(1);
    settle();
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'sell 0.6 reduce-only #0/0']);
    expect(position()).toBe(0.4);
  });

  it('every intent of a candle counts an ordinal, even one without effect', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition, { symbols: ['AUSDT', 'BUSDT'] });
    world.price('BUSDT', 10);
    script.push((context) => {
      context.target(0);
      context.target(0);
      context.target(1, 'BUSDT');
    });
    close(100, 'AUSDT');
    settle();
    expect(world.intents.map((intent) => [intent.terms.symbol, intent.ordinal])).toEqual([
      ['BUSDT', 2],
    ]);
    expect(world.intents[0]?.referencePrice).toBe(fixedFromText('10'));
  });

  it('a target quantity is exact, and rounded toward zero onto the step', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition);
    script.push((context) => context.targetQuantity(-0.30099));
    close(100);
    expect(world.intents.map(textOf)).toEqual(['sell 0.3 #0/0']);
  });

  it('a target above the market order maximum is split', () => {
    const { definition, script } = scripted();
    const { world, close, settle, position } = rig(definition);
    const small = testInstrument({ maxMarketQuantity: quantity('0.4') });
    world.instrument = () => small;
    script.push(target(1), nothing, target(0));
    close(100);
    settle();
    expect(world.intents.map(textOf)).toEqual(['buy 0.4 #0/0', 'buy 0.4 #0/1', 'buy 0.2 #0/2']);
    expect(position()).toBe(1);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1.01, -2])(
    'a target of %s is refused by name',
    (value) => {
      const { definition, script } = scripted();
      const { world, host, close } = rig(definition);
      script.push(target(value));
      close(100);
      expect(world.intents).toEqual([]);
      expect(world.notes).toEqual([
        `warn: mine: refused: target: conviction is ${value}, not a number within -1 … 1`,
      ]);
      expect(host.counts.refused).toBe(1);
    },
  );

  it('a target on a symbol that is not configured is refused by name', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition);
    script.push((context) => context.target(1, 'OTHERUSDT'));
    close(100);
    expect(world.notes[0]).toMatch(/OTHERUSDT is not a symbol of this strategy/);
  });

  it('a target without metadata is refused, and may be requested again', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition);
    const known = world.instrument.bind(world);
    world.instrument = () => undefined;
    script.push(target(1), target(1));
    close(100);
    expect(world.notes[0]).toMatch(/no instrument metadata/);
    world.instrument = known;
    close(100);
    expect(world.intents).toHaveLength(1);
  });
});

describe('an increase that fails', () => {
  it.each(['rejected', 'dropped', 'canceled'] as const)(
    'an increase that is %s ends its decision, and the same target requested again is a new one',
    (end) => {
      const { definition, script } = scripted();
      const { world, host, close, keyOf } = rig(definition);
      script.push(target(1), nothing, target(1), target(-1));
      close(100);
      world.end(keyOf(), end, host, 'the reason');
      close(100);
      expect(world.intents).toHaveLength(1);
      expect(world.notes[0]).toMatch(new RegExp(`given up at 0, because the order was ${end}`));
      expect(world.notes[0]).toMatch(/the reason/);
      close(101);
      expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/0']);
      expect(world.intents[1]?.cause).not.toEqual(world.intents[0]?.cause);
      expect(world.intents[1]?.referencePrice).toBe(fixedFromText('101'));
    },
  );

  it('a lasting refusal is logged once per target, however often it is repeated', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    world.verdictFor = () => 'refused';
    script.push(target(1), target(1), target(1), target(0.5));
    for (const price of [100, 101, 102]) close(price);
    expect(host.counts).toMatchObject({ intents: 3, refused: 3 });
    expect(world.intents.map(({ repeats }) => repeats)).toEqual([undefined, true, true]);
    expect(world.notes).toHaveLength(1);
    close(103);
    expect(world.notes).toHaveLength(2);
  });

  it('a transient refusal is retried under the same decision, without a candle', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    world.verdictFor = () => 'refused-for-now';
    script.push(target(1));
    close(100);
    expect(world.monotonicTimers).toEqual([{ delayMs: 250, key: 'lane:TESTUSDT' }]);
    world.verdictFor = () => 'accepted';
    host.onTimer('lane:TESTUSDT');
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/1']);
    expect(world.intents[1]?.decidedMonotonic).toBe(world.intents[0]?.decidedMonotonic);
    expect(world.notes).toEqual([]);
  });

  it('without timers a transient refusal ends with the next candle, whose request is a new decision', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition);
    world.verdictFor = () => 'refused-for-now';
    script.push(target(1), target(1), target(1));
    close(100);
    // The engine refuses a decision of this age (R27).
    world.verdictFor = ({ decidedAt }) => (decidedAt < world.venueTime ? 'refused' : 'accepted');
    close(101);
    close(102);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/1', 'buy 1 #0/0']);
    expect(world.intents[2]?.referencePrice).toBe(fixedFromText('101'));
    expect(world.intents[2]?.cause).not.toEqual(world.intents[0]?.cause);
  });

  it('a transient refusal at send time is retried too', () => {
    const { definition, script } = scripted();
    const { world, host, close, keyOf } = rig(definition);
    script.push(target(1));
    close(100);
    world.end(keyOf(), 'dropped', host, 'data is too old', true);
    host.onTimer('lane:TESTUSDT');
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/1']);
  });

  it('a refused increase is given up, and the next conviction acts', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    world.verdictFor = () => 'refused';
    script.push(target(1), nothing, target(-1));
    close(100);
    close(100);
    expect(host.counts).toMatchObject({ decisions: 1, intents: 1, refused: 1 });
    close(100);
    expect(world.intents).toHaveLength(2);
  });

  it('an increase that fails after a reversal’s reduction leaves the strategy flat', () => {
    const { definition, script } = scripted();
    const { world, close, settle, position } = rig(definition);
    script.push(target(1), target(-1));
    close(100);
    settle();
    world.verdictFor = ({ terms }) => (terms.reduceOnly ? 'accepted' : 'refused');
    close(100);
    settle();
    close(100);
    close(100);
    expect(position()).toBe(0);
    expect(world.intents).toHaveLength(3);
  });

  it('`enter` requests a failed entry afresh', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition);
    world.verdictFor = () => 'refused';
    script.push(
      (context) => context.enter({ side: 'buy' }),
      (context) => context.enter({ side: 'buy' }),
      (context) => context.enter({ side: 'buy' }),
    );
    close(100);
    world.verdictFor = () => 'accepted';
    close(100);
    settle();
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/0']);
  });

  it('an expired increase is never sent', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle, position } = rig(definition);
    script.push(target(1), target(-1));
    close(100);
    settle();
    close(100);
    world.venueTime += 3 * MINUTE;
    settle();
    expect(position()).toBe(0);
    expect(world.intents).toHaveLength(2);
    expect(world.notes.at(-1)).toMatch(/the decision expired/);
    expect(host.state).toBe('running');
  });
});

describe('a reduction that fails', () => {
  it.each(['rejected', 'dropped', 'canceled', 'refused'] as const)(
    'a reduction that is %s is retried at the next candle, under its cause',
    (end) => {
      const { definition, script } = scripted();
      const { world, host, close, settle, position, keyOf } = rig(definition);
      script.push(target(1), target(0));
      close(100);
      settle();
      if (end === 'refused') world.verdictFor = () => 'refused';
      close(100);
      if (end !== 'refused') world.end(keyOf(), end, host);
      expect(world.intents).toHaveLength(2);
      world.verdictFor = () => 'accepted';
      close(90);
      settle();
      expect(position()).toBe(0);
      expect(world.intents.slice(1).map(textOf)).toEqual([
        'sell 1 reduce-only #0/0',
        'sell 1 reduce-only #0/0',
      ]);
      expect(world.intents[2]?.cause).toMatchObject({ openTime: START + 2 * MINUTE });
      expect(world.intents[2]?.referencePrice).toBe(fixedFromText('90'));
    },
  );

  it('the retry of a reduction counts after the intents of that candle', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle, keyOf } = rig(definition);
    script.push(target(1), target(0), target(0));
    close(100);
    settle();
    close(100);
    world.end(keyOf(), 'rejected', host);
    close(100);
    expect(world.intents.map(textOf).at(-1)).toBe('sell 1 reduce-only #1/0');
  });
});

describe('a position that moves without an order of its target', () => {
  it('a move away from the target holds it: a stop is not traded against', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle } = rig(definition);
    script.push(target(1), target(1), target(1), target(-1));
    close(100);
    settle();
    world.setPosition('TESTUSDT', fixed(0));
    host.onPositionChanged('TESTUSDT', 'venue');
    close(100);
    close(100);
    expect(world.intents).toHaveLength(1);
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'sell 1 #0/0']);
  });

  it('a move toward the target keeps it: a stop during a reversal opens the other side', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle, position, keyOf } = rig(definition);
    script.push(target(1), target(-1));
    close(100);
    settle();
    close(100);
    world.setPosition('TESTUSDT', fixed(0));
    host.onPositionChanged('TESTUSDT', 'venue');
    world.end(keyOf(), 'rejected', host, 'reduce only order in new position');
    close(100);
    settle();
    expect(position()).toBe(-1);
    expect(world.intents[2]?.cause).toMatchObject({ openTime: START + 2 * MINUTE });
  });

  const enter = (context: StrategyContext) => context.enter({ side: 'buy' });
  const entered = () => {
    const { definition, script } = scripted();
    const made = rig(definition);
    script.push(enter);
    made.close(100);
    made.settle();
    made.world.setPosition('TESTUSDT', fixed(0));
    return { ...made, script };
  };

  it('an enter acts again after a stop', () => {
    const { world, host, close, script } = entered();
    host.onPositionChanged('TESTUSDT', 'venue');
    script.push(enter);
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/0']);
  });

  it('a side that was reduced manually is not entered again before another target', () => {
    const { world, host, close, script } = entered();
    host.onPositionChanged('TESTUSDT', 'hand');
    script.push(enter, (context) => context.exit(), enter);
    close(100);
    expect(world.intents).toHaveLength(1);
    close(100);
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'buy 1 #0/0']);
  });

  it('after a manual reduction the other side is entered, and the same side after a resume', () => {
    const other = entered();
    other.host.onPositionChanged('TESTUSDT', 'hand');
    other.script.push((context) => context.enter({ side: 'sell' }));
    other.close(100);
    expect(other.world.intents.map(textOf).at(-1)).toBe('sell 1 #0/0');
    const resumed = entered();
    resumed.host.onPositionChanged('TESTUSDT', 'hand');
    expect(resumed.host.heldTargets).toEqual([
      { symbol: 'TESTUSDT', reason: 'the position moved away from it' },
    ]);
    resumed.host.resume('TESTUSDT');
    expect(resumed.host.heldTargets).toEqual([]);
    resumed.script.push(enter);
    resumed.close(100);
    expect(resumed.world.intents).toHaveLength(2);
  });

  it('a manual reduction holds a position without a target', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    world.setPosition('TESTUSDT', quantity('1'));
    host.onPositionChanged('TESTUSDT', 'hand');
    world.setPosition('TESTUSDT', fixed(0));
    host.onPositionChanged('TESTUSDT', 'hand');
    script.push(target(1), enter, target(-1));
    close(100);
    close(100);
    expect(world.intents).toEqual([]);
    close(100);
    expect(world.intents.map(textOf)).toEqual(['sell 1 #0/0']);
  });

  it('a move without any target places no order', () => {
    const { definition } = scripted();
    const { world, host, close } = rig(definition);
    close(100);
    world.setPosition('TESTUSDT', quantity('5'));
    host.onPositionChanged('TESTUSDT', 'venue');
    close(100);
    expect(world.intents).toEqual([]);
  });

  it('an exit closes the position', () => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    world.setPosition('TESTUSDT', quantity('-5'));
    host.onPositionChanged('TESTUSDT', 'venue');
    script.push((context) => context.exit());
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 5 reduce-only #0/0']);
  });

  it('an exit before the first price of its symbol leaves, with the entry price as reference', () => {
    const { definition, script } = scripted();
    const symbols = ['TESTUSDT', 'OTHERUSDT'];
    const { world, close } = rig(definition, { symbols });
    world.setPosition('OTHERUSDT', quantity('2'), fixedFromText('50'));
    script.push((context) => {
      context.target(0.5, 'OTHERUSDT');
      context.exit('OTHERUSDT');
    });
    close(100);
    expect(world.intents.map(textOf)).toEqual(['sell 2 reduce-only #1/0']);
    expect(world.intents[0]?.referencePrice).toBe(fixedFromText('50'));
    expect(world.notes).toEqual(['warn: mine: refused: OTHERUSDT: there is no price yet']);
  });
});

describe('an increase below the minimum', () => {
  it('an increase below the minimum waits, is logged once, and is sent when the price allows it', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle, position } = rig(definition);
    const rules = testInstrument({ minNotional: fixedFromText('100') });
    world.instrument = () => rules;
    script.push(target(1));
    for (const price of [60, 80, 90]) close(price);
    expect(world.intents).toEqual([]);
    expect(world.notes).toHaveLength(1);
    expect(host.counts.waited).toBe(1);
    close(110);
    settle();
    expect(position()).toBe(1);
    expect(world.intents[0]?.cause).toMatchObject({ openTime: START + 3 * MINUTE });
  });
});

describe('a resting order that is withdrawn and fills before its cancel', () => {
  /** A buy rests, `then` withdraws it, and it fills. */
  const filled = (then: (context: StrategyContext) => void) => {
    const { definition, script } = scripted();
    const made = rig(definition);
    script.push((context) => context.limit({ side: 'buy', price: 99, quantity: 0.5 }), then);
    made.close(100);
    const key = made.keyOf();
    made.close(100);
    const intent = made.world.intents[0];
    if (intent === undefined) throw new Error('There was an order');
    made.world.setPosition('TESTUSDT', quantity('0.5'));
    const { symbol, side, type } = intent.terms;
    const price = fixedFromText<'price'>('99');
    const time = made.world.venueTime;
    made.host.onFill({ symbol, side, type, quantity: quantity('0.5'), price, key, time });
    made.world.end(key, 'filled', made.host);
    return made;
  };

  it('is closed under a target of nothing', () => {
    const { world, settle, position } = filled(target(0));
    expect(world.intents.map(textOf)).toEqual(['buy 0.5 #0/0', 'sell 0.5 reduce-only #0/0']);
    settle();
    expect(position()).toBe(0);
    expect(world.notes.join()).not.toContain('moved away');
  });

  it('is part of the reversal that withdrew it', () => {
    const { settle, position, world } = filled(target(-1));
    settle();
    settle();
    expect(world.notes.join()).not.toContain('moved away');
    expect(position()).toBe(-1);
  });
});

describe('an order of a previous run', () => {
  it('an entry that lands late, after its target of nothing was restored, is closed', () => {
    const { definition } = scripted();
    const port = new FakeStrategyPort([testInstrument()]);
    const value = JSON.stringify({ unit: 'conviction', value: 0, desired: '0' });
    port.states.set('target:TESTUSDT', { version: 1, value });
    const { world, host, settle, position } = rig(definition, { port });
    world.price('TESTUSDT', 100);
    world.setPosition('TESTUSDT', quantity('0.4'));
    const fill = { side: 'buy', type: 'market', quantity: quantity('0.4') } as const;
    const price = fixedFromText<'price'>('100');
    host.onFill({ symbol: 'TESTUSDT', ...fill, price, key: 9, time: START });
    expect(world.intents.map(textOf)).toEqual(['sell 0.4 reduce-only #0/0']);
    settle();
    expect(position()).toBe(0);
  });

  it('the fill of a resting order of a previous run moves the position away from the target', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle } = rig(definition);
    script.push(target(0));
    close(100);
    settle();
    world.setPosition('TESTUSDT', quantity('-1'));
    host.onFill({
      symbol: 'TESTUSDT',
      side: 'sell',
      type: 'limit',
      quantity: quantity('1'),
      price: fixedFromText('100'),
      key: 9,
      time: START,
    });
    expect(world.notes.join()).toContain('because the position moved away from it');
  });

  it('a fill after the second refusal of its decision is kept', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle, position } = rig(definition);
    script.push(target(1), target(1));
    close(100);
    const [earlier] = world.intents;
    const again = rig(definition);
    again.world.verdictFor = () => 'refused';
    script.unshift(target(1));
    again.close(100);
    again.world.setPosition('TESTUSDT', quantity('1'));
    const side = 'buy';
    again.host.onFill({
      symbol: 'TESTUSDT',
      side,
      type: 'market',
      quantity: quantity('1'),
      price: fixedFromText('100'),
      key: 1,
      time: START,
    });
    if (earlier === undefined) throw new Error('There was an order');
    again.world.verdictFor = () => 'accepted';
    again.host.onOrderEnded({
      key: 1,
      intent: earlier,
      end: 'filled',
      filledQuantity: quantity('1'),
    });
    again.close(100);
    expect(again.world.intents).toHaveLength(1);
    expect(again.position()).toBe(1);
    settle();
    expect([host.state, position()]).toEqual(['running', 1]);
  });
});

describe('events that arrive during a submit', () => {
  it('events during a submit are handled after it, in their order', () => {
    const { definition, script } = scripted();
    const { world, host, close, position } = rig(definition);
    const submit = world.submit.bind(world);
    world.submit = (intent) => {
      const verdict = submit(intent);
      world.settle(host);
      return verdict;
    };
    script.push(target(1), target(-1));
    close(100);
    close(100);
    expect(position()).toBe(-1);
    expect(world.intents.map(textOf)).toEqual([
      'buy 1 #0/0',
      'sell 1 reduce-only #0/0',
      'sell 1 #0/1',
    ]);
  });
});
