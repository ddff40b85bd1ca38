import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../core/fixed/decimal.js';
import { fixedFromText, textFromFixed, type Fixed } from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import { fixedSlippage, rangeSlippage, volumeSlippage, type SlippageModel } from './slippage.js';

const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);

const priceOf = (
  model: SlippageModel | undefined,
  side: Side,
  price: string,
  quantity = '1',
): string | undefined => {
  const fill = { symbol: 'S', side, price: of<'price'>(price), quantity: of<'quantity'>(quantity) };
  return model === undefined ? undefined : textFromFixed(model(fill));
};

describe('the slippage of a market fill', () => {
  it('is a share of the price, against the side of the order', () => {
    expect(priceOf(fixedSlippage(10), 'buy', '100')).toBe('100.1');
    expect(priceOf(fixedSlippage(10), 'sell', '100')).toBe('99.9');
    expect(fixedSlippage(0)).toBeUndefined();
    expect(() => fixedSlippage(10_000)).toThrow('10,000 basis points');
  });

  it('is the exact product of price and share, rounded half-even', () => {
    // Prices of at least seven digits at eight places are rounded there, the others at eighteen places.
    const price = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 18 }))
      .map(([digits, places]) => new Decimal(digits.toString()).times(Decimal.pow(10, -places)))
      .filter((value) => value.lt('1e13'));
    const bps = fc.oneof(
      fc.constantFrom(0.5, 1, 2, 2.5, 100),
      fc.double({ min: 1e-9, max: 9_999, noNaN: true }),
      fc.integer({ min: 1, max: 9_999_9999 }).map((units) => units / 10_000),
    );
    fc.assert(
      fc.property(price, bps, fc.constantFrom<Side>('buy', 'sell'), (value, points, side) => {
        const places = value.gte('0.01') ? 8 : 18;
        const factor = new Decimal(points).div(side === 'buy' ? 10_000 : -10_000).plus(1);
        const expected = value.times(factor).toDecimalPlaces(places, Decimal.ROUND_HALF_EVEN);
        expect(priceOf(fixedSlippage(points), side, value.toFixed())).toBe(expected.toFixed());
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['the share of the price is larger', '0.1', '100.01', '99.99'],
    ['both are equal', '0.2', '100.01', '99.99'],
    ['the share of the range is larger', '4', '100.2', '99.8'],
    ['the candle has no range', '0', '100.01', '99.99'],
  ])('by range takes the larger share: %s', (_case, range, bought, sold) => {
    const shares = { price: of<'ratio'>('0.0001'), range: of<'ratio'>('0.05') };
    const model = rangeSlippage(shares, () => ({ range: of<'price'>(range), volume: 1 }));
    expect(priceOf(model, 'buy', '100')).toBe(bought);
    expect(priceOf(model, 'sell', '100')).toBe(sold);
  });

  it.each([
    ['a tenth of the volume', '1', 10, '100.1'],
    ['the whole volume', '10', 10, '110'],
    ['more than the volume', '11', 10, '110'],
    ['a candle without volume', '1', 0, '110'],
  ])('by volume grows with the square of the share: %s', (_case, quantity, volume, bought) => {
    const model = volumeSlippage(0.1, () => ({ range: of<'price'>('1'), volume }));
    expect(priceOf(model, 'buy', '100', quantity)).toBe(bought);
  });

  it('never brings a sale to or below 0', () => {
    const shares = { price: of<'ratio'>('0'), range: of<'ratio'>('0.05') };
    const model = rangeSlippage(shares, () => ({ range: of<'price'>('2000'), volume: 1 }));
    expect(priceOf(model, 'sell', '100')).toBe('100');
  });
});
