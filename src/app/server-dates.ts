import type { Clock } from '../core/ports.js';
import type { ServerDate } from '../venue/futures-api/caller.js';
import type { VenueClock } from './venue-clock.js';

/** The header tells whole seconds, rounded down. */
const RESOLUTION_MS = 1_000;
/** By so much clocks may drift apart, of the time that passes. */
const DRIFT = 1e-4;

/**
 * Venue time from Date headers. Each answer bounds how far venue time is ahead of our monotonic one:
 * the header was written between sending and receiving. What all answers allow is the truth; inside
 * it nothing is moved, so that venue time does not tremble.
 */
export class ServerDates {
  readonly #venueClock: VenueClock;
  readonly #clock: Clock;
  #from = -Infinity;
  #to = Infinity;
  #seenAt = 0;

  constructor(venueClock: VenueClock, clock: Clock) {
    this.#venueClock = venueClock;
    this.#clock = clock;
  }

  see({ serverMs, sentAt, receivedAt }: ServerDate): void {
    const drift = Math.max(0, receivedAt - this.#seenAt) * DRIFT;
    this.#seenAt = receivedAt;
    const from = serverMs - receivedAt;
    const to = serverMs + RESOLUTION_MS - sentAt;
    this.#from = Math.max(from, this.#from - drift);
    this.#to = Math.min(to, this.#to + drift);
    // No time fits all of them: one of the clocks was set, and the newest answer knows.
    if (this.#from > this.#to) [this.#from, this.#to] = [from, to];
    this.#correct();
  }

  #correct(): void {
    const now = this.#clock.monotonicMs();
    const ahead = this.#venueClock.now() - now;
    const allowed = Math.min(this.#to, Math.max(this.#from, ahead));
    // `now()` is in whole ms.
    if (Math.abs(allowed - ahead) >= 1) this.#venueClock.learn(Math.round(allowed + now), 1);
  }
}
