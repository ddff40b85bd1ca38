import { describe, expect, test } from 'vitest';
import { ProfitBand } from './profit-band.js';

const RESULTS = Float64Array.from({ length: 101 }, (_, index) => (index - 50) / 1_000);

describe('the band of the profit', () => {
  test('of one trade is the 5 and 95 % of the results, times its value', () => {
    const band = new ProfitBand(RESULTS);
    band.add(2_000, 0);
    const { low, high } = band.bounds;
    // Exact quantiles: −0.045 and 0.045; 1,000 draws come within a step or two of the results.
    expect(low).toBeGreaterThanOrEqual(-94);
    expect(low).toBeLessThanOrEqual(-86);
    expect(high).toBeGreaterThanOrEqual(86);
    expect(high).toBeLessThanOrEqual(94);
  });

  test('of 100 trades grows with the root of their number', () => {
    const band = new ProfitBand(RESULTS);
    for (let trade = 0; trade < 100; trade += 1) band.add(1_000, 0);
    // The deviation of one result is 29.15 per 1,000: 1.645 × 291.5 for 100 of them.
    expect(band.bounds.high).toBeGreaterThan(430);
    expect(band.bounds.high).toBeLessThan(530);
    expect(band.bounds.low).toBeLessThan(-430);
    expect(band.bounds.low).toBeGreaterThan(-530);
  });

  test('counts the trades in a row after which the profit lay outside', () => {
    const band = new ProfitBand(RESULTS);
    for (let trade = 1; trade <= 20; trade += 1) {
      band.add(1_000, -49);
      expect(band.state.outside).toBe(trade);
    }
    band.add(1_000, 20 * 49);
    expect(band.state.outside).toBe(0);
  });

  test('goes on from its state as if it had never ended', () => {
    const whole = new ProfitBand(RESULTS);
    const first = new ProfitBand(RESULTS);
    for (const band of [whole, first]) band.add(700, 12);
    const second = new ProfitBand(RESULTS, structuredClone(first.state));
    for (const band of [whole, second]) band.add(900, -80);
    expect(second.state).toEqual(whole.state);
    expect(second.bounds).toEqual(whole.bounds);
  });

  test('refuses a backtest without a trade', () => {
    expect(() => new ProfitBand(new Float64Array(0))).toThrow(RangeError);
  });
});
