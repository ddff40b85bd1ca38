import type { EventTime } from '../../core/events.js';
import type { Outcome } from '../../core/request.js';
import type { EffectSink } from '../effects.js';
import type { Operation, OperationEnd, OperationStep } from '../operation/operation.js';

/** Writes the journal records of operations. */
export class OperationJournal {
  readonly #effects: EffectSink;
  readonly #stamp: Readonly<EventTime>;

  constructor(effects: EffectSink, stamp: Readonly<EventTime>) {
    this.#effects = effects;
    this.#stamp = stamp;
  }

  started({ id, plan, cause }: Operation): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'operation',
      venueTime: this.#stamp.venueTime,
      operationId: id,
      ...(cause !== undefined && { cause }),
      plan,
    });
  }

  attempt({ id, attempts }: Operation, step: OperationStep): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'operation-attempt',
      venueTime: this.#stamp.venueTime,
      operationId: id,
      attempt: attempts,
      step: step.kind === 'transfer' ? { ...step, known: [...step.known] } : step,
    });
  }

  outcome({ id, attempts }: Operation, outcome: Outcome<unknown>): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'operation-outcome',
      venueTime: this.#stamp.venueTime,
      operationId: id,
      attempt: attempts,
      outcome: outcome.kind,
      ...fieldsOf(outcome),
    });
  }

  ended({ id, state, evidence }: Operation): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'operation-ended',
      venueTime: this.#stamp.venueTime,
      operationId: id,
      end: state as OperationEnd,
      evidence,
    });
  }
}

function fieldsOf(outcome: Outcome<unknown>) {
  if (outcome.kind === 'yes') return {};
  if (outcome.kind === 'no') {
    const { code, status, text } = outcome;
    return { code, status, text };
  }
  const { sent, cause, status } = outcome;
  return { ...(status !== undefined && { status }), sent, cause };
}
