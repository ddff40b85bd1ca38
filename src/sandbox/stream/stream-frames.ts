import { MINUTE_MS } from '../../core/interval.js';
import { hashPair, hashText, mix } from '../../core/integer-hash.js';
import type { Candle } from '../../core/candle.js';
import {
  mergeCandles,
  runningMinute,
  SECOND_MS,
  type Market,
  type PriceKind,
} from '../../market/synthetic/market.js';
import type { TickerFrameRow } from './sandbox-stream-session.js';
import type { StreamName } from './stream-request.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

export type CandleStreamName = Exclude<StreamName, { kind: 'ticker' }>;

/** Frames of the candle streams, each built once for all sessions. */
export interface CandleFrames {
  /** The frame of a stream at the end of a second; undefined when there is none. */
  at(stream: CandleStreamName, boundaryMs: number): string | undefined;
}

interface Running {
  readonly untilMs: number;
  readonly candle: Candle | undefined;
}

export function createCandleFrames(
  market: Market,
  kline1s: BehaviorFlags['kline1s'],
): CandleFrames {
  const running = new Map<string, Running>();

  /** Extends the previous second's candle, or merges all seconds of the minute. */
  const minuteSoFar = (symbol: string, untilMs: number): Candle | undefined => {
    const previous = running.get(symbol);
    const openMs = untilMs - SECOND_MS;
    const isNext = previous?.untilMs === openMs && openMs % MINUTE_MS !== 0;
    const candle = isNext
      ? mergeCandles(previous.candle, market.secondCandle('last', symbol, openMs))
      : runningMinute(market, 'last', symbol, untilMs);
    running.set(symbol, { untilMs, candle });
    return candle;
  };

  const minuteFrame = (stream: CandleStreamName, boundaryMs: number): string | undefined => {
    if (boundaryMs % MINUTE_MS !== 0) return undefined;
    const openMs = boundaryMs - MINUTE_MS;
    const symbol = stream.symbol.toUpperCase();
    const candle = market.rangeCandle(kindOf(stream), symbol, openMs, boundaryMs);
    return candle === undefined ? undefined : frame(stream, candle, openMs);
  };

  return {
    at(stream, boundaryMs) {
      if (stream.period === '1m') return minuteFrame(stream, boundaryMs);
      const openMs = boundaryMs - SECOND_MS;
      const symbol = stream.symbol.toUpperCase();
      const second = market.secondCandle(kindOf(stream), symbol, openMs);
      if (second === undefined || isSilent(second)) return undefined;
      // The live kline@1s is the running minute with the second as its time (supplement: part 1.6).
      const isRunning = stream.kind === 'kline' && kline1s === 'running-minute';
      const candle = isRunning ? minuteSoFar(symbol, boundaryMs) : second;
      return candle === undefined ? undefined : frame(stream, candle, openMs);
    },
  };
}

const kindOf = (stream: CandleStreamName): PriceKind => (stream.kind === 'kline' ? 'last' : 'mark');

/** Seconds without trades or price changes have no frame. */
const isSilent = (candle: Candle): boolean =>
  candle.volume === 0 && candle.high === candle.low && candle.open === candle.close;

function frame(stream: CandleStreamName, candle: Candle, openMs: number): string {
  const { open: o, high: h, low: l, close: c, volume: v } = candle;
  const prices = { s: stream.symbol, t: openMs / 1_000, o, h, l, c };
  const data = stream.kind === 'kline' ? { ...prices, v } : prices;
  return JSON.stringify({ stream: stream.key, data });
}

const WITHOUT_MARK_ONE_IN = 10;

interface CachedRow extends TickerFrameRow {
  readonly last: number;
  readonly mark: number | undefined;
}

export interface TickerRowsOptions {
  readonly market: Market;
  /** Venue ms up to which prices are applied. */
  readonly nowMs: () => number;
  readonly tickerMark: BehaviorFlags['tickerMark'];
  readonly seed: number;
}

/** The ticker row of each symbol, rebuilt only when last or mark changes. */
export function createTickerRows(
  options: TickerRowsOptions,
): (lowerSymbol: string) => TickerFrameRow | undefined {
  const rows = new Map<string, CachedRow>();
  let changes = 0;
  return (lowerSymbol) => {
    const { market, nowMs, tickerMark, seed } = options;
    const symbol = lowerSymbol.toUpperCase();
    const last = market.priceAt('last', symbol, nowMs());
    if (last === undefined) return undefined;
    const mark = market.priceAt('mark', symbol, nowMs());
    const cached = rows.get(lowerSymbol);
    if (cached?.last === last && cached.mark === mark) return cached;
    changes += 1;
    const draw = hashPair(hashPair(mix(seed), hashText(symbol)), changes);
    const omitsMark = tickerMark === 'sometimes-absent' && draw % WITHOUT_MARK_ONE_IN === 0;
    const fields = {
      s: lowerSymbol,
      p: last,
      ...(!omitsMark && mark !== undefined && { mp: mark }),
    };
    const prices = `${last} ${mark ?? ''}`;
    const row: CachedRow = { last, mark, prices, text: JSON.stringify(fields) };
    rows.set(lowerSymbol, row);
    return row;
  };
}
