import type { Currency } from '../../core/currency.js';
import { Decimal, isPlainDecimal } from '../../core/fixed/decimal.js';
import {
  MAX_PLACES,
  fixed,
  FIXED_PLACES,
  fixedFromDecimal,
  fixedFromText,
  fixedFromUnits,
  floorToStep,
  withSign,
  type Fixed,
} from '../../core/fixed/fixed.js';
import { WireNumber } from './wire-json.js';

export function parseCurrency(value: unknown): Currency | undefined {
  if (value === undefined || value === null) return 'USDT';
  return value === 'USDT' || value === 'INR' ? value : undefined;
}

/** Exact decimal from a string or a JSON number; undefined for anything else. */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (value instanceof WireNumber) return new Decimal(value.text);
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  return typeof value === 'string' && isPlainDecimal(value) ? new Decimal(value) : undefined;
}

/** `null` when absent or null; undefined for a value that is not a decimal. */
export const parseOptionalDecimal = (value: unknown): Decimal | null | undefined =>
  isAbsent(value) ? null : parseDecimal(value);

/** `null` when absent, null or empty; undefined for a value that is not a string. */
export function parseOptionalText(value: unknown): string | null | undefined {
  if (isAbsent(value) || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Smallest ledger value; like any finer value it is off every step. */
const SMALLEST = fixedFromUnits<never>(1n);
/** Above every limit. */
const LARGEST = new Decimal('1e24');

/**
 * Converts to the ledger's form for the exchange's checks. A value that the ledger cannot hold keeps its
 * fault: one too fine stays off every step, one too large stays above every limit.
 */
export function toFixedForChecks<Unit extends string>(value: Decimal, step: Fixed): Fixed<Unit> {
  const sign = value.isNeg() ? -1 : 1;
  if (value.abs().gt(LARGEST)) {
    return withSign(sign, floorToStep(fixedFromDecimal<Unit>(LARGEST), step as Fixed<Unit>));
  }
  if (value.decimalPlaces() > MAX_PLACES) return withSign(sign, SMALLEST as Fixed<Unit>);
  return fixedFromText(value.toFixed());
}

/**
 * Margin to add or remove: a float (interface: add-margin), so 0.30000000000000004 means 0.3.
 * Rounded half-even to the ledger's places; undefined when that gives 0.
 */
export const roundedTransferAmount = <Unit extends string>(
  value: Decimal,
): Fixed<Unit> | undefined =>
  transferAmount<Unit>(value.toDecimalPlaces(FIXED_PLACES, Decimal.ROUND_HALF_EVEN));

/**
 * Amount to transfer; undefined for 0 and for more places than the ledger has. One beyond the ledger's
 * range stays larger than any balance.
 */
export function transferAmount<Unit extends string>(value: Decimal): Fixed<Unit> | undefined {
  return value.isZero() || value.decimalPlaces() > FIXED_PLACES
    ? undefined
    : toFixedForChecks<Unit>(value, fixed(1));
}

/** A flag: absent is false; undefined when it is not a boolean. */
export function parseFlag(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return false;
  return typeof value === 'boolean' ? value : undefined;
}
