import type { Cancel, Clock, Scheduler } from '../../core/ports.js';

interface ClockSample {
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
 * Venue time by the last sample: a time and a rate on the monotonic clock. Before the first sample it is this
 * machine's UTC. Its timers are rescheduled when the sample changes.
 */
export class VenueClock {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #timers = new Set<VenueTimer>();
  #sample: ClockSample;

  constructor(clock: Clock, scheduler: Scheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#sample = { venueMs: clock.utcMs(), monotonic: clock.monotonicMs(), rate: 1 };
  }

  get rate(): number {
    return this.#sample.rate;
  }

  /** Integer ms UTC. */
  now(): number {
    const { venueMs, monotonic, rate } = this.#sample;
    return Math.floor(venueMs + (this.#clock.monotonicMs() - monotonic) * rate);
  }

  sync(venueMs: number, rate: number): void {
    this.#sample = { venueMs, monotonic: this.#clock.monotonicMs(), rate };
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Applies a lower bound of venue time, such as the close of a candle. */
  ensureAtLeast(venueMs: number): void {
    if (venueMs > this.now()) this.sync(venueMs, this.#sample.rate);
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
    const remaining = timer.at - this.now();
    if (remaining > 0 && this.#sample.rate === 0) return;
    const delay = remaining > 0 ? remaining / this.#sample.rate : 0;
    timer.cancel = this.#scheduler.after(delay, () => {
      if (this.now() < timer.at) this.#arm(timer);
      else {
        this.#timers.delete(timer);
        timer.run();
      }
    });
  }
}
