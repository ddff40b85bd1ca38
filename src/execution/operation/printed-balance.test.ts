import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, fixed, fixedFromText, type Amount } from '../../core/fixed/fixed.js';
import { matchesPrintedBalance } from './printed-balance.js';

const inr = (text: string): Amount => fixedFromText<'INR'>(text);
/** As the venue prints it. */
const cut = (exact: number): Amount => fixed<'INR'>(exact - (exact % 10_000));

describe('balance', () => {
  it('a USDT balance is equal in every place, or different', () => {
    expect(matchesPrintedBalance(inr('1.00000001'), inr('1'), 'USDT')).toBe(false);
    expect(matchesPrintedBalance(inr('1'), inr('1'), 'USDT')).toBe(true);
  });

  it('an INR balance is known to less than 0.0001', () => {
    expect(matchesPrintedBalance(inr('1.00009999'), inr('1'), 'INR')).toBe(true);
    expect(matchesPrintedBalance(inr('0.99990001'), inr('1'), 'INR')).toBe(true);
    expect(matchesPrintedBalance(inr('1.0001'), inr('1'), 'INR')).toBe(false);
    expect(matchesPrintedBalance(inr('0.9999'), inr('1'), 'INR')).toBe(false);
  });

  it('an INR balance confirms every change of its exact value, though both texts were truncated', () => {
    const exact = fc.integer({ min: 0, max: 1e14 });
    fc.assert(
      fc.property(exact, exact, (before, change) => {
        const expected = add(cut(before), fixed<'INR'>(change));
        expect(matchesPrintedBalance(cut(before + change), expected, 'INR')).toBe(true);
      }),
    );
  });
});
