import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './trend-pullback.js';

const params = { trend: 2, length: 3, dip: 30, over: 60 };
/** Two hours, each minute a step on. */
const hours = (step: number): readonly number[] =>
  Array.from({ length: 120 }, (_, minute) => 1_000 + minute * step);
const run = (closes: readonly number[]) =>
  simulate({ strategy, candles: candlesFromCloses(closes), params });

describe('trend-pullback', () => {
  it('buys a dip above the hourly average and sells when it has recovered', () => {
    const { positions } = run([...hours(1), 1_115, 1_108, 1_109, 1_120, 1_121]);
    expect(positions.slice(120)).toEqual([0, 0, 1, 1, 0]);
  });

  it('sells a rally below the hourly average', () => {
    const { positions } = run([...hours(-1), 885, 892, 891, 880, 879]);
    expect(positions.slice(120)).toEqual([0, 0, -1, -1, 0]);
  });

  it('leaves when the price crosses the hourly average', () => {
    const { positions, explanations } = run([...hours(1), 1_115, 1_108, 1_000, 999, 998]);
    expect(explanations).toContain('trend turned');
    expect(positions.slice(120, 124)).toEqual([0, 0, 1, 0]);
  });

  it('does nothing before two hours have closed, however deep the dip', () => {
    expect(run([...hours(1).slice(0, 100), 900, 800, 700]).orders).toEqual([]);
  });
});
