import type { Candle } from '../../core/candle.js';
import type { EventTime, TickerRow } from '../../core/events.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import type { Writable } from '../../core/table/writable.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { CandleReceiver, StrategyHost } from '../../strategy/host/strategy-host.js';
import { CandleSynchronizer, type PendingCandle } from './candle-synchronizer.js';
import type { PriceCache } from './price-cache.js';
import type { PriceMoves } from './price-moves.js';
import {
  CandleSeriesStore,
  type SeriesReceiver,
  type SeriesRoute,
  type SymbolSeries,
} from './candle-series-store.js';

export interface CandleRouterParts {
  readonly stamp: Writable<EventTime>;
  readonly series: CandleSeriesStore;
  readonly prices: PriceCache;
  readonly priceMoves: PriceMoves;
  readonly hosts: readonly StrategyHost[];
  readonly requests: RequestTracker;
}

/**
 * Routes market data to the strategy hosts: tickers, closed candles of the base interval, and the candles
 * aggregated from them in the same step, the longest interval first.
 */
export class CandleRouter {
  readonly #stamp: Writable<EventTime>;
  readonly #series: CandleSeriesStore;
  readonly #prices: PriceCache;
  readonly #priceMoves: PriceMoves;
  readonly #hosts: readonly StrategyHost[];
  /** Hosts that receive close times. */
  #syncedHosts: readonly StrategyHost[];
  /** Candle synchronizers by symbol. */
  readonly #synchronizers = new Map<string, CandleSynchronizer>();
  readonly #parts: CandleRouterParts;
  /** Series of hosts that were started while the engine ran: theirs begin at their own warm-up. */
  readonly #ownSeries = new Map<StrategyHost, CandleSeriesStore>();
  /** Warm-up of the next start of a strategy, by its id and by symbol. */
  readonly #history = new Map<string, Map<string, readonly Candle[]>>();

  constructor(parts: CandleRouterParts) {
    this.#parts = parts;
    this.#stamp = parts.stamp;
    this.#series = parts.series;
    this.#prices = parts.prices;
    this.#priceMoves = parts.priceMoves;
    this.#hosts = parts.hosts;
    this.#syncedHosts = parts.hosts.filter(({ wantsSyncedCandles }) => wantsSyncedCandles);
    for (const host of this.#syncedHosts) this.#synchronize(host, parts);
  }

  /** The candle at `index` of a series has closed; earlier candles were routed before. */
  onCandle(series: SymbolSeries, index: number, live: boolean): void {
    const { price, receivers, isDirect } = this.#routeOf(series);
    const { base, columns } = series;
    if (live) price.setLast(columns.close[index] as number, this.#stamp.monotonic);
    if (isDirect) {
      series.emitted = index + 1;
      for (const { candles } of receivers) candles.onCandle(base, columns, index, live);
    } else this.#emit(series, index, live);
  }

  /** Backtest: every symbol's candle that closed at `closedAt` has been routed. */
  onCandlesClosed(closedAt: number, live: boolean): void {
    for (const host of this.#syncedHosts) emitSyncedCandles(host, closedAt, live);
  }

  /** Live candles; known ones are skipped. */
  onCandles(symbol: string, candles: readonly Candle[], live: boolean): void {
    const series = this.#series.find(symbol);
    if (series === undefined) return;
    const synchronizer = this.#synchronizers.get(symbol);
    for (const candle of candles) {
      const count = series.columns.length;
      const last = count === 0 ? -Infinity : (series.columns.openTime[count - 1] as number);
      if (candle.openTime <= last) continue;
      series.columns.push(candle);
      if (series.base === '1m') {
        this.#priceMoves.onMinute(symbol, candle.openTime, candle.high, candle.low);
      }
      if (live) this.#updatePrice(series, count);
      const pending = { series, index: count, live };
      if (synchronizer === undefined) this.#emitPending(pending);
      else synchronizer.add(pending);
    }
    synchronizer?.emitComplete();
  }

  onRevision(symbol: string, candle: Candle): void {
    for (const host of this.#hosts) {
      if (host.symbols.includes(symbol)) host.onRevision(symbol, candle);
    }
  }

  onTickers(rows: readonly TickerRow[]): void {
    for (const { symbol, last, mark } of rows) {
      this.#prices.setLast(symbol, last, this.#stamp.monotonic);
      this.#priceMoves.onPrice(symbol, last, this.#stamp.venueTime);
      if (mark !== undefined) this.#prices.setMark(symbol, mark, this.#stamp.monotonic);
      for (const host of this.#hosts) {
        if (host.symbols.includes(symbol)) host.onTicker(symbol, last, mark);
      }
    }
  }

  #synchronize(host: StrategyHost, { requests, series }: CandleRouterParts): void {
    const synchronizer = new CandleSynchronizer({
      symbols: host.symbols,
      base: series.base,
      requests,
      emit: (held) => {
        this.#emitPending(held);
      },
      onSynced: (closedAt, live) => {
        if (live) this.#stamp.venueTime = closedAt;
        const current = this.#hosts.find(({ id }) => id === host.id);
        if (current !== undefined) emitSyncedCandles(current, closedAt, live);
      },
    });
    for (const symbol of host.symbols) {
      if (!this.#synchronizers.has(symbol)) this.#synchronizers.set(symbol, synchronizer);
    }
  }

  /** History is no current price: its arrival time would understate its age (control R05). */
  #updatePrice(series: SymbolSeries, index: number): void {
    const { price } = this.#routeOf(series);
    price.setLast(series.columns.close[index] as number, this.#stamp.monotonic);
  }

  #routeOf(series: SymbolSeries): SeriesRoute {
    return (series.route ??= this.#findRoute(series));
  }

  #findRoute({ symbol, base, aggregators }: SymbolSeries): SeriesRoute {
    const hosts = this.#hosts.filter(({ symbols }) => symbols.includes(symbol));
    return {
      receivers: hosts.map((host) => ({ host, candles: host.candlesOf(symbol) })),
      price: this.#prices.of(symbol),
      isDirect:
        aggregators.length === 0 &&
        this.#ownSeries.size === 0 &&
        hosts.every(({ interval, intervals }) => interval === base && intervals.length === 0),
    };
  }

  #emitPending({ series, index, live }: PendingCandle): void {
    const openTime = series.columns.openTime[index] as number;
    if (live) this.#stamp.venueTime = closeTimeOf(series.base, openTime);
    this.#emit(series, index, live);
  }

  /** Candles of a host's other intervals come before its own, the longest first. */
  #emit(series: SymbolSeries, index: number, live: boolean): void {
    const { symbol, aggregators } = series;
    series.emitted = index + 1;
    if (aggregators.length > 0) this.#aggregate(series, index);
    for (const receiver of this.#routeOf(series).receivers) {
      const own = this.#ownSeries.size === 0 ? undefined : this.#ownSeries.get(receiver.host);
      if (own === undefined) emitTo(receiver, series, index, live);
      else this.#emitOwn(receiver, own.of(symbol), series.columns.at(index), live);
    }
  }

