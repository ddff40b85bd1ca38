/**
 * A size from code: exactly one of the first five, above 0 and at most 1e15. Percentages are of equity.
 */
export interface SizeWish {
  /** Base units. */
  readonly quantity?: number;
  /** USDT. */
  readonly notional?: number;
  /** Notional, as a percentage of equity. */
  readonly equityPct?: number;
  /** The loss at `stopLoss`, or at the configured stop where `stopLoss` is absent: per cent of equity. */
  readonly riskPct?: number;
  /** Yearly volatility that the position brings to the equity, per cent. */
  readonly volatilityPct?: number;
  /** With `riskPct`: trigger price in USDT. */
  readonly stopLoss?: number;
  /** With `volatilityPct`: candles that it is measured over, a whole number from 2; default 100. */
  readonly lookback?: number;
}
