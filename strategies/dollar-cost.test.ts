import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './dollar-cost.js';

const WHOLE = 1;

const run = (closes: readonly number[], params: object, more: object = {}) =>
  simulate({ strategy, candles: candlesFromCloses(closes), params, ...more });

describe('dollar-cost', () => {
  it('buys for the same amount at its times, more when it is cheap', () => {
    const { fills } = run([100, 100, 50, 50, 50, 50], { amount: 100, everyMinutes: 2, cap: 1_000 });
    expect(fills.map(({ index, quantity }) => [index, quantity])).toEqual([
      [1, 1],
      [3, 2],
      [5, 2],
    ]);
  });

  it('never spends more than the cap', () => {
    const { fills } = run(Array<number>(30).fill(100), { amount: 100, everyMinutes: 1, cap: 250 });
    expect(fills.map(({ quantity }) => quantity)).toEqual([1, 1, 0.5]);
  });

  it('buys with the next part what was too little by itself', () => {
    const { fills, explanations } = run(
      Array<number>(5).fill(100),
      { amount: 40, everyMinutes: 1, cap: 1_000 },
      { instruments: { TESTUSDT: { minQuantity: WHOLE, quantityStep: WHOLE } } },
    );
    expect(explanations[0]).toBe('part 1: 40.00 USDT are too few, they wait');
    expect(fills.map(({ quantity }) => quantity)).toEqual([1]);
  });

  it('says that an amount above the cap cannot be', () => {
    expect(() => run([100], { amount: 5, cap: 4 })).toThrow(/amount: amount must not be above cap/);
  });
});
