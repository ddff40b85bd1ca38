import type { Candle } from '../../core/candle.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';

export type PriceKind = 'last' | 'mark';

export const SECOND_MS = 1_000;

/**
 * Prices at any time, by random access. The price of a second is constant within it. Its candle opens at
 * the price of the second before, so that each open is the previous close (supplement: candles). Every
 * longer candle is the fold of its seconds, so history, aggregates and streams agree.
 */
export interface Market {
  readonly symbols: readonly string[];
  /** Open time of the first possible candle. */
  readonly firstMs: number;
  /** Price of the second that contains `timeMs`; undefined before the first known price. */
  priceAt(kind: PriceKind, symbol: string, timeMs: number): number | undefined;
  /** The candle of one second; undefined without data. `openMs` is a whole second. */
  secondCandle(kind: PriceKind, symbol: string, openMs: number): Candle | undefined;
  /** The fold of the minutes in `fromMs ≤ t < toMs`, both whole minutes; undefined without data. */
  rangeCandle(kind: PriceKind, symbol: string, fromMs: number, toMs: number): Candle | undefined;
}

/** Rounds a sum of volumes to 8 places, the ledger's resolution, which removes binary rounding errors. */
export const cleanVolume = (volume: number): number => Math.round(volume * 1e8) / 1e8;

/** Merges two adjacent candles. */
export function mergeCandles(
  earlier: Candle | undefined,
  later: Candle | undefined,
): Candle | undefined {
  if (earlier === undefined) return later;
  if (later === undefined) return earlier;
  return {
    openTime: earlier.openTime,
    open: earlier.open,
    high: Math.max(earlier.high, later.high),
    low: Math.min(earlier.low, later.low),
    close: later.close,
    volume: cleanVolume(earlier.volume + later.volume),
  };
}

/** The open candle of the minute that contains `untilMs − 1`: its seconds closed by `untilMs`. */
export function runningMinute(
  market: Market,
  kind: PriceKind,
  symbol: string,
  untilMs: number,
): Candle | undefined {
  const fromMs = openTimeOf('1m', untilMs - 1);
  let candle: Candle | undefined;
  for (let openMs = fromMs; openMs + SECOND_MS <= untilMs; openMs += SECOND_MS) {
    candle = mergeCandles(candle, market.secondCandle(kind, symbol, openMs));
  }
  return candle;
}

export interface MarketCandleQuery {
  readonly kind: PriceKind;
  readonly symbol: string;
  /** Not '1s'. */
  readonly interval: Interval;
  /** ms UTC, both inclusive, of open times. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only minutes closed by then count. */
  readonly nowMs: number;
  readonly limit: number;
  /** Whether the current bucket of an interval above one minute is included. Default true. */
  readonly withRunning?: boolean;
}

/**
 * Candles, ascending. One-minute candles appear when closed. The current bucket of a longer interval
 * consists of the minutes closed so far (supplement: candles).
 */
export function candlesOf(market: Market, query: MarketCandleQuery): Candle[] {
  const { kind, symbol, interval, fromMs, toMs, nowMs, limit, withRunning = true } = query;
  const closedUntil = openTimeOf('1m', nowMs);
  const candles: Candle[] = [];
  const earliest = Math.max(fromMs, openTimeOf(interval, market.firstMs));
  let openMs = openTimeOf(interval, earliest);
  if (openMs < earliest) openMs = closeTimeOf(interval, openMs);
  while (openMs <= toMs && openMs < closedUntil && candles.length < limit) {
    const closeMs = closeTimeOf(interval, openMs);
    if (closeMs > closedUntil && !withRunning) break;
    const candle = market.rangeCandle(kind, symbol, openMs, Math.min(closeMs, closedUntil));
    if (candle !== undefined) candles.push({ ...candle, openTime: openMs });
    openMs = closeMs;
  }
  return candles;
}
