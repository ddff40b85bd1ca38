import type { Candle } from '../../core/candle.js';
import { closeTimeOf, openTimeOf } from '../../core/interval.js';
import type { FuturesApi } from './futures-api.js';
import type { SilentFeed } from './silence-watch.js';
import { candleStreamOf } from './stream-names.js';

/** History has the newest minute some seconds after its end (supplement, part 2). */
const HISTORY_LAG_MS = 15_000;
const MAX_SYMBOLS = 25;

/**
 * Asks the history whether something happened that a silent connection should have brought: a minute
 * that closed, for streams of minutes; a minute within the silence whose price moved, for the others.
 * What cannot be read proves nothing: false.
 */
export const feedCheck =
  (api: Pick<FuturesApi, 'klines' | 'markKlines'>, venueTime: () => number) =>
  async ({ streams, sinceMs }: SilentFeed): Promise<boolean> => {
    const toMs = venueTime() - HISTORY_LAG_MS;
    const fromMs = openTimeOf('1m', sinceMs);
    if (toMs <= fromMs) return false;
    const { symbols, isMark, isMinutes } = probeOf(streams);
    const query = { symbols: symbols.slice(0, MAX_SYMBOLS), interval: '1m', fromMs, toMs } as const;
    const outcome = await (isMark ? api.markKlines(query) : api.klines(query));
    if (outcome.kind !== 'yes') return false;
    const within = [...outcome.value.values()].flat().filter((candle) => closed(candle) <= toMs);
    return within.some(
      isMinutes
        ? (candle) => closed(candle) > sinceMs + HISTORY_LAG_MS
        : (candle) => candle.openTime >= sinceMs && candle.high > candle.low,
    );
  };

const closed = (candle: Candle): number => closeTimeOf('1m', candle.openTime);

/** Streams of minutes prove most; tickers and seconds are silent while the price stands still. */
function probeOf(streams: readonly string[]) {
  const candles = streams.map(candleStreamOf).filter((stream) => stream !== undefined);
  const of = (kind: string) =>
    candles.filter((stream) => stream.kind === kind).map(({ symbol }) => symbol);
  const minutes = of('candle');
  const marks = of('mark-candle');
  if (minutes.length > 0) return { symbols: minutes, isMark: false, isMinutes: true };
  if (marks.length > 0) return { symbols: marks, isMark: true, isMinutes: true };
  const markSeconds = of('mark-second');
  const isMark = markSeconds.length > 0;
  const assets = streams.filter((stream) => candleStreamOf(stream) === undefined);
  const others = [...of('second'), ...assets.map((asset) => asset.toUpperCase())];
  return { symbols: isMark ? markSeconds : others, isMark, isMinutes: false };
}
