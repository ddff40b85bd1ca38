import type { Outcome } from '../../core/request.js';
import { isPassing, VenueError } from '../venue.js';
import type { FuturesApiLimits } from './limits.js';
import { readRows, type CandleKind, type Rows, type RowsQuery } from './market-calls.js';
import type { Requester } from './requester.js';
import type { RestUrls } from './url.js';
import { assetPairOf } from './wire-instrument.js';

export interface CandleSpan extends Omit<RowsQuery, 'pairs'> {
  readonly symbol: string;
  readonly kind: CandleKind;
}

interface Batch {
  readonly pairs: Set<string>;
  readonly answer: Promise<Rows>;
}

export interface CandleBatcherOptions {
  readonly urls: RestUrls;
  readonly limits: Pick<FuturesApiLimits, 'symbolsPerCall'>;
  /** Without waiting: `slot` does. */
  readonly requester: Requester;
  /** Resolves when one more call may be made. */
  readonly slot: () => Promise<void>;
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

  /**
   * Undefined: the venue left the symbol out of its answer, or refused it.
   * @throws VenueError
   */
  async rows(span: CandleSpan): Promise<readonly unknown[] | undefined> {
    const pair = assetPairOf(span.symbol);
    if (pair === undefined) throw new VenueError(`${span.symbol} is not quoted in USDT`);
    const batch = this.#join(span, pair);
    const answer = await batch.answer;
    return answer.get(pair.toLowerCase());
  }

  #join(span: CandleSpan, pair: string): Batch {
    const key = `${span.kind}|${span.aggregation}|${span.startSeconds}|${span.endSeconds}`;
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

  async #fetch(span: CandleSpan, key: string, pairs: ReadonlySet<string>): Promise<Rows> {
    await this.#options.slot();
    if (this.#open.get(key)?.pairs === pairs) this.#open.delete(key);
    return this.#read(span, [...pairs]);
  }

  /** One name that the venue does not know may fail the call for all: halved until it is alone. */
  async #read(span: CandleSpan, pairs: readonly string[]): Promise<Rows> {
    const { requester, urls, slot } = this.#options;
    const outcome = await readRows(requester, urls, span.kind, { ...span, pairs });
    if (outcome.kind === 'yes') return outcome.value;
    if (outcome.kind !== 'no' || outcome.code !== 'asset-not-found') throw failed(pairs, outcome);
    if (pairs.length === 1) return new Map();
    const middle = pairs.length >> 1;
    const rows: [string, readonly unknown[]][] = [];
    for (const half of [pairs.slice(0, middle), pairs.slice(middle)]) {
      await slot();
      rows.push(...(await this.#read(span, half)));
    }
    return new Map(rows);
  }
}

function failed(
  pairs: readonly string[],
  outcome: Exclude<Outcome<unknown>, { kind: 'yes' }>,
): VenueError {
  const { status } = outcome;
  const why = outcome.kind === 'no' ? `HTTP ${status}: ${outcome.text}` : outcome.cause;
  return new VenueError(`The candles of ${pairs.join(', ')} cannot be read: ${why}`, {
    ...(status !== undefined && { status }),
    passing: isPassing(outcome.kind, status),
  });
}
