import { describe, expect, it } from 'vitest';
import { d } from '../../test/support/builders/risk-case.js';
import { FillSlippage, type EntryFill } from './fill-slippage.js';

const LIMIT = d<'ratio'>('100');
const MINUTE = 60_000;

const fill = (of: Partial<EntryFill> & { readonly orderKey: number }): EntryFill => ({
  strategyId: 'cross',
  side: 'buy',
  price: d('101.01'),
  reference: d('100'),
  at: of.orderKey * MINUTE,
  ...of,
});

/** Whether the third of three such fills stops the strategy. */
const thirdStops = (of: Partial<EntryFill>): boolean => {
  const slippage = new FillSlippage();
  return (
    [1, 2, 3].map((orderKey) => slippage.onFill(fill({ orderKey, ...of }), LIMIT)).at(2) ?? false
  );
};

describe('R39 fill_slippage_bps', () => {
  it.each([
    ['just inside', { price: d<'price'>('100.99') }, false],
    ['at the limit', { price: d<'price'>('101') }, false],
    ['just outside', { price: d<'price'>('101.01') }, true],
    ['a sell just outside', { side: 'sell' as const, price: d<'price'>('98.99') }, true],
    ['a sell at a better price', { side: 'sell' as const, price: d<'price'>('105') }, false],
    ['a buy at a better price', { price: d<'price'>('90') }, false],
  ])('three entries %s', (_name, of, stops) => {
    expect(thirdStops(of)).toBe(stops);
  });

  it('the first two do not stop the strategy', () => {
    const slippage = new FillSlippage();
    expect(slippage.onFill(fill({ orderKey: 1 }), LIMIT)).toBe(false);
    expect(slippage.onFill(fill({ orderKey: 2 }), LIMIT)).toBe(false);
  });

  it('three fills of one order count once', () => {
    expect(thirdStops({ orderKey: 7 })).toBe(false);
  });

  it('an entry of more than ten minutes ago does not count', () => {
    const slippage = new FillSlippage();
    slippage.onFill(fill({ orderKey: 1, at: 0 }), LIMIT);
    slippage.onFill(fill({ orderKey: 2, at: 1 }), LIMIT);
    expect(slippage.onFill(fill({ orderKey: 3, at: 10 * MINUTE }), LIMIT)).toBe(false);
    expect(slippage.onFill(fill({ orderKey: 4, at: 10 * MINUTE }), LIMIT)).toBe(true);
  });

  it('each strategy is counted for itself', () => {
    const slippage = new FillSlippage();
    slippage.onFill(fill({ orderKey: 1 }), LIMIT);
    slippage.onFill(fill({ orderKey: 2 }), LIMIT);
    expect(slippage.onFill(fill({ orderKey: 3, strategyId: 'other' }), LIMIT)).toBe(false);
  });
});
