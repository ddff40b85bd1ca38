import { VenueError } from '../venue.js';
import type { Caller } from './caller.js';
import { readEnvelope } from './envelope.js';
import type { FuturesApiLimits } from './limits.js';
import type { RequestLimits } from './request-limits.js';
import type { VenueUrls } from './url.js';
import { assetPairOf } from './wire-instrument.js';
import { ticksFromBody } from './wire-market.js';

export interface CandleSpan {
  readonly symbol: string;
  readonly aggregation: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Texts of a call that names an asset the venue does not know (interface, Errors). */
const UNKNOWN_ASSET: ReadonlySet<string> = new Set(['invalid assets', 'asset not found']);

/** Undefined: the venue left the symbol out of its answer. */
type Rows = readonly unknown[] | undefined;

interface Batch {
  readonly pairs: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, Rows>>;
}

export interface CandleBatcherOptions {
  readonly urls: VenueUrls;
  readonly limits: FuturesApiLimits;
  readonly requestLimits: RequestLimits;
  readonly caller: Caller;
}

/**
 * Many symbols that want the same span share one call, up to the 25 that the interface allows: while
 * a call waits for the budget, others may join it.
 */
export class CandleBatcher {
  readonly #options: CandleBatcherOptions;
  readonly #open = new Map<string, Batch>();

  constructor(options: CandleBatcherOptions) {
    this.#options = options;
  }

  /** @throws VenueError */
  async rows(span: CandleSpan): Promise<Rows> {
    const pair = assetPairOf(span.symbol);
    if (pair === undefined) throw new VenueError(`${span.symbol} is not quoted in USDT`);
    const batch = this.#join(span, pair);
    const answer = await batch.answer;
    return answer.get(pair.toLowerCase());
  }

  #join(span: CandleSpan, pair: string): Batch {
    const key = `${span.aggregation}|${span.startSeconds}|${span.endSeconds}`;
    const open = this.#open.get(key);
    if (open !== undefined && open.pairs.size < this.#options.limits.symbolsPerCall) {
      open.pairs.add(pair);
      return open;
    }
    const pairs = new Set([pair]);
    const batch: Batch = { pairs, answer: this.#fetch(span, key, pairs) };
    this.#open.set(key, batch);
    return batch;
  }

  async #fetch(
    span: CandleSpan,
    key: string,
    pairs: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Rows>> {
    await this.#options.requestLimits.acquire(['market'], 'poll');
    if (this.#open.get(key)?.pairs === pairs) this.#open.delete(key);
    const asked = [...pairs];
    const answer = await this.#call(span, asked);
    if (answer.kind === 'rows') return answer.rows;
    // One name that the venue does not know may fail the call for all of them.
    if (!answer.isUnknownAsset) throw answer.error;
    if (asked.length === 1) return new Map();
    return this.#oneByOne(span, asked);
  }

  async #oneByOne(span: CandleSpan, pairs: readonly string[]): Promise<ReadonlyMap<string, Rows>> {
    const rows = new Map<string, Rows>();
    for (const pair of pairs) {
      await this.#options.requestLimits.acquire(['market'], 'poll');
      const answer = await this.#call(span, [pair]);
      if (answer.kind === 'rows') {
        for (const [name, value] of answer.rows) rows.set(name, value);
      } else if (!answer.isUnknownAsset) throw answer.error;
    }
    return rows;
  }

  async #call(span: CandleSpan, pairs: readonly string[]) {
    const { urls, limits, caller, requestLimits } = this.#options;
    const url = urls.price('kline', {
      assets: pairs.join(','),
      aggregation: span.aggregation,
      start_time: String(span.startSeconds),
      end_time: String(span.endSeconds),
    });
    const result = await caller.public({ method: 'GET', url, timeoutMs: limits.readTimeoutMs });
    const failed = (why: string, isUnknownAsset = false) => ({
      kind: 'failed' as const,
      isUnknownAsset,
      error: new VenueError(`The candles of ${pairs.join(', ')} cannot be read: ${why}`),
    });
    if (result.kind === 'lost') return failed(result.cause);
    const { status, body, headers } = result.response;
    requestLimits.answered(['market'], status, headers['retry-after']);
    const rows = status === 200 ? ticksFromBody(body) : undefined;
    if (rows !== undefined) return { kind: 'rows' as const, rows };
    // Only the venue's own words are a no; a proxy's 404 is none (hazard A12).
    const envelope = readEnvelope(body);
    if (envelope.kind !== 'failure') return failed(`HTTP ${status} without a readable answer`);
    const text = envelope.errors[0]?.text ?? '';
    const isRejection = status === 400 || status === 404;
    return failed(`HTTP ${status}: ${text}`, isRejection && UNKNOWN_ASSET.has(text));
  }
}
