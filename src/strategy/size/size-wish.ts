/** A size from code; exactly one of the first five. Percentages are of equity. */
export interface SizeWish {
  /** Base units. */
  readonly quantity?: number;
  /** USDT. */
  readonly notional?: number;
  /** Notional, as a percentage of equity. */
  readonly equityPct?: number;
  /** Loss at `stopLoss`, or at the configured stop where that is not given. */
  readonly riskPct?: number;
  /** Yearly volatility that the position brings to the equity. */
  readonly volatilityPct?: number;
  /** With `riskPct`: trigger price in USDT. */
  readonly stopLoss?: number;
  /** With `volatilityPct`: candles that it is measured over; default 100. */
  readonly lookback?: number;
}
