import { describe, expect, it } from 'vitest';
import { testInstrument } from '../../../testing/instrument.js';
import { fixed, fixedFromText, numberFromFixed } from '../../../core/fixed/fixed.js';
import { FakeStrategyPort } from '../../../../test/support/fakes/fake-strategy-port.js';
import { rig, scripted, target, textOf } from '../../../../test/support/rigs/strategy-rig.js';
import type { PositionHeadroom, PositionHeadroomQuery } from '../../contract/strategy-port.js';
import type { Size } from './sizing.js';

const TEN_PCT: Size = { kind: 'equity-pct', percent: 10 };

/** 10,000 USDT at a price of 100: ten per cent is 10 units. The limits leave `units`. */
const limited = (units: number, size: Size = TEN_PCT, rules = {}) => {
  const { definition, script } = scripted();
  const port = new FakeStrategyPort([testInstrument({ symbol: 'TESTUSDT', ...rules })]);
  const limits = { units };
  const asked: PositionHeadroomQuery[] = [];
  Object.assign(port, {
    headroom: (query: PositionHeadroomQuery): PositionHeadroom => {
      asked.push(query);
      return { units: limits.units, limit: 'max_order_notional_usdt 500 USDT' };
    },
  });
  return { ...rig(definition, { size, port }), script, limits, asked };
};

describe('a size above the limits', () => {
  it('a size is capped to the headroom, and the order names the limit', () => {
    const { world, close, script } = limited(4.9504);
    script.push(target(1));
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 4.95 #0/0']);
    expect(world.intents[0]?.sizing).toBe(
      'size 10 TESTUSDT is capped to 4.95 by risk.max_order_notional_usdt 500 USDT',
    );
    expect(world.notes).toContainEqual(expect.stringContaining('is capped to 4.95'));
  });

  it('a size within the headroom is not capped', () => {
    const { world, close, script } = limited(10);
    script.push(target(1));
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 10 #0/0']);
    expect(world.intents[0]).not.toHaveProperty('sizing');
  });

  it('a cap is logged once, however often it applies', () => {
    const { world, close, settle, script } = limited(5);
    script.push(target(1), target(0), target(1));
    for (const price of [100, 100, 100]) {
      close(price);
      settle();
    }
    expect(world.intents.map(textOf)).toEqual([
      'buy 5 #0/0',
      'sell 5 reduce-only #0/0',
      'buy 5 #0/0',
    ]);
    expect(world.notes.filter((note) => note.includes('capped'))).toHaveLength(1);
  });

  it.each([
    [{ ...TEN_PCT, onLimit: 'refuse' }, '10'],
    [{ kind: 'notional', notional: 1_000 }, '10'],
    [{ kind: 'notional', notional: 1_000, onLimit: 'cap' }, '5'],
    [{ kind: 'quantity', quantity: fixedFromText<'quantity'>('10') }, '10'],
  ] satisfies [Size, string][])('is cut only where its policy says so: %o', (size, quantity) => {
    const { world, close, script } = limited(5, size);
    script.push(target(1));
    close(100);
    expect(world.intents.map(textOf)).toEqual([`buy ${quantity} #0/0`]);
  });

  it('a cap never reduces a position', () => {
    const { world, close, settle, script, limits, position } = limited(8);
    script.push(target(1), target(0.9));
    close(100);
    settle();
    limits.units = 3;
    close(100);
    settle();
    expect(world.intents.map(textOf)).toEqual(['buy 8 #0/0']);
    expect(position()).toBe(8);
  });

  it('a size below the minimum sends no order, is logged once, and acts when there is headroom', () => {
    const { world, close, script, limits } = limited(0.05, TEN_PCT, {
      minNotional: fixedFromText('24'),
    });
    script.push(target(1), target(1), target(1));
    close(100);
    close(100);
    expect(world.intents).toEqual([]);
    const said = world.notes.filter((note) => note.includes("below the venue's minimum order"));
    expect(said).toHaveLength(1);
    limits.units = 5;
    close(100);
    expect(world.intents.map(textOf)).toEqual(['buy 5 #0/0']);
  });

  it('a reversal without headroom still closes the old position', () => {
    const { world, close, settle, script, limits, position } = limited(5);
    script.push(target(1), target(-1));
    close(100);
    settle();
    limits.units = 0;
    close(100);
    settle();
    expect(world.intents.map(textOf)).toEqual(['buy 5 #0/0', 'sell 5 reduce-only #0/0']);
    expect(position()).toBe(0);
  });

  it('the headroom of a resting order is on top of the position', () => {
    const { close, settle, script, asked, world } = limited(5);
    script.push(target(1), (context) => {
      context.limit({ side: 'buy', price: 90 });
    });
    close(100);
    settle();
    close(100);
    expect(asked.map(({ held, price }) => [numberFromFixed(held), numberFromFixed(price)])).toEqual(
      [
        [0, 100],
        [0, 90],
      ],
    );
    expect(world.intents.at(-1)?.terms.quantity).toBe(fixed(5 * 1e8));
  });
});
