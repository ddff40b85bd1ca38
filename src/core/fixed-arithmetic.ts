import { assert } from './assert.js';
import {
  fixedFromScaled,
  fixedFromUnits,
  ONE_IN_UNITS,
  SCALE,
  UNITS_PER_SCALED,
  unitsOf,
  type Fixed,
} from './fixed-form.js';
import { divideHalfEven, divideHalfEvenBig } from './half-even.js';

/** Exact, whatever the forms: a sum or product that leaves 2^53 goes over to the wide one. */

/** Same unit in, same unit out. */
export function add<F extends Fixed>(a: F, b: F): F {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum as F;
  }
  return fixedFromUnits(unitsOf(a) + unitsOf(b)) as F;
}

export function subtract<F extends Fixed>(a: F, b: F): F {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference as F;
  }
  return fixedFromUnits(unitsOf(a) - unitsOf(b)) as F;
}

/** `0 - a`, because −0 is another value than 0 to some. */
export const negate = <F extends Fixed>(a: F): F =>
  (typeof a === 'number' ? 0 - a : -(a as bigint)) as F;
export const absolute = <F extends Fixed>(a: F): F => (a < 0 ? negate(a) : a);
/** +1 for a buy or a long leaves the value, −1 turns it. */
export const withSign = <F extends Fixed>(sign: 1 | -1, value: F): F =>
  sign === 1 ? value : negate(value);
/** −1, 0 or 1. */
export const sign = (value: Fixed): -1 | 0 | 1 => (value > 0 ? 1 : value < 0 ? -1 : 0);

export function isLess(a: Fixed, b: Fixed): boolean {
  if (typeof a === 'number') return typeof b === 'number' ? a < b : unitsOf(a) < b;
  return a < unitsOf(b);
}
export const isMore = (a: Fixed, b: Fixed): boolean => isLess(b, a);
export const isAtMost = (a: Fixed, b: Fixed): boolean => !isLess(b, a);
export const isAtLeast = (a: Fixed, b: Fixed): boolean => !isLess(a, b);
export const smaller = <F extends Fixed>(a: F, b: F): F => (isLess(a, b) ? a : b);
export const larger = <F extends Fixed>(a: F, b: F): F => (isLess(b, a) ? a : b);

/** `count` times the value. @param count a whole number */
export function times<F extends Fixed>(value: F, count: number): F {
  assert(Number.isInteger(count), 'A count is a whole number');
  if (typeof value === 'number') {
    const product = value * count;
    if (Number.isSafeInteger(product)) return (product === 0 ? 0 : product) as F;
  }
  return fixedFromUnits(unitsOf(value) * BigInt(count)) as F;
}

/** The rest of `value` after as many whole steps as fit have been taken off; it has the sign of `value`. */
export function remainder<F extends Fixed>(value: F, step: Fixed): F {
  if (typeof value === 'number' && typeof step === 'number') {
    const rest = value % step;
    return (rest === 0 ? 0 : rest) as F;
  }
  return fixedFromUnits(unitsOf(value) % unitsOf(step)) as F;
}

export const isMultipleOf = (value: Fixed, step: Fixed): boolean => remainder(value, step) === 0;
/** Toward zero onto the step. */
export const floorToStep = <F extends Fixed>(value: F, step: F): F =>
  subtract(value, remainder(value, step));
/** Of a value from 0: onto the step that is not below it. */
export const ceilToStep = <F extends Fixed>(value: F, step: F): F =>
  isMultipleOf(value, step) ? value : add(floorToStep(value, step), step);

/** a × b, rounded half-even to 8 places. The caller names the unit of the product. */
export function multiply<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return divideHalfEven(product, SCALE) as Fixed<Unit>;
  }
  return fixedFromProduct(multiplyExact(a, b));
}

/** a ÷ b, rounded half-even to 8 places. @throws AssertionError when b is 0 */
export function divide<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  assert(b !== 0, 'A divisor is not zero');
  return fixedFromScaled(divideHalfEvenBig(unitsOf(a) * BigInt(SCALE), unitsOf(b)));
}

/** a ÷ b, rounded up at 1e-18. @param b above 0 */
export function divideUp<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  const divisor = unitsOf(b);
  const dividend = unitsOf(a) * ONE_IN_UNITS;
  const rest = dividend % divisor;
  return fixedFromUnits(dividend / divisor + (rest > 0n ? 1n : 0n));
}

