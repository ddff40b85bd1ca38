import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';
import { mergeCandles, SECOND_MS } from '../../market/synthetic/market.js';
import { createPriceOverlay, type PriceOverlay } from './price-overlay.js';
import { createSyntheticMarket } from '../../market/synthetic/synthetic-market.js';

const START = Date.UTC(2025, 4, 5);
const base = createSyntheticMarket(1, STANDARD_LISTINGS);
const SYMBOL = 'BTCUSDT';

const overlay = (): PriceOverlay => createPriceOverlay(base);
const minute = (market: PriceOverlay, index: number) =>
  market.rangeCandle('last', SYMBOL, START + index * MINUTE_MS, START + (index + 1) * MINUTE_MS);

describe('price override', () => {
  test('the override sets last and mark from its time on, for that symbol only', () => {
    const market = overlay();
    market.setOverride(SYMBOL, START + 5_500, 70_000);
    expect(market.priceAt('last', SYMBOL, START + 5_499)).toBe(
      base.priceAt('last', SYMBOL, START + 5_499),
    );
    expect(market.priceAt('last', SYMBOL, START + 5_500)).toBe(70_000);
    expect(market.priceAt('mark', SYMBOL, START + 3_600_000)).toBe(70_000);
    expect(market.priceAt('last', 'ETHUSDT', START + 6_000)).toBe(
      base.priceAt('last', 'ETHUSDT', START + 6_000),
    );
  });

  test('candles of its time show the override, and earlier ones do not', () => {
    const market = overlay();
    market.setOverride(SYMBOL, START + MINUTE_MS + 30_000, 70_000);
    expect(minute(market, 0)).toEqual(minute(overlay(), 0));
    const touched = minute(market, 1);
    expect(touched).toMatchObject({
      open: minute(overlay(), 1)?.open,
      high: 70_000,
      close: 70_000,
    });
    const flat = { open: 70_000, high: 70_000, low: 70_000, close: 70_000 };
    expect(minute(market, 2)).toMatchObject(flat);
  });

  test('candles show every override, however short', () => {
    const market = overlay();
    market.setOverride(SYMBOL, START + 10_000, 70_000);
    market.setOverride(SYMBOL, START + 10_000, 50_000);
    market.setOverride(SYMBOL, START + 10_000, 61_000);
    expect(minute(market, 0)).toMatchObject({ high: 70_000, low: 50_000, close: 61_000 });
  });

  test('a release returns to the market price, through a candle that chains', () => {
    const market = overlay();
    market.setOverride(SYMBOL, START + 10_000, 70_000);
    market.clearOverride(SYMBOL, START + MINUTE_MS);
    expect(market.priceAt('last', SYMBOL, START + MINUTE_MS)).toBe(
      base.priceAt('last', SYMBOL, START + MINUTE_MS),
    );
    expect(minute(market, 1)).toMatchObject({ open: 70_000, close: minute(overlay(), 1)?.close });
    expect(minute(market, 2)).toEqual(minute(overlay(), 2));
  });

  test('the override is the same in seconds, minutes and hours', () => {
    const market = overlay();
    market.setOverride(SYMBOL, START + 90_250, 70_000);
    market.clearOverride(SYMBOL, START + 400_750);
    let folded: Candle | undefined;
    for (let at = START; at < START + 60 * MINUTE_MS; at += SECOND_MS) {
      folded = mergeCandles(folded, market.secondCandle('last', SYMBOL, at));
    }
    expect(market.rangeCandle('last', SYMBOL, START, START + 60 * MINUTE_MS)).toEqual(folded);
  });
});

test('long candles over an override equal their merged minutes', () => {
  const market = overlay();
  for (let move = 0; move < 40; move += 1) {
    const atMs = START + move * 1_234_567;
    if (move % 3 === 2) market.clearOverride('BTCUSDT', atMs);
    else market.setOverride('BTCUSDT', atMs, 60_000 + move * 100);
  }
  for (const [from, minutes] of [
    [0, 1_440],
    [7, 60],
    [-100, 3_000],
    [800, 700],
  ] as const) {
    const fromMs = START + from * MINUTE_MS;
    let folded: Candle | undefined;
    for (let minute = 0; minute < minutes; minute += 1) {
      const openMs = fromMs + minute * MINUTE_MS;
      let candle: Candle | undefined;
      for (let at = openMs; at < openMs + MINUTE_MS; at += SECOND_MS) {
        candle = mergeCandles(candle, market.secondCandle('last', 'BTCUSDT', at));
      }
      folded = mergeCandles(folded, candle);
    }
    const span = market.rangeCandle('last', 'BTCUSDT', fromMs, fromMs + minutes * MINUTE_MS);
    expect(span).toEqual(folded);
  }
});
