import type { DayEquity } from './filled-days.js';
import { finite } from './moments.js';

/** The UTC day of the lowest return. */
export interface WorstDay {
  /** Such as 2025-03-10. */
  readonly date: string;
  readonly return_pct: number;
  readonly net: number;
}

/** Returns over windows of a number of days, one window a day. */
export interface RollingReturns {
  readonly days: number;
  readonly windows: number;
  /** Windows with a return above 0, per cent of all. */
  readonly positive_pct: number | null;
  readonly worst_pct: number | null;
  readonly median_pct: number | null;
  readonly best_pct: number | null;
}

/** A calendar year, or the part of it that the run has. */
export interface YearReturn {
  readonly year: string;
  readonly return_pct: number | null;
  readonly net: number;
  /** Of the equity at the ends of days, from the end of the year before. */
  readonly max_drawdown_pct: number | null;
}

/** undefined: there is no day, or the equity was not above 0. */
export function worstDay(days: readonly DayEquity[]): WorstDay | undefined {
  let worst: WorstDay | undefined;
  for (const [index, { day, equity }] of days.entries()) {
    const before = days[index - 1]?.equity ?? Number.NaN;
    if (!(before > 0)) continue;
    const return_pct = (equity / before - 1) * 100;
    if (worst === undefined || return_pct < worst.return_pct)
      worst = { date: dateOf(day), return_pct, net: equity - before };
  }
  return worst;
}

export function rollingReturns(days: readonly DayEquity[], length: number): RollingReturns {
  const returns = days
    .slice(length)
    .map(({ equity }, index) => (equity / (days[index]?.equity ?? Number.NaN) - 1) * 100)
    .filter(Number.isFinite)
    .sort((one, other) => one - other);
  return {
    days: length,
    windows: returns.length,
    positive_pct: finite((returns.filter((each) => each > 0).length / returns.length) * 100),
    worst_pct: returns[0] ?? null,
    median_pct: quantile(returns, 0.5),
    best_pct: returns.at(-1) ?? null,
  };
}

export function yearReturns(days: readonly DayEquity[]): readonly YearReturn[] {
  const years: YearReturn[] = [];
  for (let first = 1; first < days.length;) {
    const year = yearOf(days[first]?.day);
    let end = first;
    while (end < days.length && yearOf(days[end]?.day) === year) end += 1;
    const equities = days.slice(first - 1, end).map(({ equity }) => equity);
    const [start, last] = [equities[0] as number, equities.at(-1) as number];
    years.push({
      year,
      return_pct: finite((last / start - 1) * 100),
      net: last - start,
      max_drawdown_pct: finite(deepestFall(equities) * 100),
    });
    first = end;
  }
  return years;
}

/** Deepest fall from a running peak, as a share of the peak. */
export function deepestFall(equities: readonly number[]): number {
  let [peak, deepest] = [-Infinity, 0];
  for (const equity of equities) {
    if (equity > peak) peak = equity;
    deepest = Math.max(deepest, (peak - equity) / peak);
  }
  return deepest;
}

/**
 * A quantile of ascending values: linear between the two nearest, as R's type 7; null without values.
 * @param share from 0 to 1
 */
export function quantile(ascending: readonly number[], share: number): number | null {
  const at = share * (ascending.length - 1);
  const [low, high] = [ascending[Math.floor(at)], ascending[Math.ceil(at)]];
  return low === undefined || high === undefined
    ? null
    : low + (high - low) * (at - Math.floor(at));
}

const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10);
const yearOf = (day: number | undefined): string => dateOf(day ?? 0).slice(0, 4);
