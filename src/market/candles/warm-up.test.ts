import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTimeOf, type Interval } from '../../core/interval.js';
import { CandleAggregator } from './candle-aggregator.js';
import { planWarmUp, warmUpCandles, type WarmUpRequirement } from './warm-up.js';

const MINUTE = 60_000;
/** Monday. */
const NOON = Date.UTC(2025, 4, 5, 12, 7, 30);

test.each<{ needs: WarmUpRequirement[]; from: string; candles: number }>([
  { needs: [], from: '2025-05-05T12:07:00.000Z', candles: 0 },
  { needs: [{ interval: '1m', count: 50 }], from: '2025-05-05T11:17:00.000Z', candles: 50 },
  { needs: [{ interval: '5m', count: 2 }], from: '2025-05-05T11:55:00.000Z', candles: 12 },
  { needs: [{ interval: '1d', count: 1 }], from: '2025-05-04T00:00:00.000Z', candles: 2_167 },
  { needs: [{ interval: '1M', count: 1 }], from: '2025-04-01T00:00:00.000Z', candles: 49_687 },
  {
    needs: [
      { interval: '1m', count: 200 },
      { interval: '1h', count: 2 },
    ],
    from: '2025-05-05T08:47:00.000Z',
    candles: 200,
  },
])('the plan for $needs begins at $from', ({ needs, from, candles }) => {
  const plan = planWarmUp('1m', needs, NOON);
  expect(new Date(plan.range.fromMs).toISOString()).toBe(from);
  expect(plan.range.toMs).toBe(NOON - 30_000);
  expect(plan.candles).toBe(candles);
  expect(plan.lastOpenTime).toBe(NOON - 30_000 - MINUTE);
});

test('the fetched candles aggregate to at least the required number of each interval', () => {
  const intervals: Interval[] = ['1m', '3m', '5m', '15m', '1h', '4h'];
  const need = fc.record({ interval: fc.constantFrom(...intervals), count: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(need, { maxLength: 3 }), fc.nat(10_000_000), (needs, later) => {
      const plan = planWarmUp('1m', needs, NOON + later);
      expect(plan.candles).toBeLessThanOrEqual(warmUpCandles('1m', needs));
      for (const { interval, count } of needs) {
        const aggregator = new CandleAggregator('1m', interval);
        for (let at = plan.range.fromMs; at < plan.range.toMs; at += MINUTE) {
          aggregator.next(at, 1, 1, 1, 1, 1);
        }
        expect(aggregator.closed.length).toBeGreaterThanOrEqual(count);
      }
      expect(plan.lastOpenTime + MINUTE).toBe(openTimeOf('1m', NOON + later));
    }),
    { numRuns: 50 },
  );
});

test('the maximum counts a current bucket that is about to close', () => {
  expect(warmUpCandles('1m', [{ interval: '1h', count: 3 }])).toBe(239);
  expect(warmUpCandles('1d', [{ interval: '1M', count: 1 }])).toBe(61);
  expect(warmUpCandles('1m', [{ interval: '1m', count: 5 }])).toBe(5);
});

test('a base that does not fill the interval is refused', () => {
  expect(() => planWarmUp('4h', [{ interval: '6h', count: 1 }], NOON)).toThrow('4h');
});
