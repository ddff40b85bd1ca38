import type { Currency } from '../../core/currency.js';
import { absolute, fixedFromText, isLess, subtract, type Amount } from '../../core/fixed/fixed.js';

/** INR balances are truncated to four places. */
const FOUR_PLACES = fixedFromText<'INR'>('0.0001');

/**
 * Whether a shown balance equals the expected one. For INR the balance before and the shown one are
 * both truncated, so that they may differ by less than 0.0001.
 */
export const matchesPrintedBalance = (
  shown: Amount,
  expected: Amount,
  currency: Currency,
): boolean =>
  currency === 'INR'
    ? isLess(absolute(subtract(shown, expected)), FOUR_PLACES)
    : shown === expected;
