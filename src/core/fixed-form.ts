import { assert } from './assert.js';

declare const unit: unique symbol;

/** The unit that is counted: a mark of the type alone. */
export interface Branded<Unit extends string> {
  readonly [unit]: Unit;
}

/**
 * An exact decimal in one of two forms. Nearly every value is a safe integer of 1e-8: 1.5 is
 * 150_000_000. A value with more than 8 places, or beyond 2^53, is a bigint of 1e-18. Each value has one
 * form only, so that `===`, Map keys and a comparison with 0 hold for both; every other operator is
 * core's business (a lint rule says so). The brand names the unit; it costs nothing at run time.
 *
 * Range: 1e-18 to 1e15 is what a venue can print; sums and bookings may grow beyond without loss.
 */
export type Fixed<Unit extends string = string> = (number | bigint) & Branded<Unit>;

/** USDT per base unit. */
export type Price = Fixed<'price'>;
/** Base units; signed where it is a position. */
export type Quantity = Fixed<'quantity'>;
export type Usdt = Fixed<'USDT'>;
/** Money of the currency that stands beside it in the record. */
export type Amount = Fixed<'USDT' | 'INR'>;
/** A pure number: a rate, a fraction, a leverage. */
export type Ratio = Fixed<'ratio'>;

/** Of the ledger: every booked amount has at most so many. */
export const FIXED_PLACES = 8;
export const SCALE = 100_000_000;
/** The most that any value has. */
export const FINEST_PLACES = 18;
/** 1, in units of 1e-18. */
export const ONE_IN_UNITS = 10n ** 18n;
/** 1e-8, in units of 1e-18. */
export const UNITS_PER_SCALED = 10n ** 10n;

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A value of up to 8 places by its integer of 1e-8.
 * @throws AssertionError when that is not a safe integer
 */
export function fixed<Unit extends string>(scaled: number): Fixed<Unit> {
  // The text is made only when it is needed: this runs several times a candle.
  if (!Number.isSafeInteger(scaled)) {
    assert(false, `A fixed-point value is a safe integer, not ${scaled}`);
  }
  return (scaled === 0 ? 0 : scaled) as Fixed<Unit>;
}

export const ZERO = fixed<never>(0);
export const ONE = fixed<never>(SCALE);

/** The value of an integer of 1e-8, of any size. */
export function fixedFromScaled<Unit extends string>(scaled: bigint): Fixed<Unit> {
  const isFast = scaled <= LARGEST && scaled >= -LARGEST;
  return (isFast ? Number(scaled) : scaled * UNITS_PER_SCALED) as Fixed<Unit>;
}

/** The value of an integer of 1e-18, of any size. */
export function fixedFromUnits<Unit extends string>(units: bigint): Fixed<Unit> {
  if (units % UNITS_PER_SCALED !== 0n) return units as bigint as Fixed<Unit>;
  return fixedFromScaled(units / UNITS_PER_SCALED);
}

/** The integer of 1e-18 that a value is, exact. */
export const unitsOf = (value: Fixed): bigint =>
  typeof value === 'number' ? BigInt(value) * UNITS_PER_SCALED : value;

/** Whether it is one of the two forms, in the one that its value has. */
export function isFixed(value: unknown): value is Fixed {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  return typeof value === 'bigint' && fixedFromUnits(value) === (value as unknown);
}
