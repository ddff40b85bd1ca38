import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixed, fixedFromText, textFromFixed } from '../core/fixed.js';
import { decimalOf } from './journal-values.js';

describe('a decimal of the journal', () => {
  it('is read exactly, of whatever size', () => {
    const size = fc.constantFrom(1, 10, 1e4, 1e8, 1e12);
    fc.assert(
      fc.property(fc.maxSafeInteger(), size, (large, divisor) => {
        const value = fixed(Math.trunc(large / divisor));
        expect(decimalOf(textFromFixed(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each([
    '',
    '.5',
    '5.',
    '1.50',
    '1.0',
    '01',
    '-0',
    '+1',
    '1e3',
    ' 1',
    '0.000000001',
    'x',
    '99999999999',
  ])('is not read from %j', (text) => {
    expect(decimalOf(text)).toBeUndefined();
  });

  it('is what the one who reads every number makes of it', () => {
    const digits = fc.stringMatching(/^\d{1,8}(\.\d{1,9})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const value = decimalOf(text);
        if (value !== undefined) expect(value).toBe(fixedFromText(text));
      }),
    );
  });
});
