import { z } from 'zod';
import { candleFault, type Candle } from '../../core/candle.js';
import type { Instrument } from '../../core/instrument.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import type { Logger } from '../../core/ports.js';
import { VenueError, type CandleRange } from '../venue.js';
import { CandleBatcher } from './candle-batcher.js';
import type { CallResult, Caller } from './caller.js';
import { readEnvelope } from './envelope.js';
import type { FuturesApiLimits } from './limits.js';
import type { JsonValue } from './lossless-json.js';
import type { RequestLimits } from './request-limits.js';
import type { VenueUrls } from './url.js';
import { instrumentSchema } from './wire-instrument.js';
import { aggregationOf, candleFromRow } from './wire-market.js';

export interface MarketDataOptions {
  readonly urls: VenueUrls;
  readonly limits: FuturesApiLimits;
  readonly requestLimits: RequestLimits;
  readonly caller: Caller;
  readonly logger: Logger;
  /** ms UTC at the venue: nothing that closes after it is a closed candle. */
  readonly venueTime?: () => number;
}

/** A venue that never answers with an end must not keep us for ever. */
const MAX_PAGES = 100;

/** Instruments and history: what is read once, or to fill a gap. */
export class MarketData {
  readonly #options: MarketDataOptions;
  readonly #batcher: CandleBatcher;
  #listed: Promise<readonly Instrument[]> | undefined;

  constructor(options: MarketDataOptions) {
    this.#options = options;
    this.#batcher = new CandleBatcher(options);
  }

  /** @throws VenueError */
  instruments(): Promise<readonly Instrument[]> {
    const reading = this.#readInstruments();
    this.#listed = reading;
    // Only an answer is remembered.
    reading.catch(() => {
      if (this.#listed === reading) this.#listed = undefined;
    });
    return reading;
  }

  /** @throws VenueError */
  async candles(range: CandleRange): Promise<readonly Candle[]> {
    const { symbol, interval } = range;
    const aggregation = aggregationOf(interval);
    if (aggregation === undefined) {
      throw new VenueError(`The venue has no ${interval} candles in its history`);
    }
    const candles = new Map<number, Candle>();
    for (const chunk of chunksOf(range, this.#options.limits.candlesPerCall)) {
      const rows = await this.#batcher.rows({ symbol, aggregation, ...chunk });
      if (rows === undefined) await this.#assertListed(symbol);
      for (const candle of this.#closed(rows ?? [], range)) candles.set(candle.openTime, candle);
    }
    return [...candles.values()].sort((a, b) => a.openTime - b.openTime);
  }

  /** An omitted symbol is unknown to the venue, or has no candles in the span (hazard I10). */
  async #assertListed(symbol: string): Promise<void> {
    const instruments = await (this.#listed ?? this.instruments());
    if (instruments.some((instrument) => instrument.symbol === symbol)) return;
    throw new VenueError(`The venue does not list ${symbol}`);
  }

  #closed(rows: readonly unknown[], { symbol, interval, fromMs, toMs }: CandleRange): Candle[] {
    const now = this.#options.venueTime?.() ?? Infinity;
    const candles: Candle[] = [];
    for (const row of rows) {
      const candle = candleFromRow(row);
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

  async #readInstruments(): Promise<readonly Instrument[]> {
    const instruments = new Map<string, Instrument>();
    const seen = new Set<string>();
    let read = 0;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const rows = await this.#page(read);
      const before = seen.size;
      for (const row of rows) {
        seen.add(nameOf(row));
        this.#addInstrument(instruments, row);
      }
      read += rows.length;
      // A venue with smaller pages than we ask for answers short before the end; nothing new is it.
      if (seen.size === before) break;
    }
    if (instruments.size === 0) throw new VenueError('The venue lists no instrument that reads');
    return [...instruments.values()];
  }

  #addInstrument(instruments: Map<string, Instrument>, row: JsonValue): void {
    const instrument = instrumentSchema.safeParse(row);
    if (instrument.success) {
      instruments.set(instrument.data.symbol, instrument.data);
      return;
    }
    const [issue] = instrument.error.issues;
    const fault = `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
    this.#options.logger.warn({ row: nameOf(row), fault }, 'An instrument is left out');
  }

  async #page(offset: number): Promise<readonly JsonValue[]> {
    const { urls, limits, requestLimits, caller } = this.#options;
    await requestLimits.acquire(['default'], 'poll');
    const query = { limit: String(limits.instrumentsPerPage), offset: String(offset) };
    const url = urls.futures([], query);
    const result = await caller.trading({ method: 'GET', url, timeoutMs: limits.readTimeoutMs });
    const response = answered(result, 'The instruments cannot be read');
    requestLimits.answered(['default'], response.status, response.headers['retry-after']);
    const envelope = readEnvelope(response.body);
    if (response.status === 200 && envelope.kind === 'success') {
      if (envelope.data === null) return [];
      if (Array.isArray(envelope.data)) return envelope.data as readonly JsonValue[];
    }
    const detail = envelope.kind === 'failure' ? envelope.errors[0]?.text : 'no list in the answer';
    const { status } = response;
    throw new VenueError(`The instruments cannot be read: HTTP ${status}: ${detail}`, { status });
  }
}

/** @throws VenueError for a call without an answer */
export function answered(result: CallResult, failure: string) {
  if (result.kind === 'answer') return result.response;
  throw new VenueError(`${failure}: ${result.cause}`);
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

function nameOf(row: JsonValue): string {
  const named = z.object({ symbol: z.string() }).safeParse(row);
  return named.success ? named.data.symbol : 'without a symbol';
}
