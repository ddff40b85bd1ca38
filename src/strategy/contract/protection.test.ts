import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedFromText, numberFromFixed, textFromFixed } from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import { protectionFault, protectionFor, protectionSchema } from './protection.js';
import { testInstrument } from '../../testing/instrument.js';

const instrument = testInstrument({
  priceStep: fixedFromText('0.1'),
  minPrice: fixedFromText('0.1'),
});
const facts = (side: Side, price: string) => ({
  side,
  price: fixedFromText<'price'>(price),
  instrument,
});

const texts = (side: Side, price: string, stopLossPct: number, takeProfitPct: number) => {
  const { stopLoss, takeProfit } = protectionFor(facts(side, price), {
    stopLossPct,
    takeProfitPct,
  });
  return [stopLoss, takeProfit].map((each) => each && textFromFixed(each));
};

describe('protectionFor', () => {
  it.each([
    ['a long', 'buy', '60000', 2, 4, ['58800', '62400']],
    ['a short', 'sell', '60000', 2, 4, ['61200', '57600']],
    // 98.0196 and 102.0204
    ['a long, both toward the entry', 'buy', '100.02', 2, 2, ['98.1', '102']],
    ['a short, both toward the entry', 'sell', '100.02', 2, 2, ['102', '98.1']],
    ['what would stand on the entry, one step away', 'buy', '100', 0.01, 0.01, ['99.9', '100.1']],
    ['the same off the step', 'sell', '100.05', 0.01, 0.01, ['100.1', '100']],
    ['a target of a short below the venue’s bound', 'sell', '100', 1, 150, ['101', '0.1']],
  ] as const)('protects %s', (_, side, price, stop, take, expected) => {
    expect(texts(side, price, stop, take)).toEqual(expected);
  });

  it('no protection is attached unless configured', () => {
    expect(protectionFor(facts('buy', '100'), {})).toEqual({});
    expect(protectionFor(facts('buy', '100'), { stopLossPct: 1 })).toEqual({
      stopLoss: fixedFromText('99'),
    });
  });

  it('prices of the strategy take precedence', () => {
    const given = protectionFor(facts('buy', '100'), { stopLossPct: 1 }, { stopLoss: 97.33 });
    expect(given.stopLoss).toBe(fixedFromText('97.4'));
  });

  it('a stop never risks more than configured, and is always on its side of the entry', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Side>('buy', 'sell'),
        fc.integer({ min: 1_000, max: 10_000_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        (side, cents, basisPoints) => {
          const entry = cents / 100;
          const stopLossPct = basisPoints / 100;
          const { stopLoss } = protectionFor(facts(side, entry.toFixed(2)), { stopLossPct });
          const distance =
            (entry - numberFromFixed(stopLoss ?? fixedFromText('0'))) * (side === 'buy' ? 1 : -1);
          expect(distance).toBeGreaterThan(0);
          expect(distance).toBeLessThanOrEqual(Math.max((entry * stopLossPct) / 100, 0.1) + 1e-6);
        },
      ),
    );
  });
});

describe('protectionFault', () => {
  it.each([
    ['buy', { stopLoss: 99, takeProfit: 101 }, undefined],
    ['sell', { stopLoss: 101, takeProfit: 99 }, undefined],
    ['buy', { stopLoss: 100 }, /stopLoss 100 is not below/],
    ['sell', { stopLoss: 99 }, /stopLoss 99 is not above/],
    ['buy', { takeProfit: 99 }, /takeProfit 99 is not above/],
    ['sell', { takeProfit: 101 }, /takeProfit 101 is not below/],
  ] as const)('of a %s at 100 with %o', (side, prices, expected) => {
    const fault = protectionFault(facts(side, '100'), prices);
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(expected);
  });
});

describe('the protect setting', () => {
  it('the protect setting accepts plain decimals as texts and numbers', () => {
    expect(protectionSchema.parse({ stop_loss_pct: '2.5', take_profit_pct: 4 })).toEqual({
      stopLossPct: 2.5,
      takeProfitPct: 4,
    });
    expect(
      protectionSchema.parse({ trailing_pct: 1.5, break_even_pct: '1', max_hold: '4h' }),
    ).toEqual({ trailingPct: 1.5, breakEvenPct: 1, maxHoldMs: 14_400_000 });
    expect(protectionSchema.parse({})).toEqual({});
  });

  it.each([
    [{ trailing_pct: 100 }, /below 100/],
    [{ break_even_pct: 0 }, /above 0/],
    [{ max_hold: 240 }, /a time such as 90m/],
    [{ max_hold: '4 hours' }, /a time such as 90m/],
    [{ stop_loss_pct: 100 }, /below 100/],
    [{ stop_loss_pct: 0 }, /above 0/],
    [{ stop_loss_pct: 'two' }, /above 0/],
    [{ stop_los_pct: 2 }, /stop_los_pct/],
  ])('the protect setting refuses %o', (given, message) => {
    expect(protectionSchema.safeParse(given).error?.message).toMatch(message);
  });
});
