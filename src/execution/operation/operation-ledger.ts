import type { EventTime } from '../../core/events.js';
import type { DecisionCause } from '../../core/intent.js';
import { isKind, Operation, type OperationKind, type PlanOf } from './operation.js';

/** Every operation of this run, and the unfinished or unproved ones of previous runs. */
export class OperationLedger {
  readonly #stamp: Readonly<EventTime>;
  readonly #operations: Operation[] = [];

  constructor(stamp: Readonly<EventTime>) {
    this.#stamp = stamp;
  }

  get all(): readonly Operation[] {
    return this.#operations;
  }

  /** The id is the venue's time and the sequence number, so that no two are equal. */
  create<K extends OperationKind>(plan: PlanOf<K>, cause?: DecisionCause): Operation<K> {
    const { venueTime: requestedAt } = this.#stamp;
    const id = `${requestedAt}-${this.#operations.length + 1}`;
    const operation = new Operation<K>({ id, plan, cause, requestedAt });
    this.#operations.push(operation as unknown as Operation);
    return operation;
  }

  restore(operations: readonly Operation[]): void {
    this.#operations.push(...operations);
  }

  /** Operations of a kind that have not ended, oldest first. */
  open<K extends OperationKind>(kind: K): readonly Operation<K>[] {
    return this.#of(kind).filter((operation) => !operation.ended);
  }

  /** Operations of a kind that may have taken effect, or may still. */
  unproved<K extends OperationKind>(kind: K): readonly Operation<K>[] {
    return this.#of(kind).filter((operation) => operation.unproved);
  }

  /** The operation that an operator's command caused. */
  byCommand(commandId: string): Operation | undefined {
    return this.#operations.find(
      ({ cause }) => cause?.kind === 'operator' && cause.commandId === commandId,
    );
  }

  #of<K extends OperationKind>(kind: K): readonly Operation<K>[] {
    return this.#operations.filter((operation) =>
      isKind(operation, kind),
    ) as unknown as Operation<K>[];
  }
}
