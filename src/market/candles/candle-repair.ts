import { MINUTE_MS } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { CandleRange } from '../../venue/venue.js';
import { type CandleSequence, type MissingRange } from './candle-sequence.js';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const MAX_DOUBLINGS = 6;
/**
 * REST serves a minute about 4 to 6 s after its close. A minute older than this which is still absent
 * from several responses that contain a later one does not exist at the venue.
 */
const ABSENT_AFTER_MS = 120_000;
const ABSENT_AFTER_RESPONSES = 4;

export interface CandleRepairOptions {
  readonly symbol: string;
  readonly sequence: CandleSequence;
  readonly fetch: (range: CandleRange) => Promise<readonly Candle[]>;
  /** Venue ms up to which candles have closed. */
  readonly closedUntil: () => number;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Called after each attempt, to emit the candles that are now in order. */
  readonly onProgress: (repaired: number) => void;
  /** Called when the venue has no candles for these minutes. */
  readonly onAbsent: (minutes: number) => void;
}

/**
 * Fills the gaps of one symbol's sequence from REST: one request at a time, repeated with growing
 * pauses (monotonic clock) until no candle is missing.
 */
export class CandleRepair {
  readonly #options: CandleRepairOptions;
  #state: 'idle' | 'fetching' | 'waiting' = 'idle';
  #stopped = false;
  #cancel: Cancel | undefined;
  #failures = 0;
  #emptyResponses = 0;

  constructor(options: CandleRepairOptions) {
    this.#options = options;
  }

  /** Consecutive responses or errors without a new candle. */
  get failures(): number {
    return this.#failures;
  }

  /** Starts if candles are missing and neither a request nor a pause is running. */
  start(): void {
    if (this.#state === 'idle') this.#fetchMissing();
  }

  /** After a reconnect: ends a pause and resets the count of failures. */
  restart(): void {
    this.#failures = 0;
    if (this.#state !== 'waiting') return;
    this.#cancel?.();
    this.#fetchMissing();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #fetchMissing(): void {
    if (this.#stopped) return;
    const { symbol, sequence, fetch } = this.#options;
    const missing = sequence.missing();
    if (missing === undefined) return this.#goIdle();
    this.#state = 'fetching';
    // Inside `then`, so that a fetch that throws synchronously counts as failed too.
    Promise.resolve({ symbol, interval: '1m' as const, ...missing })
      .then(fetch)
      .then(
        (candles) => this.#onCandles(candles, missing),
        (cause: unknown) => this.#onFailure(cause, missing.fromMs),
      );
  }

  #goIdle(): void {
    this.#state = 'idle';
    this.#failures = 0;
    this.#emptyResponses = 0;
  }

  #onCandles(candles: readonly Candle[], range: MissingRange): void {
    if (this.#stopped) return;
    const { sequence, onProgress } = this.#options;
    onProgress(this.#offerCandles(candles, range));
    if (sequence.lastOpenTime >= range.fromMs || this.#skipAbsentMinutes()) {
      this.#failures = 0;
      this.#emptyResponses = 0;
    } else {
      this.#failures++;
      this.#emptyResponses++;
    }
    this.#scheduleNext();
  }

  /** @returns number of new candles */
  #offerCandles(candles: readonly Candle[], range: MissingRange): number {
    const { symbol, sequence, closedUntil, logger } = this.#options;
    const openUntil = closedUntil() - MINUTE_MS;
    let accepted = 0;
    for (const candle of candles) {
      const { openTime } = candle;
      if (openTime < sequence.nextOpenTime || openTime >= range.toMs) continue;
      const result = sequence.offerRepaired(candle, openUntil);
      if (result === 'taken') accepted++;
      if (result === 'invalid') logger.warn({ symbol, candle }, 'REST served a faulty candle');
    }
    return accepted;
  }

  /** @returns whether the gap at the head was skipped */
  #skipAbsentMinutes(): boolean {
    const { sequence, closedUntil, onAbsent, onProgress } = this.#options;
    const next = sequence.earliestWaiting();
    if (next === undefined || this.#emptyResponses + 1 < ABSENT_AFTER_RESPONSES) return false;
    if (closedUntil() - next < ABSENT_AFTER_MS) return false;
    const minutes = (next - sequence.nextOpenTime) / MINUTE_MS;
    sequence.skipTo(next);
    onAbsent(minutes);
    onProgress(0);
    return true;
  }

  #onFailure(cause: unknown, fromMs: number): void {
    if (this.#stopped) return;
    const { symbol, logger } = this.#options;
    // An outage of an hour is one line.
    const level = this.#failures === 0 ? 'warn' : 'debug';
    logger[level]({ symbol, fromMs, cause: textOf(cause) }, 'Candle repair failed; trying again');
    this.#failures++;
    this.#scheduleNext();
  }

  #scheduleNext(): void {
    if (this.#stopped) return;
    const { sequence, scheduler, onProgress } = this.#options;
    if (sequence.missing() === undefined) {
      this.#goIdle();
    } else {
      const doublings = Math.max(0, Math.min(this.#failures - 1, MAX_DOUBLINGS));
      const pauseMs = Math.min(FIRST_RETRY_MS * (1 << doublings), LAST_RETRY_MS);
      this.#state = 'waiting';
      this.#cancel = scheduler.after(pauseMs, () => this.#fetchMissing());
    }
    onProgress(0);
  }
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
