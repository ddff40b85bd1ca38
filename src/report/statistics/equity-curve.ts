import { DAY_MS } from '../../core/interval.js';

/** Times of rows, ms UTC, ascending. A Float64Array is one. */
export interface RowTimes {
  readonly length: number;
  /** @param index from 0; undefined beyond the last */
  at(index: number): number | undefined;
  /** Those from `from` to before `to`. */
  subarray(from: number, to: number): RowTimes;
}

/** Equity at the close of each candle; only the first `length` rows count. */
export interface EquityCurve {
  readonly times: RowTimes;
  /** Wallet plus unrealised PnL, in the run's currency. */
  readonly equity: Float64Array;
  readonly length: number;
}

/** The lowest and the highest equity at the times of a curve. */
export interface EquityBand {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** A curve with the account before its first row. */
export interface EquityHistory {
  readonly startEquity: number;
  /** ms UTC: open time of the first candle. */
  readonly startTime: number;
  readonly curve: EquityCurve;
}

/** One equity a UTC day: the last row of the day. */
export interface DailyEquity {
  /** ms UTC of the row. */
  readonly time: number;
  readonly equity: number;
}

/** Perpetual futures trade every day. */
export const DAYS_PER_YEAR = 365;

/** The number of the UTC day that a close belongs to. A close at midnight belongs to the ending day. */
export const dayOf = (timeMs: number): number => Math.ceil(timeMs / DAY_MS) - 1;

/** The last row of each UTC day that has one, after the start. */
export function dailyEquity({
  curve,
  startTime,
  startEquity,
}: EquityHistory): readonly DailyEquity[] {
  const { times, equity, length } = curve;
  const days: DailyEquity[] = [{ time: startTime, equity: startEquity }];
  for (let next = 0; next < length;) {
    const last = lastOfDay(times, next, length);
    days.push({ time: times.at(last) as number, equity: equity[last] as number });
    next = last + 1;
  }
  return days;
}

/** The last row of the UTC day of row `from`, below `length`. Days are short: the search begins there. */
export function lastOfDay(times: RowTimes, from: number, length: number): number {
  const dayEnd = (dayOf(times.at(from) as number) + 1) * DAY_MS;
  let [low, high, step] = [from, from + 1, 1];
  for (; high < length && (times.at(high) as number) <= dayEnd; high += step) {
    low = high;
    step *= 2;
  }
  high = Math.min(high, length);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if ((times.at(middle) as number) <= dayEnd) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Returns of consecutive UTC days: equity at the end of the day / that of the previous day − 1, the first
 * against the start equity. A day without data returns 0. Incomplete days at both ends count as days.
 * Empty if equity was 0 or less at the end of a day, because later returns would have no base.
 */
export function dailyReturns(history: EquityHistory): readonly number[] {
  const [start, ...days] = dailyEquity(history);
  const returns: number[] = [];
  let before = start?.equity ?? NaN;
  let day = Math.floor(history.startTime / DAY_MS);
  for (const { time, equity } of days) {
    const today = Math.max(day, dayOf(time));
    for (; day < today; day++) returns.push(0);
    if (before <= 0) return [];
    returns.push(equity / before - 1);
    before = equity;
    day = today + 1;
  }
  return returns;
}
