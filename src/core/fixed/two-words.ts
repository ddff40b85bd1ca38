import { SCALE } from './fixed-point.js';

/**
 * Exact arithmetic of safe integers whose products exceed 2^53, without a bigint. A product is held in two
 * doubles, its rounded value and the rounding error of it (T. J. Dekker, "A floating-point technique for
 * extending the available precision", 1971).
 */

/** 2^27 + 1 splits a double of 53 bits into two halves, whose products are exact. */
const SPLITTER = 134_217_729;
/** Quotients and divisors up to it leave each step below exact. */
export const MAX_WORD = 2 ** 51;

/**
 * With value and cost below it, two roundings of 2^-53 each and those of the two subtractions are below 0.02 in all. A
 * difference that is more than that from a half rounds as the exact one does.
 */
const SURE_VALUE = 2 ** 45;
const SURE_DISTANCE = 0.47;

/** a × b − product, exact. @param product the double nearest to a × b */
function productError(a: number, b: number, product: number): number {
  const splitA = SPLITTER * a;
  const highA = splitA - (splitA - a);
  const lowA = a - highA;
  const splitB = SPLITTER * b;
  const highB = splitB - (splitB - b);
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}

/**
 * a × b − quotient × divisor, exact. @param quotient within 2 of a × b ÷ divisor
 */
export function remainderOf(a: number, b: number, quotient: number, divisor: number): number {
  const product = a * b;
  const multiple = quotient * divisor;
  // Both products are near each other, so that their difference is exact.
  return (
    product - multiple + (productError(a, b, product) - productError(quotient, divisor, multiple))
  );
}

/**
 * a × b ÷ divisor, rounded half-even. NaN where two words do not hold it.
 * @param a safe integer
 * @param b safe integer
 * @param divisor above 0
 */
export function multiplyDivide(a: number, b: number, divisor: number): number {
  const guess = Math.round((a * b) / divisor);
  if (!(guess < MAX_WORD && guess > -MAX_WORD && divisor < MAX_WORD && divisor > 0)) return NaN;
  return roundHalfEven(guess, remainderOf(a, b, guess, divisor), divisor);
}

/** quotient + rest ÷ divisor as an integer, half-even. @param rest within 2 divisors of 0 */
export function roundHalfEven(quotient: number, rest: number, divisor: number): number {
  let rounded = quotient;
  let twice = 2 * rest;
  while (twice > divisor) {
    rounded += 1;
    twice -= 2 * divisor;
  }
  while (twice < -divisor) {
    rounded -= 1;
    twice += 2 * divisor;
  }
  if ((twice === divisor || twice === -divisor) && rounded % 2 !== 0) rounded += twice > 0 ? 1 : -1;
  // + 0 turns −0 into 0.
  return rounded + 0;
}

/**
 * (a × b − cost) × sign in units of 1e-8, rounded half-even. NaN where two words do not hold it.
 * @param a safe integer
 * @param b safe integer
 * @param costHigh units of 1e-8, or NaN
 * @param costLow units of 1e-16 above them
 */
export function gainInWords(
  a: number,
  b: number,
  costHigh: number,
  costLow: number,
  sign: 1 | -1,
): number {
  const value = (a * b) / SCALE;
  const difference = value - costHigh - costLow / SCALE;
  const nearest = Math.round(difference);
  const isSure = Math.abs(value) < SURE_VALUE && Math.abs(costHigh) < SURE_VALUE;
  if (isSure && Math.abs(difference - nearest) < SURE_DISTANCE) return sign * nearest + 0;
  const high = Math.round(value);
  if (!(high < MAX_WORD && high > -MAX_WORD && costLow >= 0)) return NaN;
  const rest = remainderOf(a, b, high, SCALE) - costLow;
  return roundHalfEven(sign * (high - costHigh), sign * rest, SCALE);
}
