import { assert } from '../../core/assert.js';
import type { Interval } from '../../core/interval.js';
import { CandleAggregator } from '../../market/candle-aggregator.js';
import { CandleColumns } from '../../market/candle-columns.js';

/** One symbol's candles: the base series as it arrives and what is aggregated from it. */
export interface SymbolSeries {
  readonly symbol: string;
  readonly base: Interval;
  /** Live: grows. Backtest: the whole history, of which candles up to the current index are seen. */
  columns: CandleColumns;
  readonly aggregators: readonly CandleAggregator[];
  /** By aggregator: how many candles the last base candle has finished. */
  readonly finished: number[];
}

/** What somebody wants of some symbols. */
export interface WantedSeries {
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Beside `interval`. */
  readonly intervals?: readonly Interval[];
}

/** The candle series that the strategies of a run want, by symbol. */
export class SeriesBook {
  readonly base: Interval;
  readonly #series = new Map<string, SymbolSeries>();

  constructor(base: Interval, wanted: readonly WantedSeries[]) {
    this.base = base;
    for (const { symbols } of wanted) {
      for (const symbol of symbols) {
        if (this.#series.has(symbol)) continue;
        const intervals = wanted
          .filter((want) => want.symbols.includes(symbol))
          .flatMap(({ interval, intervals: others = [] }) => [interval, ...others])
          .filter((interval) => interval !== base);
        this.#series.set(symbol, {
          symbol,
          base,
          columns: new CandleColumns(),
          aggregators: [...new Set(intervals)].map(
            (interval) => new CandleAggregator(base, interval),
          ),
          finished: [],
        });
      }
    }
  }

  find(symbol: string): SymbolSeries | undefined {
    return this.#series.get(symbol);
  }

  of(symbol: string): SymbolSeries {
    const series = this.#series.get(symbol);
    assert(series !== undefined, `Some strategy wants candles of ${symbol}`);
    return series;
  }

  /** Takes a history as the base series, in place. For backtests. */
  attach(symbol: string, columns: CandleColumns): SymbolSeries {
    const series = this.of(symbol);
    series.columns = columns;
    return series;
  }

  get symbols(): Iterable<string> {
    return this.#series.keys();
  }
}
