import { candleFault } from '../../core/candle.js';
import type { EngineEventBody } from '../../core/events.js';
import type { Logger } from '../../core/ports.js';
import type { MarketMessage } from '../../venue/venue.js';

type SecondOrMarkMessage = Extract<
  MarketMessage,
  { kind: 'mark-candle' | 'second' | 'mark-second' }
>;
type SecondOrMarkEvent = Extract<EngineEventBody, { kind: 'seconds' | 'mark-candles' }>;

export interface SecondAndMarkStreamsOptions {
  /** Estimated venue time, ms UTC. */
  readonly venueNow: () => number;
  readonly logger: Logger;
}

/** A candle further ahead is dropped: it would block all valid ones until its time. */
const FUTURE_LIMIT_MS = 60_000;
const NONE: readonly SecondOrMarkEvent[] = [];

/**
 * Second candles and mark candles in order of open time. Repeated, late and invalid ones are dropped.
 * They need no repair, unlike one-minute candles of trades: no indicator relies on them without gaps,
 * the venue itself omits seconds without trades, and old ones are useless.
 */
export class SecondAndMarkStreams {
  readonly #options: SecondAndMarkStreamsOptions;
  readonly #monotonic = new MonotonicFilter();

  constructor(options: SecondAndMarkStreamsOptions) {
    this.#options = options;
  }

  /** @returns one event, or none */
  accept(message: SecondOrMarkMessage): readonly SecondOrMarkEvent[] {
    const { kind, symbol, candle } = message;
    const { venueNow, logger } = this.#options;
    const isAhead = candle.openTime > venueNow() + FUTURE_LIMIT_MS;
    const fault = candleFault(candle) ?? (isAhead ? 'its open time is ahead' : undefined);
    if (fault !== undefined) {
      logger.warn({ kind, symbol, candle, fault }, 'A streamed candle was dropped');
      return NONE;
    }
    if (!this.#monotonic.accept(`${kind} ${symbol}`, candle.openTime)) return NONE;
    if (kind === 'mark-candle') return [{ kind: 'mark-candles', symbol, candle }];
    return [{ kind: 'seconds', symbol, price: kind === 'second' ? 'last' : 'mark', candle }];
  }
}

/** Drops repeated and late candles by the newest open time of each stream. */
export class MonotonicFilter {
  readonly #newest = new Map<string, number>();

  /** Whether `openTime` (ms UTC) is after all previous ones of the stream. It is then the newest. */
  accept(stream: string, openTime: number): boolean {
    if (openTime <= (this.#newest.get(stream) ?? -Infinity)) return false;
    this.#newest.set(stream, openTime);
    return true;
  }
}
