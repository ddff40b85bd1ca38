import { DAY_MS } from '../../core/interval.js';
import { dailyEquity, dayOf, type EquityHistory } from './equity-curve.js';

/** Equity at the end of a UTC day. */
export interface DayEquity {
  /** ms UTC of the beginning of the day. */
  readonly day: number;
  readonly equity: number;
}

/** One row a day, the day before the first one included; a day without data keeps the equity before. */
export function filledDays(history: EquityHistory): readonly DayEquity[] {
  const [start, ...days] = dailyEquity(history);
  let day = Math.floor(history.startTime / DAY_MS);
  let before = start?.equity ?? Number.NaN;
  const filled: DayEquity[] = [{ day: (day - 1) * DAY_MS, equity: before }];
  for (const { time, equity } of days) {
    const today = Math.max(day, dayOf(time));
    for (; day < today; day += 1) filled.push({ day: day * DAY_MS, equity: before });
    filled.push({ day: day * DAY_MS, equity });
    before = equity;
    day += 1;
  }
  return filled;
}
