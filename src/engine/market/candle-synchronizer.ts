import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import type { SymbolSeries } from './candle-series-store.js';

/**
 * Monotonic ms that a close time waits for missing symbols, from its first candle on. A venue was observed to
 * serve by REST, 4 to 6 s after the close, candles that its stream had omitted.
 */
export const SYNC_DEADLINE_MS = 8_000;

/** A base candle that has arrived and is not delivered yet. */
export interface PendingCandle {
  readonly series: SymbolSeries;
  readonly index: number;
  readonly live: boolean;
}

export interface CandleSynchronizerParts {
  readonly symbols: readonly string[];
  readonly base: Interval;
  readonly requests: Pick<RequestTracker, 'after' | 'cancelTimer'>;
  /** In the order of `symbols`, one close time after the other. */
  readonly emit: (held: PendingCandle) => void;
  /** Every candle of that close time that came in time has been delivered. */
  readonly onSynced: (closedAt: number, live: boolean) => void;
}

/**
 * Synchronizes the candles of several symbols by close time. Live, symbols arrive one after the other; a
 * history or a repaired gap brings many candles of one symbol. A close time is complete when every symbol has
 * its candle or a newer one (then it has none), or at the deadline. A later candle is delivered alone, at
 * once.
 */
export class CandleSynchronizer {
  readonly #parts: CandleSynchronizerParts;
  readonly #queues: ReadonlyMap<string, PendingCandle[]>;
  #emittedUntil = Number.NEGATIVE_INFINITY;
  #deadline: { readonly closedAt: number; readonly timer: string } | undefined;

  constructor(parts: CandleSynchronizerParts) {
    this.#parts = parts;
    this.#queues = new Map(parts.symbols.map((symbol) => [symbol, []]));
  }

  add(candle: PendingCandle): void {
    if (this.#closeOf(candle) <= this.#emittedUntil) this.#parts.emit(candle);
    else this.#queues.get(candle.series.symbol)?.push(candle);
  }

  /** Delivers complete close times; up to a given close time, incomplete ones too. */
  emitComplete(forcedUntil = Number.NEGATIVE_INFINITY): void {
    for (;;) {
      const closedAt = this.#nextCloseTime();
      if (closedAt === undefined) return;
      if (closedAt > forcedUntil && !this.#isComplete()) {
        this.#startDeadline(closedAt);
        return;
      }
      this.#emitAt(closedAt);
    }
  }

  #nextCloseTime(): number | undefined {
    let next: number | undefined;
    for (const [head] of this.#queues.values()) {
      if (head === undefined) continue;
      const closedAt = this.#closeOf(head);
      if (next === undefined || closedAt < next) next = closedAt;
    }
    return next;
  }

  /** Candles of a symbol ascend: a newer one shows that this one does not exist. */
  #isComplete(): boolean {
    for (const queue of this.#queues.values()) if (queue.length === 0) return false;
    return true;
  }

  #emitAt(closedAt: number): void {
    const { emit, onSynced, requests } = this.#parts;
    if (this.#deadline !== undefined && this.#deadline.closedAt <= closedAt) {
      requests.cancelTimer(this.#deadline.timer);
      this.#deadline = undefined;
    }
    this.#emittedUntil = closedAt;
    let live = false;
    for (const queue of this.#queues.values()) {
      const [head] = queue;
      if (head === undefined || this.#closeOf(head) !== closedAt) continue;
      queue.shift();
      live ||= head.live;
      emit(head);
    }
    onSynced(closedAt, live);
  }

  /** A history waits for the other symbols without a deadline. */
  #startDeadline(closedAt: number): void {
    if (this.#deadline !== undefined || !this.#isLive()) return;
    const timer = this.#parts.requests.after(SYNC_DEADLINE_MS, () => {
      this.#deadline = undefined;
      this.emitComplete(closedAt);
    });
    this.#deadline = { closedAt, timer };
  }

  #isLive(): boolean {
    for (const queue of this.#queues.values()) if (queue.at(-1)?.live === true) return true;
    return false;
  }

  #closeOf({ series, index }: PendingCandle): number {
    return closeTimeOf(this.#parts.base, series.columns.openTime[index] as number);
  }
}
