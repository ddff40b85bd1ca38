import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import { STANDARD_LISTINGS } from './listings.js';
import { mergeCandles } from './market.js';
import { createSyntheticMarket } from './synthetic-market.js';

const START = Date.UTC(2025, 4, 5);
const DAY_MINUTES = 1_440;

/** Minute by minute: another test proves that each is the fold of its seconds. */
function walked(seed: number, kind: 'last' | 'mark', from: number, to: number) {
  const market = createSyntheticMarket(seed, STANDARD_LISTINGS);
  let candle: Candle | undefined;
  for (let minute = from; minute < to; minute += 1) {
    const openMs = START + minute * MINUTE_MS;
    candle = mergeCandles(candle, market.rangeCandle(kind, 'BTCUSDT', openMs, openMs + MINUTE_MS));
  }
  return candle;
}

test('the extremes of any range are those of its minutes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000 }),
      fc.constantFrom('last' as const, 'mark' as const),
      fc.integer({ min: -50_000, max: 50_000 }),
      fc.integer({ min: 1, max: 3 * DAY_MINUTES }),
      (seed, kind, from, length) => {
        const market = createSyntheticMarket(seed, STANDARD_LISTINGS);
        const [fromMs, toMs] = [from, from + length].map((at) => START + at * MINUTE_MS);
        const candle = market.rangeCandle(kind, 'BTCUSDT', fromMs ?? 0, toMs ?? 0);
        expect(candle).toEqual(walked(seed, kind, from, from + length));
      },
    ),
    { numRuns: 40 },
  );
});
