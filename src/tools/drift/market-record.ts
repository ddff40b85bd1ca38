import type { Candle } from '../../core/candle.js';
import type { EngineEvent } from '../../core/events.js';
import { fixedFromNumber, numberFromFixed } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { closeTimeOf, MINUTE_MS } from '../../core/interval.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { MarketDataEvent } from '../../backtest/data/market-data-events.js';
import { PriceTrail } from './decision-fills.js';

interface RecordedCandle {
  readonly candle: Candle;
  /** It reached the strategies as a new candle, on which they could decide. */
  isLive: boolean;
}

type StreamEvent = Extract<EngineEvent, { readonly kind: 'seconds' | 'mark-candles' | 'funding' }>;

const isStream = (event: EngineEvent): event is StreamEvent =>
  event.kind === 'seconds' || event.kind === 'mark-candles' || event.kind === 'funding';

/** The market data that a session received. */
export class MarketRecord {
  readonly instruments = new Map<string, Instrument>();
  readonly streams: MarketDataEvent[] = [];
  readonly #candles = new Map<string, Map<number, RecordedCandle>>();
  readonly #trails = new Map<string, PriceTrail>();
  #firstLiveMs = Infinity;
  /** Close of the newest live candle at each time. */
  readonly #closes: { readonly at: number; readonly close: number }[] = [];

  onEvent(event: EngineEvent): void {
    if (event.kind === 'instruments')
      for (const each of event.instruments) this.instruments.set(each.symbol, each);
    else if (event.kind === 'candles' && event.strategy === undefined) this.#onCandles(event);
    else if (event.kind === 'revision') this.#onRevision(event);
    else if (event.kind === 'tickers')
      for (const { symbol, last } of event.rows) this.#price(symbol, event.venueTime, last);
    else if (isStream(event)) this.#onStream(event);
  }

  /** Open time of the first candle on which a strategy could decide; Infinity without one. */
  get firstLiveMs(): number {
    return this.#firstLiveMs;
  }

  trail(symbol: string): PriceTrail {
    const trail = this.#trails.get(symbol) ?? new PriceTrail();
    this.#trails.set(symbol, trail);
    return trail;
  }

  /** Close time of the newest live candle that had arrived at a venue time; −∞ without one. */
  lastCloseAt(time: number): number {
    return this.#closes.findLast(({ at }) => at <= time)?.close ?? -Infinity;
  }

  /** Number of base candles of a span that never arrived, or only as history. */
  missing(symbol: string, fromMs: number, toMs: number): number {
    const candles = this.#candlesOf(symbol);
    let count = 0;
    for (let time = fromMs; time < toMs; time += MINUTE_MS)
      if (candles.get(time)?.isLive !== true) count += 1;
    return count;
  }

  /**
   * The candles of a symbol. A flat one of the first price after the last candle follows: a market order that
   * was decided at the last close fills at it.
   */
  columns(symbol: string): CandleColumns {
    const rows = [...this.#candlesOf(symbol).values()]
      .map(({ candle }) => candle)
      .sort((a, b) => a.openTime - b.openTime);
    const last = rows.at(-1);
    const openTime = (last?.openTime ?? 0) + MINUTE_MS;
    const next = this.trail(symbol).from(openTime);
    if (last !== undefined && next !== undefined) {
      const open = numberFromFixed(next.price);
      rows.push({ openTime, open, high: open, low: open, close: open, volume: 0 });
    }
    return CandleColumns.from(rows);
  }

  #onCandles(event: Extract<EngineEvent, { readonly kind: 'candles' }>): void {
    const candles = this.#candlesOf(event.symbol);
    for (const candle of event.candles) {
      const known = candles.get(candle.openTime);
      if (known === undefined) candles.set(candle.openTime, { candle, isLive: event.live });
      else if (event.live) known.isLive = true;
      if (!event.live) continue;
      this.#firstLiveMs = Math.min(this.#firstLiveMs, candle.openTime);
      const close = closeTimeOf(event.interval, candle.openTime);
      this.#closes.push({ at: event.venueTime, close });
      this.#price(event.symbol, Math.min(close, event.venueTime), candle.close);
    }
  }

  #onRevision({ symbol, candle }: Extract<EngineEvent, { readonly kind: 'revision' }>): void {
    this.#candlesOf(symbol).set(candle.openTime, { candle, isLive: true });
  }

  #onStream(event: StreamEvent): void {
    const { venueTime, monotonic: _monotonic, ...body } = event;
    const isPrice = body.kind === 'seconds' && body.price === 'last';
    this.streams.push({
      at: venueTime,
      event: body,
      ...(isPrice && { last: fixedFromNumber<'price'>(body.candle.close) }),
    });
  }

  #price(symbol: string, time: number, last: number): void {
    if (!(last > 0)) return;
    this.trail(symbol).add(time, fixedFromNumber(last));
  }

  #candlesOf(symbol: string): Map<number, RecordedCandle> {
    const candles = this.#candles.get(symbol) ?? new Map<number, RecordedCandle>();
    this.#candles.set(symbol, candles);
    return candles;
  }
}
