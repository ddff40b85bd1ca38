import { assert } from '../assert.js';
import {
  fixedFromScaled,
  fixedFromUnits,
  ONE_IN_UNITS,
  SCALE,
  UNITS_PER_SCALED,
  unitsOf,
  type Fixed,
} from './fixed-point.js';
import { divideHalfEven, divideHalfEvenBig } from './half-even.js';
import { multiplyDivide } from './two-words.js';

/** Exact in both forms: a sum or product beyond 2^53 takes the wide form. Operands have one unit. */
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

/** `0 - a`, because `-a` would make −0 of 0, which is another value to `Object.is`. */
export const negate = <F extends Fixed>(a: F): F =>
  (typeof a === 'number' ? 0 - a : -(a as bigint)) as F;
export const absolute = <F extends Fixed>(a: F): F => (a < 0 ? negate(a) : a);
/** The value for a buy or a long (+1), its negative for a sell or a short (−1). */
export const withSign = <F extends Fixed>(sign: 1 | -1, value: F): F =>
  sign === 1 ? value : negate(value);
/** −1, 0 or 1. */
export const sign = (value: Fixed): -1 | 0 | 1 => (value > 0 ? 1 : value < 0 ? -1 : 0);

export function isLess(a: Fixed, b: Fixed): boolean {
  if (typeof a === 'number') return typeof b === 'number' ? a < b : unitsOf(a) < b;
  return a < unitsOf(b);
}
export const isGreater = (a: Fixed, b: Fixed): boolean => isLess(b, a);
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

/** The remainder of `value` by `step`. It has the sign of `value`. */
export function remainder<F extends Fixed>(value: F, step: Fixed): F {
  // 1e-18, the step of an instrument without rules, divides every value.
  if (step === 1n) return 0 as F;
  if (typeof value === 'number' && typeof step === 'number') {
    const rest = value % step;
    return (rest === 0 ? 0 : rest) as F;
  }
  return fixedFromUnits(unitsOf(value) % unitsOf(step)) as F;
}

export const isMultipleOf = (value: Fixed, step: Fixed): boolean => remainder(value, step) === 0;
/** Rounds toward zero onto the step. */
export const floorToStep = <F extends Fixed>(value: F, step: F): F =>
  subtract(value, remainder(value, step));
/** Rounds a value of at least 0 up onto the step. */
export const ceilToStep = <F extends Fixed>(value: F, step: F): F =>
  isMultipleOf(value, step) ? value : add(floorToStep(value, step), step);

/** a × b, rounded half-even to 8 places. The caller names the unit of the product. */
export function multiply<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return divideHalfEven(product, SCALE) as Fixed<Unit>;
    const rounded = multiplyDivide(a, b, SCALE);
    if (!Number.isNaN(rounded)) return rounded as Fixed<Unit>;
  }
  return fixedFromProduct(multiplyExact(a, b));
}

/** a ÷ b, rounded half-even to 8 places. @throws AssertionError when b is 0 */
export function divide<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  assert(b !== 0, 'A divisor is not zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const rounded = b > 0 ? multiplyDivide(a, SCALE, b) : multiplyDivide(-a, SCALE, -b);
    if (!Number.isNaN(rounded)) return rounded as Fixed<Unit>;
  }
  return fixedFromScaled(divideHalfEvenBig(unitsOf(a) * BigInt(SCALE), unitsOf(b)));
}

/** a ÷ b, rounded up at 1e-18. @param b above 0 */
export function divideUp<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  const divisor = unitsOf(b);
  const dividend = unitsOf(a) * ONE_IN_UNITS;
  const rest = dividend % divisor;
  return fixedFromUnits(dividend / divisor + (rest > 0n ? 1n : 0n));
}

/** The unit of an exact product of two values is 1e-36. */
export const PRODUCT_PLACES = 36;
const PRODUCT_PER_SCALED_2 = 10n ** 20n;
/** 1e-8 in units of 1e-36. */
const PRODUCT_PER_SCALED = 10n ** 28n;

