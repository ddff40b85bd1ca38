import { assert } from '../../core/assert.js';
import type { Price } from '../../core/fixed/fixed.js';
import type { RefusalCode } from '../../core/rejection.js';
import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';
import { isRestoreCause } from '../protection/managed-protective-order.js';
import {
  Operation,
  isKind,
  type OperationPlan,
  type OperationStep,
} from '../operation/operation.js';

/** Operations of previous runs, rebuilt from the journal. */
export interface RecoveredOperations {
  /** Operations without an end, and those that ended unproved; oldest first. */
  readonly operations: readonly Operation[];
  /** Client order ids of every protective order that left, or may have. */
  readonly protectiveOrderIds: ReadonlySet<string>;
  /** Edits of protective orders without a reply, which may still land. */
  readonly unconfirmedEdits: readonly { readonly orderId: string; readonly price: Price }[];
  /** Newest proved terms of amended orders, by client order id. */
  readonly amended: ReadonlyMap<string, Extract<OperationPlan, { kind: 'amend' }>>;
  /**
   * Newest stop and target of each symbol that were decided on and proved live; a restored stop is
   * no decision.
   */
  readonly decidedPrices: readonly Operation<'protect'>[];
}

interface Edit {
  readonly operationId: string;
  readonly orderId: string;
  readonly price: Price;
}

/**
 * Rebuilds every operation. An operation without ATTEMPT never left; ATTEMPT without OUTCOME is
 * unknown.
 */
export function recoverOperations(records: readonly JournalRecord[]): RecoveredOperations {
  const rebuilder = new OperationRebuilder();
  for (const record of records) {
    if (record.type === 'operation') rebuilder.start(record);
    else if (record.type === 'operation-attempt') rebuilder.attempt(record);
    else if (record.type === 'operation-outcome') rebuilder.outcome(record);
    else if (record.type === 'operation-ended') rebuilder.end(record);
  }
  return rebuilder.unfinished();
}

class OperationRebuilder {
  readonly #operations = new Map<string, Operation>();
  readonly #protectiveOrderIds = new Set<string>();
  readonly #amended = new Map<string, Extract<OperationPlan, { kind: 'amend' }>>();
  readonly #decidedPrices = new Map<string, Operation<'protect'>>();
  #edits: Edit[] = [];

  start({ operationId, plan, cause, venueTime }: JournalRecordOf<'operation'>): void {
    const operation = new Operation({
      id: operationId,
      plan: plan as OperationPlan,
      cause,
      requestedAt: venueTime,
      recovered: true,
    });
    this.#operations.set(operationId, operation);
  }

  /** The attempt is unknown until its outcome is read. */
  attempt({ operationId, attempt, step: written }: JournalRecordOf<'operation-attempt'>): void {
    const operation = this.#of(operationId);
    const step = written as OperationStep;
    operation.attempts = attempt;
    operation.step = step;
    operation.state = step.kind === 'cancel-leg' ? 'fencing' : 'sent';
    if (step.kind === 'set-leg') this.#protectiveOrderIds.add(step.clientOrderId);
    if (step.kind === 'move-leg' && isKind(operation, 'protect')) {
      operation.edits += 1;
      const { price } = operation.plan;
      this.#edits.push({ operationId, orderId: step.orderId, price });
    }
  }

  outcome(record: JournalRecordOf<'operation-outcome'>): void {
    const operation = this.#of(record.operationId);
    const answered = record.outcome !== 'unknown' || record.sent === false;
    if (answered && operation.step?.kind === 'move-leg')
      this.#edits.splice(this.#lastEdit(operation), 1);
    if (record.outcome === 'unknown' && record.sent !== false) operation.unknownSeen = true;
    if (record.code === 'client-order-id-exists') {
      operation.unknownSeen = true;
      operation.conflictSeen = true;
    }
    applyOutcome(operation, record);
  }

  end({ operationId, end, evidence }: JournalRecordOf<'operation-ended'>): void {
    const operation = this.#of(operationId);
    operation.state = end;
    operation.evidence = evidence;
    // The only edit that left has shown: none can land any more.
    if (end === 'live' && operation.edits === 1) {
      this.#edits = this.#edits.filter((edit) => edit.operationId !== operationId);
    }
    if (end === 'applied' && operation.plan.kind === 'amend') {
      this.#amended.set(operation.plan.clientOrderId, operation.plan);
    }
    if (end === 'live' && isKind(operation, 'protect') && !isRestoreCause(operation.cause)) {
      const { symbol, currency, slot } = operation.plan;
      this.#decidedPrices.set(`${symbol}/${currency}/${slot}`, operation);
    }
  }

  unfinished(): RecoveredOperations {
    const operations = [...this.#operations.values()].filter(
      ({ ended, unproved }) => !ended || unproved,
    );
    for (const operation of operations) resetInFlight(operation);
    return {
      operations,
      protectiveOrderIds: this.#protectiveOrderIds,
      unconfirmedEdits: this.#edits,
      amended: this.#amended,
      decidedPrices: [...this.#decidedPrices.values()],
    };
  }

  #lastEdit({ id }: Operation): number {
    return this.#edits.findLastIndex(({ operationId }) => operationId === id);
  }

  #of(operationId: string): Operation {
    const operation = this.#operations.get(operationId);
    assert(operation !== undefined, 'The journal has the intent of every operation');
    return operation;
  }
}

const TEMPORARY_REFUSALS: ReadonlySet<RefusalCode | undefined> = new Set<RefusalCode | undefined>([
  'locked',
  'rate-limited',
]);

/** State after an outcome; an end has a record of its own. */
function applyOutcome(operation: Operation, record: JournalRecordOf<'operation-outcome'>): void {
  const { outcome, sent, code } = record;
  const yes = outcome === 'yes';
  const notSent = outcome === 'unknown' && sent === false;
  if (isKind(operation, 'protect')) {
    const { unknownSeen } = operation;
    if (operation.step?.kind === 'cancel-leg') operation.state = 'looking';
    else if (yes) operation.state = 'acknowledged';
    else operation.state = unknownSeen ? 'verifying' : 'looking';
  } else if (isKind(operation, 'amend')) {
    if (yes) operation.state = 'acknowledged';
    else if (notSent || TEMPORARY_REFUSALS.has(code)) operation.state = 'retrying';
    else operation.state = outcome === 'no' ? 'refused' : 'verifying';
  } else if (isKind(operation, 'leverage')) {
    operation.state = outcome === 'no' && !TEMPORARY_REFUSALS.has(code) ? 'refused' : 'reading';
  } else if (outcome === 'no') operation.state = 'refused';
  else if (notSent) operation.state = 'dropped';
  else operation.state = yes && isKind(operation, 'margin') ? 'done' : 'verifying';
}

/** A request in flight when the process died is unknown. */
function resetInFlight(operation: Operation): void {
  if (operation.state === 'fencing' && isKind(operation, 'protect')) operation.state = 'looking';
  if (operation.state !== 'sent') return;
  operation.unknownSeen = true;
  operation.state = isKind(operation, 'leverage') ? 'reading' : 'verifying';
}
