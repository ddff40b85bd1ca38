import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AssertionError } from '../core/assert.js';
import { fixed, ONE, type Fixed } from '../core/fixed/fixed.js';
import { compareProducts, productText } from './product-text.js';

const safe = fc.maxSafeInteger();

it('compareProducts has the sign of the exact difference, for any safe integers', () => {
  fc.assert(
    fc.property(safe, safe, safe, safe, (a, b, c, d) => {
      const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
      const expected = exact > 0n ? 1 : exact < 0n ? -1 : 0;
      expect(Math.sign(compareProducts(fixed(a), fixed(b), fixed(c), fixed(d)))).toBe(expected);
    }),
  );
});

it('compareProducts distinguishes products closer than float precision', () => {
  expect(
    Math.sign(
      compareProducts(
        fixed(9_007_199_254_740_991),
        fixed(3),
        fixed(9_007_199_254_740_990),
        fixed(3),
      ),
    ),
  ).toBe(1);
  expect(
    compareProducts(
      fixed(600_000_000_000),
      fixed(500_000_000),
      fixed(500_000_000),
      fixed(600_000_000_000),
    ),
  ).toBe(0);
  expect(
    Math.sign(
      compareProducts(
        fixed(6_000_000_000_001),
        fixed(500_000_000),
        fixed(6_000_000_000_000),
        fixed(500_000_000),
      ),
    ),
  ).toBe(1);
});

it('compareProducts refuses a value that is not a number', () => {
  expect(() => compareProducts(Number.NaN as Fixed, ONE, ONE, ONE)).toThrow(AssertionError);
});

it.each([
  [150_000_000, 200_000_000, '3'],
  [150_000_000, 250_000_000, '3.75'],
  [0, 250_000_000, '0'],
  [-150_000_000, 250_000_000, '-3.75'],
  [1, 100_000_000, '0.00000001'],
  [1, -100_000_000, '-0.00000001'],
  [1, 10_000_000, '0'],
  // Half-even at the last place.
  [1, 150_000_000, '0.00000002'],
  [5, 50_000_000, '0.00000002'],
  // Beyond what a `Fixed` holds.
  [9_007_199_254_740_991, 9_007_199_254_740_991, '8112963841460666.36813905'],
])('writes %i × %i of 1e-8 as %s', (a, b, text) => {
  expect(productText(fixed(a), fixed(b))).toBe(text);
});
