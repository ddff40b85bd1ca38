import { describe, expect, it } from 'vitest';
import smaCross from '../../../strategies/sma-cross.js';
import streamMomentum from '../../../strategies/stream-momentum.js';
import { quantity, rig, textOf } from '../../../test/support/rigs/strategy-rig.js';

const held = quantity('1');

describe('a shipped strategy that starts with a position of an earlier run', () => {
  it.each([
    { history: [110, 110, 100], closes: [99], orders: ['sell 1 reduce-only #0/0'] },
    { history: [100, 100, 110], closes: [111], orders: [] },
    { history: [100, 100, 110], closes: [111, 80], orders: ['sell 1 reduce-only #0/0'] },
  ])('sma-cross acts on a cross of $history and $closes', ({ history, closes, orders }) => {
    const { world, close } = rig(smaCross, { held, params: { fast: 2, slow: 3 }, history });
    for (const price of closes) close(price);
    expect(world.intents.map(textOf)).toEqual(orders);
  });

  it('stream-momentum leaves when the change turns round, below its threshold in the warm-up', () => {
    const options = { params: { lookback: 2, enterPct: 5 } };
    const before = rig(streamMomentum, { ...options, history: [100, 100] });
    before.close(110);
    before.settle();
    const port = before.world;
    expect(before.position()).toBe(1);
    port.setPosition('TESTUSDT', quantity('0'));
    const { world, close } = rig(streamMomentum, {
      ...options,
      port,
      held,
      history: [110, 110, 111],
    });
    close(112);
    expect(world.intents).toHaveLength(1);
    close(108);
    expect(world.intents.map(textOf).at(-1)).toBe('sell 1 reduce-only #0/0');
  });
});
