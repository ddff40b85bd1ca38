import { assert } from '../core/assert.js';
import { closeTimeOf, openTimeOf, type Interval } from '../core/interval.js';
import type { CandleRange } from '../venue/venue.js';
import { canAggregate } from './candle-aggregator.js';

/**
 * So many closed candles of an interval must have been seen before the first decision. 0 asks only
 * for the bucket now open, so that the first one to close is whole.
 */
export interface WarmUpNeed {
  readonly interval: Interval;
  readonly count: number;
}

export interface WarmUpPlan {
  /** Base candles to fetch. Empty (`fromMs` = `toMs`) when nothing is needed. */
  readonly range: Omit<CandleRange, 'symbol'>;
  /** How many base candles the range holds when none is missing. */
  readonly candles: number;
  /**
   * Open time of its last candle. The venue may serve that one only seconds later: the live feed
   * goes on after the last candle that really came, and repairs the rest.
   */
  readonly lastOpenTime: number;
}

/**
 * The base candles from which every need can be aggregated: from the start of the oldest bucket
 * wanted (so that this bucket is whole) to the newest base candle that has closed.
 *
 * @param nowMs  venue time, ms UTC
 * @throws AssertionError when the base does not fill an interval
 */
export function planWarmUp(
  base: Interval,
  needs: readonly WarmUpNeed[],
  nowMs: number,
): WarmUpPlan {
  const toMs = openTimeOf(base, nowMs);
  let fromMs = toMs;
  for (const { interval, count } of needs) {
    assert(canAggregate(base, interval), `${base} candles fill ${interval} candles exactly`);
    assert(Number.isSafeInteger(count) && count >= 0, 'A warm-up is a count of candles');
    fromMs = Math.min(fromMs, bucketsBack(interval, toMs, count));
  }
  return {
    range: { interval: base, fromMs, toMs },
    candles: candlesBetween(base, fromMs, toMs),
    lastOpenTime: openTimeOf(base, toMs - 1),
  };
}

/** How many base candles warm up all needs, at worst: the last bucket may be all but closed. */
export function warmUpCandles(base: Interval, needs: readonly WarmUpNeed[]): number {
  let most = 0;
  for (const { interval, count } of needs) {
    assert(canAggregate(base, interval), `${base} candles fill ${interval} candles exactly`);
    most = Math.max(most, (count + 1) * longestBucket(base, interval) - 1);
  }
  return most;
}

/** Open time of the bucket `count` before the one that holds `timeMs`; bucket by bucket: months. */
function bucketsBack(interval: Interval, timeMs: number, count: number): number {
  let openTime = openTimeOf(interval, timeMs);
  for (let step = 0; step < count; step++) openTime = openTimeOf(interval, openTime - 1);
  return openTime;
}

/** January has 31 days, as many as any month. */
const longestBucket = (base: Interval, interval: Interval): number =>
  candlesBetween(base, 0, closeTimeOf(interval, 0));

function candlesBetween(base: Interval, fromMs: number, toMs: number): number {
  const length = closeTimeOf(base, fromMs) - fromMs;
  if (base !== '1M') return Math.round((toMs - fromMs) / length);
  let months = 0;
  for (let at = fromMs; at < toMs; at = closeTimeOf(base, at)) months++;
  return months;
}
