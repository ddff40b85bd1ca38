import { describe, expect, it } from 'vitest';
import { symbolFault, venueSymbolFromText } from './venue-symbol.js';

describe('a symbol from the command line', () => {
  it.each([
    ['btcusdt', 'BTCUSDT'],
    ['BTC/USDT:USDT', 'BTCUSDT'],
    ['FOOUSDT', 'FOOUSDT'],
    ['1000pepe/usdt', '1000PEPEUSDT'],
  ])('%s becomes %s', (text, symbol) => {
    expect(venueSymbolFromText(text)).toBe(symbol);
  });

  it.each([
    ['btc', 'BTCUSDT'],
    ['BTCUSD', 'BTCUSDT'],
    ['BTC/USD', 'BTCUSDT'],
    ['BTC-USDT', 'BTCUSDT'],
    ['BTC_USDT', 'BTCUSDT'],
    ['btcinr', 'BTCUSDT'],
    ['BTCUSTD', 'BTCUSDT'],
    ['ETHUSDTT', 'ETHUSDT'],
    ['foo', 'FOOUSDT'],
  ])('%s is not a symbol, and %s is suggested', (text, meant) => {
    expect(venueSymbolFromText(text)).toBeUndefined();
    expect(symbolFault(text)).toBe(`not "${text}"; did you mean ${meant}?`);
  });

  it.each(['usdt', '', '???'])('%j is not a symbol, and nothing is suggested', (text) => {
    expect(venueSymbolFromText(text)).toBeUndefined();
    expect(symbolFault(text)).toBe(`not "${text}"`);
  });
});
