import type { Candle } from '../core/candle.js';
import { closeTimeOf, openTimeOf, type Interval } from '../core/interval.js';

export type PriceKind = 'last' | 'mark';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;

/**
 * Prices at any time, by random access. The price of a second holds from its start to its end; a
 * second's candle runs from the price before it to its own, so that candles chain (supplement part 2).
 * Every longer candle is the fold of its seconds, so history, aggregates and streams agree.
 */
export interface Market {
  readonly symbols: readonly string[];
  /** No candle opens before it. */
  readonly firstMs: number;
  /** Price of the second that holds `timeMs`; undefined before the first known price. */
  priceAt(kind: PriceKind, symbol: string, timeMs: number): number | undefined;
  /** The candle of one second; undefined where there is no data. `openMs` is a whole second. */
  second(kind: PriceKind, symbol: string, openMs: number): Candle | undefined;
  /** The fold of the minutes in `fromMs ≤ t < toMs`, both whole minutes; undefined when none has data. */
  span(kind: PriceKind, symbol: string, fromMs: number, toMs: number): Candle | undefined;
}

/** Sums of volumes, free of binary dust: 8 places is the ledger's resolution. */
export const cleanVolume = (volume: number): number => Math.round(volume * 1e8) / 1e8;

/** Two adjacent candles as one. */
export function fold(earlier: Candle | undefined, later: Candle | undefined): Candle | undefined {
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

/** The running candle of the minute that holds `untilMs − 1`: the seconds closed by `untilMs`. */
export function runningMinute(
  market: Market,
  kind: PriceKind,
  symbol: string,
  untilMs: number,
): Candle | undefined {
  const fromMs = openTimeOf('1m', untilMs - 1);
  let candle: Candle | undefined;
  for (let openMs = fromMs; openMs + SECOND_MS <= untilMs; openMs += SECOND_MS) {
    candle = fold(candle, market.second(kind, symbol, openMs));
  }
  return candle;
}

export interface CandleQuery {
  readonly kind: PriceKind;
  readonly symbol: string;
  /** Not '1s'. */
  readonly interval: Interval;
  /** ms UTC, both inclusive, of open times. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only what closed by now is counted. */
  readonly nowMs: number;
  readonly limit: number;
  /** Whether a bucket longer than a minute shows while it is in progress. Default true. */
  readonly withRunning?: boolean;
}

/**
 * Candles, ascending. One-minute candles only when closed; a longer bucket in progress is built from
 * the minutes closed so far (supplement part 2).
 */
export function candlesOf(market: Market, query: CandleQuery): Candle[] {
  const { kind, symbol, interval, fromMs, toMs, nowMs, limit, withRunning = true } = query;
  const closedUntil = openTimeOf('1m', nowMs);
  const candles: Candle[] = [];
  const earliest = Math.max(fromMs, openTimeOf(interval, market.firstMs));
  let openMs = openTimeOf(interval, earliest);
  if (openMs < earliest) openMs = closeTimeOf(interval, openMs);
  while (openMs <= toMs && openMs < closedUntil && candles.length < limit) {
    const closeMs = closeTimeOf(interval, openMs);
    if (closeMs > closedUntil && !withRunning) break;
    const candle = market.span(kind, symbol, openMs, Math.min(closeMs, closedUntil));
    if (candle !== undefined) candles.push({ ...candle, openTime: openMs });
    openMs = closeMs;
  }
  return candles;
}
