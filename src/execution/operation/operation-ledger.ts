import type { EventTime } from '../../core/events.js';
import type { DecisionCause } from '../../core/intent.js';
import { isKind, Operation, type OperationKind, type PlanOf } from './operation.js';

/**
 * Ended operations that stay in memory, the newest: a trailing stop is one a candle. The journal has all. Those of
 * operators' commands stay, since their commands ask for them.
 */
export const KEPT_OPERATIONS = 200;

/** Operations of this run, and the unfinished or unproved ones of previous runs. */
export class OperationLedger {
  readonly #stamp: Readonly<EventTime>;
  #operations: Operation[] = [];
  #count = 0;

  constructor(stamp: Readonly<EventTime>) {
    this.#stamp = stamp;
  }

  get all(): readonly Operation[] {
    return this.#operations;
  }

  /** The id is the venue's time and the sequence number, so that no two are equal. */
  create<K extends OperationKind>(plan: PlanOf<K>, cause?: DecisionCause): Operation<K> {
    const { venueTime: requestedAt } = this.#stamp;
    const id = `${requestedAt}-${++this.#count}`;
    const operation = new Operation<K>({ id, plan, cause, requestedAt });
    this.#forgetOld();
    this.#operations.push(operation as unknown as Operation);
    return operation;
  }

  restore(operations: readonly Operation[]): void {
    this.#operations.push(...operations);
    this.#count += operations.length;
  }

  /** In batches: a filter for each operation would cost more than the operations. */
  #forgetOld(): void {
    if (this.#operations.length < 2 * KEPT_OPERATIONS) return;
    const newestFrom = this.#operations.length - KEPT_OPERATIONS;
    this.#operations = this.#operations.filter(
      ({ ended, unproved, cause }, index) =>
        index >= newestFrom || !ended || unproved || cause?.kind === 'operator',
    );
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
