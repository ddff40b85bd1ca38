import { describe, expect, test } from 'vitest';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { HttpRequest, Net } from '../../core/ports.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';
import { ConfigError } from '../../core/command-errors.js';
import { nodeFiles } from '../../io/node/node-files.js';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { readInstrumentsFile } from '../../config/instruments-file.js';
import { paperNet } from '../../live/paper/paper-net.js';
import { PaperPrices } from './paper-prices.js';

const BASE = 'https://venue.example';

describe('the network of a paper run', () => {
  const send = async (method: HttpRequest['method'], path: string, withKey: boolean) => {
    const sent: string[] = [];
    const net: Net = {
      connect: () => ({ send() {}, ping() {}, close() {} }),
      request: (request) => {
        sent.push(request.url);
        return Promise.resolve({ status: 200, headers: {}, body: '' });
      },
    };
    const request = { method, url: `${BASE}${path}`, headers: {}, timeoutMs: 1 };
    const answer = await paperNet(net, { withKey }).request(request).catch(String);
    return sent.length === 1 ? 'sent' : answer;
  };

  test.each([
    ['GET', '/fapi/v1/price/kline?assets=btc/usdt', false, 'sent'],
    ['GET', '/fapi/v1/futures?limit=100', true, 'sent'],
    ['GET', '/fapi/v1/futures/BTCUSDT?is_symbol=true', true, 'sent'],
    ['GET', '/fapi/v1/futures?limit=100', false, /mode: paper without a key does not send GET/],
    ['GET', '/fapi/v1/futures/BTCUSDT', true, /does not send/],
    ['GET', '/fapi/v1/futures/positions', true, /does not send/],
    ['GET', '/fapi/v1/futures/BTCUSDT/leverage?is_symbol=true', true, /does not send/],
    ['GET', '/fapi/v1/wallet/funds', true, /does not send/],
    ['POST', '/fapi/v2/futures/order?is_symbol=true', true, /does not send POST/],
    ['POST', '/fapi/v1/futures/BTCUSDT/order?is_symbol=true', true, /does not send POST/],
    ['DELETE', '/fapi/v1/futures/orders?client_order_id=x', true, /does not send DELETE/],
    ['POST', '/fapi/v1/price/kline', true, /does not send POST/],
  ] as const)(
    'request %s %s, with a key: %s, is sent or refused',
    async (method, path, withKey, expected) => {
      expect(await send(method, path, withKey)).toMatch(expected);
    },
  );
});

describe('the prices of a paper run', () => {
  const rig = () => {
    let now = 0;
    const prices = new PaperPrices(() => now);
    const row = (last: number, mark?: number) =>
      prices
        .onMessage({
          kind: 'tickers',
          rows: [{ symbol: 'BTCUSDT', last, ...(mark !== undefined && { mark }) }],
        })
        .map((quote) => [numberFromFixed(quote.last), numberFromFixed(quote.mark)]);
    const candle = (kind: 'candle' | 'second' | 'mark-second', close: number) =>
      prices
        .onMessage({
          kind,
          symbol: 'BTCUSDT',
          candle: { openTime: 0, open: 1, high: 1, low: 1, close, volume: 0 },
        })
        .map((quote) => [numberFromFixed(quote.last), numberFromFixed(quote.mark)]);
    return { row, candle, pass: (ms: number) => (now += ms) };
  };

  test('a mark price is used for a minute, then the last price replaces it', () => {
    const { row, pass } = rig();
    expect(row(100)).toEqual([[100, 100]]);
    expect(row(100, 99)).toEqual([[100, 99]]);
    pass(60_000);
    expect(row(101)).toEqual([[101, 99]]);
    pass(1);
    expect(row(102)).toEqual([[102, 102]]);
  });

  test('one-second candles set both prices; a minute counts only without newer prices', () => {
    const { candle, row, pass } = rig();
    expect(candle('mark-second', 99)).toEqual([]);
    expect(candle('second', 100)).toEqual([[100, 99]]);
    expect(candle('candle', 105)).toEqual([]);
    pass(10_001);
    expect(candle('candle', 105)).toEqual([[105, 99]]);
    expect(row(0)).toEqual([]);
  });
});

describe('an instruments file', () => {
  test('the bundled file has the listings of the sandbox', async () => {
    const listings = await readInstrumentsFile('config/instruments/standard.yaml', nodeFiles);
    const rules = (all: readonly { instrument: object; maintenanceRate: unknown }[]) =>
      all.map(({ instrument, maintenanceRate }) => ({
        ...instrument,
        assetId: '',
        maintenanceRate,
      }));
    expect(rules(listings)).toEqual(rules(STANDARD_LISTINGS));
  });

  test.each([
    ['BTCUSD: {}', /not "BTCUSD"|BTCUSD/],
    ['BTCUSDT: { price_step: 1 }', /quantity_step: is missing/],
    ['- BTCUSDT', /expected a map of instruments/],
  ])('the file %s is refused with the position of the fault', async (text, expected) => {
    const files = new MemoryFiles();
    await files.replace('/instruments.yaml', new TextEncoder().encode(text));
    const reading = readInstrumentsFile('/instruments.yaml', files);
    await expect(reading).rejects.toThrow(expected);
    await expect(reading).rejects.toBeInstanceOf(ConfigError);
  });
});
