import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { PriceCache } from './price-cache.js';

describe('the price cache', () => {
  it('an unknown price is undefined', () => {
    const prices = new PriceCache();
    prices.setMark('BTCUSDT', 60_000, 1);
    expect(prices.last('BTCUSDT')).toBeUndefined();
    expect(prices.lastPrice('BTCUSDT')).toBeUndefined();
    expect(prices.markPrice('ETHUSDT')).toBeUndefined();
  });

  it('the cache keeps the newest price of each kind with its arrival, by symbol', () => {
    const prices = new PriceCache();
    prices.setLast('BTCUSDT', 60_000.5, 10);
    prices.setLast('BTCUSDT', 60_001.5, 20);
    prices.setMark('BTCUSDT', 60_000.25, 15);
    prices.setLast('ETHUSDT', 2_000, 30);
    expect(prices.last('BTCUSDT')).toBe(60_001.5);
    expect(prices.lastPrice('BTCUSDT')).toEqual({ price: d('60001.5'), at: 20 });
    expect(prices.markPrice('BTCUSDT')).toEqual({ price: d('60000.25'), at: 15 });
  });

  it.each([0, -1])('a price of %d is ignored', (price) => {
    const prices = new PriceCache();
    prices.setLast('BTCUSDT', price, 1);
    prices.setMark('BTCUSDT', price, 1);
    expect(prices.lastPrice('BTCUSDT')).toBeUndefined();
    expect(prices.markPrice('BTCUSDT')).toBeUndefined();
  });
});
