import type { Clock } from '../../core/ports.js';

/** The time at the venue by the last `Date` of its answers; before the first one, that of this machine. */
export class VenueTime {
  readonly #clock: Clock;
  #last: { readonly serverMs: number; readonly receivedAt: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param date `serverMs` is ms UTC, `receivedAt` monotonic ms */
  readonly onServerDate = (date: {
    readonly serverMs: number;
    readonly receivedAt: number;
  }): void => {
    this.#last = date;
  };

  /** ms UTC. */
  readonly now = (): number => {
    if (this.#last === undefined) return this.#clock.utcMs();
    return Math.floor(this.#last.serverMs + this.#clock.monotonicMs() - this.#last.receivedAt);
  };
}
