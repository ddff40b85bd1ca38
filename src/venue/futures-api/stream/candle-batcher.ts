import { failedRead, VenueError } from '../../venue.js';
import type { FuturesApiLimits } from '../http/api-limits.js';
import {
  readKlineRows,
  type CandleKind,
  type KlineRows,
  type KlineRowsQuery,
} from '../http/market-calls.js';
import type { HttpClient } from '../http/http-client.js';
import type { RestUrls } from '../http/url.js';
import { assetPairOf } from '../wire/wire-instrument.js';

export interface CandleSpan extends Omit<KlineRowsQuery, 'pairs'> {
  readonly symbol: string;
  readonly kind: CandleKind;
}

interface CandleBatch {
  readonly pairs: Set<string>;
  readonly answer: Promise<KlineRows>;
}

export interface CandleBatcherOptions {
  readonly urls: RestUrls;
  readonly limits: Pick<FuturesApiLimits, 'symbolsPerCall'>;
  /** Unthrottled: `acquirePermit` waits. */
  readonly client: HttpClient;
  /** Resolves when the next call may be made. */
  readonly acquirePermit: () => Promise<void>;
}

/**
 * Combines requests for the same span into one call, up to the 25 symbols that the interface allows. A
 * request can join a call until the call gets its permit.
 */
export class CandleBatcher {
  readonly #options: CandleBatcherOptions;
  readonly #openBatches = new Map<string, CandleBatch>();

  constructor(options: CandleBatcherOptions) {
    this.#options = options;
  }

  /**
   * Undefined if the venue omits the symbol from its answer or rejects it.
   * @throws VenueError
   */
  async klineRows(span: CandleSpan): Promise<readonly unknown[] | undefined> {
    const pair = assetPairOf(span.symbol);
    if (pair === undefined) throw new VenueError(`${span.symbol} is not quoted in USDT`);
    const batch = this.#join(span, pair);
    const rows = await batch.answer;
    return rows.get(pair.toLowerCase());
  }

  #join(span: CandleSpan, pair: string): CandleBatch {
    const key = `${span.kind}|${span.aggregation}|${span.startSeconds}|${span.endSeconds}`;
    const existing = this.#openBatches.get(key);
    if (existing !== undefined && existing.pairs.size < this.#options.limits.symbolsPerCall) {
      existing.pairs.add(pair);
      return existing;
    }
    const pairs = new Set([pair]);
    const batch: CandleBatch = { pairs, answer: this.#fetch(span, key, pairs) };
    this.#openBatches.set(key, batch);
    return batch;
  }

  async #fetch(span: CandleSpan, key: string, pairs: ReadonlySet<string>): Promise<KlineRows> {
    await this.#options.acquirePermit();
    if (this.#openBatches.get(key)?.pairs === pairs) this.#openBatches.delete(key);
    return this.#read(span, [...pairs]);
  }

  /** An unknown symbol may fail the whole call, so a rejected batch is halved until it stands alone. */
  async #read(span: CandleSpan, pairs: readonly string[]): Promise<KlineRows> {
    const { client, urls, acquirePermit } = this.#options;
    const outcome = await readKlineRows(client, urls, span.kind, { ...span, pairs });
    if (outcome.kind === 'yes') return outcome.value;
    if (outcome.kind !== 'no' || outcome.code !== 'asset-not-found')
      throw failedRead(`The candles of ${pairs.join(', ')}`, outcome);
    if (pairs.length === 1) return new Map();
    const middle = pairs.length >> 1;
    const rows: [string, readonly unknown[]][] = [];
    for (const half of [pairs.slice(0, middle), pairs.slice(middle)]) {
      await acquirePermit();
      rows.push(...(await this.#read(span, half)));
    }
    return new Map(rows);
  }
}
