import { describe, expect, it } from 'vitest';
import { symbolFromText, symbolFromFileName } from './symbol.js';

describe('a symbol', () => {
  it.each(['BTCUSDT', 'btcusdt', 'BTC/USDT', 'btc/usdt', 'BTC/USDT:USDT', ' BTCUSDT '])(
    'a symbol is read from %s',
    (text) => {
      expect(symbolFromText(text)).toBe('BTCUSDT');
    },
  );

  it.each(['', 'B', 'BTC/USD:BTC', 'BTC-USDT', 'BTC//USDT', 'BTC/USDT:', 'BTC/USDT:USDT-250627'])(
    'a symbol is not read from %j',
    (text) => {
      expect(symbolFromText(text)).toBeUndefined();
    },
  );
});

describe('the name of a file of candles', () => {
  it.each([
    ['btcusdt-1m-2025-05_06.csv.gz', 'BTCUSDT'],
    ['BTCUSDT_1h.csv', 'BTCUSDT'],
    ['eth-usdt.csv', 'ETHUSDT'],
    ['1000PEPEUSDT.csv', '1000PEPEUSDT'],
    ['Binance_ETHUSDT_1h.csv', 'ETHUSDT'],
    ['my-btc_usdt.csv', 'BTCUSDT'],
    ['candles.csv', undefined],
    ['usdt.csv', undefined],
    ['w1-1m.csv.gz', undefined],
  ])('the file name %s gives the symbol %s', (name, symbol) => {
    expect(symbolFromFileName(name)).toBe(symbol);
  });
});
