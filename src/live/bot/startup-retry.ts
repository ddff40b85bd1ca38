import type { Cancel, Clock, Logger, Scheduler } from '../../core/ports.js';
import { VenueError } from '../../venue/venue.js';
import { EXIT } from '../../core/exit-code.js';
import { CommandFailure } from '../../core/command-errors.js';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** The start was canceled while the venue was down. */
export class VenueUnavailableError extends CommandFailure {
  override readonly name = 'VenueDownError';
  readonly exitCode = EXIT.failed;
}

/** Start of the downtime, and the venue's last error. */
export interface Downtime {
  /** Monotonic ms. */
  readonly since: number;
  readonly cause: string;
}

export interface StartupRetryParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Retries requests of a start after a transient fault, with growing delays, and logs each retry. A fault that
 * time cannot mend (a wrong key, an unknown symbol) ends the start.
 */
export class StartupRetry {
  readonly cancelled: Promise<void>;
  readonly #parts: StartupRetryParts;
  #resolve: () => void = () => undefined;
  #isCancelled = false;
  #isTimeUp = false;
  #downtime: Downtime | undefined;
  #waitedMs = 0;

  constructor(parts: StartupRetryParts) {
    this.#parts = parts;
    this.cancelled = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** undefined: the venue answers, or was not requested yet. */
  get downtime(): Downtime | undefined {
    return this.#downtime;
  }

  /** Real ms that the venue could not be used. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Ends a wait that lasts longer, or starts later, than so many real ms. @returns how to cancel that */
  cancelAfter(durationMs: number): Cancel {
    return this.#parts.scheduler.after(durationMs, () => {
      this.#isTimeUp = true;
      if (this.#downtime !== undefined) this.cancel();
    });
  }

  /** Ends the wait. */
  cancel(): void {
    this.#isCancelled = true;
    this.#resolve();
  }

  /** @throws VenueUnavailableError when the wait was ended, and every fault that time cannot mend */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      if (this.#isCancelled) throw this.#cancelledError();
      try {
        const cancellation = this.cancelled.then((): never => {
          throw this.#cancelledError();
        });
        const value = await Promise.race([attempt(), cancellation]);
        this.#onSuccess();
        return value;
      } catch (error) {
        if (!(error instanceof VenueError && error.isTransient)) throw error;
        await this.#waitAfter(error.message, delayMs);
      }
    }
  }

  async #waitAfter(cause: string, delayMs: number): Promise<void> {
    const { clock, logger } = this.#parts;
    const now = clock.monotonicMs();
    const since = this.#downtime?.since ?? now;
    this.#downtime = { since, cause };
    const downS = Math.round((now - since) / 1_000);
    if (this.#isTimeUp) this.cancel();
    if (this.#isCancelled) return;
    logger.warn(
      { cause, down_s: downS, next_try_s: delayMs / 1_000 },
      `the venue cannot be used yet, for ${downS} s: ${cause}. Next try in ${delayMs / 1_000} s; Ctrl-C ends the wait`,
    );
    await this.#pause(delayMs);
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.scheduler.after(delayMs, resolve);
      void this.cancelled.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #onSuccess(): void {
    if (this.#downtime === undefined) return;
    const { clock, logger } = this.#parts;
    const downMs = clock.monotonicMs() - this.#downtime.since;
    const downS = Math.round(downMs / 1_000);
    this.#waitedMs += downMs;
    this.#downtime = undefined;
    logger.info({ down_s: downS }, `the venue answers, after ${downS} s`);
  }

  #cancelledError(): VenueUnavailableError {
    const cause = this.#downtime === undefined ? 'it was not reached yet' : this.#downtime.cause;
    return new VenueUnavailableError(`ended before the venue could be used: ${cause}`);
  }
}
