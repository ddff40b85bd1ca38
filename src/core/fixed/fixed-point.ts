import { assert } from '../assert.js';

declare const unit: unique symbol;

/** The unit of a value, at the type level only. */
export interface Branded<Unit extends string> {
  readonly [unit]: Unit;
}

/**
 * An exact decimal in one of two forms. Nearly every value is a safe integer in units of 1e-8: 1.5 is
 * 150_000_000. A value with more than 8 places, or beyond 2^53, is a bigint in units of 1e-18.
 *
 * Each value has exactly one form, so `===`, Map keys and comparisons with 0 are valid for both. Every
 * other operator belongs to core (lint rule `no-raw-fixed`). The brand has no cost at run time.
 *
 * Range: a venue prints 1e-18 to 1e15. Sums and bookings may exceed that without loss.
 */
export type Fixed<Unit extends string = string> = (number | bigint) & Branded<Unit>;

/** USDT per base unit. */
export type Price = Fixed<'price'>;
/** Base units. Signed for a position. */
export type Quantity = Fixed<'quantity'>;
export type Usdt = Fixed<'USDT'>;
/** Money in the currency that the same record names. */
export type Amount = Fixed<'USDT' | 'INR'>;
/** A pure number: a rate, a fraction, a leverage. */
export type Ratio = Fixed<'ratio'>;

/** Decimal places of the ledger: the maximum of every booked amount. */
export const FIXED_PLACES = 8;
export const SCALE = 100_000_000;
/** Maximum decimal places of any value. */
export const MAX_PLACES = 18;
/** 1 in units of 1e-18. */
export const ONE_IN_UNITS = 10n ** 18n;
/** 1e-8 in units of 1e-18. */
export const UNITS_PER_SCALED = 10n ** 10n;

const MAX_SCALED = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The value of a number of units of 1e-8.
 * @throws AssertionError when that is not a safe integer
 */
export function fixed<Unit extends string>(scaled: number): Fixed<Unit> {
  // The message is built only on failure: this runs several times a candle.
  if (!Number.isSafeInteger(scaled)) {
    assert(false, `A fixed-point value is a safe integer, not ${scaled}`);
  }
  return (scaled === 0 ? 0 : scaled) as Fixed<Unit>;
}

export const ZERO = fixed<never>(0);
export const ONE = fixed<never>(SCALE);

/** The value of a number of units of 1e-8, of any size. */
export function fixedFromScaled<Unit extends string>(scaled: bigint): Fixed<Unit> {
  const isFast = scaled <= MAX_SCALED && scaled >= -MAX_SCALED;
  return (isFast ? Number(scaled) : scaled * UNITS_PER_SCALED) as Fixed<Unit>;
}

/** The value of a number of units of 1e-18, of any size. */
export function fixedFromUnits<Unit extends string>(units: bigint): Fixed<Unit> {
  if (units % UNITS_PER_SCALED !== 0n) return units as bigint as Fixed<Unit>;
  return fixedFromScaled(units / UNITS_PER_SCALED);
}

/** A value in units of 1e-18, exact. */
export const unitsOf = (value: Fixed): bigint =>
  typeof value === 'number' ? BigInt(value) * UNITS_PER_SCALED : value;

/** Whether `value` is a number or a bigint in the form that its size requires. */
export function isFixed(value: unknown): value is Fixed {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  return typeof value === 'bigint' && fixedFromUnits(value) === (value as unknown);
}
