import {
  divideHalfEvenBig,
  fitsEightPlaces,
  fixedFromScaled,
  fixedFromUnits,
  multiplyExact,
  numberFromFixed,
  ONE,
  ONE_IN_UNITS,
  ProductSum,
  SCALE,
  smaller,
  UNITS_PER_SCALED,
  unitsOf,
  ZERO,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { ValueShare } from './value-share.js';

/**
 * Margin, liquidation and fee arithmetic (supplement: part 12). USDT values are exact integers of
 * 1e-36 USDT (price × quantity). Amounts of the wallet's currency are integers of 1e-8, rounded
 * half-even once. `longSign` is +1 for a long, −1 for a short.
 */

const UNIT = ONE_IN_UNITS;
const UNIT_2 = UNIT * UNIT;
/** 1e-8 of a currency, in 1e-36. */
const LEDGER_UNIT = 10n ** 28n;

/** The finest step of a ratio of 8 places. */
const RATIO_UNIT = 1e-8;

export type LongSign = 1 | -1;

/** An integer of 1e-8 as an amount. */
export const amountFromBig = (scaled: bigint): Amount => fixedFromScaled(scaled);

/** An amount as an integer of 1e-8. */
export const bigFromAmount = (amount: Amount): bigint => unitsOf(amount) / UNITS_PER_SCALED;

/** A USDT value in the wallet's currency at `hedgeRate`, in 1e-8. */
export const moneyOf = (value: bigint, hedgeRate: Ratio): bigint =>
  hedgeRate === ONE
    ? divideHalfEvenBig(value, LEDGER_UNIT)
    : divideHalfEvenBig(value * unitsOf(hedgeRate), LEDGER_UNIT * UNIT);

/** Fee on a traded USDT value: value × rate × hedge rate, in 1e-8 of the wallet's currency. */
export const feeOf = (value: bigint, feeRate: Ratio, hedgeRate: Ratio): bigint =>
  hedgeRate === ONE
    ? divideHalfEvenBig(value * unitsOf(feeRate), LEDGER_UNIT * UNIT)
    : divideHalfEvenBig(value * unitsOf(feeRate) * unitsOf(hedgeRate), LEDGER_UNIT * UNIT_2);

/** `feeOf` at a hedge rate of 1. */
export const feeShare = (feeRate: Ratio): ValueShare =>
  new ValueShare(unitsOf(feeRate), LEDGER_UNIT * UNIT);

/** Collateral of a USDT value without close fee: N / L. */
export const collateralOf = (value: ProductSum, leverage: Ratio): ProductSum =>
  value.dividedBy(leverage);

/** An amount of the wallet's currency as collateral at `hedgeRate`, USDT. */
export const collateralOfMargin = (margin: Amount, hedgeRate: Ratio): ProductSum =>
  ProductSum.of(margin, ONE).dividedBy(hedgeRate);

/**
 * Initial margin, the locked amount: (N/L + closeFee) × h. `closeFee` is the taker fee at the
 * bankruptcy price, entry × (1 ∓ 1/L). In 1e-8 of the wallet's currency.
 */
export function initialMarginOf(terms: {
  readonly value: bigint;
  readonly longSign: LongSign;
  readonly leverage: Ratio;
  readonly takerFeeRate: Ratio;
  readonly hedgeRate: Ratio;
}): bigint {
  const { share, scale } = marginFraction(terms);
  return terms.hedgeRate === ONE
    ? divideHalfEvenBig(terms.value * share, scale)
    : divideHalfEvenBig(terms.value * unitsOf(terms.hedgeRate) * share, scale * UNIT);
}

/** The part of `initialMarginOf` that no value changes. */
interface MarginTerms {
  readonly longSign: LongSign;
  readonly leverage: Ratio;
  readonly takerFeeRate: Ratio;
}

/** `initialMarginOf` at a hedge rate of 1. */
export function marginShare(terms: MarginTerms): ValueShare {
  const { share, scale } = marginFraction(terms);
  return new ValueShare(share, scale);
}

/** N/L + N(1 ∓ 1/L)f = N × (1 + (L ∓ 1)f) / L: one division, one rounding. */
function marginFraction(terms: MarginTerms): { readonly share: bigint; readonly scale: bigint } {
  const leverage = unitsOf(terms.leverage);
  const feeRate = unitsOf(terms.takerFeeRate);
  return {
    share: UNIT_2 + (leverage - BigInt(terms.longSign) * UNIT) * feeRate,
    scale: leverage * LEDGER_UNIT * UNIT,
  };
}

/** Value of a position whose collateral is lost: N − C for a long, N + C for a short. */
export const bankruptcyValueOf = (
  cost: ProductSum,
  collateral: ProductSum,
  longSign: LongSign,
): ProductSum => (longSign === 1 ? cost.minus(collateral) : cost.plus(collateral));

/**
 * Maintenance rate of a position: the listed rate, at most half of opening collateral over entry
 * value, which is 1 / (2 × leverage). Half-even to 1e-8.
 */
export function cappedMaintenanceRate(
  listed: Ratio,
  openingCollateral: ProductSum,
  cost: ProductSum,
): Ratio {
  const approximate = openingCollateral.approximate / (2 * cost.approximate);
  // One unit above it, no error of the doubles matters.
  if (approximate > numberFromFixed(listed) + RATIO_UNIT) return listed;
  const half = fixedFromScaled<'ratio'>(
    divideHalfEvenBig(openingCollateral.exact * BigInt(SCALE), 2n * cost.exact),
  );
  return smaller(half, listed);
}

export interface LiquidationTerms {
  readonly cost: ProductSum;
  /** Margin with added margin, without close fee, USDT. */
  readonly collateral: ProductSum;
  readonly quantity: Quantity;
  readonly longSign: LongSign;
  readonly maintenanceRate: Ratio;
}

/**
 * Liquidation price as the venue prints it, to the nearest multiple of `step`:
 * (N − C) / (quantity × (1 − m)) for a long, (N + C) / (quantity × (1 + m)) for a short.
 */
export function liquidationPriceOf(terms: LiquidationTerms, step: Price): Price {
  const { value, divisor } = liquidationFraction(terms);
  const stepUnits = unitsOf(step);
  return fixedFromUnits(divideHalfEvenBig(value, divisor * stepUnits) * stepUnits);
}

/**
 * Liquidation trigger on the finest price grid: a long is liquidated at or below it, a short at or
 * above it. Comparing with it equals comparing with the unrounded fraction.
 */
export function liquidationTriggerOf(terms: LiquidationTerms, step: Price): Price {
  const bankruptcy = bankruptcyValueOf(terms.cost, terms.collateral, terms.longSign);
  if (!bankruptcy.isPositive) return ZERO as Price;
  const up = terms.longSign === -1;
  const clear = typeof step === 'number' ? clearTriggerOf(bankruptcy, terms, up) : undefined;
  if (clear !== undefined) return clear;
  const { value, divisor } = liquidationFraction(terms);
  const coarse = fixedFromScaled<'price'>(quotient(value, divisor * UNITS_PER_SCALED, up));
  if (fitsEightPlaces(coarse) && typeof step === 'number') return coarse;
  return fixedFromUnits(quotient(value, divisor, up));
}

/** Relative error of the three roundings below, and of the sum's: each at most 2^-53. */
const TRIGGER_ERROR = 1e-15;

/** The trigger in doubles; undefined where their error may reach the next unit of 1e-8, or 8 places are too few. */
function clearTriggerOf(
  bankruptcy: ProductSum,
  { quantity, longSign, maintenanceRate }: LiquidationTerms,
  up: boolean,
): Price | undefined {
  if (typeof quantity !== 'number' || typeof maintenanceRate !== 'number') return undefined;
  const scaled =
    (bankruptcy.approximate / (quantity * (SCALE - longSign * maintenanceRate))) * SCALE;
  const floor = Math.floor(scaled);
  const error = scaled * TRIGGER_ERROR;
  if (!(scaled - floor > error && floor + 1 - scaled > error)) return undefined;
  const trigger = (up ? floor + 1 : floor) as Price;
  return fitsEightPlaces(trigger) ? trigger : undefined;
}

const quotient = (value: bigint, divisor: bigint, up: boolean): bigint =>
  value / divisor + (up && value % divisor !== 0n ? 1n : 0n);

/** In 1e-18 USDT per base unit. */
function liquidationFraction(terms: LiquidationTerms): { value: bigint; divisor: bigint } {
  const { cost, collateral, quantity, longSign, maintenanceRate } = terms;
  const retained = UNIT - BigInt(longSign) * unitsOf(maintenanceRate);
  return {
    value: bankruptcyValueOf(cost, collateral, longSign).exact * UNIT,
    divisor: unitsOf(quantity) * retained,
  };
}

/** (quantity × mark × m + closeFee) × h, in 1e-8 of the wallet's currency. */
export function maintenanceMarginOf(terms: {
  readonly quantity: Quantity;
  readonly mark: Price;
  readonly maintenanceRate: Ratio;
  readonly bankruptcyValue: ProductSum;
  readonly takerFeeRate: Ratio;
  readonly hedgeRate: Ratio;
}): bigint {
  const value = multiplyExact(terms.quantity, terms.mark);
  const maintenance = value * unitsOf(terms.maintenanceRate);
  const closeFee = terms.bankruptcyValue.exact * unitsOf(terms.takerFeeRate);
  return divideHalfEvenBig(
    (maintenance + closeFee) * unitsOf(terms.hedgeRate),
    LEDGER_UNIT * UNIT_2,
  );
}
