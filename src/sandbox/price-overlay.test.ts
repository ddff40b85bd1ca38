import { describe, expect, test } from 'vitest';
import type { Candle } from '../core/candle.js';
import { STANDARD_LISTINGS } from './listings.js';
import { fold, MINUTE_MS, SECOND_MS } from './market.js';
import { createPriceOverlay, type PriceOverlay } from './price-overlay.js';
import { createSyntheticMarket } from './synthetic-market.js';

const START = Date.UTC(2025, 4, 5);
const base = createSyntheticMarket(1, STANDARD_LISTINGS);
const SYMBOL = 'BTCUSDT';

const overlay = (): PriceOverlay => createPriceOverlay(base);
const minute = (market: PriceOverlay, index: number) =>
  market.span('last', SYMBOL, START + index * MINUTE_MS, START + (index + 1) * MINUTE_MS);

describe('a price moved by hand', () => {
  test('holds last and mark from its moment on, for that symbol alone', () => {
    const market = overlay();
    market.hold(SYMBOL, START + 5_500, 70_000);
    expect(market.priceAt('last', SYMBOL, START + 5_499)).toBe(
      base.priceAt('last', SYMBOL, START + 5_499),
    );
    expect(market.priceAt('last', SYMBOL, START + 5_500)).toBe(70_000);
    expect(market.priceAt('mark', SYMBOL, START + 3_600_000)).toBe(70_000);
    expect(market.priceAt('last', 'ETHUSDT', START + 6_000)).toBe(
      base.priceAt('last', 'ETHUSDT', START + 6_000),
    );
  });

  test('shows in the candles it touches and leaves the earlier ones alone', () => {
    const market = overlay();
    market.hold(SYMBOL, START + MINUTE_MS + 30_000, 70_000);
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

  test('shows every price it was moved to, however short', () => {
    const market = overlay();
    market.hold(SYMBOL, START + 10_000, 70_000);
    market.hold(SYMBOL, START + 10_000, 50_000);
    market.hold(SYMBOL, START + 10_000, 61_000);
    expect(minute(market, 0)).toMatchObject({ high: 70_000, low: 50_000, close: 61_000 });
  });

  test('goes back to the market on release, through a candle that chains', () => {
    const market = overlay();
    market.hold(SYMBOL, START + 10_000, 70_000);
    market.release(SYMBOL, START + MINUTE_MS);
    expect(market.priceAt('last', SYMBOL, START + MINUTE_MS)).toBe(
      base.priceAt('last', SYMBOL, START + MINUTE_MS),
    );
    expect(minute(market, 1)).toMatchObject({ open: 70_000, close: minute(overlay(), 1)?.close });
    expect(minute(market, 2)).toEqual(minute(overlay(), 2));
  });

  test('is the same in seconds, minutes and hours', () => {
    const market = overlay();
    market.hold(SYMBOL, START + 90_250, 70_000);
    market.release(SYMBOL, START + 400_750);
    let folded: Candle | undefined;
    for (let at = START; at < START + 60 * MINUTE_MS; at += SECOND_MS) {
      folded = fold(folded, market.second('last', SYMBOL, at));
    }
    expect(market.span('last', SYMBOL, START, START + 60 * MINUTE_MS)).toEqual(folded);
  });
});

test('long candles over touched stretches are the fold of their minutes', () => {
  const market = overlay();
  for (let move = 0; move < 40; move += 1) {
    const atMs = START + move * 1_234_567;
    if (move % 3 === 2) market.release('BTCUSDT', atMs);
    else market.hold('BTCUSDT', atMs, 60_000 + move * 100);
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
        candle = fold(candle, market.second('last', 'BTCUSDT', at));
      }
      folded = fold(folded, candle);
    }
    const span = market.span('last', 'BTCUSDT', fromMs, fromMs + minutes * MINUTE_MS);
    expect(span).toEqual(folded);
  }
});
