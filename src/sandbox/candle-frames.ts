import type { Candle } from '../core/candle.js';
import {
  fold,
  MINUTE_MS,
  runningMinute,
  SECOND_MS,
  type Market,
  type PriceKind,
} from './market.js';
import type { StreamName } from './stream-request.js';
import type { Switches } from './switches.js';

export type CandleStream = Exclude<StreamName, { kind: 'ticker' }>;

/** Frames of the candle streams, each made once for whoever hears it. */
export interface CandleFrames {
  /** The frame of a stream at a second's end; undefined when there is none. */
  at(stream: CandleStream, boundaryMs: number): string | undefined;
}

interface Running {
  readonly untilMs: number;
  readonly candle: Candle | undefined;
}

export function createCandleFrames(market: Market, kline1s: Switches['kline1s']): CandleFrames {
  const running = new Map<string, Running>();

  /** One second more than last time, or all of them. */
  const minuteSoFar = (symbol: string, untilMs: number): Candle | undefined => {
    const known = running.get(symbol);
    const openMs = untilMs - SECOND_MS;
    const isNext = known?.untilMs === openMs && openMs % MINUTE_MS !== 0;
    const candle = isNext
      ? fold(known.candle, market.second('last', symbol, openMs))
      : runningMinute(market, 'last', symbol, untilMs);
    running.set(symbol, { untilMs, candle });
    return candle;
  };

  const minuteFrame = (stream: CandleStream, boundaryMs: number): string | undefined => {
    if (boundaryMs % MINUTE_MS !== 0) return undefined;
    const openMs = boundaryMs - MINUTE_MS;
    const symbol = stream.symbol.toUpperCase();
    const candle = market.span(kindOf(stream), symbol, openMs, boundaryMs);
    return candle === undefined ? undefined : frame(stream, candle, openMs);
  };

  return {
    at(stream, boundaryMs) {
      if (stream.period === '1m') return minuteFrame(stream, boundaryMs);
      const openMs = boundaryMs - SECOND_MS;
      const symbol = stream.symbol.toUpperCase();
      const second = market.second(kindOf(stream), symbol, openMs);
      if (second === undefined || isSilent(second)) return undefined;
      // kline@1s is the running minute, stamped with the second (seen live; supplement, part 1.6).
      const isRunning = stream.kind === 'kline' && kline1s === 'running-minute';
      const candle = isRunning ? minuteSoFar(symbol, boundaryMs) : second;
      return candle === undefined ? undefined : frame(stream, candle, openMs);
    },
  };
}

const kindOf = (stream: CandleStream): PriceKind => (stream.kind === 'kline' ? 'last' : 'mark');

/** Seconds in which nothing happened are skipped. */
const isSilent = (candle: Candle): boolean =>
  candle.volume === 0 && candle.high === candle.low && candle.open === candle.close;

function frame(stream: CandleStream, candle: Candle, openMs: number): string {
  const { open: o, high: h, low: l, close: c, volume: v } = candle;
  const prices = { s: stream.symbol, t: openMs / 1_000, o, h, l, c };
  const data = stream.kind === 'kline' ? { ...prices, v } : prices;
  return JSON.stringify({ stream: stream.key, data });
}
