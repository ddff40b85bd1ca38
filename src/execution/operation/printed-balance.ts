import type { Currency } from '../../core/currency.js';
import { absolute, fixedFromText, isLess, subtract, type Amount } from '../../core/fixed.js';

/** INR balances are printed cut to four places. */
const FOUR_PLACES = fixedFromText<'INR'>('0.0001');

/**
 * Whether a balance is what it should be, as far as its text tells: of INR both what was measured
 * before and what is shown now are cut, so that a change is known to less than 0.0001.
 */
export const isBalance = (shown: Amount, wanted: Amount, currency: Currency): boolean =>
  currency === 'INR' ? isLess(absolute(subtract(shown, wanted)), FOUR_PLACES) : shown === wanted;
