import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './volatility-target.js';

/** Closes that go up and down by a part of 100. */
const waves = (count: number, part: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 100 * (1 + (index % 2) * part));

const run = (closes: readonly number[], params: object = {}) =>
  simulate({
    strategy,
    candles: candlesFromCloses(closes, '1h'),
    candleInterval: '1h',
    params: { lookback: 10, ...params },
    cash: 10_000,
  });

describe('volatility-target', () => {
  it('holds less the wilder the market is', () => {
    const calm = run(waves(30, 0.005)).positions.at(-1) ?? 0;
    const wild = run(waves(30, 0.02)).positions.at(-1) ?? 0;
    expect(calm).toBeGreaterThan(0);
    expect(wild).toBeGreaterThan(0);
    expect(calm / wild).toBeCloseTo(4, 0);
  });

  it('holds what brings the wanted volatility', () => {
    // Returns of 1 % an hour are √8760 % = 93.6 % a year, so that 30 % want 32 % of the equity.
    const held = run(waves(12, 0.01)).positions.at(-1) ?? 0;
    expect((held * 100) / 10_000).toBeCloseTo(0.32, 1);
  });

  it('never holds more than the equity', () => {
    const { positions } = run(waves(30, 0.00001));
    expect((positions.at(-1) ?? 0) * 100).toBeLessThanOrEqual(10_001);
  });

  it('leaves a difference within the band alone', () => {
    const closes = [...waves(12, 0.01), ...waves(12, 0.011)];
    expect(run(closes).orders).toHaveLength(1);
    expect(run(closes, { band: 0 }).orders.length).toBeGreaterThan(3);
  });

  it('does nothing before it has measured', () => {
    expect(run(waves(10, 0.01)).orders).toEqual([]);
  });
});
