import { assert } from '../core/assert.js';
import { divideHalfEvenBig, FIXED_PLACES, SCALE, type Fixed } from '../core/fixed.js';

/** Above the rounding of two float products, far below any step of a limit. */
const GUARD = 1e-12;

/**
 * The sign of a × b − c × d, exact for safe integers. Products of two 1e-8 values leave 2^53; floats
 * decide all but near ties, so that a judgement makes no BigInt.
 */
export function compareProducts(a: number, b: number, c: number, d: number): number {
  const left = a * b;
  const right = c * d;
  const difference = left - right;
  assert(!Number.isNaN(difference), 'Factors are numbers');
  if (Math.abs(difference) > GUARD * (Math.abs(left) + Math.abs(right))) return difference;
  const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
  return exact > 0n ? 1 : exact < 0n ? -1 : 0;
}

/**
 * a × b as shortest decimal text, half-even to 8 places: also where no `Fixed` can hold it, because an
 * order that is absurdly large must still be refused in words.
 */
export const productText = (a: Fixed, b: Fixed): string => proportionText(a, b, SCALE);

/** a × b ÷ c as `productText` writes it. */
export function proportionText(a: number, b: number, c: number): string {
  const scaled = divideHalfEvenBig(BigInt(a) * BigInt(b), BigInt(c));
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(FIXED_PLACES + 1, '0');
  const whole = digits.slice(0, -FIXED_PLACES);
  const places = digits.slice(-FIXED_PLACES).replace(/0+$/, '');
  return `${scaled < 0n ? '-' : ''}${whole}${places === '' ? '' : `.${places}`}`;
}
