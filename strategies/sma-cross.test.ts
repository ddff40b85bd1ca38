import { candlesFromCloses, simulate, type Simulation } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import smaCross from './sma-cross.js';

const run = (closes: readonly number[], params: object = { fast: 2, slow: 3 }, history = 0) =>
  simulate({ strategy: smaCross, candles: candlesFromCloses(closes), params, history });

/** The candle at whose close each order was decided; the second one of a reversal follows its fill. */
const ordersOf = ({ orders }: Simulation) =>
  orders.map(({ index, side, reduceOnly }) => `#${index} ${side}${reduceOnly ? ', reduces' : ''}`);

describe('sma-cross', () => {
  it('goes long when the fast average rises above the slow one, at the candle where it happens', () => {
    // Means of 2 and 3: at index 3 (9.5 − 9.67) < 0, at index 4 (11 − 10.33) > 0.
    const simulation = run([10, 10, 10, 9, 13, 13]);
    expect(ordersOf(simulation)).toEqual(['#3 sell', '#4 buy, reduces', '#5 buy']);
    expect(simulation.positions).toEqual([0, 0, 0, 0, -1, 1]);
  });

  it('takes the first difference as no signal', () => {
    // The first difference, at index 2, is already above 0, and stays there.
    expect(run([10, 11, 12, 13, 14]).orders).toEqual([]);
  });

  it('takes a difference of exactly 0 as the side from which either way is a cross', () => {
    expect(ordersOf(run([10, 10, 10, 12]))).toEqual(['#3 buy']);
  });

  it('does not trade again when the difference touches 0 and comes back', () => {
    // Six times the differences from index 2 on: 0, 3, 0, 1.
    expect(ordersOf(run([10, 10, 10, 13, 7, 20]))).toEqual(['#3 buy']);
  });

  it('warms up on history without ordering, and needs no more than its warm-up', () => {
    expect(ordersOf(run([10, 10, 10, 12], undefined, 3))).toEqual(['#3 buy']);
  });

  it('is always on one side after its first signal', () => {
    const closes = Array.from({ length: 300 }, (_, i) => 100 + ((i * 37) % 23) - ((i * 11) % 17));
    const { orders, positions, state } = run(closes, { fast: 3, slow: 9 });
    const first = orders[0]?.index ?? Number.POSITIVE_INFINITY;
    expect(orders.length).toBeGreaterThan(20);
    expect(positions.slice(first + 1).every((position) => Math.abs(position) === 1)).toBe(true);
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
