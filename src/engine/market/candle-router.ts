import type { Candle } from '../../core/candle.js';
import type { Stamp, TickerRow } from '../../core/events.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import type { Desk } from '../../execution/desk.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import { CandleRounds, type HeldCandle } from './candle-rounds.js';
import type { PriceBook } from './price-book.js';
import type { SeriesBook, SymbolSeries } from './series-book.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export interface RouterParts {
  readonly stamp: Writable<Stamp>;
  readonly series: SeriesBook;
  readonly prices: PriceBook;
  readonly hosts: readonly StrategyHost[];
  readonly desk: Desk;
}

/**
 * Brings market data to those who want it: closed candles of the base interval and what is aggregated
 * from them in the same step, the longest interval first, and tickers.
 */
export class CandleRouter {
  readonly #stamp: Writable<Stamp>;
  readonly #series: SeriesBook;
  readonly #prices: PriceBook;
  readonly #hosts: readonly StrategyHost[];
  /** Those that hear close times. */
  readonly #roundHosts: readonly StrategyHost[];
  /** By symbol: what brings its candles together with others'. */
  readonly #rounds = new Map<string, CandleRounds>();

  constructor(parts: RouterParts) {
    this.#stamp = parts.stamp;
    this.#series = parts.series;
    this.#prices = parts.prices;
    this.#hosts = parts.hosts;
    this.#roundHosts = parts.hosts.filter(({ hearsRounds }) => hearsRounds);
    for (const host of this.#roundHosts) this.#bringTogether(host, parts);
  }

  /** The candle at `index` of a series has closed, and every one that closed before it was told. */
  candle(series: SymbolSeries, index: number, live: boolean): void {
    if (live) this.#see(series, index);
    this.#tell(series, index, live);
  }

  /** Backtest: every symbol's candle that closed then has been told. */
  closed(closedAt: number): void {
    for (const host of this.#roundHosts) tellRound(host, closedAt, true);
  }

  /** Candles as they arrive; those that are known are passed over. */
  candles(symbol: string, candles: readonly Candle[], live: boolean): void {
    const series = this.#series.find(symbol);
    if (series === undefined) return;
    const rounds = this.#rounds.get(symbol);
    for (const candle of candles) {
      const known = series.columns.length;
      const last = known === 0 ? -Infinity : (series.columns.openTime[known - 1] as number);
      if (candle.openTime <= last) continue;
      series.columns.push(candle);
      if (live) this.#see(series, known);
      const held = { series, index: known, live };
      if (rounds === undefined) this.#tellHeld(held);
      else rounds.take(held);
    }
    rounds?.advance();
  }

  revision(symbol: string, candle: Candle): void {
    for (const host of this.#hosts) {
      if (host.symbols.includes(symbol)) host.revision(symbol, candle);
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

  #bringTogether(host: StrategyHost, { desk, series }: RouterParts): void {
    const rounds = new CandleRounds({
      symbols: host.symbols,
      base: series.base,
      desk,
      tell: (held) => {
        this.#tellHeld(held);
      },
      over: (closedAt, live) => {
        if (live) this.#stamp.venueTime = closedAt;
        tellRound(host, closedAt, live);
      },
    });
    for (const symbol of host.symbols) {
      if (!this.#rounds.has(symbol)) this.#rounds.set(symbol, rounds);
    }
  }

  /** History is no price of now: an age counted from its arrival would lie (R05). */
  #see({ symbol, columns }: SymbolSeries, index: number): void {
    this.#prices.seeLast(symbol, columns.close[index] as number, this.#stamp.monotonic);
  }

  #tellHeld({ series, index, live }: HeldCandle): void {
    const openTime = series.columns.openTime[index] as number;
    if (live) this.#stamp.venueTime = closeTimeOf(series.base, openTime);
    this.#tell(series, index, live);
  }

  /** What a host wants of other intervals comes before its own, longest first. */
  #tell(series: SymbolSeries, index: number, live: boolean): void {
    const { columns, symbol, base, aggregators } = series;
    if (aggregators.length > 0) this.#aggregate(series, index);
    for (const host of this.#hosts) {
      if (!host.symbols.includes(symbol)) continue;
      if (host.intervals.length > 0) this.#tellOthers(host, series, index, live);
      if (host.interval === base) host.candle(symbol, base, columns, index, live);
      else this.#tellInterval(host, series, host.interval, index, live);
    }
  }

  #tellOthers(host: StrategyHost, series: SymbolSeries, index: number, live: boolean): void {
    for (const interval of host.intervals) this.#tellInterval(host, series, interval, index, live);
  }

  #tellInterval(
    host: StrategyHost,
    { symbol, base, columns, aggregators, finished }: SymbolSeries,
    interval: Interval,
    index: number,
    live: boolean,
  ): void {
    if (interval === base) host.candle(symbol, base, columns, index, live);
    const at = aggregators.findIndex(({ target }) => target === interval);
    const aggregator = aggregators[at];
    if (aggregator === undefined) return;
    const { closed } = aggregator;
    for (let each = closed.length - (finished[at] ?? 0); each < closed.length; each++) {
      host.candle(symbol, interval, closed, each, live);
    }
  }

  #aggregate({ columns, aggregators, finished }: SymbolSeries, index: number): void {
    for (let at = 0; at < aggregators.length; at++) {
      finished[at] =
        aggregators[at]?.next(
          columns.openTime[index] as number,
          columns.open[index] as number,
          columns.high[index] as number,
          columns.low[index] as number,
          columns.close[index] as number,
          columns.volume[index] as number,
        ) ?? 0;
    }
  }
}

/** A close time of the base need not be one of the host's own interval. */
function tellRound(host: StrategyHost, closedAt: number, live: boolean): void {
  if (openTimeOf(host.interval, closedAt) === closedAt) host.round(closedAt, live);
}
