import type { Cancel, Clock, Logger, Scheduler } from '../core/ports.js';
import { VenueError } from '../venue/venue.js';
import { EXIT } from './exit-code.js';
import { CommandFailure } from './failure.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** The start was called off while the venue was down. */
export class VenueDownError extends CommandFailure {
  override readonly name = 'VenueDownError';
  readonly exitCode = EXIT.failed;
}

/** Since when nothing comes of the venue, and what its last answer was. */
export interface VenueDown {
  /** Monotonic ms. */
  readonly since: number;
  readonly cause: string;
}

export interface VenueWaitParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * The patience of a start. A fault that time can mend is tried again, less and less often, and told each
 * time. A fault that it cannot mend (a wrong key, an unknown symbol) ends the start.
 */
export class VenueWait {
  readonly ended: Promise<void>;
  readonly #parts: VenueWaitParts;
  #resolve: () => void = () => undefined;
  #over = false;
  #late = false;
  #down: VenueDown | undefined;
  #waitedMs = 0;

  constructor(parts: VenueWaitParts) {
    this.#parts = parts;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** undefined: it answers, or was not asked yet. */
  get down(): VenueDown | undefined {
    return this.#down;
  }

  /** Real ms that the venue could not be used. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** A wait that lasts or begins after so many real ms ends. Returns how to take that back. */
  endAfter(durationMs: number): Cancel {
    return this.#parts.scheduler.after(durationMs, () => {
      this.#late = true;
      if (this.#down !== undefined) this.end();
    });
  }

  /** Nobody waits any longer. */
  end(): void {
    this.#over = true;
    this.#resolve();
  }

  /** @throws VenueDownError when the wait was ended; whatever time cannot mend */
  async reach<T>(attempt: () => Promise<T>): Promise<T> {
    for (let delayMs = FIRST_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_MS)) {
      if (this.#over) throw this.#calledOff();
      try {
        const calledOff = this.ended.then((): never => {
          throw this.#calledOff();
        });
        const value = await Promise.race([attempt(), calledOff]);
        this.#answered();
        return value;
      } catch (error) {
        if (!(error instanceof VenueError && error.passing)) throw error;
        await this.#waitAfter(error.message, delayMs);
      }
    }
  }

  async #waitAfter(cause: string, delayMs: number): Promise<void> {
    const { clock, logger } = this.#parts;
    const begun = clock.monotonicMs();
    const since = this.#down?.since ?? begun;
    this.#down = { since, cause };
    const downS = Math.round((begun - since) / 1_000);
    if (this.#late) this.end();
    if (this.#over) return;
    logger.warn(
      { cause, down_s: downS, next_try_s: delayMs / 1_000 },
      `the venue cannot be used yet, for ${downS} s: ${cause}. Next try in ${delayMs / 1_000} s; Ctrl-C ends the wait`,
    );
    await this.#pause(delayMs);
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.scheduler.after(delayMs, resolve);
      void this.ended.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #answered(): void {
    if (this.#down === undefined) return;
    const { clock, logger } = this.#parts;
    const downMs = clock.monotonicMs() - this.#down.since;
    const downS = Math.round(downMs / 1_000);
    this.#waitedMs += downMs;
    this.#down = undefined;
    logger.info({ down_s: downS }, `the venue answers, after ${downS} s`);
  }

  #calledOff(): VenueDownError {
    const cause = this.#down === undefined ? 'it was not reached yet' : this.#down.cause;
    return new VenueDownError(`ended before the venue could be used: ${cause}`);
  }
}
