import { expect, test } from 'vitest';
import { afterReading, isSettledRate, loadPending } from './pending-funding.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const S = 1_746_432_000_000;

test.each([
  ['inside', 9 * MINUTE_MS, true],
  ['at', 10 * MINUTE_MS, true],
  ['outside', 10 * MINUTE_MS + 1, false],
])('a rate that was read just %s ten minutes before its settlement counts or not', (_, age, ok) => {
  const pending = { settlementMs: S, rate: 0.0001, readMs: S - age, intervalMs: 0 };
  expect(isSettledRate(pending)).toBe(ok);
});

test('a later rate of one settlement replaces the earlier one and keeps its interval', () => {
  const before = { settlementMs: S, rate: 0.0001, readMs: S - HOUR_MS, intervalMs: 8 * HOUR_MS };
  const reading = { settlementMs: S, rate: -0.0002, readMs: S - MINUTE_MS };
  expect(afterReading(before, reading)).toEqual({ ...reading, intervalMs: 8 * HOUR_MS });
});

test('the interval is known after a reading that follows on the settlement, and unknown after an outage', () => {
  const before = { settlementMs: S, rate: 0.0001, readMs: S - MINUTE_MS, intervalMs: 0 };
  const next = { settlementMs: S + 4 * HOUR_MS, rate: 0.0003, readMs: S + 5_000 };
  expect(afterReading(before, next).intervalMs).toBe(4 * HOUR_MS);
  const late = { settlementMs: S + 8 * HOUR_MS, rate: 0.0003, readMs: S + 5 * HOUR_MS };
  expect(afterReading(before, late).intervalMs).toBe(0);
  expect(afterReading(undefined, next).intervalMs).toBe(0);
});

test.each(['', '{', '{"schema":2,"pending":{}}', '{"schema":1,"pending":{"X":{"rate":1}}}'])(
  'a damaged file of rates is not taken for an empty one: %s',
  async (text) => {
    const read = () => Promise.resolve(new TextEncoder().encode(text));
    expect(await loadPending({ read }, 'funding.json')).toBeUndefined();
  },
);
