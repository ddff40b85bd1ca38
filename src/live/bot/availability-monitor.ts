import type { Clock, Logger } from '../../core/ports.js';
import type { AccountMessage } from '../../venue/venue.js';
import type { EventSink } from './engine-loop.js';

/** Failed polls in a row, and the real ms that they span, before the venue counts as unavailable. */
const UNAVAILABLE_AFTER = { polls: 4, ms: 3_000 };
/** Successful polls in a row that end it: one cycle of positions, open orders and wallet. */
const AVAILABLE_AFTER_POLLS = 3;
/** These speak of our key or our rate, not of the venue. */
const OWN_STATUSES: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

export interface AvailabilityMonitorParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly loop: EventSink;
}

/**
 * Monitors whether the venue can be read: maintenance, an outage or a lost connection. The engine hears of
 * its start and of its end; the failed polls between them are no lines of the log.
 */
export class AvailabilityMonitor {
  readonly #parts: AvailabilityMonitorParts;
  #failures = 0;
  #successes = 0;
  /** Monotonic ms of the first failed poll in a row. */
  #failingSince = 0;
  #isAvailable = true;

  constructor(parts: AvailabilityMonitorParts) {
    this.#parts = parts;
  }

  onPolled(message: AccountMessage): void {
    if (message.kind === 'snapshot') this.#onSuccess();
    else this.#onFailure(message);
  }

  #onSuccess(): void {
    this.#failures = 0;
    if (this.#isAvailable) return;
    this.#successes += 1;
    if (this.#successes < AVAILABLE_AFTER_POLLS) return;
    this.#isAvailable = true;
    this.#parts.loop.push({ kind: 'availability', available: true, cause: 'its account is read' });
  }

  #onFailure({ what, cause, status }: Extract<AccountMessage, { kind: 'poll-failed' }>): void {
    const { clock, logger, loop } = this.#parts;
    const now = clock.monotonicMs();
    // The first of a row is a line; an outage has its own.
    const level = this.#failures === 0 && this.#isAvailable ? 'warn' : 'debug';
    logger[level]({ what }, `poll failed: ${cause}`);
    if (OWN_STATUSES.has(status)) return;
    this.#successes = 0;
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures += 1;
    const isConfirmed =
      this.#failures >= UNAVAILABLE_AFTER.polls && now - this.#failingSince >= UNAVAILABLE_AFTER.ms;
    if (!isConfirmed || !this.#isAvailable) return;
    this.#isAvailable = false;
    loop.push({ kind: 'availability', available: false, cause });
  }
}
