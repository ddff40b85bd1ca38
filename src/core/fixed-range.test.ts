import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from './fixed/decimal.js';
import {
  add,
  averagePrice,
  ceilToStep,
  compareProducts,
  decimalFromFixed,
  divide,
  fixed,
  fixedFromDecimal,
  fixedFromNumber,
  fixedFromText,
  floorToStep,
  isAtLeast,
  isAtMost,
  isFixed,
  isLess,
  isGreater,
  multiply,
  multiplyExact,
  negate,
  numberFromFixed,
  remainder,
  sign,
  subtract,
  textFromFixed,
  times,
  type Fixed,
} from './fixed/fixed.js';
import { recordFromText, recordText } from './record-json.js';

const Wide = Decimal.clone({ precision: 120 });
const wide = (value: Fixed): Decimal => new Wide(textFromFixed(value));

/** All values that a venue can print: 1e-18 to 1e15, of either sign and any length. */
const text = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt(0n, 10n ** 15n), fc.stringMatching(/^\d{0,18}$/))
  .map(([minus, whole, places]) => `${minus}${whole}${places === '' ? '' : `.${places}`}`);
const small = fc.stringMatching(/^0\.0{0,16}[1-9]$/);
const usual = fc.stringMatching(/^-?\d{1,6}(\.\d{1,8})?$/);
const value = fc.oneof(text, small, usual).map((each) => fixedFromText(each));

const RUNS = { numRuns: 2_000 };

describe('the whole range that a venue can print', () => {
  it('a text is read exactly and written in its shortest form', () => {
    fc.assert(
      fc.property(fc.oneof(text, small, usual), (given) => {
        const read = fixedFromText(given);
        expect(isFixed(read)).toBe(true);
        expect(textFromFixed(read)).toBe(new Wide(given).plus(0).toFixed().replace(/^-0$/, '0'));
        expect(decimalFromFixed(read).eq(given)).toBe(true);
      }),
      RUNS,
    );
  });

  it('equal values are === and one key of a map', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const there = subtract(add(a, b), b);
        expect(there === a).toBe(true);
        expect(new Map([[a, 1]]).get(there)).toBe(1);
        expect(a === b).toBe(wide(a).eq(wide(b)));
      }),
      RUNS,
    );
  });

  it('sums, signs and comparisons are those of decimals', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(textFromFixed(add(a, b))).toBe(wide(a).plus(wide(b)).plus(0).toFixed());
        expect(isLess(a, b)).toBe(wide(a).lt(wide(b)));
        expect(isGreater(a, b)).toBe(wide(a).gt(wide(b)));
        expect(isAtMost(a, b)).toBe(wide(a).lte(wide(b)));
        expect(isAtLeast(a, b)).toBe(wide(a).gte(wide(b)));
        expect(sign(a)).toBe(wide(a).cmp(0));
        expect(a > 0).toBe(wide(a).gt(0));
        expect(add(a, negate(a))).toBe(0);
      }),
      RUNS,
    );
  });

  it('products are exact and booked half-even at 8 places', () => {
    fc.assert(
      fc.property(value, value, value, value, (a, b, c, d) => {
        const product = wide(a).times(wide(b));
        expect(multiplyExact(a, b).toString()).toBe(product.times('1e36').plus(0).toFixed());
        const booked = product.toDecimalPlaces(8, Decimal.ROUND_HALF_EVEN).plus(0);
        expect(wide(multiply(a, b)).eq(booked)).toBe(true);
        const difference = product.minus(wide(c).times(wide(d)));
        expect(Math.sign(compareProducts(a, b, c, d))).toBe(difference.cmp(0));
      }),
      RUNS,
    );
  });

  it('quotients are rounded half-even at 8 places', () => {
    fc.assert(
      fc.property(
        value,
        value.filter((each) => each !== 0),
        (a, b) => {
          const exact = wide(a).div(wide(b)).toDecimalPlaces(8, Decimal.ROUND_HALF_EVEN);
          expect(wide(divide(a, b)).eq(exact)).toBe(true);
        },
      ),
      RUNS,
    );
  });

  it('rounding to a step leaves a remainder below the step', () => {
    const step = value.map((each) => (each < 0 ? negate(each) : each)).filter((each) => each > 0);
    fc.assert(
      fc.property(value, step, (a, by) => {
        const rest = remainder(a, by);
        expect(add(floorToStep(a, by), rest)).toBe(a);
        expect(isLess(rest < 0 ? negate(rest) : rest, by)).toBe(true);
        if (a >= 0) expect(isAtLeast(ceilToStep(a, by), a)).toBe(true);
      }),
      RUNS,
    );
  });

  it('whole multiples equal those of decimals', () => {
    fc.assert(
      fc.property(value, fc.integer({ min: -1_000_000, max: 1_000_000 }), (a, count) => {
        expect(textFromFixed(times(a, count))).toBe(wide(a).times(count).plus(0).toFixed());
      }),
      RUNS,
    );
  });

  it('the average of fills at a listed price, of 8 places or below 0.01, is that price', () => {
    const above = value.filter((each) => each > 0);
    const listed = above
      .map((each) => floorToStep(each, fixedFromText('0.00000001')))
      .filter((each) => each > 0);
    fc.assert(
      fc.property(
        fc.oneof(
          listed,
          small.map((each) => fixedFromText(each)),
        ),
        above,
        (price, quantity) => {
          expect(averagePrice(multiplyExact(price, quantity), quantity)).toBe(price);
        },
      ),
      RUNS,
    );
  });

  it('a record retains every value', () => {
    fc.assert(
      fc.property(fc.array(value), (values) => {
        expect(recordFromText(recordText({ values }))).toEqual({ values });
        expect(structuredClone(values)).toEqual(values);
      }),
    );
  });
});

describe('a number of market data', () => {
  it.each([
    [0.0000001234, '0.0000001234'],
    [1.234e-10, '0.0000000001234'],
    [0.30000000000000004, '0.3'],
    [60_000.123456789, '60000.12345679'],
    [123_456_789_012, '123456789012'],
    [0.00001234, '0.00001234'],
  ])('the fixed value of %d is %s', (number, expected) => {
    expect(textFromFixed(fixedFromNumber(number))).toBe(expected);
    expect(numberFromFixed(fixedFromText(expected))).toBeCloseTo(number, 6);
  });
});

it('a text with more than 18 places or 30 integer digits is refused', () => {
  expect(() => fixedFromText('0.0000000000000000001')).toThrow(/more than 18 decimal places/);
  expect(() => fixedFromText('9'.repeat(31))).toThrow(/out of range/);
  expect(() => fixedFromDecimal(new Decimal(Infinity))).toThrow(RangeError);
  expect(isFixed(10n ** 18n)).toBe(false);
  expect(isFixed(-0)).toBe(false);
  expect(fixedFromText('100000000')).not.toBe(fixed(100_000_000));
});
