import type { Cancel, Clock, Scheduler } from '../../../core/ports.js';

/** A connection without updates, and the streams it subscribes. */
export interface StaleFeed {
  readonly streams: readonly string[];
  /** ms UTC at the venue of the last update. */
  readonly sinceMs: number;
}

export interface StaleFeedDetectorOptions {
  readonly streams: readonly string[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly venueTime: () => number;
  /** Whether the history has an update that the feed should have brought. */
  readonly hasMissedUpdates: (feed: StaleFeed) => Promise<boolean>;
  /** Ends the connection; a new one follows. */
  readonly recycle: (reason: string) => void;
  /** Called first, because a lost subscription is silent too. */
  readonly verify: () => void;
}

/** A one-minute stream brings a candle every 60 s, slightly late (hazard I1). */
const STALE_AFTER_MS = 75_000;
const RECHECK_EVERY_MS = 60_000;

/**
 * Detects a connection that answers pings but brings no updates. Silence alone proves nothing, because
 * markets can be quiet (hazard I20). The connection is recycled only if the history has an update that
 * it missed.
 */
export class StaleFeedDetector {
  readonly #options: StaleFeedDetectorOptions;
  #lastAt = 0;
  #lastVenueMs = 0;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(options: StaleFeedDetectorOptions) {
    this.#options = options;
    this.onUpdate();
    this.#scheduleCheck(STALE_AFTER_MS);
  }

  /** Call for each push. */
  onUpdate(): void {
    this.#lastAt = this.#options.clock.monotonicMs();
    this.#lastVenueMs = this.#options.venueTime();
  }

  dispose(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #scheduleCheck(delayMs: number): void {
    this.#cancel = this.#options.scheduler.after(delayMs, () => {
      const left = this.#lastAt + STALE_AFTER_MS - this.#options.clock.monotonicMs();
      if (left > 0) this.#scheduleCheck(left);
      else void this.#check();
    });
  }

  async #check(): Promise<void> {
    const { hasMissedUpdates, recycle, streams, verify } = this.#options;
    const since = this.#lastAt;
    verify();
    const hasMissed = await hasMissedUpdates({ streams, sinceMs: this.#lastVenueMs });
    if (this.#stopped) return;
    if (hasMissed && this.#lastAt === since) recycle('it is silent while the market moves');
    else this.#scheduleCheck(RECHECK_EVERY_MS);
  }
}
