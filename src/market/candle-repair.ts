import type { Candle } from '../core/candle.js';
import type { Cancel, Logger, Scheduler } from '../core/ports.js';
import type { CandleRange } from '../venue/venue.js';
import { MINUTE_MS, type CandleSequence, type MissingRange } from './candle-sequence.js';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const MAX_DOUBLINGS = 6;
/**
 * REST was seen to serve a minute some 4 to 6 s after its close. One that is older than this, and
 * still absent after several answers that hold a later one, does not exist at the venue.
 */
const ABSENT_AFTER_MS = 120_000;
const ABSENT_AFTER_ANSWERS = 4;

export interface CandleRepairOptions {
  readonly symbol: string;
  readonly sequence: CandleSequence;
  readonly fetch: (range: CandleRange) => Promise<readonly Candle[]>;
  /** Venue ms up to which candles have closed. */
  readonly closedUntil: () => number;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** After each attempt: hand out what can be handed out now. */
  readonly onAnswer: (repaired: number) => void;
  /** The venue has no candle there. */
  readonly onAbsent: (minutes: number) => void;
}

/**
 * Closes the holes of one symbol's sequence from REST: one request at a time, again with growing
 * pauses (on the monotonic clock) until nothing is missing, for as long as it takes.
 */
export class CandleRepair {
  readonly #options: CandleRepairOptions;
  #state: 'idle' | 'asking' | 'pausing' = 'idle';
  #stopped = false;
  #cancel: Cancel | undefined;
  #failures = 0;
  #answersWithout = 0;

  constructor(options: CandleRepairOptions) {
    this.#options = options;
  }

  /** Answers or errors in a row that brought nothing. */
  get failures(): number {
    return this.#failures;
  }

  /** Begins if something is missing and neither a request nor a pause is running. */
  start(): void {
    if (this.#state === 'idle') this.#ask();
  }

  /** The world may have changed: ends a pause and counts failures anew. */
  restart(): void {
    this.#failures = 0;
    if (this.#state !== 'pausing') return;
    this.#cancel?.();
    this.#ask();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #ask(): void {
    if (this.#stopped) return;
    const { symbol, sequence, fetch } = this.#options;
    const missing = sequence.missing();
    if (missing === undefined) return this.#rest();
    this.#state = 'asking';
    // Inside `then`, so that a fetch that throws at once is a failed fetch as well.
    Promise.resolve({ symbol, interval: '1m' as const, ...missing })
      .then(fetch)
      .then(
        (candles) => this.#answered(candles, missing),
        (cause: unknown) => this.#failed(cause, missing.fromMs),
      );
  }

  #rest(): void {
    this.#state = 'idle';
    this.#failures = 0;
    this.#answersWithout = 0;
  }

  #answered(candles: readonly Candle[], asked: MissingRange): void {
    if (this.#stopped) return;
    const { sequence, onAnswer } = this.#options;
    onAnswer(this.#offer(candles, asked));
    if (sequence.lastOpenTime >= asked.fromMs || this.#acceptAbsence()) {
      this.#failures = 0;
      this.#answersWithout = 0;
    } else {
      this.#failures++;
      this.#answersWithout++;
    }
    this.#continue();
  }

  /** @returns how many were news */
  #offer(candles: readonly Candle[], asked: MissingRange): number {
    const { symbol, sequence, closedUntil, logger } = this.#options;
    const openUntil = closedUntil() - MINUTE_MS;
    let taken = 0;
    for (const candle of candles) {
      const { openTime } = candle;
      if (openTime < sequence.nextOpenTime || openTime >= asked.toMs) continue;
      const reception = sequence.offerRepaired(candle, openUntil);
      if (reception === 'taken') taken++;
      if (reception === 'invalid') logger.warn({ symbol, candle }, 'REST served a faulty candle');
    }
    return taken;
  }

  /** Whether the hole at the head was given up. */
  #acceptAbsence(): boolean {
    const { sequence, closedUntil, onAbsent, onAnswer } = this.#options;
    const next = sequence.earliestWaiting();
    if (next === undefined || this.#answersWithout + 1 < ABSENT_AFTER_ANSWERS) return false;
    if (closedUntil() - next < ABSENT_AFTER_MS) return false;
    const minutes = (next - sequence.nextOpenTime) / MINUTE_MS;
    sequence.skipTo(next);
    onAbsent(minutes);
    onAnswer(0);
    return true;
  }

  #failed(cause: unknown, fromMs: number): void {
    if (this.#stopped) return;
    const { symbol, logger } = this.#options;
    logger.warn({ symbol, fromMs, cause: textOf(cause) }, 'Candle repair failed; trying again');
    this.#failures++;
    this.#continue();
  }

  #continue(): void {
    if (this.#stopped) return;
    const { sequence, scheduler, onAnswer } = this.#options;
    if (sequence.missing() === undefined) {
      this.#rest();
    } else {
      const doublings = Math.max(0, Math.min(this.#failures - 1, MAX_DOUBLINGS));
      const pauseMs = Math.min(FIRST_RETRY_MS * (1 << doublings), LAST_RETRY_MS);
      this.#state = 'pausing';
      this.#cancel = scheduler.after(pauseMs, () => this.#ask());
    }
    onAnswer(0);
  }
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
