import { closeTimeOf, type Interval } from '../../core/interval.js';
import type { Desk } from '../../execution/desk.js';
import type { SymbolSeries } from './series-book.js';

/**
 * Monotonic ms that a close time waits for the symbols that lack it, from its first candle on. A venue
 * was seen to serve by REST what its stream had left out some 4 to 6 s after the close.
 */
export const ROUND_DEADLINE_MS = 8_000;

/** A base candle that has arrived and is not yet told. */
export interface HeldCandle {
  readonly series: SymbolSeries;
  readonly index: number;
  readonly live: boolean;
}

export interface CandleRoundsParts {
  readonly symbols: readonly string[];
  readonly base: Interval;
  readonly desk: Pick<Desk, 'after' | 'cancel'>;
  /** In the order of `symbols`, one close time after the other. */
  readonly tell: (held: HeldCandle) => void;
  /** Everything of that close time has been told that came in time. */
  readonly over: (closedAt: number, live: boolean) => void;
}

/**
 * Brings the candles of several symbols together by close time, whatever order they arrive in: live one
 * symbol comes after the other, and a history or a repaired gap brings many candles of one. A close time
 * is over when every symbol has its candle, or one that is newer (it has none then), or at the deadline.
 * A candle that is later than that is told alone, at once.
 */
export class CandleRounds {
  readonly #parts: CandleRoundsParts;
  readonly #queues: ReadonlyMap<string, HeldCandle[]>;
  #overUntil = Number.NEGATIVE_INFINITY;
  #deadline: { readonly closedAt: number; readonly timer: string } | undefined;

  constructor(parts: CandleRoundsParts) {
    this.#parts = parts;
    this.#queues = new Map(parts.symbols.map((symbol) => [symbol, []]));
  }

  take(held: HeldCandle): void {
    if (this.#closeOf(held) <= this.#overUntil) this.#parts.tell(held);
    else this.#queues.get(held.series.symbol)?.push(held);
  }

  /** Tells whatever is complete; up to a close time also what is not. */
  advance(forcedUntil = Number.NEGATIVE_INFINITY): void {
    for (;;) {
      const closedAt = this.#next();
      if (closedAt === undefined) return;
      if (closedAt > forcedUntil && !this.#isComplete()) {
        this.#wait(closedAt);
        return;
      }
      this.#finish(closedAt);
    }
  }

  #next(): number | undefined {
    let next: number | undefined;
    for (const [head] of this.#queues.values()) {
      if (head === undefined) continue;
      const closedAt = this.#closeOf(head);
      if (next === undefined || closedAt < next) next = closedAt;
    }
    return next;
  }

  /** Candles of a symbol ascend: one that is newer says that there is none. */
  #isComplete(): boolean {
    for (const queue of this.#queues.values()) if (queue.length === 0) return false;
    return true;
  }

  #finish(closedAt: number): void {
    const { tell, over, desk } = this.#parts;
    if (this.#deadline !== undefined && this.#deadline.closedAt <= closedAt) {
      desk.cancel(this.#deadline.timer);
      this.#deadline = undefined;
    }
    this.#overUntil = closedAt;
    let live = false;
    for (const queue of this.#queues.values()) {
      const [head] = queue;
      if (head === undefined || this.#closeOf(head) !== closedAt) continue;
      queue.shift();
      live ||= head.live;
      tell(head);
    }
    over(closedAt, live);
  }

  /** A history waits for the others', however long that takes. */
  #wait(closedAt: number): void {
    if (this.#deadline !== undefined || !this.#isLive()) return;
    const timer = this.#parts.desk.after(ROUND_DEADLINE_MS, () => {
      this.#deadline = undefined;
      this.advance(closedAt);
    });
    this.#deadline = { closedAt, timer };
  }

  #isLive(): boolean {
    for (const queue of this.#queues.values()) if (queue.at(-1)?.live === true) return true;
    return false;
  }

  #closeOf({ series, index }: HeldCandle): number {
    return closeTimeOf(this.#parts.base, series.columns.openTime[index] as number);
  }
}
