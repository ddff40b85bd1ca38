import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import {
  BURNED_READS,
  POLL_BACKOFF_MS,
  READ_VISIBILITY_MS,
  RETRY_BACKOFF_MS,
  backoffDelay,
} from '../constants.js';
import { endOperation, type OperationParts } from '../operation/operation-parts.js';
import {
  decideProtectiveOrder,
  type ProtectiveOrderDecision,
  type ProtectiveOrderEvidence,
} from './decide-protective-order.js';
import {
  activeOperationOf,
  isRestoreCause,
  ProtectiveOrderIds,
  type ManagedProtectiveOrder,
} from './managed-protective-order.js';
import type { ProtectEnd } from './protect-state.js';
import { ProtectiveOrderQuery, type ProtectiveOrderReading } from './protective-order-query.js';
import {
  ProtectiveOrderSubmitter,
  type ProtectiveOrderReply,
  type UnconfirmedEdits,
} from './protective-order-submitter.js';

export interface ProtectiveOrderParts extends OperationParts {
  readonly account: string;
  /** Whether the tracked position is flat. */
  readonly isFlat: (symbol: string, currency: Currency) => boolean;
}

/** `refusal`: the venue's text, where it refused the order for substance. */
type ProtectiveOrderEndHandler = (
  managed: ManagedProtectiveOrder,
  end: ProtectEnd,
  refusal: string | undefined,
) => void;

/** Requests of one operation before it is given up; its requester must then act otherwise. */
const MAX_ATTEMPTS = 12;

/**
 * Drives the operation of one protective order to its end: read positions and the order, decide, send
 * one request, read again. It has ended when positions and the order both show it (hazard D13).
 */
export class ProtectiveOrderProtocol {
  readonly ids: ProtectiveOrderIds;
  readonly #parts: ProtectiveOrderParts;
  readonly #onEnded: ProtectiveOrderEndHandler;
  readonly #submitter: ProtectiveOrderSubmitter;
  readonly #orderQuery: ProtectiveOrderQuery;

