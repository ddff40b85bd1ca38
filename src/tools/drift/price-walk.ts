import { unitsOf, ZERO, add, type Quantity } from '../../core/fixed/fixed.js';
import { divideHalfEvenBig } from '../../core/fixed/fixed.js';
import { sideSign, type Side } from '../../core/order.js';
import type { DriftFill } from './decision-fills.js';

/** The fills of one decision on one side of the comparison. */
export interface FilledSum {
  readonly ordered: Quantity;
  readonly filled: Quantity;
  /** Quantity × price, and quantity × price of the market: USDT in units of `PRODUCT_PLACES`. */
  readonly value: bigint;
  readonly marketValue: bigint;
}

export function sumOf(fills: readonly DriftFill[], ordered: Quantity): FilledSum {
  let filled = ZERO as Quantity;
  let [value, marketValue] = [0n, 0n];
  for (const fill of fills) {
    filled = add(filled, fill.quantity);
    value += fill.value;
    marketValue += fill.marketValue;
  }
  return { ordered, filled, value, marketValue };
}

/** Profit of the session minus that of the backtest, by cause: USDT in units of `PRODUCT_PLACES`. */
export interface PriceParts {
  /** The market moved between the fill of the backtest and that of the session. */
  readonly latency: bigint;
  /** Distance of the fills from the market: spread, slippage and price steps. */
  readonly spread: bigint;
  /** The session filled less than it had ordered. */
  readonly partialFill: bigint;
  /** The session ordered another quantity than the backtest, or nothing. */
  readonly quantity: bigint;
}

/** Profit of fills at the price of the end, in units of `PRODUCT_PLACES`: linear in each fill. */
export const profitOf = (side: Side, { filled, value }: FilledSum, endPrice: bigint): bigint =>
  BigInt(sideSign(side)) * (unitsOf(filled) * endPrice - value);

/**
 * Walks from the fills of the backtest to those of the session, one cause at a time. The parts sum to the
 * difference of the two profits, to the last digit.
 *
 * @param endPrice price of the end, in units of 1e-18 USDT
 */
export function walkPrices(
  side: Side,
  live: FilledSum,
  backtest: FilledSum,
  endPrice: bigint,
): PriceParts {
  const sign = BigInt(sideSign(side));
  const difference = profitOf(side, live, endPrice) - profitOf(side, backtest, endPrice);
  const [traded, tested] = [unitsOf(live.filled), unitsOf(backtest.filled)];
  let [latency, spread] = [0n, 0n];
  if (traded > 0n && tested > 0n) {
    // The backtest's prices on the quantity of the session.
    const value = divideHalfEvenBig(backtest.value * traded, tested);
    const marketValue = divideHalfEvenBig(backtest.marketValue * traded, tested);
    latency = sign * (marketValue - live.marketValue);
    spread = sign * (value - marketValue - (live.value - live.marketValue));
  }
  const byQuantity = difference - latency - spread;
  const unfilled = traded - unitsOf(live.ordered) - (tested - unitsOf(backtest.ordered));
  const partialFill =
    traded === tested ? 0n : divideHalfEvenBig(byQuantity * unfilled, traded - tested);
  return { latency, spread, partialFill, quantity: byQuantity - partialFill };
}
