import { assert } from '../../core/assert.js';

interface VenueTimer {
  /** Venue ms. */
  readonly at: number;
  readonly key: string;
}

/** Timers on the clock of the exchange, the next one first. */
export class VenueTimers {
  readonly #timers: VenueTimer[] = [];

  /** Venue ms of the next timer; Infinity without one. */
  get nextAt(): number {
    return this.#timers[0]?.at ?? Infinity;
  }

  add(at: number, key: string): void {
    this.#timers.push({ at, key });
    this.#timers.sort((a, b) => a.at - b.at);
  }

  /** @returns the key of the next timer, which is due no more */
  take(): string {
    const due = this.#timers.shift();
    assert(due !== undefined, 'A due timer exists');
    return due.key;
  }
}