  constructor(parts: ProtectiveOrderParts, onEnded: ProtectiveOrderEndHandler) {
    this.#parts = parts;
    this.#onEnded = onEnded;
    this.ids = new ProtectiveOrderIds(parts.account);
    this.#orderQuery = new ProtectiveOrderQuery(parts, {
      onRead: (managed, read) => {
        this.#decide(managed, read);
      },
      onPositionGone: (managed) => {
        this.#end(managed, 'position-gone', 'positions show none, and none is tracked');
      },
    });
    this.#submitter = new ProtectiveOrderSubmitter(parts, {
      onReply: (managed, reply) => {
        this.#onReply(managed, reply);
      },
      onHeld: (managed, reason) => {
        this.#end(managed, managed.operation?.attempts === 0 ? 'drop' : 'give-up', reason);
      },
    });
  }

  get unconfirmedEdits(): UnconfirmedEdits {
    return this.#submitter.unconfirmedEdits;
  }

  /** Starts the operation of `managed`. */
  start(managed: ManagedProtectiveOrder): void {
    this.#orderQuery.query(managed, 0);
  }

  /** Resumes an operation of a previous run with a read, after any last reply. */
  resume(managed: ManagedProtectiveOrder): void {
    const operation = activeOperationOf(managed);
    const now = this.#parts.engine.stamp.monotonic;
    if (operation.state === 'acknowledged') managed.acknowledgedAt = now;
    if (operation.conflictSeen) managed.conflictAt = now;
    if (operation.attempts === 0) this.#end(managed, 'drop', 'it was never sent');
    else this.#orderQuery.query(managed, 0);
  }

  /** Decides again after each transition that a decision brings about. */
  #decide(managed: ManagedProtectiveOrder, read: ProtectiveOrderReading): void {
    const now = this.#parts.engine.stamp.monotonic;
    for (;;) {
      const decision = decideProtectiveOrder(
        evidenceOf(managed, read, { now, unconfirmedEdits: this.unconfirmedEdits }),
      );
      if (decision.kind !== 'move') {
        this.#execute(managed, read, decision);
        return;
      }
      if (decision.move === 'give-up') {
        this.#end(managed, 'give-up', managed.refusal ?? 'refused');
        return;
      }
      this.#apply(managed, decision.move);
    }
  }

  #apply(managed: ManagedProtectiveOrder, event: 'found' | 'not-found' | 'lost' | 'id-used'): void {
    activeOperationOf(managed).apply(event);
    managed.queries = 0;
    if (event === 'found') managed.acknowledgedAt = this.#parts.engine.stamp.monotonic;
    if (event !== 'lost' && event !== 'id-used') return;
    managed.id = undefined;
    this.#resetEvidence(managed);
  }

  #execute(
    managed: ManagedProtectiveOrder,
    { row, startedAt }: ProtectiveOrderReading,
    decision: Exclude<ProtectiveOrderDecision, { kind: 'move' }>,
  ): void {
    if (decision.kind === 'wait') {
      this.#orderQuery.queryAgain(managed);
      return;
    }
    if (decision.kind === 'live') {
      this.#onLive(managed, decision, startedAt);
      return;
    }
    if (activeOperationOf(managed).attempts >= MAX_ATTEMPTS) {
      this.#giveUp(managed);
      return;
    }
    if (decision.kind === 'fence') this.#submitter.fence(managed, decision.orderId);
    else if (decision.kind === 'edit') this.#submitter.edit(managed, row.positionId, decision);
    else this.#submitter.set(managed, this.#idFor(managed, row.positionId));
  }

  /** An operation that may have taken effect cannot be given up: it is only read from then on. */
  #giveUp(managed: ManagedProtectiveOrder): void {
    if (activeOperationOf(managed).state === 'looking') {
      this.#end(managed, 'give-up', `not there after ${MAX_ATTEMPTS} attempts`);
    } else this.#orderQuery.queryAgain(managed);
  }

  /** Keeps one id until it is used up or the position is another one. */
  #idFor(managed: ManagedProtectiveOrder, positionId: string) {
    if (managed.id?.positionId !== positionId) {
      managed.id = this.ids.allocate({ ...activeOperationOf(managed).plan }, positionId);
      this.#resetEvidence(managed);
    }
    return managed.id;
  }

  /** Nothing was sent under the next id yet, so that none of its attempts is unproved. */
  #resetEvidence(managed: ManagedProtectiveOrder): void {
    managed.resetEvidence();
    activeOperationOf(managed).unknownSeen = false;
  }

  #onLive(
    managed: ManagedProtectiveOrder,
    { orderId, evidence }: Extract<ProtectiveOrderDecision, { kind: 'live' }>,
    startedAt: number,
  ): void {
    const { plan, edits, cause, requestedAt } = activeOperationOf(managed);
    // The only edit that left has shown: none can land any more.
    if (edits === 1) this.unconfirmedEdits.clear(orderId);
    managed.proof = { price: plan.price, orderId, at: startedAt };
    if (!isRestoreCause(cause)) managed.lastDecided = { price: plan.price, requestedAt };
    this.#end(managed, 'shown', evidence);
  }

  #onReply(managed: ManagedProtectiveOrder, reply: ProtectiveOrderReply): void {
    const now = this.#parts.engine.stamp.monotonic;
    const operation = activeOperationOf(managed);
    switch (reply.kind) {
      case 'acknowledged':
        operation.apply('yes');
        managed.acknowledgedAt = now;
        managed.queries = 0;
        this.#orderQuery.query(managed, backoffDelay(POLL_BACKOFF_MS, 0));
        return;
      case 'fenced':
        operation.apply('fenced');
        this.#orderQuery.query(managed, backoffDelay(RETRY_BACKOFF_MS, 0));
        return;
      case 'for-now':
        operation.apply('no-for-now');
        this.#orderQuery.query(managed, backoffDelay(RETRY_BACKOFF_MS, operation.attempts - 1));
        return;
      case 'refused':
        this.#end(managed, 'no', reply.reason);
        return;
      case 'unclear':
        operation.unknownSeen = true;
        operation.apply('unknown');
        if (reply.conflict) managed.conflictAt ??= now;
        managed.refusal ??= reply.refusal;
        this.#orderQuery.queryAgain(managed);
    }
  }

  #end(
    managed: ManagedProtectiveOrder,
    event: 'shown' | 'no' | 'position-gone' | 'give-up' | 'drop',
    evidence: string,
  ): void {
    const operation = activeOperationOf(managed);
    const refusal = event === 'no' ? evidence : managed.refusal;
    operation.apply(event);
    const end = operation.state as ProtectEnd;
    managed.lastEnd = end === 'refused' || end === 'gone' ? end : undefined;
    managed.operation = undefined;
    endOperation(operation, evidence, this.#parts);
    this.#onEnded(managed, end, end === 'refused' ? refusal : undefined);
  }
}

/** One reading together with earlier evidence. `now`: monotonic ms. */
function evidenceOf(
  managed: ManagedProtectiveOrder,
  { row, order }: ProtectiveOrderReading,
  { now, unconfirmedEdits }: { readonly now: number; readonly unconfirmedEdits: UnconfirmedEdits },
): ProtectiveOrderEvidence {
  const { state, plan } = activeOperationOf(managed);
  assert(
    state === 'looking' || state === 'verifying' || state === 'acknowledged',
    'Evidence is weighed while no request is in flight',
  );
  const { conflictAt, acknowledgedAt, notFoundCount } = managed;
  const isOld = (since: number): boolean => now - since >= READ_VISIBILITY_MS;
  return {
    state,
    slot: plan.slot,
    targetPrice: plan.price,
    row,
    order,
    clientOrderId: managed.id?.clientOrderId,
    hasUnconfirmedEdit: (orderId) => unconfirmedEdits.forbids(orderId, plan.price),
    overdue: acknowledgedAt === undefined || isOld(acknowledgedAt),
    burned:
      conflictAt === undefined ? undefined : notFoundCount >= BURNED_READS && isOld(conflictAt),
    refused: managed.refusal !== undefined,
  };
}
