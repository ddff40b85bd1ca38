import type { Clock } from '../../core/ports.js';
import type { ServerDate } from '../../venue/futures-api/http/http-client.js';
import type { VenueClock } from './venue-clock.js';

/** The header has whole seconds, rounded down. */
const RESOLUTION_MS = 1_000;
/** Maximum drift between the clocks, per elapsed time. */
const DRIFT = 1e-4;

/**
 * Venue time from Date headers. The venue writes each header between our sending and receiving, so each
 * answer bounds the offset between venue time and our monotonic clock. Venue time changes only where it
 * leaves the intersection of all bounds, so that it does not jitter.
 */
export class DateHeaderSync {
  readonly #venueClock: VenueClock;
  readonly #clock: Clock;
  #from = -Infinity;
  #to = Infinity;
  #lastReceivedAt = 0;

  constructor(venueClock: VenueClock, clock: Clock) {
    this.#venueClock = venueClock;
    this.#clock = clock;
  }

  onDate({ serverMs, sentAt, receivedAt }: ServerDate): void {
    const drift = Math.max(0, receivedAt - this.#lastReceivedAt) * DRIFT;
    this.#lastReceivedAt = receivedAt;
    const from = serverMs - receivedAt;
    const to = serverMs + RESOLUTION_MS - sentAt;
    this.#from = Math.max(from, this.#from - drift);
    this.#to = Math.min(to, this.#to + drift);
    // No offset fits all answers: one of the clocks was set, and the newest answer counts.
    if (this.#from > this.#to) [this.#from, this.#to] = [from, to];
    this.#correct();
  }

  #correct(): void {
    const now = this.#clock.monotonicMs();
    const ahead = this.#venueClock.now() - now;
    const allowed = Math.min(this.#to, Math.max(this.#from, ahead));
    // `now()` is in whole ms.
    if (Math.abs(allowed - ahead) >= 1) this.#venueClock.sync(Math.round(allowed + now), 1);
  }
}
