/** The costs of an entry and its exit that bound a size. */
export interface TradeCosts {
  /** Leverage of the position at the venue; above 0. */
  readonly leverage: number;
  /** Fraction of the traded value. */
  readonly takerFee: number;
  /** Fraction of the price of a market fill. */
  readonly slippage: number;
}

/**
 * Taker fee where none is given: 0.059 %, the rate of the venue's own examples (supplement: fees) and a
 * backtest's default.
 */
export const DEFAULT_TAKER_FEE = 0.00059;

/** Adverse price move between a decision and its fill, as a fraction: a chosen margin. */
const PRICE_BUFFER = 0.005;

/**
 * The largest notional, at the price of the decision, that an equity can pay for:
 *
 *     notional ≤ equity ÷ ((1 + slippage + 0.5 %) × (1/L + (3 + 1/L) × fee))
 *
 * 1/L is the collateral. Fees: the entry pays one; the margin reserves the exit's at the bankruptcy price,
 * which is 1/L beyond the entry for a short (supplement: fees, (N/L + closeFee) × h); a reversal has paid
 * one for its first leg. Positions in other symbols are not counted.
 */
export function affordableNotional(
  equity: number,
  { leverage, takerFee, slippage }: TradeCosts,
): number {
  const collateral = 1 / leverage;
  const cost = (1 + slippage + PRICE_BUFFER) * (collateral + (3 + collateral) * takerFee);
  return Math.max(equity, 0) / cost;
}
