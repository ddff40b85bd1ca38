import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  averagePrice,
  divideProduct,
  fixed,
  fixedFromProduct,
  fixedFromUnits,
  multiplyExact,
  ONE_IN_UNITS,
  ProductSum,
  proportionOfProduct,
  SCALE,
  unitsOf,
  type Fixed,
} from './fixed.js';

const options = { numRuns: 5_000 };
const MAX = Number.MAX_SAFE_INTEGER;
/** Money of 8 places: its sums are held in two words. Ties among them. */
const money = fc.oneof(
  fc.integer({ min: -(10 ** 10), max: 10 ** 10 }),
  fc.integer({ min: -200, max: 200 }).map((n) => n * 50_000_000),
);
const small = money.map((n) => fixed<'price'>(n));
/** Values of both forms, with up to 18 places. */
const large = fc.oneof(
  small,
  fc.integer({ min: -MAX, max: MAX }).map((n) => fixed<'price'>(n)),
  fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }).map((n) => fixedFromUnits<'price'>(n)),
);
const listOf = (value: fc.Arbitrary<Fixed<'price'>>) =>
  fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 6 });
const above0 = (value: fc.Arbitrary<Fixed<'price'>>) => value.filter((each) => each > 0);
const pairs = fc.oneof(listOf(small), listOf(large));
const positivePairs = fc.oneof(listOf(above0(small)), listOf(above0(large)));
const positive = fc.oneof(above0(small), above0(large));

const sumOf = (list: readonly (readonly [Fixed, Fixed])[]): ProductSum =>
  list.reduce((sum, [a, b]) => sum.plus(ProductSum.of(a, b)), ProductSum.NONE);
const exactOf = (list: readonly (readonly [Fixed, Fixed])[]): bigint =>
  list.reduce((sum, [a, b]) => sum + multiplyExact(a, b), 0n);

describe('a sum of products', () => {
  it('equals that of big integers, whatever is added and subtracted', () => {
    let held = 0;
    fc.assert(
      fc.property(pairs, pairs, (added, subtracted) => {
        const sum = sumOf(added).minus(sumOf(subtracted));
        const exact = exactOf(added) - exactOf(subtracted);
        if (!Number.isNaN(sum.approximate)) held += 1;
        expect(sum.exact).toBe(exact);
        expect(ProductSum.ofExact(exact).exact).toBe(exact);
        expect([sum.isZero, sum.isPositive]).toEqual([exact === 0n, exact > 0n]);
      }),
      options,
    );
    expect(held).toBeGreaterThan(options.numRuns / 5);
  });

  it('has a size that is right to 1e-15, or none', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const sum = sumOf(list);
        const { approximate } = sum;
        if (Number.isNaN(approximate)) return;
        const exact = sum.exact / 10n ** 20n;
        const difference = BigInt(approximate) - exact;
        const size = exact < 0n ? -exact : exact;
        expect((difference < 0n ? -difference : difference) * 10n ** 15n <= size).toBe(true);
      }),
      options,
    );
  });

  it('divides by a leverage and takes a part as big integers do', () => {
    const leverage = fc.oneof(
      fc.integer({ min: 1, max: 200 }).map((n) => fixed<'ratio'>(n * SCALE)),
      positive,
    );
    fc.assert(
      fc.property(pairs, leverage, positive, positive, (list, divisor, part, of) => {
        const sum = sumOf(list);
        const exact = exactOf(list);
        expect(sum.dividedBy(divisor).exact).toBe(
          divideProduct(exact, ONE_IN_UNITS, unitsOf(divisor)),
        );
        expect(sum.proportion(part, of).exact).toBe(proportionOfProduct(exact, part, of));
      }),
      options,
    );
  });

  it('has the average price and the gain of big integers', () => {
    const sign = fc.constantFrom(1 as const, -1 as const);
    fc.assert(
      fc.property(positivePairs, positive, positive, sign, (list, price, quantity, side) => {
        const sum = sumOf(list);
        const exact = exactOf(list);
        expect(sum.average(quantity)).toBe(averagePrice(exact, quantity));
        const gain = fixedFromProduct((multiplyExact(price, quantity) - exact) * BigInt(side));
        expect(sum.gain(price, quantity, side)).toBe(gain);
      }),
      options,
    );
  });

  it('is 0 whenever its parts cancel, also halves of its smaller word', () => {
    const half = ProductSum.of(fixed(1), fixed(SCALE / 2));
    const one = ProductSum.of(fixed(1), fixed(SCALE));
    const none = ProductSum.NONE.minus(half).minus(half).plus(one);
    expect([none.isZero, none.isPositive, none.exact]).toEqual([true, false, 0n]);
    expect(half.plus(half).minus(one).isZero).toBe(true);
  });

  it('keeps a sum of money in two words, and one below 1e-16 or beyond them as a big integer', () => {
    expect(ProductSum.of(fixed(100), fixed(3)).approximate).toBe(300);
    for (const exact of [1n, 2n ** 51n * 10n ** 28n])
      expect(ProductSum.ofExact(exact).approximate).toBeNaN();
  });
});
