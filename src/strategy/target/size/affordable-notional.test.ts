import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { affordableNotional } from './affordable-notional.js';

describe('the notional that an equity can pay for', () => {
  it('the affordable notional covers collateral and fees of both legs, at every leverage, side and price', () => {
    const costs = fc.record({
      leverage: fc.double({ min: 1, max: 150, noNaN: true }),
      takerFee: fc.double({ min: 0, max: 0.01, noNaN: true }),
      slippage: fc.double({ min: 0, max: 0.05, noNaN: true }),
    });
    fc.assert(
      fc.property(costs, fc.constantFrom(1, -1), (given, longSign) => {
        const { leverage, takerFee, slippage } = given;
        const value = affordableNotional(10_000, given) * (1 + slippage + 0.005);
        const margin = value / leverage + value * (1 - longSign / leverage) * takerFee;
        expect(margin + value * takerFee).toBeLessThanOrEqual(10_000 + 1e-6);
      }),
    );
  });

  it('the affordable notional is most of the equity at leverage 1, and 0 of a negative one', () => {
    const costs = { leverage: 1, takerFee: 0.00059, slippage: 0 };
    expect(affordableNotional(10_000, costs)).toBeGreaterThan(9_900);
    expect(affordableNotional(-5, costs)).toBe(0);
  });
});
