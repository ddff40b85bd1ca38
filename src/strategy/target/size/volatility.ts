import { nominalMs, type Interval } from '../../../core/interval.js';
import type { CandleColumns } from '../../../market/candles/candle-columns.js';
import { ClosedCandleHistory } from '../../host/closed-candle-history.js';

const YEAR_MS = 365 * 86_400_000;

/**
 * Yearly volatility of a series, as a fraction: the root mean square of its simple returns, times the
 * root of the periods in a year of 365 days. Only + − × ÷ and square roots, so that the result
 * is the same on every machine. undefined while there are fewer than `lookback` returns.
 */
export function yearlyVolatility(
  closes: readonly number[],
  interval: Interval,
  lookback: number,
): number | undefined {
  if (closes.length < lookback + 1) return undefined;
  let sum = 0;
  for (let at = closes.length - lookback; at < closes.length; at++) {
    const change = (closes[at] as number) / (closes[at - 1] as number) - 1;
    sum += change * change;
  }
  return Math.sqrt(sum / lookback) * Math.sqrt(YEAR_MS / nominalMs(interval));
}

/** Measures volatility from the closes of each symbol, without copying its candles. */
export class VolatilityTracker {
  readonly #interval: Interval;
  readonly #histories = new Map<string, ClosedCandleHistory>();

  constructor(interval: Interval) {
    this.#interval = interval;
  }

  onCandle(symbol: string, columns: CandleColumns, index: number): void {
    let history = this.#histories.get(symbol);
    if (history === undefined)
      this.#histories.set(symbol, (history = new ClosedCandleHistory(this.#interval)));
    history.advanceTo(columns, index);
  }

  volatility(symbol: string, lookback: number): number | undefined {
    const closes = this.#histories.get(symbol)?.closes(lookback + 1) ?? [];
    return yearlyVolatility(closes, this.#interval, lookback);
  }
}
