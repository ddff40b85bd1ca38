import { Decimal, isPlainDecimal } from './decimal.js';
import {
  MAX_PLACES,
  fixed,
  FIXED_PLACES,
  fixedFromUnits,
  ONE_IN_UNITS,
  SCALE,
  type Fixed,
} from './fixed-point.js';

/** Maximum digits before the decimal point: a guard against absurd texts. */
const MAX_INTEGER_DIGITS = 30;

/**
 * Parses a plain decimal text, exactly.
 * @param maxPlaces 8 for money
 * @throws RangeError for an exponent, junk, more than `maxPlaces` places, or a value out of range
 */
export function fixedFromText<Unit extends string>(
  text: string,
  maxPlaces = MAX_PLACES,
): Fixed<Unit> {
  const short = fixedFromShortText<Unit>(text);
  if (short !== undefined) return short;
  if (!isPlainDecimal(text)) throw new RangeError(`"${text}" is not a plain decimal`);
  return fixedFromUnits(unitsFromPlain(text, maxPlaces));
}

function unitsFromPlain(text: string, maxPlaces: number): bigint {
  const [, sign = '', whole = '', places = ''] = PARTS.exec(text) ?? [];
  if (places.length > maxPlaces) {
    throw new RangeError(`"${text}" has more than ${maxPlaces} decimal places`);
  }
  if (whole.length > MAX_INTEGER_DIGITS) throw new RangeError(`"${text}" is out of range`);
  const units = BigInt(whole + places.padEnd(MAX_PLACES, '0'));
  return sign === '-' ? -units : units;
}

/** Sign, integer digits without leading zeros, decimal places without trailing zeros. */
const PARTS = /^([+-]?)0*(\d+?)(?:\.(\d*?)0*)?$/;

const MAX_SHORT_DIGITS = 15;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;

/**
 * The fast path for nearly all texts: up to 15 digits, at most 8 of them decimal places. Every step is
 * exact within that bound. undefined for any other text.
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
  if (digits === 0 || digits > MAX_SHORT_DIGITS || places === 0 || places > FIXED_PLACES) {
    return undefined;
  }
  for (let place = Math.max(places, 0); place < FIXED_PLACES; place += 1) value *= 10;
  return Number.isSafeInteger(value) ? fixed(isNegative ? -value : value) : undefined;
}

/**
 * Rounds half-even to `places`: 8, as the ledger does, or up to 18.
 * @throws RangeError for NaN, infinity or a value of more than 30 integer digits
 */
export function fixedFromDecimal<Unit extends string>(
  value: Decimal,
  places = FIXED_PLACES,
): Fixed<Unit> {
  if (!value.isFinite()) throw new RangeError(`${value.toString()} is not a finite number`);
  return fixedFromText(value.toDecimalPlaces(places, Decimal.ROUND_HALF_EVEN).toFixed());
}

/** A value below it loses significant digits of market data at 8 places. */
const MIN_SCALED_FOR_8_PLACES = 1_000_000;
/** A double represents every decimal of so many digits without loss. */
const SIGNIFICANT_DIGITS = 15;

/**
 * Converts market data: to the nearest 1e-8 or, below 0.01, with up to 15 significant digits to 1e-18.
 * @throws RangeError for NaN or infinity
 */
export function fixedFromNumber<Unit extends string>(value: number): Fixed<Unit> {
  const scaled = Math.round(value * SCALE);
  const size = Math.abs(scaled);
  if (size >= MIN_SCALED_FOR_8_PLACES && Number.isSafeInteger(scaled)) return fixed(scaled);
  if (value === 0) return fixed(0);
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  const exact = new Decimal(value).toSignificantDigits(SIGNIFICANT_DIGITS);
  return fixedFromDecimal(exact, size >= MIN_SCALED_FOR_8_PLACES ? FIXED_PLACES : MAX_PLACES);
}

/** For indicators, statistics and display only: the result must not re-enter the ledger. */
export const numberFromFixed = (value: Fixed): number =>
  typeof value === 'number' ? value / SCALE : Number(textFromFixed(value));

export const decimalFromFixed = (value: Fixed): Decimal =>
  typeof value === 'number' ? new Decimal(value).div(SCALE) : new Decimal(textFromFixed(value));

/** The shortest plain decimal text: 150_000_000 is "1.5". */
export function textFromFixed(value: Fixed): string {
  if (typeof value === 'bigint') return textFromUnits(value);
  const size = Math.abs(value);
  let places = size % SCALE;
  const whole = `${value < 0 ? '-' : ''}${(size - places) / SCALE}`;
  if (places === 0) return whole;
  let count = FIXED_PLACES;
  for (; places % 10 === 0; places /= 10) count -= 1;
  return `${whole}.${places.toString().padStart(count, '0')}`;
}

function textFromUnits(units: bigint): string {
  const size = units < 0n ? -units : units;
  const whole = `${units < 0n ? '-' : ''}${size / ONE_IN_UNITS}`;
  const places = (size % ONE_IN_UNITS).toString().padStart(MAX_PLACES, '0').replace(/0+$/, '');
  return places === '' ? whole : `${whole}.${places}`;
}
