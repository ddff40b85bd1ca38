import { closeTimeOf } from '../core/interval.js';
import type { Dataset } from './dataset.js';
import type { Rows } from './columns.js';

/** Consecutive rows. `toMs` is exclusive: the close of the last candle, or 1 ms after the last settlement. */
export interface CoveredRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rows: number;
}

/** Rows that are missing between two ranges. ms UTC, `toMs` exclusive. */
export interface DataGap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly missing: number;
}

/** Half-open range of times, ms UTC. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The usual settlement interval, where a row does not name its own. */
const FUNDING_INTERVAL_MS = 8 * 3_600_000;

/** The ranges of consecutive rows, ascending. */
export function rangesOf(dataset: Dataset, [times, , intervals]: Rows): readonly CoveredRange[] {
  const ranges: CoveredRange[] = [];
  let first = 0;
  for (let index = 1; index <= times.length; index += 1) {
    const last = times[index - 1] as number;
    const isEnd = index === times.length;
    if (!isEnd && follows(dataset, last, times[index] as number, intervals?.[index])) continue;
    const fromMs = times[first] as number;
    ranges.push({ fromMs, toMs: endOf(dataset, last), rows: index - first });
    first = index;
  }
  return ranges;
}

/** The gaps between the ranges. */
export const gapsOf = (dataset: Dataset, ranges: readonly CoveredRange[]): readonly DataGap[] =>
  ranges.slice(1).map(({ fromMs: toMs }, index) => {
    const fromMs = ranges[index]?.toMs ?? toMs;
    return { fromMs, toMs, missing: missingIn(dataset, fromMs, toMs) };
  });

/** Adjacent and overlapping ranges as one, ascending. */
export function unionOf(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const union: TimeRange[] = [];
  for (const range of [...ranges].sort((one, other) => one.fromMs - other.fromMs)) {
    const last = union.at(-1);
    if (last === undefined || range.fromMs > last.toMs) union.push(range);
    else if (range.toMs > last.toMs) union[union.length - 1] = { ...last, toMs: range.toMs };
  }
  return union;
}

/** The parts of a range that no range of the union covers. @param covered ascending, apart from another */
export function uncoveredIn(
  { fromMs, toMs }: TimeRange,
  covered: readonly TimeRange[],
): readonly TimeRange[] {
  const parts: TimeRange[] = [];
  let from = fromMs;
  for (const range of covered) {
    if (range.toMs <= from) continue;
    if (range.fromMs >= toMs) break;
    if (range.fromMs > from) parts.push({ fromMs: from, toMs: range.fromMs });
    from = range.toMs;
  }
  if (from < toMs) parts.push({ fromMs: from, toMs });
  return parts;
}

/** Number of candles or settlements that belong into a range. */
export function missingIn(dataset: Dataset, fromMs: number, toMs: number): number {
  if (dataset.kind === 'funding')
    return Math.max(1, Math.ceil((toMs - fromMs) / FUNDING_INTERVAL_MS) - 1);
  let count = 0;
  if (dataset.interval !== '1M')
    return Math.ceil((toMs - fromMs) / (closeTimeOf(dataset.interval, 0) - 0));
  for (let open = fromMs; open < toMs; open = closeTimeOf('1M', open)) count += 1;
  return count;
}

/** The settlement of funding has no length: 1 ms stands for it. */
export const endOf = (dataset: Dataset, time: number): number =>
  dataset.kind === 'funding' ? time + 1 : closeTimeOf(dataset.interval, time);

function follows(dataset: Dataset, last: number, next: number, intervalMs: number | undefined) {
  if (dataset.kind !== 'funding') return next <= closeTimeOf(dataset.interval, last);
  const known = intervalMs === undefined || intervalMs === 0 ? FUNDING_INTERVAL_MS : intervalMs;
  return next - last <= known;
}
