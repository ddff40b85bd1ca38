import type { Cancel, Clock, Scheduler } from '../../core/ports.js';

/** What a connection that brought nothing was meant to bring. */
export interface SilentFeed {
  readonly streams: readonly string[];
  /** ms UTC at the venue: since then nothing came. */
  readonly sinceMs: number;
}

export interface SilenceWatchOptions {
  readonly streams: readonly string[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly venueTime: () => number;
  /** Whether the market did something since that should have been pushed. */
  readonly moved: (feed: SilentFeed) => Promise<boolean>;
  /** Ends the connection; a new one follows. */
  readonly recycle: (reason: string) => void;
  /** Asked first: a lost subscription is silent too. */
  readonly verify: () => void;
}

/** A one-minute stream is due once a minute, and a little late (hazard I1). */
const SILENT_AFTER_MS = 75_000;
const ASK_EVERY_MS = 60_000;

/**
 * A connection may live, answer pings, and bring nothing. Silence alone proves nothing, because
 * markets are quiet too (hazard I20): only when history tells of something that should have come is
 * the connection given up.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #lastAt = 0;
  #lastVenueMs = 0;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.heard();
    this.#wait(SILENT_AFTER_MS);
  }

  /** Something was pushed. */
  heard(): void {
    this.#lastAt = this.#options.clock.monotonicMs();
    this.#lastVenueMs = this.#options.venueTime();
  }

  dispose(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#options.scheduler.after(delayMs, () => {
      const left = this.#lastAt + SILENT_AFTER_MS - this.#options.clock.monotonicMs();
      if (left > 0) this.#wait(left);
      else void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    const { moved, recycle, streams, verify } = this.#options;
    const since = this.#lastAt;
    verify();
    const isLost = await moved({ streams, sinceMs: this.#lastVenueMs });
    if (this.#stopped) return;
    if (isLost && this.#lastAt === since) recycle('it is silent while the market moves');
    else this.#wait(ASK_EVERY_MS);
  }
}
