import { assert } from './assert.js';
import { Decimal, isPlainDecimal } from './decimal.js';

declare const unit: unique symbol;

/**
 * An exact decimal with 8 places, held as a safe integer: 1.5 is 150_000_000. The ledger's
 * resolution (design part 4), and the form in which engine, gate and exchange compute. The brand
 * names what is counted; it costs nothing at run time.
 *
 * Range: ±90,071,992.54740991. What leaves it fails an assertion instead of losing digits.
 */
export type Fixed<Unit extends string = string> = number & { readonly [unit]: Unit };

/** USDT per base unit. */
export type Price = Fixed<'price'>;
/** Base units; signed where it is a position. */
export type Quantity = Fixed<'quantity'>;
export type Usdt = Fixed<'USDT'>;
export type Inr = Fixed<'INR'>;
/** Money of the currency that stands beside it in the record. */
export type Amount = Usdt | Inr;
/** A pure number: a rate, a fraction, a leverage. */
export type Ratio = Fixed<'ratio'>;

export const FIXED_PLACES = 8;
export const SCALE = 100_000_000;
const SCALE_BIG = 100_000_000n;
export const ZERO = 0 as Fixed<never>;

/** @throws AssertionError when the value is not a safe integer */
export function fixed<Unit extends string>(scaled: number): Fixed<Unit> {
  // The text is made only when it is needed: this runs several times a candle.
  if (!Number.isSafeInteger(scaled)) {
    assert(false, `A fixed-point value is a safe integer, not ${scaled}`);
  }
  return (scaled === 0 ? 0 : scaled) as Fixed<Unit>;
}

/**
 * Exact: refuses what 8 places cannot hold.
 * @throws RangeError for an exponent, junk, more than 8 places, or a value out of range
 */
export function fixedFromText<Unit extends string>(text: string): Fixed<Unit> {
  const short = fixedFromShortText<Unit>(text);
  if (short !== undefined) return short;
  if (!isPlainDecimal(text)) throw new RangeError(`"${text}" is not a plain decimal`);
  const scaled = new Decimal(text).times(SCALE);
  if (!scaled.isInteger()) throw new RangeError(`"${text}" has more than 8 decimal places`);
  return fixedFromScaled(scaled, text);
}

const MOST_DIGITS = 15;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;

/**
 * Without a decimal in between, for the texts that nearly all figures have: up to 15 digits, up to 8
 * of them places, so that every step is exact. Undefined for any other text.
 */
export function fixedFromShortText<Unit extends string>(text: string): Fixed<Unit> | undefined {
  const isNegative = text.charCodeAt(0) === MINUS;
  let digits = 0;
  let places = -1;
  let value = 0;
  for (let at = isNegative ? 1 : 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT && places < 0 && digits > 0) {
      places = 0;
      continue;
    }
    const digit = code - DIGIT_0;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
    digits += 1;
    if (places >= 0) places += 1;
  }
  if (digits === 0 || digits > MOST_DIGITS || places === 0 || places > FIXED_PLACES) {
    return undefined;
  }
  for (let place = Math.max(places, 0); place < FIXED_PLACES; place += 1) value *= 10;
  return Number.isSafeInteger(value) ? fixed(isNegative ? -value : value) : undefined;
}

/** Rounds half-even to 8 places: for a venue's averages, which may carry more. */
export function fixedFromDecimal<Unit extends string>(value: Decimal): Fixed<Unit> {
  return fixedFromScaled(
    value.times(SCALE).toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN),
    value.toFixed(),
  );
}

function fixedFromScaled<Unit extends string>(scaled: Decimal, text: string): Fixed<Unit> {
  const value = scaled.toNumber();
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is out of range`);
  return fixed(value);
}

/**
 * Market data into the ledger's form: the nearest 1e-8. Exact for the ≤ 15 significant digits that
 * market data has.
 * @throws RangeError for NaN, infinity, or a value out of range
 */
export function fixedFromNumber<Unit extends string>(value: number): Fixed<Unit> {
  const scaled = Math.round(value * SCALE);
  if (!Number.isSafeInteger(scaled)) throw new RangeError(`${value} is out of range`);
  return fixed(scaled);
}

/** For indicators, statistics and display only; never back into the books. */
export const numberFromFixed = (value: Fixed): number => value / SCALE;

export const decimalFromFixed = (value: Fixed): Decimal => new Decimal(value).div(SCALE);

/** Shortest plain text: 150_000_000 is "1.5". */
export function textFromFixed(value: Fixed): string {
  const size = Math.abs(value);
  let places = size % SCALE;
  const whole = `${value < 0 ? '-' : ''}${(size - places) / SCALE}`;
  if (places === 0) return whole;
  let count = FIXED_PLACES;
  for (; places % 10 === 0; places /= 10) count -= 1;
  return `${whole}.${places.toString().padStart(count, '0')}`;
}

/** a × b, rounded half-even to 8 places. The caller names the unit of the product. */
export function multiply<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  const product = a * b;
  if (Number.isSafeInteger(product)) return fixed(divideHalfEven(product, SCALE));
  return fixedFromBig(divideHalfEvenBig(BigInt(a) * BigInt(b), SCALE_BIG));
}

/** a ÷ b, rounded half-even to 8 places. @throws AssertionError when b is 0 */
export function divide<Unit extends string>(a: Fixed, b: Fixed): Fixed<Unit> {
  assert(b !== 0, 'A divisor is not zero');
  return fixedFromBig(divideHalfEvenBig(BigInt(a) * SCALE_BIG, BigInt(b)));
}

/** a × b at scale 1e-16, exact. */
export const multiplyExact = (a: Fixed, b: Fixed): bigint => BigInt(a) * BigInt(b);

/** A 1e-16 product into the ledger's 1e-8, half-even: the one rounding of a booked amount. */
export const fixedFromProduct = <Unit extends string>(product: bigint): Fixed<Unit> =>
  fixedFromBig(divideHalfEvenBig(product, SCALE_BIG));

function fixedFromBig<Unit extends string>(value: bigint): Fixed<Unit> {
  return fixed(Number(value));
}

function divideHalfEven(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  const quotient = (dividend - remainder) / divisor;
  const twice = Math.abs(remainder) * 2;
  const up = twice > divisor || (twice === divisor && quotient % 2 !== 0);
  return up ? quotient + Math.sign(remainder) : quotient;
}

/** Integer division, half-even, for either sign of both. */
export function divideHalfEvenBig(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const remainder = dividend % divisor;
  if (remainder === 0n) return quotient;
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  const size = divisor < 0n ? -divisor : divisor;
  const up = twice > size || (twice === size && quotient % 2n !== 0n);
  return up ? quotient + (dividend < 0n === divisor < 0n ? 1n : -1n) : quotient;
}

/** Same unit in, same unit out. */
export const add = <F extends Fixed>(a: F, b: F): F => fixed(a + b) as F;
export const subtract = <F extends Fixed>(a: F, b: F): F => fixed(a - b) as F;
export const negate = <F extends Fixed>(a: F): F => fixed(-a) as F;
export const absolute = <F extends Fixed>(a: F): F => Math.abs(a) as F;
export const smaller = <F extends Fixed>(a: F, b: F): F => (a < b ? a : b);
export const larger = <F extends Fixed>(a: F, b: F): F => (a > b ? a : b);

export const isMultipleOf = (value: Fixed, step: Fixed): boolean => value % step === 0;
/** Toward zero onto the step. */
export const floorToStep = <F extends Fixed>(value: F, step: F): F =>
  fixed(value - (value % step)) as F;
