import type { Stamp } from '../../core/events.js';
import type { Cause } from '../../core/intent.js';
import { isKind, Operation, type OperationKind, type PlanOf } from './operation.js';

/** Every operation of this life, and what earlier lives left without an end. */
export class OperationLedger {
  readonly #stamp: Readonly<Stamp>;
  readonly #operations: Operation[] = [];

  constructor(stamp: Readonly<Stamp>) {
    this.#stamp = stamp;
  }

  get all(): readonly Operation[] {
    return this.#operations;
  }

  /** Named by the venue's time and its place in this journal: no two have one name. */
  create<K extends OperationKind>(plan: PlanOf<K>, cause?: Cause): Operation<K> {
    const { venueTime: wantedAt } = this.#stamp;
    const id = `${wantedAt}-${this.#operations.length + 1}`;
    const operation = new Operation<K>({ id, plan, cause, wantedAt });
    this.#operations.push(operation as unknown as Operation);
    return operation;
  }

  takeOver(operations: readonly Operation[]): void {
    this.#operations.push(...operations);
  }

  /** Those of a kind that have not ended, oldest first. */
  open<K extends OperationKind>(kind: K): readonly Operation<K>[] {
    return this.#of(kind).filter((operation) => !operation.ended);
  }

  /** Those of a kind that may have taken effect, or may yet. */
  unproved<K extends OperationKind>(kind: K): readonly Operation<K>[] {
    return this.#of(kind).filter((operation) => operation.unproved);
  }

  /** What an operator's word caused. */
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
