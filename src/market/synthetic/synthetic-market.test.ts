import { describe, expect, test } from 'vitest';
import type { Candle } from '../../core/candle.js';
import { candleFault } from '../../core/candle.js';
import { openTimeOf, type Interval, MINUTE_MS } from '../../core/interval.js';
import { STANDARD_LISTINGS } from './listings.js';
import { candlesOf, mergeCandles, runningMinute, SECOND_MS, type Market } from './market.js';
import { createSyntheticMarket } from './synthetic-market.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const START = Date.UTC(2025, 4, 5);
const market = createSyntheticMarket(1, STANDARD_LISTINGS);

function foldSeconds(of: Market, kind: 'last' | 'mark', fromMs: number, toMs: number) {
  let candle: Candle | undefined;
  for (let at = fromMs; at < toMs; at += SECOND_MS)
    candle = mergeCandles(candle, of.secondCandle(kind, 'BTCUSDT', at));
  return candle;
}

describe('the synthetic market', () => {
  test('the market is a function of seed, symbol and time, in any order of queries', () => {
    const again = createSyntheticMarket(1, STANDARD_LISTINGS);
    const times = Array.from({ length: 200 }, (_, index) => START + index * 37_000);
    const forwards = times.map((at) => market.priceAt('last', 'ETHUSDT', at));
    const backwards = times.toReversed().map((at) => again.priceAt('last', 'ETHUSDT', at));
    expect(backwards.toReversed()).toEqual(forwards);
    const other = createSyntheticMarket(2, STANDARD_LISTINGS);
    expect(times.map((at) => other.priceAt('last', 'ETHUSDT', at))).not.toEqual(forwards);
  });

  test('prices do not change between versions', () => {
    const shown = ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'].map((symbol) =>
      market.priceAt('last', symbol, START),
    );
    expect(shown).toMatchInlineSnapshot(`
      [
        57946.3,
        2525.21,
        0.15736,
      ]
    `);
  });

  test.each(['last', 'mark'] as const)(
    'one-minute candles of the %s price are the fold of their seconds',
    (kind) => {
      for (let minute = 0; minute < 90; minute += 1) {
        const fromMs = START + minute * 7 * MINUTE_MS;
        const toMs = fromMs + MINUTE_MS;
        const candle = market.rangeCandle(kind, 'BTCUSDT', fromMs, toMs);
        expect(candle).toEqual(foldSeconds(market, kind, fromMs, toMs));
        expect(candle).toEqual(runningMinute(market, kind, 'BTCUSDT', toMs));
      }
    },
  );

  test.each(['5m', '1h', '4h', '1d'] as Interval[])(
    '%s candles are the fold of their minutes',
    (interval) => {
      const query = { kind: 'last', symbol: 'BTCUSDT', nowMs: START + 90 * 86_400_000 } as const;
      const [long] = candlesOf(market, {
        ...query,
        interval,
        fromMs: START,
        toMs: START,
        limit: 1,
      });
      const lengthMs = candlesOf(market, {
        ...query,
        interval,
        fromMs: START,
        toMs: START * 2,
        limit: 2,
      })
        .map((candle) => candle.openTime)
        .reduce((first, second) => second - first);
      const minutes = candlesOf(market, {
        ...query,
        interval: '1m',
        fromMs: START,
        toMs: START + lengthMs - MINUTE_MS,
        limit: 5_000,
      });
      expect(minutes).toHaveLength(lengthMs / MINUTE_MS);
      expect(long).toEqual(minutes.reduce<Candle | undefined>(mergeCandles, undefined));
    },
  );

  test('candles are valid, chained and on the price step', () => {
    for (const { instrument } of STANDARD_LISTINGS) {
      const candles = candlesOf(market, {
        kind: 'last',
        symbol: instrument.symbol,
        interval: '1m',
        fromMs: START,
        toMs: START + 300 * MINUTE_MS,
        nowMs: START + 300 * MINUTE_MS,
        limit: 1_000,
      });
      expect(candles).toHaveLength(300);
      candles.forEach((candle, index) => {
        expect(candleFault(candle)).toBeUndefined();
        expect(candle.volume).toBeGreaterThan(0);
        if (index > 0) expect(candle.open).toBe(candles[index - 1]?.close);
        expect(Math.round(candle.close * 1e8) % scaledOf(instrument.priceStep)).toBe(0);
      });
    }
  });

  test('prices move about as much as real ones, around their reference price', () => {
    const candles = candlesOf(market, {
      kind: 'last',
      symbol: 'BTCUSDT',
      interval: '1m',
      fromMs: START,
      toMs: START + 3 * 86_400_000,
      nowMs: START + 4 * 86_400_000,
      limit: 4_320,
    });
    const moves = candles.map(({ open, close }) => Math.abs(close - open) / open);
    const mean = moves.reduce((sum, move) => sum + move, 0) / moves.length;
    expect(mean).toBeGreaterThan(0.0003);
    expect(mean).toBeLessThan(0.001);
    for (const { low, high } of candles) {
      expect(low).toBeGreaterThan(40_000);
      expect(high).toBeLessThan(80_000);
    }
  });

  test('the mark price is near the last price but not equal', () => {
    const gaps = Array.from({ length: 600 }, (_, index) => {
      const at = START + index * 61_000;
      const last = market.priceAt('last', 'BTCUSDT', at) ?? NaN;
      return Math.abs((market.priceAt('mark', 'BTCUSDT', at) ?? NaN) - last) / last;
    });
    expect(Math.max(...gaps)).toBeLessThan(0.001);
    expect(gaps.filter((gap) => gap > 0).length).toBeGreaterThan(500);
  });

  test('the market has no price and no candle before its listing', () => {
    expect(market.priceAt('last', 'BTCUSDT', market.firstMs - 1)).toBeUndefined();
    const whole = { kind: 'last', symbol: 'BTCUSDT', interval: '1m', nowMs: START } as const;
    const [first] = candlesOf(market, { ...whole, fromMs: 1_000, toMs: START, limit: 1 });
    expect(first?.openTime).toBe(market.firstMs);
  });
});

