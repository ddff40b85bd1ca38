import type { Candle } from '../core/candle.js';
import type { Stamp, TickerRow } from '../core/events.js';
import { closeTimeOf } from '../core/interval.js';
import type { StrategyHost } from '../strategy/host.js';
import type { PriceBook } from './price-book.js';
import type { SeriesBook, SymbolSeries } from './series-book.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export interface RouterParts {
  readonly stamp: Writable<Stamp>;
  readonly series: SeriesBook;
  readonly prices: PriceBook;
  readonly hosts: readonly StrategyHost[];
}

/**
 * Brings market data to those who want it: closed candles of the base interval and what is aggregated
 * from them in the same step, and tickers.
 */
export class CandleRouter {
  readonly #stamp: Writable<Stamp>;
  readonly #series: SeriesBook;
  readonly #prices: PriceBook;
  readonly #hosts: readonly StrategyHost[];

  constructor(parts: RouterParts) {
    this.#stamp = parts.stamp;
    this.#series = parts.series;
    this.#prices = parts.prices;
    this.#hosts = parts.hosts;
  }

  /** The candle at `index` of a series has closed. */
  candle(series: SymbolSeries, index: number, live: boolean): void {
    const { columns, symbol } = series;
    // History is no price of now: an age counted from its arrival would lie (R05).
    if (live) {
      this.#prices.seeLast(symbol, columns.close[index] as number, this.#stamp.monotonic);
    }
    for (const host of this.#hosts) {
      if (host.interval === series.base && host.symbols.includes(symbol)) {
        host.candle(symbol, series.base, columns, index, live);
      }
    }
    if (series.aggregators.length > 0) this.#aggregate(series, index, live);
  }

  /** Candles as they arrive; those that are known are passed over. */
  candles(symbol: string, candles: readonly Candle[], live: boolean): void {
    const series = this.#series.find(symbol);
    if (series === undefined) return;
    for (const candle of candles) {
      const known = series.columns.length;
      const last = known === 0 ? -Infinity : (series.columns.openTime[known - 1] as number);
      if (candle.openTime <= last) continue;
      series.columns.push(candle);
      if (live) this.#stamp.venueTime = closeTimeOf(series.base, candle.openTime);
      this.candle(series, known, live);
    }
  }

  tickers(rows: readonly TickerRow[]): void {
    for (const { symbol, last, mark } of rows) {
      this.#prices.seeLast(symbol, last, this.#stamp.monotonic);
      if (mark !== undefined) this.#prices.seeMark(symbol, mark, this.#stamp.monotonic);
      for (const host of this.#hosts) {
        if (host.symbols.includes(symbol)) host.ticker(symbol, last, mark);
      }
    }
  }

  #aggregate(series: SymbolSeries, index: number, live: boolean): void {
    const { columns, symbol } = series;
    for (const aggregator of series.aggregators) {
      const finished = aggregator.next(
        columns.openTime[index] as number,
        columns.open[index] as number,
        columns.high[index] as number,
        columns.low[index] as number,
        columns.close[index] as number,
        columns.volume[index] as number,
      );
      const closed = aggregator.closed;
      for (let at = closed.length - finished; at < closed.length; at++) {
        for (const host of this.#hosts) {
          if (host.interval === aggregator.target && host.symbols.includes(symbol)) {
            host.candle(symbol, aggregator.target, closed, at, live);
          }
        }
      }
    }
  }
}
