import { assert } from '../../../src/core/assert.js';
import type { Fixed } from '../../../src/core/fixed/fixed.js';

/** The integer of 1e-8 that a value is, for tests whose figures are all of that size. */
export function scaledOf(value: Fixed | number | undefined): number {
  assert(typeof value === 'number', 'The value has the fast form');
  return value;
}
