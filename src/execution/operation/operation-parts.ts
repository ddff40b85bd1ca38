import type { EventTime } from '../../core/events.js';
import type { Outcome, Priority, ReplyTo, RequestKind, RequestOf } from '../../core/request.js';
import type { Restriction } from '../../risk/restrictions.js';
import type { RequestTracker } from '../request-tracker.js';
import type { SymbolLocks } from '../symbol-locks.js';
import type { Operation, OperationKind, OperationStep } from './operation.js';
import type { OperationJournal } from '../journal/operation-journal.js';
import type { OperationLedger } from './operation-ledger.js';

/** Port of the operation drivers to the engine around them. */
export interface OperationEnginePort {
  readonly stamp: Readonly<EventTime>;
  /** Why it must not be sent now; asked when its permit is granted. */
  holdReason(operation: Operation): string | undefined;
  onEnded(operation: Operation): void;
  /** A control stops entries. */
  restrict(restriction: Restriction): void;
}

/** Shared by the operation drivers. */
export interface OperationParts {
  readonly engine: OperationEnginePort;
  readonly requests: RequestTracker;
  readonly operations: OperationLedger;
  readonly journal: OperationJournal;
  readonly locks: SymbolLocks;
}

export interface OperationAttempt<K extends RequestKind> {
  readonly request: RequestOf<K>;
  readonly priority: Priority;
  readonly step: OperationStep;
  /** The symbol lock that it needs; absent: none. */
  readonly lock?: { readonly name: string; readonly exclusive: boolean };
  /** Why it must not be sent, asked right before it would leave. */
  readonly holdReason: () => string | undefined;
  /** Its permit is granted and nothing holds it: applies the event of sending. */
  readonly onSend: () => void;
  /** Held: it was not sent, and will not be. */
  readonly onHeld: (reason: string) => void;
  readonly onReply: (outcome: ReplyTo<K>) => void;
}

/**
 * The only way in which an operation sends a request: a free lock, a recheck, ATTEMPT durable
 * before the bytes leave, OUTCOME journaled before anything follows from it.
 */
export function sendAttempt<K extends RequestKind, O extends OperationKind>(
  operation: Operation<O>,
  attempt: OperationAttempt<K>,
  parts: OperationParts,
): void {
  const { requests, locks, journal, engine } = parts;
  const { lock, step } = attempt;
  const any = operation as unknown as Operation;
  requests.enqueue<K>({
    request: attempt.request,
    priority: attempt.priority,
    ready: () => {
      const reason = engine.holdReason(any) ?? attempt.holdReason();
      if (reason !== undefined) {
        attempt.onHeld(reason);
        if (lock !== undefined) locks.wakeNext(lock.name);
        return false;
      }
      if (lock !== undefined && !locks.tryStartRequest(lock.name, operation, lock.exclusive)) {
        locks.whenFree(lock.name, operation, lock.exclusive, () => {
          sendAttempt(operation, attempt, parts);
        });
        return false;
      }
      operation.attempts += 1;
      operation.step = step;
      attempt.onSend();
      journal.attempt(any, step);
      return true;
    },
    onReply: (outcome) => {
      if (lock !== undefined) locks.finishRequest(lock.name);
      journal.outcome(any, outcome as Outcome<unknown>);
      attempt.onReply(outcome);
    },
  });
}

/** Ends an operation, once; its state is already final. */
export function endOperation<O extends OperationKind>(
  operation: Operation<O>,
  evidence: string,
  { journal, engine }: OperationParts,
): void {
  const any = operation as unknown as Operation;
  operation.evidence = evidence;
  journal.ended(any);
  engine.onEnded(any);
}
