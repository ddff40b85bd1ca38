import type { Cancel, Clock, Scheduler } from '../core/ports.js';

interface Fix {
  /** Venue ms UTC at `monotonic`. */
  readonly venueMs: number;
  readonly monotonic: number;
  /** Venue ms per real ms; 0 while a sandbox's clock is held or manual. */
  readonly rate: number;
}

interface VenueTimer {
  readonly at: number;
  readonly run: () => void;
  cancel: Cancel | undefined;
}

/**
 * Venue time as last learnt: a fix and a rate on monotonic time. Until something is learnt it is this
 * machine's UTC. Timers on it are set anew when the fix changes.
 */
export class VenueClock {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #timers = new Set<VenueTimer>();
  #fix: Fix;

  constructor(clock: Clock, scheduler: Scheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#fix = { venueMs: clock.utcMs(), monotonic: clock.monotonicMs(), rate: 1 };
  }

  get rate(): number {
    return this.#fix.rate;
  }

  /** Integer ms UTC. */
  now(): number {
    const { venueMs, monotonic, rate } = this.#fix;
    return Math.floor(venueMs + (this.#clock.monotonicMs() - monotonic) * rate);
  }

  learn(venueMs: number, rate: number): void {
    this.#fix = { venueMs, monotonic: this.#clock.monotonicMs(), rate };
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Evidence that it is at least this late, such as a candle that has closed. */
  atLeast(venueMs: number): void {
    if (venueMs > this.now()) this.learn(venueMs, this.#fix.rate);
  }

  after(at: number, run: () => void): Cancel {
    const timer: VenueTimer = { at, run, cancel: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      timer.cancel?.();
      this.#timers.delete(timer);
    };
  }

  #arm(timer: VenueTimer): void {
    timer.cancel?.();
    timer.cancel = undefined;
    const missing = timer.at - this.now();
    if (missing > 0 && this.#fix.rate === 0) return;
    const delay = missing > 0 ? missing / this.#fix.rate : 0;
    timer.cancel = this.#scheduler.after(delay, () => {
      if (this.now() < timer.at) this.#arm(timer);
      else {
        this.#timers.delete(timer);
        timer.run();
      }
    });
  }
}
