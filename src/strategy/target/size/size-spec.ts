/**
 * A size from code: exactly one of the first five, above 0 and at most 1e15. Percentages are of equity.
 */
export interface SizeSpec {
  /** Base units. */
  readonly quantity?: number;
  /** USDT. */
  readonly notional?: number;
  /** Notional, as a percentage of equity. */
  readonly equityPct?: number;
  /** Loss at `stopLoss`, or at the configured stop where `stopLoss` is absent: per cent of equity. */
  readonly riskPct?: number;
  /** Yearly volatility that the position brings to the equity, per cent. */
  readonly volatilityPct?: number;
  /** With `riskPct`: trigger price in USDT. */
  readonly stopLoss?: number;
  /** With `volatilityPct`: number of candles of the measurement, a whole number from 2; default 100. */
  readonly lookback?: number;
}
