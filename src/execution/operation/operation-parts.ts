import type { Stamp } from '../../core/events.js';
import type { Outcome, Priority, ReplyTo, RequestKind, RequestOf } from '../../core/request.js';
import type { Desk } from '../desk.js';
import type { Lanes } from '../lanes.js';
import type { Operation, OperationKind, OperationStep } from './operation.js';
import type { OperationJournal } from '../journal/operation-journal.js';
import type { OperationLedger } from './operation-ledger.js';

/** What the drivers of operations ask of the engine around them. */
export interface OperationWorld {
  readonly stamp: Readonly<Stamp>;
  /** Why it must not leave now, judged when its slot is granted. */
  reasonToHold(operation: Operation): string | undefined;
  ended(operation: Operation): void;
  /** A second writer, or a venue that is not ours: stop trading. */
  halt(reason: string): void;
}

/** What the drivers of operations share. */
export interface OperationParts {
  readonly world: OperationWorld;
  readonly desk: Desk;
  readonly operations: OperationLedger;
  readonly journal: OperationJournal;
  readonly lanes: Lanes;
}

export interface Attempt<K extends RequestKind> {
  readonly request: RequestOf<K>;
  readonly priority: Priority;
  readonly step: OperationStep;
  /** Whose changes it must not meet on the wire; absent: of no symbol. */
  readonly lane?: { readonly name: string; readonly calm: boolean };
  /** Last look before the bytes leave: why not, if anything speaks against it. */
  readonly hold: () => string | undefined;
  /** Its slot is granted and nothing holds it: takes the state to what is sent. */
  readonly leaves: () => void;
  /** Held: it was not sent, and is not to be. */
  readonly held: (reason: string) => void;
  readonly answered: (outcome: ReplyTo<K>) => void;
}

/**
 * The one way in which an operation's bytes leave: a free lane, a last look, ATTEMPT durable, and its
 * OUTCOME journaled before anybody builds on it (write-ahead rule, reliability 0.4).
 */
export function sendAttempt<K extends RequestKind, O extends OperationKind>(
  operation: Operation<O>,
  attempt: Attempt<K>,
  parts: OperationParts,
): void {
  const { desk, lanes, journal, world } = parts;
  const { lane, step } = attempt;
  const any = operation as unknown as Operation;
  desk.ask<K>({
    request: attempt.request,
    priority: attempt.priority,
    ready: () => {
      const hold = world.reasonToHold(any) ?? attempt.hold();
      if (hold !== undefined) {
        attempt.held(hold);
        if (lane !== undefined) lanes.pass(lane.name);
        return false;
      }
      if (lane !== undefined && !lanes.enter(lane.name, operation, lane.calm)) {
        lanes.whenFree(lane.name, operation, lane.calm, () => {
          sendAttempt(operation, attempt, parts);
        });
        return false;
      }
      operation.attempts += 1;
      operation.step = step;
      attempt.leaves();
      journal.attempt(any, step);
      return true;
    },
    answered: (outcome) => {
      if (lane !== undefined) lanes.leave(lane.name);
      journal.outcome(any, outcome as Outcome<unknown>);
      attempt.answered(outcome);
    },
  });
}

/** Where every operation's life ends, once; its state has moved to an end. */
export function endOperation<O extends OperationKind>(
  operation: Operation<O>,
  evidence: string,
  { journal, world }: OperationParts,
): void {
  const any = operation as unknown as Operation;
  operation.evidence = evidence;
  journal.ended(any);
  world.ended(any);
}
