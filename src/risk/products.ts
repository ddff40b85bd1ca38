import {
  divideHalfEvenBig,
  fixedFromScaled,
  ONE,
  textFromFixed,
  UNITS_PER_SCALED,
  unitsOf,
  type Fixed,
} from '../core/fixed.js';

export { compareProducts } from '../core/fixed.js';

/** a × b as shortest decimal text, half-even to 8 places, however large it is. */
export const productText = (a: Fixed, b: Fixed): string => proportionText(a, b, ONE);

/** a × b ÷ c as `productText` writes it. */
export function proportionText(a: Fixed, b: Fixed, c: Fixed): string {
  const divisor = unitsOf(c) * UNITS_PER_SCALED;
  return textFromFixed(fixedFromScaled(divideHalfEvenBig(unitsOf(a) * unitsOf(b), divisor)));
}
