import { assert } from '../../core/assert.js';
import type { Interval } from '../../core/interval.js';
import { CandleAggregator } from '../../market/candles/candle-aggregator.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { CandleReceiver, StrategyHost } from '../../strategy/host/strategy-host.js';
import type { SymbolPrice } from './price-cache.js';

/** One symbol's candles: the base series as it arrives, and the series aggregated from it. */
export interface SymbolSeries {
  readonly symbol: string;
  readonly base: Interval;
  /**
   * Live: grows. Backtest: the whole history, of which strategies see the candles up to the current index.
   */
  columns: CandleColumns;
  readonly aggregators: readonly CandleAggregator[];
  /** Number of candles that the last base candle completed, by aggregator. */
  readonly finished: number[];
  /** Number of base candles that the hosts have received. */
  emitted: number;
  /** Where its candles go; undefined until the first one, and after a change of the hosts. */
  route: SeriesRoute | undefined;
}

/** The receivers of the candles of a symbol. */
export interface SeriesRoute {
  readonly receivers: readonly SeriesReceiver[];
  readonly price: SymbolPrice;
  /** Each receiver takes the candles of the base series, and no others. */
  readonly isDirect: boolean;
}

export interface SeriesReceiver {
  readonly host: StrategyHost;
  readonly candles: CandleReceiver;
}

/** Candle requirements of one strategy. */
export interface RequiredSeries {
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Further intervals beside `interval`. */
  readonly intervals?: readonly Interval[];
}

/** The candle series that the strategies of a run require, by symbol. */
export class CandleSeriesStore {
  readonly base: Interval;
  readonly #series = new Map<string, SymbolSeries>();

  constructor(base: Interval, required: readonly RequiredSeries[]) {
    this.base = base;
    for (const { symbols } of required) {
      for (const symbol of symbols) {
        if (this.#series.has(symbol)) continue;
        const intervals = required
          .filter((spec) => spec.symbols.includes(symbol))
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
          emitted: 0,
          route: undefined,
        });
      }
    }
  }

  find(symbol: string): SymbolSeries | undefined {
    return this.#series.get(symbol);
  }

  of(symbol: string): SymbolSeries {
    const series = this.#series.get(symbol);
    assert(series !== undefined, `A strategy requires candles of ${symbol}`);
    return series;
  }

  /** Makes a history the base series, in place. For backtests. */
  attach(symbol: string, columns: CandleColumns): SymbolSeries {
    const series = this.of(symbol);
    series.columns = columns;
    return series;
  }

  /** The hosts have changed. */
  dropRoutes(): void {
    for (const series of this.#series.values()) series.route = undefined;
  }

  get symbols(): Iterable<string> {
    return this.#series.keys();
  }
}
