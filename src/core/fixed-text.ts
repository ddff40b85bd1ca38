import { Decimal, isPlainDecimal } from './decimal.js';
import {
  FINEST_PLACES,
  fixed,
  FIXED_PLACES,
  fixedFromUnits,
  ONE_IN_UNITS,
  SCALE,
  type Fixed,
} from './fixed-form.js';

/** Digits before the dot of the largest value that a text may name: a guard against absurd ones. */
const MOST_WHOLE_DIGITS = 30;

/**
 * Exact: refuses what `most` places cannot hold; money has 8.
 * @throws RangeError for an exponent, junk, too many places, or a value out of range
 */
export function fixedFromText<Unit extends string>(
  text: string,
  most = FINEST_PLACES,
): Fixed<Unit> {
  const short = fixedFromShortText<Unit>(text);
  if (short !== undefined) return short;
  if (!isPlainDecimal(text)) throw new RangeError(`"${text}" is not a plain decimal`);
  return fixedFromUnits(unitsFromPlain(text, most));
}

function unitsFromPlain(text: string, most: number): bigint {
  const [, sign = '', whole = '', places = ''] = PARTS.exec(text) ?? [];
  if (places.length > most) {
    throw new RangeError(`"${text}" has more than ${most} decimal places`);
  }
  if (whole.length > MOST_WHOLE_DIGITS) throw new RangeError(`"${text}" is out of range`);
  const units = BigInt(whole + places.padEnd(FINEST_PLACES, '0'));
  return sign === '-' ? -units : units;
}

/** Sign, whole digits without leading zeros, places without trailing ones. */
const PARTS = /^([+-]?)0*(\d+?)(?:\.(\d*?)0*)?$/;

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

/**
 * Rounds half-even to `places`: 8, as the ledger books, or up to 18.
 * @throws RangeError for NaN, infinity or a value of more than 30 whole digits
 */
export function fixedFromDecimal<Unit extends string>(
  value: Decimal,
  places = FIXED_PLACES,
): Fixed<Unit> {
  if (!value.isFinite()) throw new RangeError(`${value.toString()} is not a finite number`);
  return fixedFromText(value.toDecimalPlaces(places, Decimal.ROUND_HALF_EVEN).toFixed());
}

/** Below it, 8 places cost digits that market data has. */
const COARSE_FROM = 1_000_000;
/** A double says so many digits without doubt. */
const SURE_DIGITS = 15;

/**
 * Market data into the ledger's form: the nearest 1e-8; of a value below 0.01, all of the ≤ 15
 * significant digits that market data has, to 1e-18.
 * @throws RangeError for NaN or infinity
 */
export function fixedFromNumber<Unit extends string>(value: number): Fixed<Unit> {
  const scaled = Math.round(value * SCALE);
  const size = Math.abs(scaled);
  if (size >= COARSE_FROM && Number.isSafeInteger(scaled)) return fixed(scaled);
  if (value === 0) return fixed(0);
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  const exact = new Decimal(value).toSignificantDigits(SURE_DIGITS);
  return fixedFromDecimal(exact, size >= COARSE_FROM ? FIXED_PLACES : FINEST_PLACES);
}

/** For indicators, statistics and display only; never back into the books. */
export const numberFromFixed = (value: Fixed): number =>
  typeof value === 'number' ? value / SCALE : Number(textFromFixed(value));

export const decimalFromFixed = (value: Fixed): Decimal =>
  typeof value === 'number' ? new Decimal(value).div(SCALE) : new Decimal(textFromFixed(value));

/** Shortest plain text: 150_000_000 is "1.5". */
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
  const places = (size % ONE_IN_UNITS).toString().padStart(FINEST_PLACES, '0').replace(/0+$/, '');
  return places === '' ? whole : `${whole}.${places}`;
}