  /** Known candles are skipped. */
  #emitOwn(receiver: SeriesReceiver, series: SymbolSeries, candle: Candle, live: boolean): void {
    const { columns, aggregators } = series;
    const index = columns.length;
    const last = index === 0 ? -Infinity : (columns.openTime[index - 1] as number);
    if (candle.openTime <= last) return;
    columns.push({ ...candle });
    if (aggregators.length > 0) this.#aggregate(series, index);
    emitTo(receiver, series, index, live);
  }

  /** Candles for the warm-up of the next start of a strategy. */
  onHistory(strategy: string, symbol: string, candles: readonly Candle[]): void {
    let own = this.#history.get(strategy);
    if (own === undefined) this.#history.set(strategy, (own = new Map()));
    own.set(symbol, candles);
  }

  /** A host takes the place of another one. It receives its warm-up, and what closed since, as history. */
  replace(previous: StrategyHost, host: StrategyHost): void {
    const { base } = this.#series;
    const own = new CandleSeriesStore(base, [host]);
    this.#series.dropRoutes();
    this.#ownSeries.delete(previous);
    this.#ownSeries.set(host, own);
    this.#syncedHosts = this.#hosts.filter(({ wantsSyncedCandles }) => wantsSyncedCandles);
    const isSynced = host.symbols.some((symbol) => this.#synchronizers.has(symbol));
    if (host.wantsSyncedCandles && !isSynced) this.#synchronize(host, this.#parts);
    const rows = this.#historyOf(host);
    for (const [at, { symbol, candle }] of rows.entries()) {
      this.#emitOwn({ host, candles: host.candlesOf(symbol) }, own.of(symbol), candle, false);
      const isLast = rows[at + 1]?.candle.openTime !== candle.openTime;
      if (isLast && host.wantsSyncedCandles)
        emitSyncedCandles(host, closeTimeOf(base, candle.openTime), false);
    }
    this.#history.delete(host.id);
  }

  /** By open time, then in the order of the host's symbols. */
  #historyOf({ id, symbols }: StrategyHost) {
    const warmUp = this.#history.get(id);
    const rows = symbols.flatMap((symbol) => {
      const fetched = warmUp?.get(symbol) ?? [];
      const last = fetched.at(-1)?.openTime ?? -Infinity;
      const { columns, emitted } = this.#series.of(symbol);
      const since: Candle[] = [];
      for (let index = 0; index < emitted; index++)
        if ((columns.openTime[index] as number) > last) since.push({ ...columns.at(index) });
      return [...fetched, ...since].map((candle) => ({ symbol, candle }));
    });
    return rows.sort((a, b) => a.candle.openTime - b.candle.openTime);
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

/** A close time of the base interval may lie within a candle of the host's own interval. */
function emitSyncedCandles(host: StrategyHost, closedAt: number, live: boolean): void {
  if (openTimeOf(host.interval, closedAt) === closedAt) host.onSyncedCandles(closedAt, live);
}

function emitTo(
  { host, candles }: SeriesReceiver,
  series: SymbolSeries,
  index: number,
  live: boolean,
): void {
  const { columns, base } = series;
  for (const interval of host.intervals) emitInterval(candles, series, interval, index, live);
  if (host.interval === base) candles.onCandle(base, columns, index, live);
  else emitInterval(candles, series, host.interval, index, live);
}

function emitInterval(
  candles: CandleReceiver,
  { base, columns, aggregators, finished }: SymbolSeries,
  interval: Interval,
  index: number,
  live: boolean,
): void {
  if (interval === base) candles.onCandle(base, columns, index, live);
  const at = aggregators.findIndex(({ target }) => target === interval);
  const aggregator = aggregators[at];
  if (aggregator === undefined) return;
  const { closed } = aggregator;
  for (let each = closed.length - (finished[at] ?? 0); each < closed.length; each++)
    candles.onCandle(interval, closed, each, live);
}
