import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AssertionError } from '../core/assert.js';
import { compareProducts } from './products.js';

const safe = fc.maxSafeInteger();

it('has the sign of the exact difference, for any safe integers', () => {
  fc.assert(
    fc.property(safe, safe, safe, safe, (a, b, c, d) => {
      const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
      const expected = exact > 0n ? 1 : exact < 0n ? -1 : 0;
      expect(Math.sign(compareProducts(a, b, c, d))).toBe(expected);
    }),
  );
});

it('tells products apart that differ by less than a float can hold', () => {
  expect(Math.sign(compareProducts(9_007_199_254_740_991, 3, 9_007_199_254_740_990, 3))).toBe(1);
  expect(compareProducts(600_000_000_000, 500_000_000, 500_000_000, 600_000_000_000)).toBe(0);
  expect(
    Math.sign(compareProducts(6_000_000_000_001, 500_000_000, 6_000_000_000_000, 500_000_000)),
  ).toBe(1);
});

it('has no answer for what is not a number', () => {
  expect(() => compareProducts(Number.NaN, 1, 1, 1)).toThrow(AssertionError);
});
