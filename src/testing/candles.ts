import type { Candle } from '../core/candle.js';
import { closeTimeOf, type Interval, MINUTE_MS } from '../core/interval.js';
import { parseCandleCsv } from '../market/candles/candle-csv.js';
import { STANDARD_LISTINGS } from '../market/synthetic/listings.js';
import { candlesOf } from '../market/synthetic/market.js';
import { createSyntheticMarket } from '../market/synthetic/synthetic-market.js';
import type { FillView } from '../strategy/contract/views.js';

const START = Date.UTC(2025, 0, 1);

/** The fields of a candle that matter to a test. Prices are in USDT, volume in base units. */
export type PartialCandle = Partial<Candle>;

/** Interval and start time of candles. */
export interface CandleSpacing {
  /** Default: 1m. */
  readonly interval?: Interval;
  /** Open time of the first candle, ms UTC; default 2025-01-01T00:00:00Z. */
  readonly startMs?: number;
}

/**
 * Consecutive candles. Default of `open`: the previous close. Default of `close`: the open. Defaults of `high`
 * and `low`: the higher and the lower of open and close. Default of `volume`: 1.
 * @throws RangeError for an impossible candle: a high below a low, a price that is not above 0
 */
export function candlesFrom(
  candles: readonly PartialCandle[],
  { interval = '1m', startMs = START }: CandleSpacing = {},
): readonly Candle[] {
  let openTime = startMs;
  let before: number | undefined;
  return candles.map((partial, index) => {
    const open = partial.open ?? before ?? partial.close ?? partial.high ?? partial.low ?? 100;
    const close = partial.close ?? open;
    const candle = {
      openTime: partial.openTime ?? openTime,
      open,
      high: partial.high ?? Math.max(open, close),
      low: partial.low ?? Math.min(open, close),
      close,
      volume: partial.volume ?? 1,
    };
    checkCandle(candle, index);
    openTime = closeTimeOf(interval, candle.openTime);
    before = close;
    return candle;
  });
}

/** Candles with the given closes. Each opens at the previous close; the volume is 1. */
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
  throw new RangeError(`Candle ${index} is impossible: ${prices}`);
}

/** Selects synthetic candles. */
export interface SyntheticCandleSpec extends CandleSpacing {
  /** A symbol of the sandbox; default BTCUSDT. */
  readonly symbol?: string;
  /** Number of candles. */
  readonly count: number;
  /** Seed of the market; default 1. */
  readonly seed?: number;
}

/** Candles of the sandbox's synthetic market: the same request gives the same candles on every machine. */
export function syntheticCandles(request: SyntheticCandleSpec): readonly Candle[] {
  const { symbol = 'BTCUSDT', interval = '1m', startMs = START, count, seed = 1 } = request;
  const market = createSyntheticMarket(seed, STANDARD_LISTINGS);
  if (!market.symbols.includes(symbol))
    throw new RangeError(
      `The synthetic market has no ${symbol}; it has ${market.symbols.join(', ')}`,
    );
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
 * @throws CandleFileError with `name` and the line of the fault
 */
export function candlesFromCsv(text: string, name = 'candles.csv'): readonly Candle[] {
  const columns = parseCandleCsv(new TextEncoder().encode(text), name);
  return Array.from({ length: columns.length }, (_, index) => columns.at(index));
}

/** An execution as `onFill` receives it. Default: bought 1 at 100. */
export const testFill = (changes: Partial<FillView> = {}): FillView => ({
  symbol: 'TESTUSDT',
  side: 'buy',
  quantity: 1,
  price: 100,
  orderKey: 1,
  time: START,
  ...changes,
});
