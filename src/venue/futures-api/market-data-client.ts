import { z } from 'zod';
import { candleFault, type Candle } from '../../core/candle.js';
import type { Instrument } from '../../core/instrument.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import { failedRead, VenueError, type CandleRange } from '../venue.js';
import { CandleBatcher } from './stream/candle-batcher.js';
import type { ApiContext } from './http/create-futures-api.js';
import { candleOfRow, type CandleKind } from './http/market-calls.js';
import { OPERATIONS, type ApiOperation } from './http/operations.js';
import { HttpClient } from './http/http-client.js';
import { instrumentName, instrumentSchema } from './wire/wire-instrument.js';
import { aggregationOf } from './wire/wire-market.js';
import { issueText, listSchema } from './wire/wire-value.js';

export interface MarketDataClientOptions extends ApiContext {
  /** ms UTC at the venue: a candle that closes later is still forming. */
  readonly venueTime?: () => number;
}

const anyRows = listSchema(z.unknown());
/** Ends the loop over a venue whose pages never end. */
const MAX_PAGES = 100;

/** Reads instruments and candle history. */
export class MarketDataClient {
  readonly #options: MarketDataClientOptions;
  readonly #client: HttpClient;
  readonly #batcher: CandleBatcher;
  /** Symbols that the venue has listed. */
  readonly #listed = new Set<string>();

  constructor(options: MarketDataClientOptions) {
    this.#options = options;
    const acquirePermit = (operation: ApiOperation): Promise<void> =>
      options.requestLimits.acquire(OPERATIONS[operation].tiers, 'poll');
    this.#client = new HttpClient({ ...options, acquirePermit });
    this.#batcher = new CandleBatcher({
      ...options,
      client: new HttpClient({ ...options, acquirePermit: () => Promise.resolve() }),
      acquirePermit: () => acquirePermit('klines'),
    });
  }

  /** See `Venue.instruments`. @throws VenueError */
  async instruments(symbols?: readonly string[]): Promise<readonly Instrument[]> {
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
      // A venue may cap its pages below `limit`, so a short page is no end; a page without news is.
      if (seen.size === before) break;
      // Startup time is bound by the rate limits: further pages would cost requests for nothing.
      if (symbols?.every((symbol) => instruments.has(symbol)) === true) break;
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
      const rows = await this.#batcher.klineRows({ symbol, kind, aggregation, ...chunk });
      if (rows === undefined) await this.#assertListed(symbol);
      for (const candle of this.#closedCandles(kind, rows ?? [], range))
        candles.set(candle.openTime, candle);
    }
    return [...candles.values()].sort((a, b) => a.openTime - b.openTime);
  }

  /** The venue omits a symbol that it does not list, and one without candles in the range (hazard I10). */
  async #assertListed(symbol: string): Promise<void> {
    if (!this.#listed.has(symbol)) await this.instruments([symbol]);
    if (this.#listed.has(symbol)) return;
    throw new VenueError(`The venue does not list ${symbol}`);
  }

  #closedCandles(kind: CandleKind, rows: readonly unknown[], range: CandleRange): Candle[] {
    const { symbol, interval, fromMs, toMs } = range;
    const now = this.#options.venueTime?.() ?? Infinity;
    const candles: Candle[] = [];
    for (const row of rows) {
      const candle = candleOfRow(kind, row);
      const fault = candle === undefined ? 'the row is unreadable' : faultOf(candle, interval);
      if (candle === undefined || fault !== undefined) {
        this.#options.logger.warn({ symbol, interval, row, fault }, 'A candle is left out');
        continue;
      }
      const closesAt = closeTimeOf(interval, candle.openTime);
      // The newest candle may still be forming (hazard I8).
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
    const fault = issueText(instrument.error);
    this.#options.logger.warn({ row: instrumentName(row), fault }, 'An instrument is left out');
  }

  async #page(offset: number): Promise<readonly unknown[]> {
    const { urls, limits } = this.#options;
    const query = { limit: String(limits.instrumentsPerPage), offset: String(offset) };
    const outcome = await this.#client.perform('assets', anyRows, () => ({
      url: urls.futures([], query),
    }));
    if (outcome.kind === 'yes') return outcome.value;
    throw failedRead('The instruments', outcome);
  }
}

interface Chunk {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Ranges of whole candles, one for each call. `end` is inclusive on the wire. */
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