describe('candles by interval', () => {
  const query = { kind: 'last', symbol: 'BTCUSDT', limit: 1_440 } as const;

  test('one-minute candles exist only when closed', () => {
    const nowMs = START + 10 * MINUTE_MS + 59_999;
    const candles = candlesOf(market, {
      ...query,
      interval: '1m',
      fromMs: START,
      toMs: nowMs,
      nowMs,
    });
    expect(candles.at(-1)?.openTime).toBe(START + 9 * MINUTE_MS);
  });

  test('longer candles include the current bucket, made of its closed minutes', () => {
    const nowMs = START + 7 * MINUTE_MS + 30_000;
    const candles = candlesOf(market, {
      ...query,
      interval: '5m',
      fromMs: START,
      toMs: nowMs,
      nowMs,
    });
    expect(candles.map((candle) => candle.openTime)).toEqual([START, START + 5 * MINUTE_MS]);
    const minutes = market.rangeCandle(
      'last',
      'BTCUSDT',
      START + 5 * MINUTE_MS,
      START + 7 * MINUTE_MS,
    );
    expect(candles[1]).toEqual(minutes);
  });

  test('buckets open on UTC days, on Mondays and on the first of the month', () => {
    const nowMs = START + 200 * 86_400_000;
    for (const interval of ['1d', '1w', '1M'] as const) {
      const range = { fromMs: START + 1, toMs: nowMs, nowMs };
      for (const candle of candlesOf(market, { ...query, ...range, interval, limit: 5 })) {
        expect(candle.openTime).toBe(openTimeOf(interval, candle.openTime));
        expect(candle.openTime).toBeGreaterThan(START);
      }
    }
  });
});
