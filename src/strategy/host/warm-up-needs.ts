import { nominalMs, type Interval } from '../../core/interval.js';
import type { WarmUpRequirement } from '../../market/candles/warm-up.js';
import type { WarmUp } from '../contract/hooks.js';

/** A strategy's `warmup` as needs by interval. @throws RangeError for a value that is no candle count */
export function needsOf(
  own: Interval,
  warmup: number | WarmUp | undefined,
): readonly WarmUpRequirement[] {
  const given = typeof warmup === 'object' ? warmup : { [own]: warmup ?? 0 };
  const counts = new Map<Interval, number>([[own, 0]]);
  for (const [interval, count] of Object.entries(given) as [Interval, number][]) {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new RangeError(`warmup is ${String(count)} for ${interval}, not a count of candles`);
    counts.set(interval, count);
  }
  return [...counts].map(([interval, count]) => ({ interval, count }));
}

/** Largest need of each interval; every interval of `all` is included. */
export function mergedNeeds(
  all: readonly Interval[],
  needs: readonly WarmUpRequirement[],
): readonly WarmUpRequirement[] {
  const most = new Map<Interval, number>(all.map((interval) => [interval, 0]));
  for (const { interval, count } of needs)
    most.set(interval, Math.max(count, most.get(interval) ?? 0));
  return [...most].map(([interval, count]) => ({ interval, count }));
}

/** Longest first, without the own interval. */
export const otherIntervals = (
  own: Interval,
  intervals: readonly Interval[],
): readonly Interval[] =>
  [...new Set(intervals)]
    .filter((interval) => interval !== own)
    .sort((a, b) => nominalMs(b) - nominalMs(a));
