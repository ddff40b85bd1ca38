import { assert } from '../../core/assert.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import type { CandleRange } from '../../venue/venue.js';
import { canAggregate } from './candle-aggregator.js';

/**
 * The number of closed candles of an interval before the first decision. With 0, only the current
 * bucket must be whole.
 */
export interface WarmUpRequirement {
  readonly interval: Interval;
  readonly count: number;
}

export interface WarmUpPlan {
  /** Base candles to fetch. Empty (`fromMs` = `toMs`) if none are needed. */
  readonly range: Omit<CandleRange, 'symbol'>;
  /** Number of base candles in the range if none is missing. */
  readonly candles: number;
  /**
   * Open time of its last candle. The venue may serve that candle a few seconds late: the live feed
   * continues after the last candle received and repairs the rest.
   */
  readonly lastOpenTime: number;
}

/**
 * The base candles from which all requirements can be aggregated: from the start of the oldest required
 * bucket, so that it is whole, to the newest closed base candle.
 *
 * @param nowMs venue time, ms UTC
 * @throws AssertionError when the base does not fill an interval
 */
export function planWarmUp(
  base: Interval,
  requirements: readonly WarmUpRequirement[],
  nowMs: number,
): WarmUpPlan {
  const toMs = openTimeOf(base, nowMs);
  let fromMs = toMs;
  for (const { interval, count } of requirements) {
    assert(canAggregate(base, interval), `${base} candles fill ${interval} candles exactly`);
    assert(Number.isSafeInteger(count) && count >= 0, 'A warm-up is a count of candles');
    fromMs = Math.min(fromMs, openTimeBefore(interval, toMs, count));
  }
  return {
    range: { interval: base, fromMs, toMs },
    candles: candlesBetween(base, fromMs, toMs),
    lastOpenTime: openTimeOf(base, toMs - 1),
  };
}

/** Maximum of base candles for all requirements: the current bucket may be about to close. */
export function warmUpCandles(base: Interval, requirements: readonly WarmUpRequirement[]): number {
  let maximum = 0;
  for (const { interval, count } of requirements) {
    assert(canAggregate(base, interval), `${base} candles fill ${interval} candles exactly`);
    maximum = Math.max(maximum, (count + 1) * maxCandlesPerBucket(base, interval) - 1);
  }
  return maximum;
}

/** Open time of the bucket `count` before that of `timeMs`. Bucket by bucket, because months vary in length. */
function openTimeBefore(interval: Interval, timeMs: number, count: number): number {
  let openTime = openTimeOf(interval, timeMs);
  for (let step = 0; step < count; step++) openTime = openTimeOf(interval, openTime - 1);
  return openTime;
}

/** The bucket at 0 is January 1970: no month is longer. */
const maxCandlesPerBucket = (base: Interval, interval: Interval): number =>
  candlesBetween(base, 0, closeTimeOf(interval, 0));

function candlesBetween(base: Interval, fromMs: number, toMs: number): number {
  const length = closeTimeOf(base, fromMs) - fromMs;
  if (base !== '1M') return Math.round((toMs - fromMs) / length);
  let months = 0;
  for (let at = fromMs; at < toMs; at = closeTimeOf(base, at)) months++;
  return months;
}
