import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from './decimal.js';
import {
  decimalFromFixed,
  fixed,
  fixedFromShortText,
  fixedFromText,
  SCALE,
  textFromFixed,
} from './fixed.js';

const plainText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^\d{1,17}$/),
    fc.option(fc.stringMatching(/^\d{1,10}$/), { nil: undefined }),
  )
  .map(([sign, whole, places]) => `${sign}${whole}${places === undefined ? '' : `.${places}`}`);

describe('a short text', () => {
  it('the fast path equals the decimal, or leaves the text to it', () => {
    fc.assert(
      fc.property(plainText, (text) => {
        const short = fixedFromShortText(text);
        if (short === undefined) return;
        expect(short).toBe(new Decimal(text).times(SCALE).toNumber() + 0);
        expect(Object.is(short, -0)).toBe(false);
        expect(fixedFromText(text)).toBe(short);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['0', 0],
    ['-0', 0],
    ['007.50', 750_000_000],
    ['-0.00000001', -1],
    ['90071992.5474099', 9_007_199_254_740_990],
  ])('the fast path reads %s', (text, scaled) => {
    expect(fixedFromShortText(text)).toBe(scaled);
  });

  it.each([
    ['', 'empty'],
    ['-', 'a sign alone'],
    ['+1', 'a plus'],
    ['.5', 'no digit before the dot'],
    ['5.', 'no digit after it'],
    ['1.2.3', 'two dots'],
    ['1e3', 'an exponent'],
    ['1 ', 'a blank'],
    ['0.123456789', 'nine places'],
    ['1234567890123456', 'sixteen digits'],
    ['90071992.54740992', 'out of range'],
  ])('the fast path leaves %j to a decimal: %s', (text) => {
    expect(fixedFromShortText(text)).toBeUndefined();
  });
});

describe('the text of a fixed-point value', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [1, '0.00000001'],
    [-1, '-0.00000001'],
    [150_000_000, '1.5'],
    [-100_000_000, '-1'],
    [12_000_000_000, '120'],
    [1_000_010, '0.0100001'],
    [Number.MAX_SAFE_INTEGER, '90071992.54740991'],
  ])('the text of %d is %s', (scaled, text) => {
    expect(textFromFixed(fixed(scaled))).toBe(text);
  });

  it('the text is the plain text of the decimal', () => {
    const zeros = fc.integer({ min: 0, max: 15 }).map((count) => 10 ** count);
    fc.assert(
      fc.property(fc.maxSafeInteger(), zeros, (size, round) => {
        const value = fixed(size - (size % round));
        expect(textFromFixed(value)).toBe(decimalFromFixed(value).toFixed());
        expect(fixedFromText(textFromFixed(value))).toBe(value);
      }),
      { numRuns: 5_000 },
    );
  });
});
