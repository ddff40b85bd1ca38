import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, fixed, fixedFromText, type Amount } from '../../core/fixed.js';
import { isBalance } from './printed-balance.js';

const inr = (text: string): Amount => fixedFromText<'INR'>(text);
/** As the venue prints it. */
const cut = (exact: number): Amount => fixed<'INR'>(exact - (exact % 10_000));

describe('a balance', () => {
  it('of USDT is what it should be to the last place, or it is not', () => {
    expect(isBalance(inr('1.00000001'), inr('1'), 'USDT')).toBe(false);
    expect(isBalance(inr('1'), inr('1'), 'USDT')).toBe(true);
  });

  it('of INR is known to less than a ten-thousandth', () => {
    expect(isBalance(inr('1.00009999'), inr('1'), 'INR')).toBe(true);
    expect(isBalance(inr('0.99990001'), inr('1'), 'INR')).toBe(true);
    expect(isBalance(inr('1.0001'), inr('1'), 'INR')).toBe(false);
    expect(isBalance(inr('0.9999'), inr('1'), 'INR')).toBe(false);
  });

  it('of INR confirms every change of its exact value, though both texts were cut', () => {
    const exact = fc.integer({ min: 0, max: 1e14 });
    fc.assert(
      fc.property(exact, exact, (before, change) => {
        const wanted = add(cut(before), fixed<'INR'>(change));
        expect(isBalance(cut(before + change), wanted, 'INR')).toBe(true);
      }),
    );
  });
});
