import type { Command } from '../../core/events.js';
import type { Cause } from '../../core/intent.js';
import type { Operations } from '../operations.js';

type OperationCommand = Extract<
  Command,
  { readonly kind: 'transfer' | 'set-leverage' | 'margin' | 'protect' }
>;

/** What a person changes by hand that is no order. Each is one operation that names the word. */
export class OperatorOperations {
  readonly #operations: Operations;

  constructor({ operations }: { readonly operations: Operations }) {
    this.#operations = operations;
  }

  command(command: OperationCommand, cause: Cause): void {
    const { protecting, leverage } = this.#operations;
    switch (command.kind) {
      case 'transfer':
        this.#transfer(command, cause);
        return;
      case 'set-leverage': {
        const { kind: _kind, ...wish } = command;
        leverage.want(wish, { read: nothing, set: nothing, failed: nothing }, cause);
        return;
      }
      case 'margin':
        this.#margin(command, cause);
        return;
      case 'protect': {
        const { symbol, currency, kind: _kind, ...wish } = command;
        protecting.protect(symbol, currency, wish, cause);
      }
    }
  }

  #transfer(command: Extract<OperationCommand, { kind: 'transfer' }>, cause: Cause): void {
    const { kind: _kind, force, ...wish } = command;
    const { transferring } = this.#operations;
    const refusal = transferring.transfer(wish, force, cause);
    if (typeof refusal === 'string') {
      this.#operations.refuse({ kind: 'transfer', ...wish }, refusal, cause);
    }
  }

  #margin(command: Extract<OperationCommand, { kind: 'margin' }>, cause: Cause): void {
    const { kind: _kind, reduce, force, ...wish } = command;
    const allow = { reduce, afterUnproved: force };
    const refusal = this.#operations.margin.change(wish, allow, cause);
    if (typeof refusal === 'string') {
      this.#operations.refuse({ kind: 'margin', ...wish }, refusal, cause);
    }
  }
}

/** The operation itself tells. */
const nothing = (): void => undefined;
