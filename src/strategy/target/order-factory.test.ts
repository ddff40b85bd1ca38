import { describe, expect, it } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { createHost } from '../host/host.js';
import { testInstrument } from '../../testing/instrument.js';
import { FakeStrategyPort } from '../../../test/support/fakes/fake-strategy-port.js';
import {
  START,
  MINUTE,
  quantity,
  scripted,
  rig,
  textOf,
  target,
} from '../../../test/support/rigs/strategy-rig.js';

describe('protection', () => {
  it('protection is attached to increases, on the step, and never to reductions', () => {
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

  it('a stop given with an entry sizes it by risk', () => {
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

  it('a stop on the wrong side of the entry is refused by name', () => {
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

  it('a marketable limit is last ± bps, and its rest is canceled at expiry', () => {
    const { definition, script } = scripted();
    const { world, host, close, settle } = rig(definition, { entry });
    script.push(target(1));
    close(100);
    expect(world.intents[0]?.terms).toMatchObject({ type: 'limit', price: fixedFromText('100.1') });
    expect(world.workingOrders('TESTUSDT')).toHaveLength(1);
    world.price('TESTUSDT', 101);
    world.advance(START + MINUTE + 4_999, host);
    settle();
    expect(world.workingOrders('TESTUSDT')).toHaveLength(1);
    world.advance(START + MINUTE + 5_000, host);
    settle();
    expect(world.workingOrders('TESTUSDT')).toEqual([]);
    close(101);
    expect(world.intents).toHaveLength(1);
    expect(world.notes[0]).toMatch(/given up at 0, because the order was canceled/);
  });

  it('a new target cancels the entry, and starts from the filled quantity', () => {
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

  it('a reduction is a market order', () => {
    const { definition, script } = scripted();
    const { world, close, settle } = rig(definition, { entry });
    script.push(target(1), target(0));
    close(100);
    world.price('TESTUSDT', 100);
    settle();
    close(100);
    expect(world.intents[1]?.terms).toMatchObject({ type: 'market', reduceOnly: true });
  });

  it.each([
    { known: 'its decision, where it is known', decidedAt: START - 3_000, expires: START + 2_000 },
    { known: 'the start, where it is not', decidedAt: undefined, expires: START + 5_000 },
  ])('the lifetime of an entry of a previous run counts from $known', ({ decidedAt, expires }) => {
    const { definition } = scripted();
    const port = new FakeStrategyPort([testInstrument()]);
    const left = [
      { key: 7, side: 'buy', type: 'limit', reduceOnly: false, remaining: quantity('1') } as const,
    ];
    const canceled: number[] = [];
    port.workingOrders = () => left;
    port.decidedAt = (): number | undefined => decidedAt;
    port.cancel = (key) => canceled.push(key);
    const host = createHost({
      id: 'mine',
      definition,
      params: {},
      symbols: ['TESTUSDT'],
      interval: '1m',
      size: { kind: 'notional', notional: 1 },
      entry,
      port,
    });
    host.start();
    port.advance(expires - 1, host);
    expect(canceled).toEqual([]);
    port.settle = () => {};
    port.advance(expires, host);
    expect(canceled).toEqual([7]);
  });
});

describe('a resting order', () => {
  it('a resting order against the position only reduces, by at most the position', () => {
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

  it('an exit cancels a resting order first', () => {
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
    expect(world.workingOrders('TESTUSDT')).toEqual([]);
  });

  it('a resting order is canceled by its key, and an unknown key is refused', () => {
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
    expect(world.workingOrders('TESTUSDT')).toHaveLength(1);
    close(100);
    settle();
    expect(world.workingOrders('TESTUSDT')).toEqual([]);
    expect(world.notes[0]).toMatch(/999 is not a working order/);
  });

  it.each([
    [{ side: 'buy', price: Number.NaN }, /price is NaN/],
    [{ side: 'up', price: 1 }, /side is up/],
    [{ side: 'buy', price: 1e300 }, /price is 1e\+300, not a number above 0 and up to/],
    [undefined, /says nothing/],
  ])('a resting order of %o is refused by name', (request, message) => {
    const { definition, script } = scripted();
    const { world, host, close } = rig(definition);
    script.push((context) =>
      (context.limit as (request: unknown, symbol: string) => void)(request, 'TESTUSDT'),
    );
    close(100);
    expect(world.intents).toEqual([]);
    expect([...world.notes].join()).toMatch(request === undefined ? /./ : message);
    expect(host.state).toBe('running');
  });
});
