import { describe, expect, it } from 'vitest';
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
