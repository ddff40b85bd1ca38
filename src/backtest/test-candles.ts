import type { Candle } from '../core/candle.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import { parseCandleCsv } from '../market/candle-csv.js';
import { STANDARD_LISTINGS } from '../sandbox/listings.js';
import { candlesOf, MINUTE_MS } from '../sandbox/market.js';
import { createSyntheticMarket } from '../sandbox/synthetic-market.js';
import type { FillView } from '../strategy/views.js';

const START = Date.UTC(2025, 0, 1);

/** The fields of a candle that a test cares about; prices in USDT, volume in base units. */
export type CandleSketch = Partial<Candle>;

/** Where candles lie in time. */
export interface CandleSpacing {
  /** Default: 1m. */
  readonly interval?: Interval;
  /** Open time of the first, ms UTC; default 2025-01-01T00:00:00Z. */
  readonly startMs?: number;
}

/**
 * Candles one after the other. What a sketch leaves out follows from the rest: it opens at the close
 * before it, closes where it opened, and its extremes are its ends; volume 1.
 * @throws RangeError for a candle that cannot be: a high below a low, a price that is not above 0
 */
export function candlesFrom(
  sketches: readonly CandleSketch[],
  { interval = '1m', startMs = START }: CandleSpacing = {},
): readonly Candle[] {
  let openTime = startMs;
  let before: number | undefined;
  return sketches.map((sketch, index) => {
    const open = sketch.open ?? before ?? sketch.close ?? sketch.high ?? sketch.low ?? 100;
    const close = sketch.close ?? open;
    const candle = {
      openTime: sketch.openTime ?? openTime,
      open,
      high: sketch.high ?? Math.max(open, close),
      low: sketch.low ?? Math.min(open, close),
      close,
      volume: sketch.volume ?? 1,
    };
    checkCandle(candle, index);
    openTime = closeTimeOf(interval, candle.openTime);
    before = close;
    return candle;
  });
}

/** Candles that open at the close before them; high and low are their ends, volume is 1. */
export const candlesFromCloses = (
  closes: readonly number[],
  interval: Interval = '1m',
): readonly Candle[] =>
  candlesFrom(
    closes.map((close) => ({ close })),
    { interval },
  );

function checkCandle({ open, high, low, close }: Candle, index: number): void {
  const isSound = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
  if (isSound && Number.isFinite(high)) return;
  const prices = `open ${open}, high ${high}, low ${low}, close ${close}`;
  throw new RangeError(`Candle ${index} cannot be: ${prices}`);
}

/** Which synthetic candles. */
export interface SyntheticWish extends CandleSpacing {
  /** One of the sandbox's; default BTCUSDT. */
  readonly symbol?: string;
  /** So many. */
  readonly count: number;
  /** Another seed is another market; default 1. */
  readonly seed?: number;
}

/** Candles of the sandbox's synthetic market: the same for the same wish, everywhere. */
export function syntheticCandles(wish: SyntheticWish): readonly Candle[] {
  const { symbol = 'BTCUSDT', interval = '1m', startMs = START, count, seed = 1 } = wish;
  const market = createSyntheticMarket(seed, STANDARD_LISTINGS);
  if (!market.symbols.includes(symbol))
    throw new RangeError(`There is no ${symbol}; there is ${market.symbols.join(', ')}`);
  let endMs = startMs;
  for (let made = 0; made < count; made += 1) endMs = closeTimeOf(interval, endMs);
  return candlesOf(market, {
    kind: 'last',
    symbol,
    interval,
    fromMs: startMs,
    toMs: endMs - 1,
    nowMs: endMs + MINUTE_MS,
    limit: count,
  });
}

/**
 * Candles of a CSV text with a header such as `open_time,open,high,low,close,volume`.
 * @throws CandleFileError with `name` and the line of what is wrong
 */
export function candlesFromCsv(text: string, name = 'candles.csv'): readonly Candle[] {
  const columns = parseCandleCsv(new TextEncoder().encode(text), name);
  return Array.from({ length: columns.length }, (_, index) => columns.at(index));
}

/** An execution as `onFill` is told of it: bought 1 at 100, unless told otherwise. */
export const testFill = (changes: Partial<FillView> = {}): FillView => ({
  symbol: 'TESTUSDT',
  side: 'buy',
  quantity: 1,
  price: 100,
  orderKey: 1,
  time: START,
  ...changes,
});
