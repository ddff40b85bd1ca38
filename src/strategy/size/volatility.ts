import { nominalMs, type Interval } from '../../core/interval.js';
import type { CandleColumns } from '../../market/candle-columns.js';
import { SeenCandles } from '../host/candle-history.js';

const YEAR_MS = 365 * 86_400_000;

/**
 * Yearly volatility of a series, as a fraction: the root mean square of its simple returns, times the
 * root of the periods in a year of 365 days. Only + − × ÷ and square roots, so that it is the same
 * everywhere. undefined while there are fewer than `lookback` returns.
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

/** The closes that each symbol has had, read where the candles lie. */
export class SeenPrices {
  readonly #interval: Interval;
  readonly #seen = new Map<string, SeenCandles>();

  constructor(interval: Interval) {
    this.#interval = interval;
  }

  see(symbol: string, columns: CandleColumns, index: number): void {
    let seen = this.#seen.get(symbol);
    if (seen === undefined) this.#seen.set(symbol, (seen = new SeenCandles(this.#interval)));
    seen.show(columns, index);
  }

  volatility(symbol: string, lookback: number): number | undefined {
    const closes = this.#seen.get(symbol)?.closes(lookback + 1) ?? [];
    return yearlyVolatility(closes, this.#interval, lookback);
  }
}
