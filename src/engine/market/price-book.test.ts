import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import { PriceBook } from './price-book.js';

describe('the price book', () => {
  it('knows nothing of what it has not seen', () => {
    const prices = new PriceBook();
    prices.seeMark('BTCUSDT', 60_000, 1);
    expect(prices.last('BTCUSDT')).toBeUndefined();
    expect(prices.lastPrice('BTCUSDT')).toBeUndefined();
    expect(prices.markPrice('ETHUSDT')).toBeUndefined();
  });

  it('keeps the newest of each kind with its arrival, by symbol', () => {
    const prices = new PriceBook();
    prices.seeLast('BTCUSDT', 60_000.5, 10);
    prices.seeLast('BTCUSDT', 60_001.5, 20);
    prices.seeMark('BTCUSDT', 60_000.25, 15);
    prices.seeLast('ETHUSDT', 2_000, 30);
    expect(prices.last('BTCUSDT')).toBe(60_001.5);
    expect(prices.lastPrice('BTCUSDT')).toEqual({ price: d('60001.5'), at: 20 });
    expect(prices.markPrice('BTCUSDT')).toEqual({ price: d('60000.25'), at: 15 });
  });

  it.each([0, -1])('takes %d for no price', (price) => {
    const prices = new PriceBook();
    prices.seeLast('BTCUSDT', price, 1);
    prices.seeMark('BTCUSDT', price, 1);
    expect(prices.lastPrice('BTCUSDT')).toBeUndefined();
    expect(prices.markPrice('BTCUSDT')).toBeUndefined();
  });
});
