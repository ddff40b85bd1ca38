/**
 * Wilder's true range, max(high, previous close) − min(low, previous close); NaN for the first candle,
 * which has no previous close and only lends its own.
 */
export class TrueRange {
  #previousClose = NaN;

  push(high: number, low: number, close: number): number {
    const previous = this.#previousClose;
    this.#previousClose = close;
    if (previous !== previous) return NaN;
    return (high > previous ? high : previous) - (low < previous ? low : previous);
  }
}
