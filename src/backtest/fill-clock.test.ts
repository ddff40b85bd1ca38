import { describe, expect, it } from 'vitest';
import type { RunFill } from './effects/run-fills.js';
import { assertFillOfClock } from './fill-clock.js';

const HOUR = 3_600_000;
const fillAt = (time: number) =>
  ({ order: { symbol: 'BTCUSDT' }, execution: { time } }) as unknown as RunFill;

describe('the candle of a fill', () => {
  it.each([
    [0, 0],
    [HOUR - 1, 0],
    [HOUR, 0],
    [5 * HOUR, 5 * HOUR],
  ])('a fill at %s of the candle at %s passes', (time, bar) => {
    expect(() => {
      assertFillOfClock(fillAt(time), '1h', () => bar);
    }).not.toThrow();
  });

  it.each([
    [HOUR + 1, 0],
    [0, HOUR],
    [0, 3 * 8_760 * HOUR],
    [0, -Infinity],
  ])('a fill at %s of the candle at %s ends the run', (time, bar) => {
    expect(() => {
      assertFillOfClock(fillAt(time), '1h', () => bar);
    }).toThrow(/BTCUSDT filled at 1970-01-01T0\d:00:00.* at the price of the 1h candle of/);
  });
});
