import { describe, expect, test } from 'vitest';
import {
  createFundingSchedule,
  FUNDING_INTERVAL_MS,
  MAX_FUNDING_RATE,
} from './funding-schedule.js';
import { fixedFromText, negate, textFromFixed } from '../../core/fixed/fixed.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const DAY = Date.UTC(2025, 4, 5);
const settlements = Array.from({ length: 3_000 }, (_, index) => DAY + index * FUNDING_INTERVAL_MS);

describe('funding', () => {
  test('settlements are at 00:00, 08:00 and 16:00 UTC', () => {
    const { nextSettlementMs } = createFundingSchedule(1);
    const hours = [0, 1, 7.99, 8, 15, 16, 23].map(
      (hour) => (nextSettlementMs(DAY + hour * 3_600_000) - DAY) / 3_600_000,
    );
    expect(hours).toEqual([8, 8, 8, 16, 16, 24, 24]);
  });

  test('the rate depends only on seed, symbol and time', () => {
    const rates = (seed: number, symbol: string) =>
      settlements.map((ms) => createFundingSchedule(seed).rate(symbol, ms));
    expect(rates(1, 'BTCUSDT')).toEqual(rates(1, 'BTCUSDT'));
    expect(rates(1, 'BTCUSDT')).not.toEqual(rates(2, 'BTCUSDT'));
    expect(rates(1, 'BTCUSDT')).not.toEqual(rates(1, 'ETHUSDT'));
  });

  test('the rate is small, of either sign, within the bounds, and has six places', () => {
    const { rate } = createFundingSchedule(1);
    const rates = settlements.map((ms) => rate('BTCUSDT', ms));
    expect(Math.max(...rates.map(scaledOf))).toBeLessThan(scaledOf(MAX_FUNDING_RATE) / 10);
    expect(Math.min(...rates.map(scaledOf))).toBeGreaterThan(
      scaledOf(negate(MAX_FUNDING_RATE)) / 10,
    );
    expect(rates.some((one) => one < 0)).toBe(true);
    const mean = rates.reduce((sum, one) => sum + scaledOf(one), 0) / rates.length;
    expect(mean).toBeGreaterThan(5_000);
    expect(mean).toBeLessThan(15_000);
    expect(rates.every((one) => /^-?0(\.\d{1,6})?$/.test(textFromFixed(one)))).toBe(true);
  });

  test('a rate that is set holds for one settlement of one symbol', () => {
    const schedule = createFundingSchedule(1);
    const usual = schedule.rate('BTCUSDT', DAY + FUNDING_INTERVAL_MS);
    schedule.setRate('BTCUSDT', DAY, fixedFromText('-0.004'));
    expect(textFromFixed(schedule.rate('BTCUSDT', DAY))).toBe('-0.004');
    expect(schedule.rate('BTCUSDT', DAY + FUNDING_INTERVAL_MS)).toBe(usual);
    expect(schedule.rate('ETHUSDT', DAY)).toBe(createFundingSchedule(1).rate('ETHUSDT', DAY));
  });
});
