import { nominalMs, type Interval } from '../../core/interval.js';
import type { WarmUpNeed } from '../../market/warm-up.js';
import type { WarmUp } from '../definition.js';

/** What a strategy says of its warm-up, as needs. @throws RangeError for what is no count of candles */
export function needsOf(own: Interval, warmup: number | WarmUp | undefined): readonly WarmUpNeed[] {
  const given = typeof warmup === 'object' ? warmup : { [own]: warmup ?? 0 };
  const counts = new Map<Interval, number>([[own, 0]]);
  for (const [interval, count] of Object.entries(given) as [Interval, number][]) {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new RangeError(`warmup is ${String(count)} for ${interval}, not a count of candles`);
    counts.set(interval, count);
  }
  return [...counts].map(([interval, count]) => ({ interval, count }));
}

/** The most that any asks for of each interval; every interval of `all` among them. */
export function mergedNeeds(
  all: readonly Interval[],
  needs: readonly WarmUpNeed[],
): readonly WarmUpNeed[] {
  const most = new Map<Interval, number>(all.map((interval) => [interval, 0]));
  for (const { interval, count } of needs)
    most.set(interval, Math.max(count, most.get(interval) ?? 0));
  return [...most].map(([interval, count]) => ({ interval, count }));
}

/** Longest first; the own one is not among them. */
export const otherIntervals = (
  own: Interval,
  intervals: readonly Interval[],
): readonly Interval[] =>
  [...new Set(intervals)]
    .filter((interval) => interval !== own)
    .sort((a, b) => nominalMs(b) - nominalMs(a));
