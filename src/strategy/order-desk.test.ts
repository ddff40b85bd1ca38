import { describe, expect, it } from 'vitest';
import { fixedFromText } from '../core/fixed.js';
import { createHost } from './host/host.js';
import { testInstrument } from '../backtest/test-instrument.js';
import { TestWorld } from '../../test/harness/test-world.js';
import {
  START,
  MINUTE,
  quantity,
  scripted,
  rig,
  textOf,
  target,
} from '../../test/harness/strategy-rig.js';

describe('protection', () => {
  it('is attached to what increases, on the step, and never to what reduces', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition, {
      protection: { stopLossPct: 2, takeProfitPct: 5 },
    });
    script.push(target(1), target(-1));
    close(100.01);
    settle();
    close(100);
    settle();
    const [long, reduce, short] = world.intents.map(({ terms }) => terms);
    expect(long).toMatchObject({
      stopLoss: fixedFromText('98.01'),
      takeProfit: fixedFromText('105.01'),
    });
    expect(reduce).not.toHaveProperty('stopLoss');
    expect(reduce).not.toHaveProperty('takeProfit');
    expect(short).toMatchObject({
      stopLoss: fixedFromText('102'),
      takeProfit: fixedFromText('95'),
    });
  });

  it('may be given with an entry, and sizes it by risk', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition, {
      size: { kind: 'risk-pct', percent: 1 },
      protection: { stopLossPct: 2 },
    });
    script.push((context) => context.enter({ side: 'buy', stopLoss: 96 }));
    close(100);
    // 1 % of 10,000 USDT over a distance of 4.
    expect(world.intents.map(textOf)).toEqual(['buy 25 #0/0']);
    expect(world.intents[0]?.terms.stopLoss).toBe(fixedFromText('96'));
  });

  it('on the wrong side of the entry is refused by name', () => {
    const { definition, script } = scripted();
    const { world, close } = rig(definition);
    script.push((context) => context.enter({ side: 'sell', stopLoss: 96 }));
    close(100);
    expect(world.intents).toEqual([]);
    expect(world.notes[0]).toMatch(/stopLoss 96 is not above the entry at 100/);
  });
});

describe('a marketable limit entry', () => {
  const entry = { kind: 'marketable-limit', bps: 10, ttlMs: 5_000 } as const;

  it('is last ± bps, and what is left is canceled at its time and given up', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle } = rig(definition, { entry });
    script.push(target(1));
    close(100);
    expect(world.intents[0]?.terms).toMatchObject({ type: 'limit', price: fixedFromText('100.1') });
    expect(world.working('TESTUSDT')).toHaveLength(1);
    world.price('TESTUSDT', 101);
    world.advance(START + MINUTE + 4_999, host);
    settle();
    expect(world.working('TESTUSDT')).toHaveLength(1);
    world.advance(START + MINUTE + 5_000, host);
    settle();
    expect(world.working('TESTUSDT')).toEqual([]);
    close(101);
    expect(world.intents).toHaveLength(1);
    expect(world.notes[0]).toMatch(/given up at 0, because the order was canceled/);
  });

  it('is canceled by a new target, which then starts from what was filled', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition, { entry });
    script.push(target(1), target(-1));
    close(100);
    world.price('TESTUSDT', 101);
    close(101);
    settle();
    expect(world.intents.map(textOf)).toEqual(['buy 1 #0/0', 'sell 1 #0/0']);
    expect(world.intents[1]?.terms.price).toBe(fixedFromText('100.9'));
  });

  it('reduces at market', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition, { entry });
    script.push(target(1), target(0));
    close(100);
    world.price('TESTUSDT', 100);
    settle();
    close(100);
    expect(world.intents[1]?.terms).toMatchObject({ type: 'market', reduceOnly: true });
  });

  it('left from before a restart gets its time again', () => {
    const { definition } = scripted();
    const world = new TestWorld([testInstrument()]);
    const left = [
      { key: 7, side: 'buy', type: 'limit', reduceOnly: false, remaining: quantity('1') } as const,
    ];
    const canceled: number[] = [];
    world.working = () => left;
    world.cancel = (key) => canceled.push(key);
    const host = createHost({
      id: 'mine',
      definition,
      params: {},
      symbols: ['TESTUSDT'],
      interval: '1m',
      size: { kind: 'notional', notional: 1 },
      entry,
      world,
    });
    host.start();
    world.advance(START + 4_999, host);
    expect(canceled).toEqual([]);
    world.settle = () => {};
    world.advance(START + 5_000, host);
    expect(canceled).toEqual([7]);
  });
});

describe('a resting order', () => {
  it('against the position only reduces, and never more than there is', () => {
    const { definition, script } = scripted();
    const { world, close, settle, position } = rig(definition);
    script.push(target(1), (context) => context.limit({ side: 'sell', price: 110, quantity: 3 }));
    close(100);
    settle();
    close(100);
    settle();
    expect(world.intents[1]?.terms).toMatchObject({
      type: 'limit',
      reduceOnly: true,
      quantity: quantity('1'),
      price: fixedFromText('110'),
    });
    close(111);
    settle();
    expect(position()).toBe(0);
    close(111);
    expect(world.intents).toHaveLength(2);
  });

  it('does not hold up an exit: it is canceled first', () => {
    const { definition, script } = scripted();
    const { world, close, settle, position } = rig(definition);
    script.push(
      target(1),
      (context) => context.limit({ side: 'sell', price: 110 }),
      (context) => context.exit(),
    );
    for (const price of [100, 100, 100]) {
      close(price);
      settle();
    }
    expect(position()).toBe(0);
    expect(world.working('TESTUSDT')).toEqual([]);
  });

  it('can be canceled by its key, and a foreign key is refused', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition);
    script.push(
      (context) => context.limit({ side: 'buy', price: 90 }),
      (context) => {
        for (const { key } of context.orders) context.cancel(key);
        context.cancel(999);
      },
    );
    close(100);
    settle();
    expect(world.working('TESTUSDT')).toHaveLength(1);
    close(100);
    settle();
    expect(world.working('TESTUSDT')).toEqual([]);
    expect(world.notes[0]).toMatch(/999 is not a working order/);
  });

  it.each([
    [{ side: 'buy', price: Number.NaN }, /price is NaN/],
    [{ side: 'up', price: 1 }, /side is up/],
    [{ side: 'buy', price: 1e300 }, /price is 1e\+300, not a number above 0 and up to/],
    [undefined, /says nothing/],
  ])('of %o is refused by name', (wish, message) => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    script.push((context) =>
      (context.limit as (wish: unknown, symbol: string) => void)(wish, 'TESTUSDT'),
    );
    close(100);
    expect(world.intents).toEqual([]);
    expect([...world.notes].join()).toMatch(wish === undefined ? /./ : message);
    expect(host.state).toBe('running');
  });
});
