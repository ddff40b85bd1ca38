import {
  divideHalfEvenBig,
  fixed,
  SCALE,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed.js';

/**
 * Margin, liquidation and fee arithmetic (supplement part 12). USDT values are exact, as integers of
 * 1e-16 USDT (price × quantity); amounts of the wallet's currency are integers of 1e-8 and rounded
 * half-even once. `longSign` is +1 for a long, −1 for a short.
 */

const ONE = 100_000_000n;
const ONE_2 = ONE * ONE;
const ONE_3 = ONE_2 * ONE;

export type LongSign = 1 | -1;

/** Integers of 1e-8 into the ledger. @throws AssertionError when out of its range */
export const amountFromBig = (scaled: bigint): Amount => fixed(Number(scaled));

/** USDT into the wallet's currency at `hedgeRate`, in 1e-8. */
export const moneyOf = (value: bigint, hedgeRate: Ratio): bigint =>
  hedgeRate === SCALE
    ? divideHalfEvenBig(value, ONE)
    : divideHalfEvenBig(value * BigInt(hedgeRate), ONE_2);

/** Fee on a traded USDT value: value × rate × hedge rate, in 1e-8 of the wallet's currency. */
export const feeOf = (value: bigint, feeRate: Ratio, hedgeRate: Ratio): bigint =>
  divideHalfEvenBig(value * BigInt(feeRate) * BigInt(hedgeRate), ONE_3);

/** Collateral of a USDT value: N / L, in 1e-16 USDT. The close fee is no part of it. */
export const collateralOf = (value: bigint, leverage: Ratio): bigint =>
  divideHalfEvenBig(value * ONE, BigInt(leverage));

/** Money of the wallet's currency, at `hedgeRate`: 1e-16 USDT. */
export const collateralOfMargin = (margin: Amount, hedgeRate: Ratio): bigint =>
  divideHalfEvenBig(BigInt(margin) * ONE_2, BigInt(hedgeRate));

/**
 * Initial margin, the amount that is locked: (N/L + closeFee) × h, where closeFee is the taker fee
 * at the bankruptcy price entry × (1 ∓ 1/L). In 1e-8 of the wallet's currency.
 */
export function initialMarginOf(terms: {
  readonly value: bigint;
  readonly longSign: LongSign;
  readonly leverage: Ratio;
  readonly takerFeeRate: Ratio;
  readonly hedgeRate: Ratio;
}): bigint {
  const leverage = BigInt(terms.leverage);
  const feeRate = BigInt(terms.takerFeeRate);
  // N/L + N(1 ∓ 1/L)f = N × (1 + (L ∓ 1)f) / L: one division, one rounding.
  const share = ONE_2 + (leverage - BigInt(terms.longSign) * ONE) * feeRate;
  return divideHalfEvenBig(terms.value * BigInt(terms.hedgeRate) * share, leverage * ONE_3);
}

/** What a position is worth when its collateral is gone: N − C of a long, N + C of a short. */
export const bankruptcyValueOf = (cost: bigint, collateral: bigint, longSign: LongSign): bigint =>
  cost - BigInt(longSign) * collateral;

/**
 * The maintenance rate that applies to a position: the listed one, but at most half of the share of its
 * entry value that opening took as collateral, which is 1 / (2 × leverage). Half-even to 1e-8.
 */
export function cappedMaintenanceRate(listed: Ratio, opened: bigint, cost: bigint): Ratio {
  const half = divideHalfEvenBig(opened * ONE, 2n * cost);
  return half < BigInt(listed) ? fixed(Number(half)) : listed;
}

/** USDT per base unit of a value, half-even to 1e-8. */
export const priceOf = (value: bigint, quantity: Quantity): Price =>
  fixed(Number(divideHalfEvenBig(value, BigInt(quantity))));

export interface LiquidationTerms {
  readonly cost: bigint;
  /** Margin without close fee, added margin included: 1e-16 USDT. */
  readonly collateral: bigint;
  readonly quantity: Quantity;
  readonly longSign: LongSign;
  readonly maintenanceRate: Ratio;
}

/**
 * Liquidation price as the venue tells it: (N − C) / (quantity × (1 − m)) of a long,
 * (N + C) / (quantity × (1 + m)) of a short, to the nearest multiple of `step`.
 */
export function liquidationPriceOf(terms: LiquidationTerms, step: Price): Price {
  const { value, divisor } = liquidationFraction(terms);
  return fixed(Number(divideHalfEvenBig(value, divisor * BigInt(step))) * step);
}

/**
 * The trigger on the 1e-8 grid: a long is liquidated at or below it, a short at or above it, exactly
 * as if compared with the unrounded fraction.
 */
export function liquidationTriggerOf(terms: LiquidationTerms): Price {
  const { value, divisor } = liquidationFraction(terms);
  if (value <= 0n) return fixed(0);
  const below = value / divisor;
  return fixed(Number(terms.longSign === 1 || value % divisor === 0n ? below : below + 1n));
}

function liquidationFraction(terms: LiquidationTerms): { value: bigint; divisor: bigint } {
  const { cost, collateral, quantity, longSign, maintenanceRate } = terms;
  const kept = ONE - BigInt(longSign) * BigInt(maintenanceRate);
  return {
    value: bankruptcyValueOf(cost, collateral, longSign) * ONE,
    divisor: BigInt(quantity) * kept,
  };
}

/** (quantity × mark × m + closeFee) × h, in 1e-8 of the wallet's currency. */
export function maintenanceMarginOf(terms: {
  readonly quantity: Quantity;
  readonly mark: Price;
  readonly maintenanceRate: Ratio;
  readonly bankruptcyValue: bigint;
  readonly takerFeeRate: Ratio;
  readonly hedgeRate: Ratio;
}): bigint {
  const value = BigInt(terms.quantity) * BigInt(terms.mark);
  const maintenance = value * BigInt(terms.maintenanceRate);
  const closeFee = terms.bankruptcyValue * BigInt(terms.takerFeeRate);
  return divideHalfEvenBig((maintenance + closeFee) * BigInt(terms.hedgeRate), ONE_3);
}
