import { assert } from '../../core/assert.js';

interface VenueTimer {
  /** Venue ms. */
  readonly at: number;
  readonly key: string;
}

/** Timers on the clock of the exchange, the next one first. */
export class VenueTimers {
  readonly #timers: VenueTimer[] = [];
  /** A field: each candle of a backtest reads it. */
  #nextAt = Infinity;

  /** Venue ms of the next timer; Infinity without one. */
  get nextAt(): number {
    return this.#nextAt;
  }

  add(at: number, key: string): void {
    this.#timers.push({ at, key });
    this.#timers.sort((a, b) => a.at - b.at);
    this.#onChanged();
  }

  /** Removes the next timer. @returns its key. @throws AssertionError where there is none */
  take(): string {
    const due = this.#timers.shift();
    assert(due !== undefined, 'A timer is taken where there is one');
    this.#onChanged();
    return due.key;
  }

  #onChanged(): void {
    this.#nextAt = this.#timers[0]?.at ?? Infinity;
  }
}
