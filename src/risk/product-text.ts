import {
  divideHalfEvenBig,
  fixedFromScaled,
  ONE,
  textFromFixed,
  UNITS_PER_SCALED,
  unitsOf,
  type Fixed,
} from '../core/fixed/fixed.js';

export { compareProducts } from '../core/fixed/fixed.js';

/** a × b as shortest decimal text, half-even to 8 places, of any magnitude. */
export const productText = (a: Fixed, b: Fixed): string => proportionText(a, b, ONE);

/** a × b ÷ c, formatted as by `productText`. */
export function proportionText(a: Fixed, b: Fixed, c: Fixed): string {
  const divisor = unitsOf(c) * UNITS_PER_SCALED;
  return textFromFixed(fixedFromScaled(divideHalfEvenBig(unitsOf(a) * unitsOf(b), divisor)));
}
