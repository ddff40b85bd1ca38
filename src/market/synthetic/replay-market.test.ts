import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import { CandleColumns } from '../candles/candle-columns.js';
import { mergeCandles, SECOND_MS } from './market.js';
import { loadReplay, type ReadableFiles } from './replay-files.js';
import { createReplayMarket } from './replay-market.js';
import { openTestSandbox } from '../../../test/support/rigs/test-sandbox.js';

const START = Date.UTC(2025, 4, 5);
const HEADER = 'open_time,open,high,low,close,volume';

const cents = (most: number) => fc.integer({ min: 1, max: most }).map((value) => value / 100);
const anyCandle = fc
  .tuple(cents(100_000), cents(100_000), cents(500), cents(500), cents(100_000))
  .map(([open, close, above, below, volume]) => {
    const low = Math.max(1, Math.round((Math.min(open, close) - below) * 100)) / 100;
    const high = Math.round((Math.max(open, close) + above) * 100) / 100;
    return { openTime: START, open, high, low, close, volume };
  });

const marketOf = (candles: readonly Candle[]) =>
  createReplayMarket([{ symbol: 'BTCUSDT', columns: CandleColumns.from(candles), decimals: 2 }]);

describe('a replayed market', () => {
  test('the seconds of each candle fold to the candle of the file', () => {
    fc.assert(
      fc.property(anyCandle, (candle) => {
        const market = marketOf([candle]);
        let folded: Candle | undefined;
        for (let step = 0; step < 60; step += 1) {
          const atMs = START + step * SECOND_MS;
          folded = mergeCandles(folded, market.secondCandle('last', 'BTCUSDT', atMs));
          expect(market.priceAt('last', 'BTCUSDT', atMs)).toBe(folded?.close);
        }
        expect(folded).toEqual(candle);
        expect(market.rangeCandle('last', 'BTCUSDT', START, START + MINUTE_MS)).toEqual(candle);
      }),
    );
  });

  test('the price reaches the low first in a rising candle and the high first in a falling one', () => {
    const rising = marketOf([
      { openTime: START, open: 10, high: 14, low: 8, close: 12, volume: 1 },
    ]);
    const falling = marketOf([
      { openTime: START, open: 12, high: 14, low: 8, close: 10, volume: 1 },
    ]);
    const at = (market: typeof rising, step: number) =>
      market.priceAt('last', 'BTCUSDT', START + step * SECOND_MS);
    expect([0, 20, 40, 59].map((step) => at(rising, step))).toEqual([10, 8, 14, 12]);
    expect([0, 20, 40, 59].map((step) => at(falling, step))).toEqual([12, 14, 8, 10]);
  });

  test('the price is constant in a gap, which has no candles', () => {
    const candle = { open: 10, high: 14, low: 8, close: 12, volume: 1 };
    const market = marketOf([
      { openTime: START, ...candle },
      { openTime: START + 3 * MINUTE_MS, ...candle },
    ]);
    expect(market.priceAt('last', 'BTCUSDT', START + 2 * MINUTE_MS)).toBe(12);
    expect(market.secondCandle('last', 'BTCUSDT', START + 2 * MINUTE_MS)).toBeUndefined();
    expect(
      market.rangeCandle('last', 'BTCUSDT', START + MINUTE_MS, START + 3 * MINUTE_MS),
    ).toBeUndefined();
    expect(market.priceAt('last', 'BTCUSDT', START - 1)).toBeUndefined();
  });
});

function csv(fromMs: number, minutes: number, price = 100): Uint8Array {
  const rows = Array.from({ length: minutes }, (_, index) => {
    const time = fromMs / 1_000 + index * 60;
    return `${time},${price},${price + 1},${price - 1},${price + 0.5},3`;
  });
  return new TextEncoder().encode([HEADER, ...rows].join('\n'));
}

const folder = (contents: Readonly<Record<string, Uint8Array>>): ReadableFiles => ({
  exists: () => Promise.resolve(Object.keys(contents).length > 0),
  list: () => Promise.resolve(Object.keys(contents)),
  read: (path) => Promise.resolve(contents[path.replace('replay/', '')]),
});

