import type { Currency } from '../core/currency.js';
import { Decimal, isPlainDecimal } from '../core/decimal.js';
import {
  FINEST_PLACES,
  fixed,
  FIXED_PLACES,
  fixedFromDecimal,
  fixedFromText,
  fixedFromUnits,
  floorToStep,
  withSign,
  type Fixed,
} from '../core/fixed.js';
import { WireNumber } from './wire-json.js';

export function parseCurrency(value: unknown): Currency | undefined {
  if (value === undefined || value === null) return 'USDT';
  return value === 'USDT' || value === 'INR' ? value : undefined;
}

/** A decimal sent as a string or as a JSON number, to its last digit; undefined for anything else. */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (value instanceof WireNumber) return new Decimal(value.text);
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  return typeof value === 'string' && isPlainDecimal(value) ? new Decimal(value) : undefined;
}

/** Absent and null are `null`; undefined for what is there and no decimal. */
export const parseOptionalDecimal = (value: unknown): Decimal | null | undefined =>
  isAbsent(value) ? null : parseDecimal(value);

/** A text; absent, null and empty are `null`; undefined for what is there and no text. */
export function parseOptionalText(value: unknown): string | null | undefined {
  if (isAbsent(value) || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** The finest value there is: off every step, as is whatever is finer still. */
const FINEST = fixedFromUnits<never>(1n);
/** Beyond every limit. */
const LARGEST = new Decimal('1e24');

/**
 * Into the ledger's form for the exchange to judge. What the ledger cannot hold keeps what is wrong
 * with it: too fine stays off every step, too large stays above every limit.
 */
export function judgeable<Unit extends string>(value: Decimal, step: Fixed): Fixed<Unit> {
  const sign = value.isNeg() ? -1 : 1;
  if (value.abs().gt(LARGEST)) {
    return withSign(sign, floorToStep(fixedFromDecimal<Unit>(LARGEST), step as Fixed<Unit>));
  }
  if (value.decimalPlaces() > FINEST_PLACES) return withSign(sign, FINEST as Fixed<Unit>);
  return fixedFromText(value.toFixed());
}

/**
 * Margin to add or take: a float (interface, add-margin), so that 0.30000000000000004 is meant as 0.3.
 * Half-even to the ledger's places; undefined where that leaves nothing to move.
 */
export const movableFloat = <Unit extends string>(value: Decimal): Fixed<Unit> | undefined =>
  movable<Unit>(value.toDecimalPlaces(FIXED_PLACES, Decimal.ROUND_HALF_EVEN));

/**
 * Money to move: within the ledger's places, never 0. Beyond its range it stays larger than any
 * balance. undefined for what no wallet can hold.
 */
export function movable<Unit extends string>(value: Decimal): Fixed<Unit> | undefined {
  return value.isZero() || value.decimalPlaces() > FIXED_PLACES
    ? undefined
    : judgeable<Unit>(value, fixed(1));
}

/** A flag: absent is false; undefined when it is not a boolean. */
export function parseFlag(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return false;
  return typeof value === 'boolean' ? value : undefined;
}
