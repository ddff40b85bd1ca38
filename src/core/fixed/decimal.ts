import { Decimal as GlobalDecimal } from 'decimal.js';

/**
 * The only decimal class of Sluice: 40 significant digits, half-even. Write its values with `toFixed()`,
 * without an exponent. A clone, so that no dependency's `Decimal.set` can change our rounding.
 */
export const Decimal = GlobalDecimal.clone({
  precision: 40,
  rounding: GlobalDecimal.ROUND_HALF_EVEN,
  toExpNeg: -40,
  toExpPos: 40,
  defaults: true,
});
export type Decimal = GlobalDecimal;

const PLAIN_DECIMAL = /^[+-]?\d+(\.\d+)?$/;

/** A plain decimal text ("12.50"): no exponent, hex, blank or separator. */
export const isPlainDecimal = (text: string): boolean => PLAIN_DECIMAL.test(text);
