import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fixedFromText,
  multiplyExact,
  unitsOf,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import { profitOf, walkPrices, type FilledSum } from './price-walk.js';

const quantityOf = (text: string): Quantity => fixedFromText(text);
const priceOf = (text: string): Price => fixedFromText(text);

/** One fill: ordered, filled, its price and the price of the market. */
const sum = (ordered: string, filled: string, price: string, market: string): FilledSum => ({
  ordered: quantityOf(ordered),
  filled: quantityOf(filled),
  value: multiplyExact(quantityOf(filled), priceOf(price)),
  marketValue: multiplyExact(quantityOf(filled), priceOf(market)),
});
const usdt = (value: bigint): number => Number(value / 10n ** 28n) / 1e8;
const END = unitsOf(priceOf('110'));

function walk(side: Side, live: FilledSum, backtest: FilledSum) {
  const { latency, spread, partialFill, quantity } = walkPrices(side, live, backtest, END);
  return [latency, spread, partialFill, quantity].map(usdt);
}

const BACKTEST = sum('1', '1', '100.1', '100');

describe('the walk from the fills of a backtest to those of a session', () => {
  it.each([
    ['the same fill', sum('1', '1', '100.1', '100'), [0, 0, 0, 0]],
    ['a market that moved', sum('1', '1', '102.1', '102'), [-2, 0, 0, 0]],
    ['a worse fill at the same market', sum('1', '1', '100.5', '100'), [0, -0.4, 0, 0]],
    ['half of the order filled', sum('1', '0.5', '100.1', '100'), [0, 0, -4.95, 0]],
    ['half of the size ordered', sum('0.5', '0.5', '100.1', '100'), [0, 0, 0, -4.95]],
    ['no order', sum('0', '0', '100', '100'), [0, 0, 0, -9.9]],
    ['an order that never filled', sum('1', '0', '100', '100'), [0, 0, -9.9, 0]],
  ])('%s of a buy', (_name, live, parts) => {
    expect(walk('buy', live, BACKTEST)).toEqual(parts);
  });

  it('a sell has the opposite signs', () => {
    expect(walk('sell', sum('1', '1', '102.1', '102'), BACKTEST)).toEqual([2, 0, 0, 0]);
  });

  it('a decision of the session alone is no matter of price', () => {
    const none = sum('0', '0', '100', '100');
    expect(walk('buy', BACKTEST, none)).toEqual([0, 0, 0, 9.9]);
  });

  it('the parts sum to the difference of the profits to the last digit', () => {
    const decimal = fc.integer({ min: 1, max: 10 ** 9 }).map((value) => (value / 1e6).toFixed(6));
    const side = fc.tuple(decimal, decimal, decimal, decimal).map((terms) => sum(...terms));
    fc.assert(
      fc.property(side, side, fc.constantFrom<Side>('buy', 'sell'), (live, backtest, of) => {
        const parts = walkPrices(of, live, backtest, END);
        const total = parts.latency + parts.spread + parts.partialFill + parts.quantity;
        expect(total).toBe(profitOf(of, live, END) - profitOf(of, backtest, END));
      }),
    );
  });
});
