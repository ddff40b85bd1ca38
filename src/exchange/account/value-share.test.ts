import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divideHalfEvenBig,
  fixedFromScaled,
  fixedFromText,
  multiplyExact,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { feeShare, initialMarginOf, feeOf, marginShare } from './margin.js';
import { ValueShare } from './value-share.js';

const scaled = (max: number) => fc.integer({ min: 0, max });
const prices = fc.oneof(scaled(10 ** 9), scaled(10 ** 14), scaled(Number.MAX_SAFE_INTEGER));
const rates = fc.oneof(
  fc
    .constantFrom('0', '0.0005', '0.00059', '0.00023', '-0.0001')
    .map((text) => fixedFromText<'ratio'>(text)),
  scaled(10 ** 8).map((value) => value as Ratio),
);
const leverages = fc.oneof(
  fc.constantFrom('1', '2', '3', '5', '7', '10', '13', '25'),
  fc.integer({ min: 100, max: 10_000 }).map((hundredths) => (hundredths / 100).toFixed(2)),
);
const amountOf = (units: bigint): Amount => fixedFromScaled(units);

describe('a constant share of a value', () => {
  it('a fee is that of the exact formula, for every price, quantity and rate', () => {
    fc.assert(
      fc.property(prices, prices, rates, (p, q, rate) => {
        const [price, quantity] = [p as Price, q as Quantity];
        const exact = amountOf(feeOf(multiplyExact(price, quantity), rate, ONE));
        expect(feeShare(rate).of(price, quantity)).toBe(exact);
      }),
      { numRuns: 2_000 },
    );
  });

  it('an initial margin is that of the exact formula, for every leverage and side', () => {
    fc.assert(
      fc.property(
        prices,
        prices,
        leverages,
        rates,
        fc.constantFrom(1, -1),
        (p, q, times, rate, longSign) => {
          const [price, quantity] = [p as Price, q as Quantity];
          const leverage = fixedFromText<'ratio'>(times);
          const value = multiplyExact(price, quantity);
          const terms = { leverage, takerFeeRate: rate, longSign: longSign as 1 | -1 };
          const exact = amountOf(initialMarginOf({ ...terms, value, hedgeRate: ONE }));
          expect(marginShare(terms).of(price, quantity)).toBe(exact);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('a tie goes to the even neighbour on both sides of zero', () => {
    // 1e-16 × 5 ÷ 10: half a unit of 1e-16 more than a whole number of 1e-8.
    const half = new ValueShare(5n, 10n ** 29n);
    const price = 100_000_000 as Price;
    for (const [quantity, expected] of [
      [1, 0],
      [3, 2],
      [5, 2],
      [-1, 0],
      [-3, -2],
    ] as const) {
      expect(half.of(price, quantity as Quantity)).toBe(expected);
      const value = multiplyExact(price, quantity as Quantity);
      expect(amountOf(divideHalfEvenBig(value * 5n, 10n ** 29n))).toBe(expected);
    }
  });

  it('values beyond two words take the wide path, with the same result', () => {
    const share = new ValueShare(3n, 7n * 10n ** 28n);
    const price = Number.MAX_SAFE_INTEGER as Price;
    const quantity = Number.MAX_SAFE_INTEGER as Quantity;
    const value = multiplyExact(price, quantity);
    expect(share.of(price, quantity)).toBe(
      amountOf(divideHalfEvenBig(value * 3n, 7n * 10n ** 28n)),
    );
  });
});

const ONE = fixedFromText<'ratio'>('1');
