import type { Candle } from '../../../core/candle.js';
import { closeTimeOf, openTimeOf } from '../../../core/interval.js';
import type { FuturesApi } from '../futures-api.js';
import type { StaleFeed } from './stale-feed-detector.js';
import { parseCandleStream } from './stream-names.js';

/** The history lists a minute only some seconds after its end (supplement: history). */
const HISTORY_LAG_MS = 15_000;
const MAX_SYMBOLS = 25;

/**
 * Compares a silent connection with the history. For one-minute streams a closed minute proves missed
 * updates; for tickers and one-second streams, a minute with a price change. An unreadable answer proves
 * nothing: false.
 */
export const createStaleFeedCheck =
  (api: Pick<FuturesApi, 'klines' | 'markKlines'>, venueTime: () => number) =>
  async ({ streams, sinceMs }: StaleFeed): Promise<boolean> => {
    const toMs = venueTime() - HISTORY_LAG_MS;
    const fromMs = openTimeOf('1m', sinceMs);
    if (toMs <= fromMs) return false;
    const { symbols, isMark, isMinutes } = historyQueryFor(streams);
    const query = { symbols: symbols.slice(0, MAX_SYMBOLS), interval: '1m', fromMs, toMs } as const;
    const outcome = await (isMark ? api.markKlines(query) : api.klines(query));
    if (outcome.kind !== 'yes') return false;
    const within = [...outcome.value.values()].flat().filter((candle) => closeTime(candle) <= toMs);
    return within.some(
      isMinutes
        ? (candle) => closeTime(candle) > sinceMs + HISTORY_LAG_MS
        : (candle) => candle.openTime >= sinceMs && candle.high > candle.low,
    );
  };

const closeTime = (candle: Candle): number => closeTimeOf('1m', candle.openTime);

/** One-minute streams prove most: tickers and one-second streams pause while the price is constant. */
function historyQueryFor(streams: readonly string[]) {
  const candles = streams.map(parseCandleStream).filter((stream) => stream !== undefined);
  const symbolsOf = (kind: string) =>
    candles.filter((stream) => stream.kind === kind).map(({ symbol }) => symbol);
  const minutes = symbolsOf('candle');
  const marks = symbolsOf('mark-candle');
  if (minutes.length > 0) return { symbols: minutes, isMark: false, isMinutes: true };
  if (marks.length > 0) return { symbols: marks, isMark: true, isMinutes: true };
  const markSeconds = symbolsOf('mark-second');
  const isMark = markSeconds.length > 0;
  const assets = streams.filter((stream) => parseCandleStream(stream) === undefined);
  const others = [...symbolsOf('second'), ...assets.map((asset) => asset.toUpperCase())];
  return { symbols: isMark ? markSeconds : others, isMark, isMinutes: false };
}