/** a × b as an integer of 1e-36, exact. */
export const multiplyExact = (a: Fixed, b: Fixed): bigint =>
  typeof a === 'number' && typeof b === 'number'
    ? BigInt(a) * BigInt(b) * PRODUCT_PER_SCALED_2
    : unitsOf(a) * unitsOf(b);

/** Rounds a 1e-36 product half-even to the ledger's 1e-8: the only rounding of a booked amount. */
export const fixedFromProduct = <Unit extends string>(product: bigint): Fixed<Unit> =>
  fixedFromScaled(divideHalfEvenBig(product, PRODUCT_PER_SCALED));

/** whole × part ÷ of, rounded half-even to 8 places. */
export function proportion<F extends Fixed>(whole: F, part: Fixed, of: Fixed): F {
  if (typeof whole === 'number' && typeof part === 'number' && typeof of === 'number') {
    const rounded = multiplyDivide(whole, part, of);
    if (!Number.isNaN(rounded)) return rounded as F;
  }
  return fixedFromScaled(
    divideHalfEvenBig(unitsOf(whole) * unitsOf(part), unitsOf(of) * UNITS_PER_SCALED),
  ) as F;
}

/** Like `proportion` for an exact product; rounded as in `divideProduct`. */
export const proportionOfProduct = (product: bigint, part: Fixed, of: Fixed): bigint =>
  divideProduct(product, unitsOf(part), unitsOf(of));

/**
 * product × numerator ÷ divisor, rounded half-even: to 1e-16 if the product is a multiple of that (a
 * product of two values of 8 places is), else to 1e-36.
 */
export function divideProduct(product: bigint, numerator: bigint, divisor: bigint): bigint {
  if (product % PRODUCT_PER_SCALED_2 !== 0n) return divideHalfEvenBig(product * numerator, divisor);
  const rounded = divideHalfEvenBig((product / PRODUCT_PER_SCALED_2) * numerator, divisor);
  return rounded * PRODUCT_PER_SCALED_2;
}

/** Above the rounding error of two float products, far below any step of a limit. */
const ROUNDING_TOLERANCE = 1e-12;

/**
 * The sign of a × b − c × d, exact. Products exceed 2^53, so floats decide all but near ties: a risk
 * check then allocates no BigInt.
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
    if (Math.abs(difference) > ROUNDING_TOLERANCE * (Math.abs(left) + Math.abs(right)))
      return difference;
  }
  const exact = multiplyExact(a, b) - multiplyExact(c, d);
  return exact > 0n ? 1 : exact < 0n ? -1 : 0;
}

/** A price below it has fewer than 7 significant digits at 8 places. */
const MIN_SCALED_FOR_8_PLACES = 1_000_000;

/** Whether a computed price of this size is rounded to 8 places. A smaller one has 18, to keep its digits. */
export const fitsEightPlaces = (price: Fixed): boolean =>
  typeof price === 'number'
    ? Math.abs(price) >= MIN_SCALED_FOR_8_PLACES
    : unitsOf(absolute(price)) >= MIN_UNITS_FOR_8_PLACES;
const MIN_UNITS_FOR_8_PLACES = BigInt(MIN_SCALED_FOR_8_PLACES) * UNITS_PER_SCALED;

/**
 * The price at which `quantity` is worth `value` (units of 1e-36), rounded half-even to 8 places. It has
 * 18 places if an input has more than 8, or if 8 would leave fewer than 7 significant digits.
 */
export function averagePrice(value: bigint, quantity: Fixed): Fixed<'price'> {
  const units = unitsOf(quantity);
  if (value % PRODUCT_PER_SCALED_2 === 0n) {
    const rounded = fixedFromScaled<'price'>(divideHalfEvenBig(value, units * UNITS_PER_SCALED));
    if (fitsEightPlaces(rounded)) return rounded;
  }
  return fixedFromUnits(divideHalfEvenBig(value, units));
}
