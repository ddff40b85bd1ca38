import { assert } from '../core/assert.js';

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
