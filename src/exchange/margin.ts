import {
  averagePrice,
  divideHalfEvenBig,
  divideProduct,
  fixedFromScaled,
  fixedFromUnits,
  isCoarse,
  multiplyExact,
  ONE,
  ONE_IN_UNITS,
  SCALE,
  smaller,
  UNITS_PER_SCALED,
  unitsOf,
  ZERO,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed.js';

/**
 * Margin, liquidation and fee arithmetic (supplement part 12). USDT values are exact, as integers of
 * 1e-36 USDT (price × quantity); amounts of the wallet's currency are integers of 1e-8 and rounded
 * half-even once. `longSign` is +1 for a long, −1 for a short.
 */

const UNIT = ONE_IN_UNITS;
const UNIT_2 = UNIT * UNIT;
/** 1e-8 of a currency, in 1e-36. */
const BOOKED = 10n ** 28n;

export type LongSign = 1 | -1;

/** Integers of 1e-8 into the ledger. */
export const amountFromBig = (scaled: bigint): Amount => fixedFromScaled(scaled);

/** An amount as an integer of 1e-8. */
export const bigFromAmount = (amount: Amount): bigint => unitsOf(amount) / UNITS_PER_SCALED;

/** USDT into the wallet's currency at `hedgeRate`, in 1e-8. */
export const moneyOf = (value: bigint, hedgeRate: Ratio): bigint =>
  hedgeRate === ONE
    ? divideHalfEvenBig(value, BOOKED)
    : divideHalfEvenBig(value * unitsOf(hedgeRate), BOOKED * UNIT);

/** Fee on a traded USDT value: value × rate × hedge rate, in 1e-8 of the wallet's currency. */
export const feeOf = (value: bigint, feeRate: Ratio, hedgeRate: Ratio): bigint =>
  hedgeRate === ONE
    ? divideHalfEvenBig(value * unitsOf(feeRate), BOOKED * UNIT)
    : divideHalfEvenBig(value * unitsOf(feeRate) * unitsOf(hedgeRate), BOOKED * UNIT_2);

/** Collateral of a USDT value: N / L, in 1e-36 USDT (`divideProduct`). The close fee is no part of it. */
export const collateralOf = (value: bigint, leverage: Ratio): bigint =>
  divideProduct(value, UNIT, unitsOf(leverage));

/** Money of the wallet's currency, at `hedgeRate`: 1e-36 USDT. */
export const collateralOfMargin = (margin: Amount, hedgeRate: Ratio): bigint =>
  divideProduct(unitsOf(margin) * UNIT, UNIT, unitsOf(hedgeRate));

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
  const leverage = unitsOf(terms.leverage);
  const feeRate = unitsOf(terms.takerFeeRate);
  // N/L + N(1 ∓ 1/L)f = N × (1 + (L ∓ 1)f) / L: one division, one rounding.
  const share = UNIT_2 + (leverage - BigInt(terms.longSign) * UNIT) * feeRate;
  const scale = leverage * BOOKED * UNIT;
  return terms.hedgeRate === ONE
    ? divideHalfEvenBig(terms.value * share, scale)
    : divideHalfEvenBig(terms.value * unitsOf(terms.hedgeRate) * share, scale * UNIT);
}

/** What a position is worth when its collateral is gone: N − C of a long, N + C of a short. */
export const bankruptcyValueOf = (cost: bigint, collateral: bigint, longSign: LongSign): bigint =>
  longSign === 1 ? cost - collateral : cost + collateral;

/**
 * The maintenance rate that applies to a position: the listed one, but at most half of the share of its
 * entry value that opening took as collateral, which is 1 / (2 × leverage). Half-even to 1e-8.
 */
export function cappedMaintenanceRate(listed: Ratio, opened: bigint, cost: bigint): Ratio {
  const half = fixedFromScaled<'ratio'>(divideHalfEvenBig(opened * BigInt(SCALE), 2n * cost));
  return smaller(half, listed);
}

/** USDT per base unit of a value, half-even (`averagePrice`). */
export const priceOf = (value: bigint, quantity: Quantity): Price => averagePrice(value, quantity);

export interface LiquidationTerms {
  readonly cost: bigint;
  /** Margin without close fee, added margin included: 1e-36 USDT. */
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
  const stepUnits = unitsOf(step);
  return fixedFromUnits(divideHalfEvenBig(value, divisor * stepUnits) * stepUnits);
}

/**
 * The trigger, on the finest grid that prices of its size are on: a long is liquidated at or below it,
 * a short at or above it, exactly as if compared with the unrounded fraction.
 */
export function liquidationTriggerOf(terms: LiquidationTerms, step: Price): Price {
  const { value, divisor } = liquidationFraction(terms);
  if (value <= 0n) return ZERO as Price;
  const up = terms.longSign === -1;
  const coarse = fixedFromScaled<'price'>(quotient(value, divisor * UNITS_PER_SCALED, up));
  if (isCoarse(coarse) && typeof step === 'number') return coarse;
  return fixedFromUnits(quotient(value, divisor, up));
}

const quotient = (value: bigint, divisor: bigint, up: boolean): bigint =>
  value / divisor + (up && value % divisor !== 0n ? 1n : 0n);

/** In 1e-18 USDT per base unit. */
function liquidationFraction(terms: LiquidationTerms): { value: bigint; divisor: bigint } {
  const { cost, collateral, quantity, longSign, maintenanceRate } = terms;
  const kept = UNIT - BigInt(longSign) * unitsOf(maintenanceRate);
  return {
    value: bankruptcyValueOf(cost, collateral, longSign) * UNIT,
    divisor: unitsOf(quantity) * kept,
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
  const value = multiplyExact(terms.quantity, terms.mark);
  const maintenance = value * unitsOf(terms.maintenanceRate);
  const closeFee = terms.bankruptcyValue * unitsOf(terms.takerFeeRate);
  return divideHalfEvenBig((maintenance + closeFee) * unitsOf(terms.hedgeRate), BOOKED * UNIT_2);
}