describe('a replay folder', () => {
  test('the replay starts 240 minutes into the shared range and lists all symbols', async () => {
    const replay = await loadReplay(
      folder({
        'btcusdt-1m-2025.csv.gz': gzipSync(csv(START, 1_000)),
        'filusdt-1m-2025.csv': csv(START + 60 * MINUTE_MS, 1_000, 4),
        'btcusdt-1h-2025.csv': csv(START, 3),
        'README.md': new Uint8Array(),
      }),
      'replay',
    );
    expect(replay.startMs).toBe(START + 300 * MINUTE_MS);
    expect(replay.market.symbols).toEqual(['BTCUSDT', 'FILUSDT']);
    expect(replay.listings.map(({ instrument }) => instrument.baseAsset)).toEqual(['BTC', 'FIL']);
    expect(replay.omitted).toEqual([]);
  });

  test('symbols without a candle at the start are omitted and reported', async () => {
    const files = folder({
      'adausdt-1m-2022.csv': csv(Date.UTC(2022, 11, 13), 1_440),
      'btcusdt-1m-2025.csv': csv(START, 1_000),
      'ethusdt-1m-2025.csv': csv(START, 1_000),
    });
    const replay = await loadReplay(files, 'replay');
    expect(replay.market.symbols).toEqual(['BTCUSDT', 'ETHUSDT']);
    expect(replay.omitted).toEqual(['ADAUSDT']);
    const early = await loadReplay(files, 'replay', Date.UTC(2022, 11, 13, 12));
    expect(early.market.symbols).toEqual(['ADAUSDT']);
  });

  test('the files of a symbol are joined', async () => {
    const replay = await loadReplay(
      folder({
        'btcusdt-1m-a.csv': csv(START, 300),
        'btcusdt-1m-b.csv': csv(START + 200 * MINUTE_MS, 300),
      }),
      'replay',
    );
    const candle = replay.market.rangeCandle('last', 'BTCUSDT', START, START + 500 * MINUTE_MS);
    expect(candle?.volume).toBe(1_500);
  });

  test.each([
    ['does not exist', {}, 'replay folder replay does not exist'],
    ['has no candle file', { 'notes.txt': csv(START, 1) }, 'holds no one-minute candles'],
    [
      'has a file with a missing column',
      {
        'btcusdt-1m-a.csv': new TextEncoder().encode('open_time,open,high,low,volume\n1,2,3,4,5\n'),
      },
      'btcusdt-1m-a.csv:1: close is missing',
    ],
    [
      'has a candle whose high is below its low',
      { 'btcusdt-1m-a.csv': new TextEncoder().encode(`${HEADER}\n1746403200,10,8,9,9,1\n`) },
      'high 8 is below low 9',
    ],
    [
      'has candles between the minutes',
      { 'btcusdt-1m-a.csv': new TextEncoder().encode(`${HEADER}\n1746403201,10,10,9,9,1\n`) },
      'does not open on a whole minute',
    ],
  ])('a folder that %s is refused with its cause', async (_name, contents, message) => {
    await expect(loadReplay(folder(contents), 'replay')).rejects.toThrow(message);
  });

  test('a start that no file covers is refused with their ranges', async () => {
    const files = folder({ 'btcusdt-1m-a.csv': csv(START, 10) });
    await expect(loadReplay(files, 'replay', START - 1)).rejects.toThrow(
      'BTCUSDT 2025-05-05T00:00:00.000Z to 2025-05-05T00:09:00.000Z',
    );
  });
});

describe('a sandbox over a replay', () => {
  test('the sandbox serves the candles of the file as history and live, and fills at their prices', async () => {
    const replay = await loadReplay(folder({ 'btcusdt-1m-a.csv': csv(START, 600) }), 'replay');
    const testSandbox = openTestSandbox({ replay, startMs: replay.startMs });
    expect(testSandbox.sandbox.symbols).toEqual(['BTCUSDT']);
    expect(testSandbox.sandbox.exchange.prices('BTCUSDT')?.last).toBe(100 * 1e8);
    testSandbox.sandbox.advance(MINUTE_MS);
    const from = replay.startMs / 1_000;
    const query = `assets=btc/usdt&aggregation=1m&start_time=${from}&end_time=${from + 60}`;
    expect(await testSandbox.data('GET', `/fapi/v1/price/kline?${query}`)).toEqual({
      asset_ticks: { 'btc/usdt': [[from, 100, 101, 99, 100.5, 3]] },
    });
  });
});

const shared = `${process.env['SLUICE_SHARED'] ?? '../shared'}/data`;

describe.skipIf(!existsSync(shared))(`the recordings in SLUICE_SHARED (skipped without)`, () => {
  test('the files of the repository replay with the symbols that share the earliest full warm-up', async () => {
    const files: ReadableFiles = {
      exists: (path) => Promise.resolve(existsSync(path)),
      list: (path) => readdir(path),
      read: (path) => readFile(path),
    };
    const { market, startMs, omitted } = await loadReplay(files, shared);
    expect(market.symbols).toEqual(
      ['BNB', 'BTC', 'DOGE', 'ETH', 'LINK', 'SOL', 'XRP'].map((base) => `${base}USDT`),
    );
    expect(omitted).toEqual(['ADAUSDT', 'FILUSDT']);
    expect(new Date(startMs).toISOString()).toBe('2025-05-25T14:35:00.000Z');
  });
});
