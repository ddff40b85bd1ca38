import { AssertionError } from '../core/assert.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import type { RunFill } from './effects/run-fills.js';

/** Open time of the candle whose prices the exchange has, by symbol: −∞ before the first. */
export type BarOf = (symbol: string) => number;

/**
 * Proves of a fill that its candle is that of the clock: a fill at the price of another time is the worst error of a
 * backtest, and nothing else shows it.
 * @throws AssertionError
 */
export function assertFillOfClock(
  { order: { symbol }, execution: { time } }: Pick<RunFill, 'order' | 'execution'>,
  base: Interval,
  barOf: BarOf,
): void {
  const bar = barOf(symbol);
  if (bar <= time && time <= closeTimeOf(base, bar)) return;
  const text = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : 'none');
  throw new AssertionError(
    `A fill has the candle of its time: ${symbol} filled at ${text(time)} at the price of the ${base} candle of ${text(bar)}`,
  );
}
