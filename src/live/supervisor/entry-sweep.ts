import { SafetyRefusal } from '../../core/command-errors.js';
import type { Clock, Logger } from '../../core/ports.js';
import type { OrderRef } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import type { SupervisorEvent, IncidentLog } from './incident-file.js';
import type { OpenEntry } from './open-entries.js';

/** Real ms for which an order that the venue does not know may still land (a late request). */
const ABSENT_AFTER_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** The little that a supervisor may ask of a venue. */
export interface SweepVenue {
  /** Resolves when the supervisor's own budget has room for one cancel. */
  acquirePermit(): Promise<void>;
  cancelOrder(order: OrderRef): Promise<Outcome<null>>;
}

export interface EntrySweepParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly log: IncidentLog;
  readonly venue: SweepVenue;
  /** The entries of the journal. @throws SafetyRefusal for a foreign journal, others when it cannot be read */
  readonly entries: () => Promise<readonly OpenEntry[]>;
  /** Whether the daemon is still silent. Read right before each request. */
  readonly isSilent: () => Promise<boolean>;
}

type Answer = Extract<SupervisorEvent, { kind: 'answer' }>['outcome'];

/** Cancels the entries of a silent daemon, in rounds, until each has ended. A cancel may be repeated. */
export class EntrySweep {
  readonly #parts: EntrySweepParts;
  readonly #ended = new Set<string>();
  /** Monotonic ms of the first cancel of each entry. */
  readonly #firstAt = new Map<string, number>();
  #nextRoundAt = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;
  #isDone = false;

  constructor(parts: EntrySweepParts) {
    this.#parts = parts;
  }

  /** Every entry that the journal knows has ended, or never landed. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** One round, where one is due. It ends as soon as the daemon shows a sign of life. */
  async step(): Promise<void> {
    const { clock, logger, entries, isSilent, venue } = this.#parts;
    if (this.#isDone || clock.monotonicMs() < this.#nextRoundAt) return;
    let open: readonly OpenEntry[];
    try {
      open = (await entries()).filter(({ clientOrderId }) => !this.#ended.has(clientOrderId));
    } catch (error) {
      if (error instanceof SafetyRefusal) throw error;
      logger.error(
        { error },
        'the journal cannot be read: no order is canceled, and it is read again',
      );
      this.#pause();
      return;
    }
    for (const entry of open) {
      await venue.acquirePermit();
      if (!(await isSilent())) return;
      await this.#cancel(entry);
    }
    this.#isDone = open.every(({ clientOrderId }) => this.#ended.has(clientOrderId));
    this.#pause();
  }

  #pause(): void {
    this.#nextRoundAt = this.#parts.clock.monotonicMs() + this.#pauseMs;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
  }

  async #cancel({ clientOrderId, symbol, ref }: OpenEntry): Promise<void> {
    const { log, venue, clock, logger } = this.#parts;
    const order = { client_order_id: clientOrderId, symbol };
    await log.write({ kind: 'cancel', ...order });
    const firstAt = this.#firstAt.get(clientOrderId) ?? clock.monotonicMs();
    this.#firstAt.set(clientOrderId, firstAt);
    const reply = await venue.cancelOrder(ref);
    const outcome = answerOf(reply);
    await log.write({ kind: 'answer', ...order, outcome, text: textOf(reply) });
    const isAbsent = outcome === 'absent' && clock.monotonicMs() - firstAt >= ABSENT_AFTER_MS;
    if (outcome === 'ended' || isAbsent) this.#ended.add(clientOrderId);
    const level = outcome === 'refused' || outcome === 'unknown' ? 'error' : 'info';
    logger[level]({ ...order, outcome, cause: textOf(reply) }, 'cancel of an entry');
  }
}

/** An acknowledged cancel is repeated until the venue says that the order has ended (hazard B4). */
function answerOf(reply: Outcome<null>): Answer {
  if (reply.kind === 'yes') return 'acknowledged';
  if (reply.kind === 'unknown') return 'unknown';
  if (reply.code === 'order-not-open') return 'ended';
  return reply.code === 'order-not-found' ? 'absent' : 'refused';
}

function textOf(reply: Outcome<null>): string {
  if (reply.kind === 'yes') return '';
  return reply.kind === 'no' ? reply.text : reply.cause;
}
