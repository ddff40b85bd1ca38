/** The costs of an entry and its exit, as far as a size must know them. */
export interface TradeCosts {
  /** Of the position at the venue; above 0. */
  readonly leverage: number;
  /** Of the traded value, a fraction. */
  readonly takerFee: number;
  /** Of the price of a market fill, a fraction. */
  readonly slippage: number;
}

/**
 * Taker fee where none is given: 0.059 %, the rate that the interface's examples charge (supplement
 * part 12) and a backtest's default.
 */
export const DEFAULT_TAKER_FEE = 0.00059;

/** How far the price may go against us between a decision and its fill: our choice (D-141). */
const PRICE_ROOM = 0.005;

/**
 * The largest notional, at the price of the decision, that an equity can pay for:
 *
 *     notional ≤ equity ÷ ((1 + slippage + 0.5 %) × (1/L + (3 + 1/L) × fee))
 *
 * 1/L is the collateral. Fees: the entry pays one, the margin reserves one of the exit at the bankruptcy
 * price, which lies 1/L beyond the entry for a short (supplement part 12: (N/L + closeFee) × h), and a
 * reversal has paid one for the leg before. Positions in other symbols are not counted.
 */
export function affordableNotional(
  equity: number,
  { leverage, takerFee, slippage }: TradeCosts,
): number {
  const collateral = 1 / leverage;
  const cost = (1 + slippage + PRICE_ROOM) * (collateral + (3 + collateral) * takerFee);
  return Math.max(equity, 0) / cost;
}
