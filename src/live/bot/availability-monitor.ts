import type { Clock, Logger } from '../../core/ports.js';
import type { AccountMessage } from '../../venue/venue.js';
import type { EventSink } from './engine-loop.js';

/** Failed polls in a row, and the real ms that they span, before the venue counts as unavailable. */
const UNAVAILABLE_AFTER = { polls: 4, ms: 3_000 };
/** Successful polls in a row that end it: one cycle of positions, open orders and wallet. */
const AVAILABLE_AFTER_POLLS = 3;
/** Polls of one cycle that fail together are one failure of the venue, monotonic ms. */
const ONE_FAILURE_MS = 1_000;
/** 5xx in a row of one read that the engine hears of: a read that fails alone must not trip R25. R06 judges its age. */
const REPORTED_IN_ROW = 2;
/** These speak of our key or our rate, not of the venue. */
const OWN_STATUSES: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

export interface AvailabilityMonitorParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly loop: EventSink;
}

/**
 * Monitors whether the venue can be read: maintenance, an outage or a lost connection. The engine hears of
 * its start and of its end; the failed polls between them are no lines of the log. Before an outage is confirmed
 * it hears of each 5xx too, which R25 counts.
 */
export class AvailabilityMonitor {
  readonly #parts: AvailabilityMonitorParts;
  #failures = 0;
  #successes = 0;
  /** Failures in a row of each read that fails. */
  readonly #failuresOf = new Map<string, number>();
  /** Monotonic ms of the first failed poll in a row. */
  #failingSince = 0;
  /** Cause of a confirmed outage. */
  #outage: string | undefined;
  /** Monotonic ms of the newest 5xx that the engine heard of. */
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: AvailabilityMonitorParts) {
    this.#parts = parts;
  }

  /** Cause of the outage now; undefined: the venue can be read. */
  get outage(): string | undefined {
    return this.#outage;
  }

  onPolled(message: AccountMessage): void {
    if (message.kind === 'snapshot') {
      this.#failuresOf.delete(`read-${message.snapshot.kind} ${message.snapshot.currency}`);
      this.#onSuccess();
    } else this.#onFailure(message);
  }

  #onSuccess(): void {
    this.#failures = 0;
    if (this.#outage === undefined) return;
    this.#successes += 1;
    if (this.#successes < AVAILABLE_AFTER_POLLS) return;
    this.#outage = undefined;
    this.#parts.loop.push({ kind: 'availability', available: true, cause: 'its account is read' });
  }

  #onFailure({ what, cause, status }: Extract<AccountMessage, { kind: 'poll-failed' }>): void {
    const { clock, logger, loop } = this.#parts;
    const now = clock.monotonicMs();
    const inRow = (this.#failuresOf.get(what) ?? 0) + 1;
    this.#failuresOf.set(what, inRow);
    // The first of a row is a line; an outage has its own.
    const isFirst = inRow === 1 && this.#failures === 0;
    const level = isFirst && this.#outage === undefined ? 'warn' : 'debug';
    logger[level]({ what }, `poll failed: ${cause}`);
    if (OWN_STATUSES.has(status)) return;
    if (inRow <= REPORTED_IN_ROW) this.#reportServerError(status, cause, now);
    this.#successes = 0;
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures += 1;
    const isConfirmed =
      this.#failures >= UNAVAILABLE_AFTER.polls && now - this.#failingSince >= UNAVAILABLE_AFTER.ms;
    if (!isConfirmed || this.#outage !== undefined) return;
    this.#outage = cause;
    loop.push({ kind: 'availability', available: false, cause });
  }

  /** An answer that never came is no 5xx: the ages of data (R06) and the availability speak of it. */
  #reportServerError(status: number | undefined, cause: string, now: number): void {
    if (status === undefined || status < 500 || this.#outage !== undefined) return;
    if (now - this.#reportedAt < ONE_FAILURE_MS) return;
    this.#reportedAt = now;
    this.#parts.loop.push({ kind: 'poll-failed', cause });
  }
}
