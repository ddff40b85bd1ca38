import { candleFault } from '../core/candle.js';
import type { Happening } from '../core/events.js';
import type { Logger } from '../core/ports.js';
import type { MarketMessage } from '../venue/venue.js';
import { NewerOnly } from './newer-only.js';

type ExtraMessage = Extract<MarketMessage, { kind: 'mark-candle' | 'second' | 'mark-second' }>;
type ExtraHappening = Extract<Happening, { kind: 'seconds' | 'mark-candles' }>;

export interface ExtraStreamsOptions {
  /** Venue time, ms UTC; an estimate. */
  readonly venueNow: () => number;
  readonly logger: Logger;
}

/** One further ahead is not believed: it would hold back every true one until its time. */
const FUTURE_LIMIT_MS = 60_000;
const NONE: readonly ExtraHappening[] = [];

/**
 * Seconds and mark candles in order of open time: what comes again, late or cannot be true is
 * dropped. Unlike one-minute candles of trades they need no repair: no indicator is fed from them
 * without a gap, a venue leaves out silent seconds itself, and what is old is of no use.
 */
export class ExtraStreams {
  readonly #options: ExtraStreamsOptions;
  readonly #newer = new NewerOnly();

  constructor(options: ExtraStreamsOptions) {
    this.#options = options;
  }

  /** @returns what it tells: one, or nothing */
  take(message: ExtraMessage): readonly ExtraHappening[] {
    const { kind, symbol, candle } = message;
    const { venueNow, logger } = this.#options;
    const isAhead = candle.openTime > venueNow() + FUTURE_LIMIT_MS;
    const fault = candleFault(candle) ?? (isAhead ? 'its open time is ahead' : undefined);
    if (fault !== undefined) {
      logger.warn({ kind, symbol, candle, fault }, 'A streamed candle is left out');
      return NONE;
    }
    if (!this.#newer.take(`${kind} ${symbol}`, candle.openTime)) return NONE;
    if (kind === 'mark-candle') return [{ kind: 'mark-candles', symbol, candle }];
    return [{ kind: 'seconds', symbol, price: kind === 'second' ? 'last' : 'mark', candle }];
  }
}
