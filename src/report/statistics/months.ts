import { DAY_MS } from '../../core/interval.js';
import { dayOf, type DailyEquity } from './equity-curve.js';
import { finite } from './moments.js';

export interface MonthReturn {
  /** Such as 2025-01. */
  readonly month: string;
  /** Change of equity from the end of the month before, or from the start. */
  readonly return_pct: number | null;
  /** The same in the run's currency. */
  readonly net: number;
}

/** Returns by calendar month in UTC. A month without a row is left out. */
export function monthsOf(days: readonly DailyEquity[]): readonly MonthReturn[] {
  const ends = new Map<string, number>();
  for (const { time, equity } of days.slice(1)) ends.set(monthOf(time), equity);
  let before = days[0]?.equity ?? NaN;
  return [...ends].map(([month, equity]) => {
    const change = { month, return_pct: finite((equity / before - 1) * 100), net: equity - before };
    before = equity;
    return change;
  });
}

const monthOf = (time: number): string => new Date(dayOf(time) * DAY_MS).toISOString().slice(0, 7);
