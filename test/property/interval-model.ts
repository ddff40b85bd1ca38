import type { Candle } from '../../src/core/candle.js';
import { closeTimeOf, nominalMs, openTimeOf, type Interval } from '../../src/core/interval.js';

export const MINUTE = 60_000;

/** One-minute candles by symbol, ascending, with any gaps. */
export type Markets = ReadonlyMap<string, readonly Candle[]>;

export interface IntervalSubscriptions {
  readonly own: Interval;
  readonly others: readonly Interval[];
}

/** One call of a hook, as text. */
export const callText = (hook: string, candle: Candle): string =>
  `${hook} ${candle.openTime} ${candle.open} ${candle.high} ${candle.low} ${candle.close} ${candle.volume}`;

/**
 * The expected hook calls of a strategy over several symbols and intervals, in order: slow and obvious.
 * For each minute that any symbol has, each symbol in turn: the candles of longer intervals that end
 * with it, the longest first, then its own. At last the close time, with the missing symbols.
 */
export function expectedCalls(
  markets: Markets,
  { own, others }: IntervalSubscriptions,
): readonly string[] {
  const times = [...markets.values()].flatMap((candles) => candles.map(({ openTime }) => openTime));
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  return sorted.flatMap((openTime) => {
    const closedAt = openTime + MINUTE;
    const emitted = [...markets].flatMap(([symbol, candles]) =>
      candles.some((candle) => candle.openTime === openTime)
        ? symbolCalls(symbol, candles, openTime, { own, others })
        : [],
    );
    if (openTimeOf(own, closedAt) !== closedAt) return emitted;
    const missing = [...markets]
      .filter(([, candles]) => !finishedBy(candles, openTime, own).some(closes(own, closedAt)))
      .map(([symbol]) => symbol);
    if (missing.length === markets.size) return emitted;
    return [...emitted, `round ${closedAt} without ${missing.join(',')}`];
  });
}

const closes = (interval: Interval, closedAt: number) => (candle: Candle) =>
  closeTimeOf(interval, candle.openTime) === closedAt;

function symbolCalls(
  symbol: string,
  candles: readonly Candle[],
  openTime: number,
  { own, others }: IntervalSubscriptions,
): readonly string[] {
  const longestFirst = [...others].sort((a, b) => nominalMs(b) - nominalMs(a));
  return [...longestFirst, own].flatMap((interval) =>
    finishedBy(candles, openTime, interval).map((candle) =>
      callText(`${interval === own ? 'candle' : 'interval'} ${symbol} ${interval}`, candle),
    ),
  );
}

/** The candles of an interval that end with the arrival of this minute. */
function finishedBy(
  candles: readonly Candle[],
  openTime: number,
  interval: Interval,
): readonly Candle[] {
  if (interval === '1m') return candles.filter((candle) => candle.openTime === openTime);
  const before = candles.filter((candle) => candle.openTime < openTime);
  const after = candles.filter((candle) => candle.openTime <= openTime);
  const known = new Set(finishedUntil(before, interval).map((candle) => candle.openTime));
  return finishedUntil(after, interval).filter((candle) => !known.has(candle.openTime));
}

/** Every whole bucket that ends by the close of the newest minute. */
function finishedUntil(minutes: readonly Candle[], interval: Interval): readonly Candle[] {
  const first = minutes[0];
  const now = (minutes.at(-1)?.openTime ?? 0) + MINUTE;
  const buckets = [...new Set(minutes.map(({ openTime }) => openTimeOf(interval, openTime)))];
  return buckets
    .filter((bucket) => closeTimeOf(interval, bucket) <= now)
    .filter((bucket) => first !== undefined && bucket >= first.openTime)
    .map((bucket) => {
      const parts = minutes.filter(({ openTime }) => openTimeOf(interval, openTime) === bucket);
      return {
        openTime: bucket,
        open: parts[0]?.open ?? 0,
        high: Math.max(...parts.map(({ high }) => high)),
        low: Math.min(...parts.map(({ low }) => low)),
        close: parts.at(-1)?.close ?? 0,
        volume: parts.reduce((sum, { volume }) => sum + volume, 0),
      };
    });
}
