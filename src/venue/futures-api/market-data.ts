import { z } from 'zod';
import { candleFault, type Candle } from '../../core/candle.js';
import type { Instrument } from '../../core/instrument.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import { isPassing, VenueError, type CandleRange } from '../venue.js';
import { CandleBatcher } from './candle-batcher.js';
import type { Connection } from './create-futures-api.js';
import { candleOfRow, type CandleKind } from './market-calls.js';
import { OPERATIONS, type Operation } from './operations.js';
import { Requester } from './requester.js';
import { instrumentName, instrumentSchema } from './wire-instrument.js';
import { aggregationOf } from './wire-market.js';
import { listOf } from './wire-value.js';

export interface MarketDataOptions extends Connection {
  /** ms UTC at the venue: nothing that closes after it is a closed candle. */
  readonly venueTime?: () => number;
}

const anyRows = listOf(z.unknown());
/** A venue that never answers with an end must not keep us for ever. */
const MAX_PAGES = 100;

/** Instruments and history: what is read once, or to fill a gap. */
export class MarketData {
  readonly #options: MarketDataOptions;
  readonly #requester: Requester;
  readonly #batcher: CandleBatcher;
  /** Symbols that the venue was seen to list. */
  readonly #listed = new Set<string>();

  constructor(options: MarketDataOptions) {
    this.#options = options;
    const slot = (operation: Operation): Promise<void> =>
      options.requestLimits.acquire(OPERATIONS[operation].tiers, 'poll');
    this.#requester = new Requester({ ...options, slot });
    this.#batcher = new CandleBatcher({
      ...options,
      requester: new Requester({ ...options, slot: () => Promise.resolve() }),
      slot: () => slot('klines'),
    });
  }

  /** See `Venue.instruments`. @throws VenueError */
  async instruments(wanted?: readonly string[]): Promise<readonly Instrument[]> {
    const instruments = new Map<string, Instrument>();
    const seen = new Set<string>();
    let read = 0;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const rows = await this.#page(read);
      const before = seen.size;
      for (const row of rows) {
        seen.add(instrumentName(row));
        this.#addInstrument(instruments, row);
      }
      read += rows.length;
      // A venue with smaller pages than we ask for answers short before the end; nothing new is it.
      if (seen.size === before) break;
      // A start is as quick as its budget of requests: what nobody waits for costs none of it.
      if (wanted?.every((symbol) => instruments.has(symbol)) === true) break;
    }
    if (instruments.size === 0) throw new VenueError('The venue lists no instrument that reads');
    for (const symbol of instruments.keys()) this.#listed.add(symbol);
    return [...instruments.values()];
  }

  /** @throws VenueError */
  async candles(range: CandleRange): Promise<readonly Candle[]> {
    const { symbol, interval, price } = range;
    const kind = price === 'mark' ? 'markKlines' : 'klines';
    const aggregation = aggregationOf(interval);
    if (aggregation === undefined) {
      throw new VenueError(`The venue has no ${interval} candles in its history`);
    }
    const candles = new Map<number, Candle>();
    for (const chunk of chunksOf(range, this.#options.limits.candlesPerCall)) {
      const rows = await this.#batcher.rows({ symbol, kind, aggregation, ...chunk });
      if (rows === undefined) await this.#assertListed(symbol);
      for (const candle of this.#closed(kind, rows ?? [], range))
        candles.set(candle.openTime, candle);
    }
    return [...candles.values()].sort((a, b) => a.openTime - b.openTime);
  }

  /** An omitted symbol is unknown to the venue, or has no candles in the span (hazard I10). */
  async #assertListed(symbol: string): Promise<void> {
    if (!this.#listed.has(symbol)) await this.instruments([symbol]);
    if (this.#listed.has(symbol)) return;
    throw new VenueError(`The venue does not list ${symbol}`);
  }

  #closed(kind: CandleKind, rows: readonly unknown[], range: CandleRange): Candle[] {
    const { symbol, interval, fromMs, toMs } = range;
    const now = this.#options.venueTime?.() ?? Infinity;
    const candles: Candle[] = [];
    for (const row of rows) {
      const candle = candleOfRow(kind, row);
      const fault = candle === undefined ? 'the row does not read' : faultOf(candle, interval);
      if (candle === undefined || fault !== undefined) {
        this.#options.logger.warn({ symbol, interval, row, fault }, 'A candle is left out');
        continue;
      }
      const closesAt = closeTimeOf(interval, candle.openTime);
      // The newest may still be forming (hazard I8).
      if (candle.openTime >= fromMs && closesAt <= Math.min(toMs, now)) candles.push(candle);
    }
    return candles;
  }

  #addInstrument(instruments: Map<string, Instrument>, row: unknown): void {
    const instrument = instrumentSchema.safeParse(row);
    if (instrument.success) {
      instruments.set(instrument.data.symbol, instrument.data);
      return;
    }
    const [issue] = instrument.error.issues;
    const fault = `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
    this.#options.logger.warn({ row: instrumentName(row), fault }, 'An instrument is left out');
  }

  async #page(offset: number): Promise<readonly unknown[]> {
    const { urls, limits } = this.#options;
    const query = { limit: String(limits.instrumentsPerPage), offset: String(offset) };
    const outcome = await this.#requester.perform('assets', anyRows, () => ({
      url: urls.futures([], query),
    }));
    if (outcome.kind === 'yes') return outcome.value;
    const { status } = outcome;
    const why = outcome.kind === 'no' ? `HTTP ${status}: ${outcome.text}` : outcome.cause;
    throw new VenueError(`The instruments cannot be read: ${why}`, {
      ...(status !== undefined && { status }),
      passing: isPassing(outcome.kind, status),
    });
  }
}

interface Chunk {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Spans of whole candles, each within one call. `end` is inclusive on the wire. */
export function* chunksOf(range: CandleRange, perCall: number): Generator<Chunk> {
  const { interval, fromMs, toMs } = range;
  const bucket = openTimeOf(interval, fromMs);
  let open = bucket < fromMs ? closeTimeOf(interval, bucket) : bucket;
  while (closeTimeOf(interval, open) <= toMs) {
    const start = open;
    for (let count = 0; count < perCall; count += 1) {
      const close = closeTimeOf(interval, open);
      if (close > toMs) break;
      open = close;
    }
    yield { startSeconds: start / 1_000, endSeconds: open / 1_000 - 1 };
  }
}

function faultOf(candle: Candle, interval: Interval): string | undefined {
  const aligned = openTimeOf(interval, candle.openTime) === candle.openTime;
  return aligned ? candleFault(candle) : 'its open time is not on the interval';
}
