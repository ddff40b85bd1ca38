import { candlesFrom, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './grid.js';

const params = { stepPct: 1, levels: 4, equityPct: 80, stopSteps: 2 };
const run = (closes: readonly number[]) =>
  simulate({
    strategy,
    candles: candlesFrom(closes.map((close) => ({ close }))),
    params,
    cash: 10_000,
  });

describe('grid', () => {
  it('rests a buy at each level below the anchor', () => {
    const { orders } = run([100]);
    expect(orders.map(({ side, type, price }) => `${side} ${type} ${price}`)).toEqual([
      'buy limit 99',
      'buy limit 98',
      'buy limit 97',
      'buy limit 96',
    ]);
    // 80 % of 10,000 in four lots at 100.
    expect(orders.every(({ quantity }) => quantity === 20)).toBe(true);
  });

  it('sells what a level bought one step higher, and buys there again', () => {
    const { fills, equity } = run([100, 100, 98.5, 98.5, 100.5, 100.5, 98.5, 98.5]);
    expect(fills.map(({ side, price }) => `${side} ${price}`)).toEqual([
      'buy 99',
      'sell 100',
      'buy 99',
    ]);
    expect(equity[5]).toBeCloseTo(10_020, 6);
  });

  it('holds a lot for each level that the price has fallen through', () => {
    const { positions } = run([100, 100, 100, 100, 96.5, 96.5, 96.5]);
    expect(positions.at(-1)).toBe(60);
  });

  it('sells all below the stop, and begins anew there', () => {
    const { positions, explanations } = run([100, 100, 100, 100, 95.5, 93, 93, 93, 93]);
    expect(positions).toContain(80);
    expect(positions.at(-1)).toBe(0);
    expect(explanations[1]).toBe('93 is 2 steps below the grid: sells all');
    expect(explanations[2]).toMatch(/^anchored at 93, 4 lots of/);
  });

  it('follows the price up while it holds nothing', () => {
    const { explanations, orders } = run([100, 103]);
    expect(explanations.at(-1)).toMatch(/^anchored at 103/);
    expect(orders.slice(-4).map(({ price }) => price)).toEqual([101.97, 100.94, 99.91, 98.88]);
  });
});
