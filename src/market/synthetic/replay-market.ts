import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import type { CandleColumns } from '../candles/candle-columns.js';
import { cleanVolume, mergeCandles, SECOND_MS, type Market } from './market.js';

/** One-minute candles of a symbol, ascending; gaps are allowed. */
export interface ReplaySeries {
  readonly symbol: string;
  readonly columns: CandleColumns;
  /** Maximum decimal places of its prices. */
  readonly decimals: number;
}

const LAST_SECOND = 59;
const FIRST_EXTREME = 20;
const SECOND_EXTREME = 40;

/**
 * A market from recorded one-minute candles. Inside a rising candle the price moves open → low → high →
 * close, inside a falling one open → high → low → close. It reaches each of the four exactly, so the
 * fold of the minute is the recorded candle. In a gap the price is constant and no candles exist. The
 * files hold no mark prices: the mark price is the last price.
 */
export function createReplayMarket(series: readonly ReplaySeries[]): Market {
  const paths = new Map(series.map((one) => [one.symbol, new ReplayPricePath(one)]));
  return {
    symbols: series.map((one) => one.symbol),
    firstMs: Math.min(...series.map((one) => one.columns.openTime[0] ?? Infinity)),
    priceAt: (_kind, symbol, timeMs) => paths.get(symbol)?.priceAt(timeMs),
    secondCandle: (kind, symbol, openMs) => withoutVolume(kind, paths.get(symbol)?.second(openMs)),
    rangeCandle: (kind, symbol, fromMs, toMs) =>
      withoutVolume(kind, paths.get(symbol)?.span(fromMs, toMs)),
  };
}

const withoutVolume = (kind: 'last' | 'mark', candle: Candle | undefined): Candle | undefined =>
  kind === 'mark' && candle !== undefined ? { ...candle, volume: 0 } : candle;

class ReplayPricePath {
  readonly #columns: CandleColumns;
  readonly #scale: number;

  constructor(series: ReplaySeries) {
    this.#columns = series.columns;
    this.#scale = Number(`1e${series.decimals}`);
  }

  priceAt(timeMs: number): number | undefined {
    const index = this.#columns.indexFrom(timeMs + 1) - 1;
    if (index < 0) return undefined;
    const candle = this.#columns.at(index);
    const step = Math.floor((timeMs - candle.openTime) / SECOND_MS);
    return step > LAST_SECOND ? candle.close : this.#point(candle, step);
  }

  second(openMs: number): Candle | undefined {
    const minuteMs = Math.floor(openMs / MINUTE_MS) * MINUTE_MS;
    const index = this.#columns.indexFrom(minuteMs);
    if (this.#columns.openTime[index] !== minuteMs || index >= this.#columns.length) {
      return undefined;
    }
    const candle = this.#columns.at(index);
    const step = (openMs - minuteMs) / SECOND_MS;
    const close = this.#point(candle, step);
    const open = step === 0 ? close : this.#point(candle, step - 1);
    return {
      openTime: openMs,
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close,
      volume: cleanVolume(volumeUntil(candle, step) - volumeUntil(candle, step - 1)),
    };
  }

  span(fromMs: number, toMs: number): Candle | undefined {
    const columns = this.#columns;
    const end = columns.indexFrom(toMs);
    let candle: Candle | undefined;
    for (let index = columns.indexFrom(fromMs); index < end; index += 1) {
      candle = mergeCandles(candle, columns.at(index));
    }
    return candle === undefined ? undefined : { ...candle, openTime: fromMs };
  }

  #point(candle: Candle, step: number): number {
    const { open, high, low, close } = candle;
    const [first, second] = close >= open ? [low, high] : [high, low];
    if (step <= FIRST_EXTREME) return this.#between(candle, open, first, step / FIRST_EXTREME);
    if (step <= SECOND_EXTREME) {
      const share = (step - FIRST_EXTREME) / (SECOND_EXTREME - FIRST_EXTREME);
      return this.#between(candle, first, second, share);
    }
    const share = (step - SECOND_EXTREME) / (LAST_SECOND - SECOND_EXTREME);
    return this.#between(candle, second, close, share);
  }

  #between(candle: Candle, from: number, to: number, share: number): number {
    if (share === 0) return from;
    if (share === 1) return to;
    const price = Math.round((from + (to - from) * share) * this.#scale) / this.#scale;
    return Math.min(candle.high, Math.max(candle.low, price));
  }
}

/** Volume of the seconds up to and including `step`. */
const volumeUntil = (candle: Candle, step: number): number =>
  step >= LAST_SECOND ? candle.volume : cleanVolume((candle.volume * (step + 1)) / 60);
