import { DAY_MS } from '../../core/interval.js';
import type { DailyEquity, EquityCurve } from './equity-curve.js';

/** A fall of equity from a peak until the peak is reached again, or until the end. */
export interface Drawdown {
  /** ms UTC of the peak. */
  readonly from: number;
  /** ms UTC of the first row at the peak or above, or of the last row. */
  readonly to: number;
  /** Share of the peak, above 0. */
  readonly depth: number;
}

/** Deepest fall from a running peak, as a share of that peak. The start equity is the first peak. */
export function maxDrawdown(startEquity: number, { equity, length }: EquityCurve): number {
  let peak = startEquity;
  let deepest = 0;
  for (let index = 0; index < length; index++) {
    const value = equity[index] as number;
    if (value > peak) peak = value;
    const fall = (peak - value) / peak;
    if (fall > deepest) deepest = fall;
  }
  return deepest;
}

/** The drawdowns of the equity at the ends of days, oldest first. */
export function drawdownsOf(days: readonly DailyEquity[]): readonly Drawdown[] {
  const drawdowns: Drawdown[] = [];
  let peak = days[0];
  let depth = 0;
  for (const day of days) {
    if (peak === undefined || day.equity >= peak.equity) {
      if (peak !== undefined && depth > 0) drawdowns.push({ from: peak.time, to: day.time, depth });
      [peak, depth] = [day, 0];
    } else {
      depth = Math.max(depth, (peak.equity - day.equity) / peak.equity);
    }
  }
  const last = days.at(-1);
  if (peak !== undefined && last !== undefined && depth > 0)
    drawdowns.push({ from: peak.time, to: last.time, depth });
  return drawdowns;
}

/** Length in days. */
export const daysOf = ({ from, to }: Drawdown): number => (to - from) / DAY_MS;