/** 1e-36: what a product of two values is counted in. */
export const PRODUCT_PLACES = 36;
const PRODUCT_PER_SCALED_2 = 10n ** 20n;
/** 1e-8, in units of 1e-36. */
const PRODUCT_PER_SCALED = 10n ** 28n;

/** a × b as an integer of 1e-36, exact. */
export const multiplyExact = (a: Fixed, b: Fixed): bigint =>
  typeof a === 'number' && typeof b === 'number'
    ? BigInt(a) * BigInt(b) * PRODUCT_PER_SCALED_2
    : unitsOf(a) * unitsOf(b);

/** A 1e-36 product into the ledger's 1e-8, half-even: the one rounding of a booked amount. */
export const fixedFromProduct = <Unit extends string>(product: bigint): Fixed<Unit> =>
  fixedFromScaled(divideHalfEvenBig(product, PRODUCT_PER_SCALED));

/** whole × part ÷ of, rounded half-even to 8 places: a share of an amount. */
export const proportion = <F extends Fixed>(whole: F, part: Fixed, of: Fixed): F =>
  fixedFromScaled(
    divideHalfEvenBig(unitsOf(whole) * unitsOf(part), unitsOf(of) * UNITS_PER_SCALED),
  ) as F;

/** The same of a product, on its own grid (`divideProduct`). */
export const proportionOfProduct = (product: bigint, part: Fixed, of: Fixed): bigint =>
  divideProduct(product, unitsOf(part), unitsOf(of));

/**
 * product × numerator ÷ divisor, half-even: to 1e-16 where the product is a multiple of that, as it is of
 * two values of 8 places, else to 1e-36.
 */
export function divideProduct(product: bigint, numerator: bigint, divisor: bigint): bigint {
  if (product % PRODUCT_PER_SCALED_2 !== 0n) return divideHalfEvenBig(product * numerator, divisor);
  const coarse = divideHalfEvenBig((product / PRODUCT_PER_SCALED_2) * numerator, divisor);
  return coarse * PRODUCT_PER_SCALED_2;
}

/** Above the rounding of two float products, far below any step of a limit. */
const GUARD = 1e-12;

/**
 * The sign of a × b − c × d, exact. Products leave 2^53; floats decide all but near ties, so that a
 * judgement makes no BigInt.
 */
export function compareProducts(a: Fixed, b: Fixed, c: Fixed, d: Fixed): number {
  if (
    typeof a === 'number' &&
    typeof b === 'number' &&
    typeof c === 'number' &&
    typeof d === 'number'
  ) {
    const left = a * b;
    const right = c * d;
    const difference = left - right;
    assert(!Number.isNaN(difference), 'Factors are numbers');
    if (Math.abs(difference) > GUARD * (Math.abs(left) + Math.abs(right))) return difference;
  }
  const exact = multiplyExact(a, b) - multiplyExact(c, d);
  return exact > 0n ? 1 : exact < 0n ? -1 : 0;
}

/** Below it, 8 places leave a price fewer than 7 digits. */
const COARSE_FROM = 1_000_000;

/** Whether a computed price of this size is kept to 8 places; to 18 where those would cost digits. */
export const isCoarse = (price: Fixed): boolean =>
  typeof price === 'number'
    ? Math.abs(price) >= COARSE_FROM
    : unitsOf(absolute(price)) >= COARSE_FROM_UNITS;
const COARSE_FROM_UNITS = BigInt(COARSE_FROM) * UNITS_PER_SCALED;

/**
 * The price at which `quantity` is worth `value` (1e-36): half-even to 8 places, or to 18 where what
 * went in has more than 8, or where 8 would leave fewer than 7 digits.
 */
export function averagePrice(value: bigint, quantity: Fixed): Fixed<'price'> {
  const units = unitsOf(quantity);
  if (value % PRODUCT_PER_SCALED_2 === 0n) {
    const coarse = fixedFromScaled<'price'>(divideHalfEvenBig(value, units * UNITS_PER_SCALED));
    if (isCoarse(coarse)) return coarse;
  }
  return fixedFromUnits(divideHalfEvenBig(value, units));
}
