import type { OperatorCommand } from '../../core/events.js';
import type { DecisionCause } from '../../core/intent.js';
import type { Operations } from '../operations.js';

type OperationCommand = Extract<
  OperatorCommand,
  { readonly kind: 'transfer' | 'set-leverage' | 'margin' | 'protect' }
>;

/** Manual changes that are no orders. Each is one operation with the command as its cause. */
export class OperatorOperations {
  readonly #operations: Operations;

  constructor({ operations }: { readonly operations: Operations }) {
    this.#operations = operations;
  }

  command(command: OperationCommand, cause: DecisionCause): void {
    const { protectiveOrders, leverageSetter } = this.#operations;
    switch (command.kind) {
      case 'transfer':
        this.#transfer(command, cause);
        return;
      case 'set-leverage': {
        const { kind: _kind, ...request } = command;
        leverageSetter.ensure(request, { onRead: noop, onSet: noop, onFailed: noop }, cause);
        return;
      }
      case 'margin':
        this.#margin(command, cause);
        return;
      case 'protect': {
        const { symbol, currency, kind: _kind, ...prices } = command;
        protectiveOrders.protect(symbol, currency, prices, cause);
      }
    }
  }

  #transfer(command: Extract<OperationCommand, { kind: 'transfer' }>, cause: DecisionCause): void {
    const { kind: _kind, force, ...request } = command;
    const { transferExecutor } = this.#operations;
    const refusal = transferExecutor.transfer(request, force, cause);
    if (typeof refusal === 'string') {
      this.#operations.refuse({ kind: 'transfer', ...request }, refusal, cause);
    }
  }

  #margin(command: Extract<OperationCommand, { kind: 'margin' }>, cause: DecisionCause): void {
    const { kind: _kind, reduce, force, ...request } = command;
    const allow = { reduce, afterUnproved: force };
    const refusal = this.#operations.marginAdjuster.change(request, allow, cause);
    if (typeof refusal === 'string') {
      this.#operations.refuse({ kind: 'margin', ...request }, refusal, cause);
    }
  }
}

/** The operation's own record is the result. */
const noop = (): void => undefined;
