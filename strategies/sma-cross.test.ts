import { candlesFromCloses, simulate } from 'sluice/strategy';
import { describe, expect, it } from 'vitest';
import smaCross from './sma-cross.js';

const run = (closes: readonly number[], params: object = { fast: 2, slow: 3 }) =>
  simulate({ strategy: smaCross, candles: candlesFromCloses(closes), params });

describe('sma-cross', () => {
  it('goes long when the fast average rises above the slow one, at the candle where it happens', () => {
    // Means of 2 and 3: at index 3 (9.5 − 9.67) < 0, at index 4 (11 − 10.33) > 0.
    const { orders } = run([10, 10, 10, 9, 13]);
    expect(orders).toEqual([
      { index: 3, side: 'sell', reduceOnly: false, quantity: 1 },
      { index: 4, side: 'buy', reduceOnly: true, quantity: 1 },
      { index: 4, side: 'buy', reduceOnly: false, quantity: 1 },
    ]);
  });

  it('takes the first difference as no signal', () => {
    // The first difference, at index 2, is already above 0, and stays there.
    expect(run([10, 11, 12, 13, 14]).orders).toEqual([]);
  });

  it('takes a difference of exactly 0 as the side from which either way is a cross', () => {
    const { orders } = run([10, 10, 10, 12]);
    expect(orders).toEqual([{ index: 3, side: 'buy', reduceOnly: false, quantity: 1 }]);
  });

  it('does not trade again when the difference touches 0 and comes back', () => {
    // Six times the differences from index 2 on: 0, 3, 0, 1.
    const { orders } = run([10, 10, 10, 13, 7, 20]);
    expect(orders).toEqual([{ index: 3, side: 'buy', reduceOnly: false, quantity: 1 }]);
  });

  it('warms up on history without ordering, and needs no more than its warm-up', () => {
    const candles = candlesFromCloses([10, 10, 10, 12]);
    const { orders } = simulate({
      strategy: smaCross,
      candles,
      params: { fast: 2, slow: 3 },
      history: 3,
    });
    expect(orders.map(({ index, side }) => ({ index, side }))).toEqual([{ index: 3, side: 'buy' }]);
  });

  it('is always on one side after its first signal', () => {
    const closes = Array.from({ length: 300 }, (_, i) => 100 + ((i * 37) % 23) - ((i * 11) % 17));
    const { orders, positions, state } = run(closes, { fast: 3, slow: 9 });
    const first = orders[0]?.index ?? Number.POSITIVE_INFINITY;
    expect(orders.length).toBeGreaterThan(20);
    expect(positions.slice(first).every((position) => Math.abs(position) === 1)).toBe(true);
    expect(state).toBe('running');
  });

  it('says clearly that fast must be less than slow', () => {
    expect(() => run([1, 2], { fast: 50, slow: 10 })).toThrow(/fast: fast must be less than slow/);
  });

  it.each([
    ['fast', { fast: 1 }],
    ['slow', { slow: 2.5 }],
    ['quick', { quick: 3 }],
  ])('refuses a wrong %s by its name', (field, params) => {
    expect(() => run([1, 2], params)).toThrow(new RegExp(`${field}: `));
  });
});
