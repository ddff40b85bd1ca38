import { assert } from '../../core/assert.js';
import type { Price } from '../../core/fixed.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { JournalRecord, JournalRecordOf } from '../journal/journal-record.js';
import { isRestoring } from '../protection/protection-leg.js';
import {
  Operation,
  isKind,
  type OperationPlan,
  type OperationStep,
} from '../operation/operation.js';

/** What the journal knows of everything that was neither a place nor a cancel. */
export interface RecoveredOperations {
  /** Without an end, and ended without proof. Oldest first. */
  readonly operations: readonly Operation[];
  /** Client order ids of every leg that left, or may have. */
  readonly legIds: ReadonlySet<string>;
  /** Edits of legs whose answer nobody read, and which may still land. */
  readonly unclearEdits: readonly { readonly orderId: string; readonly price: Price }[];
  /** What amendments made of orders: client order id → its newest proved terms. */
  readonly amended: ReadonlyMap<string, Extract<OperationPlan, { kind: 'amend' }>>;
  /** The newest stop and target of each symbol that somebody decided on and that was proved live. */
  readonly decidedLegs: readonly Operation<'protect'>[];
}

interface Edit {
  readonly operationId: string;
  readonly orderId: string;
  readonly price: Price;
}

/** Rebuilds every operation: ATTEMPT without OUTCOME is unknown, INTENT without ATTEMPT never left. */
export function recoverOperations(records: readonly JournalRecord[]): RecoveredOperations {
  const trail = new Trail();
  for (const record of records) {
    if (record.type === 'operation') trail.begin(record);
    else if (record.type === 'operation-attempt') trail.attempt(record);
    else if (record.type === 'operation-outcome') trail.outcome(record);
    else if (record.type === 'operation-ended') trail.end(record);
  }
  return trail.left();
}

class Trail {
  readonly #operations = new Map<string, Operation>();
  readonly #legIds = new Set<string>();
  readonly #amended = new Map<string, Extract<OperationPlan, { kind: 'amend' }>>();
  readonly #decidedLegs = new Map<string, Operation<'protect'>>();
  #edits: Edit[] = [];

  begin({ operationId, plan, cause, venueTime }: JournalRecordOf<'operation'>): void {
    const operation = new Operation({
      id: operationId,
      plan: plan as OperationPlan,
      cause,
      wantedAt: venueTime,
      recovered: true,
    });
    this.#operations.set(operationId, operation);
  }

  /** Until its outcome is read it may have left: unknown. */
  attempt({ operationId, attempt, step: written }: JournalRecordOf<'operation-attempt'>): void {
    const operation = this.#of(operationId);
    const step = written as OperationStep;
    operation.attempts = attempt;
    operation.step = step;
    operation.state = step.kind === 'cancel-leg' ? 'fencing' : 'sent';
    if (step.kind === 'set-leg') this.#legIds.add(step.clientOrderId);
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
    followOutcome(operation, record);
  }

  end({ operationId, end, evidence }: JournalRecordOf<'operation-ended'>): void {
    const operation = this.#of(operationId);
    operation.state = end;
    operation.evidence = evidence;
    // One edit left and it showed: none can land any more.
    if (end === 'live' && operation.edits === 1) {
      this.#edits = this.#edits.filter((edit) => edit.operationId !== operationId);
    }
    if (end === 'applied' && operation.plan.kind === 'amend') {
      this.#amended.set(operation.plan.clientOrderId, operation.plan);
    }
    if (end === 'live' && isKind(operation, 'protect') && !isRestoring(operation.cause)) {
      const { symbol, currency, slot } = operation.plan;
      this.#decidedLegs.set(`${symbol}/${currency}/${slot}`, operation);
    }
  }

  left(): RecoveredOperations {
    const operations = [...this.#operations.values()].filter(
      ({ ended, unproved }) => !ended || unproved,
    );
    for (const operation of operations) beginAnew(operation);
    return {
      operations,
      legIds: this.#legIds,
      unclearEdits: this.#edits,
      amended: this.#amended,
      decidedLegs: [...this.#decidedLegs.values()],
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

const FOR_NOW: ReadonlySet<RejectionCode | undefined> = new Set<RejectionCode | undefined>([
  'locked',
  'rate-limited',
]);

/** Where an answer leaves an operation; its end, where one follows, is a record of its own. */
function followOutcome(operation: Operation, record: JournalRecordOf<'operation-outcome'>): void {
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
    else if (notSent || FOR_NOW.has(code)) operation.state = 'retrying';
    else operation.state = outcome === 'no' ? 'refused' : 'verifying';
  } else if (isKind(operation, 'leverage')) {
    operation.state = outcome === 'no' && !FOR_NOW.has(code) ? 'refused' : 'reading';
  } else if (outcome === 'no') operation.state = 'refused';
  else if (notSent) operation.state = 'dropped';
  else operation.state = yes && isKind(operation, 'margin') ? 'done' : 'verifying';
}

/** What was on its way when the process died is unknown. */
function beginAnew(operation: Operation): void {
  if (operation.state === 'fencing' && isKind(operation, 'protect')) operation.state = 'looking';
  if (operation.state !== 'sent') return;
  operation.unknownSeen = true;
  operation.state = isKind(operation, 'leverage') ? 'reading' : 'verifying';
}
