import type { Command } from '../../core/events.js';
import type { Cause } from '../../core/intent.js';
import type { Operation } from '../../execution/operation/operation.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import { Flatten, isNoMarketExit, type FlattenParts } from './flatten.js';
import { OperatorOperations } from './operator-operations.js';
import { OperatorOrders, type OperatorOrdersParts } from './operator-orders.js';

export interface OperatorParts extends Omit<OperatorOrdersParts, 'flatten'>, FlattenParts {
  readonly hosts: readonly StrategyHost[];
  readonly adopt: (what: string) => void;
  /** The cause that moved the position of a symbol is over. */
  readonly resume: (symbol: string) => void;
}

/** Carries out what a person says: orders by hand, stop, and the levels of the kill switch (R30). */
export class Operator {
  readonly #parts: OperatorParts;
  readonly #orders: OperatorOrders;
  readonly #operations: OperatorOperations;
  readonly flatten: Flatten;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    this.flatten = new Flatten(parts);
    this.#orders = new OperatorOrders({ ...parts, flatten: () => this.flatten.pending?.text });
    this.#operations = new OperatorOperations(parts);
  }

  command(commandId: string, command: Command): void {
    this.#parts.journal.command(commandId, command);
    const cause: Cause = { kind: 'operator', commandId };
    switch (command.kind) {
      case 'stop':
        this.#stop(command.policy, commandId);
        return;
      case 'kill':
        this.#kill(command, commandId);
        return;
      case 'order':
        this.#orders.place(command, cause);
        return;
      case 'cancel':
        this.#orders.cancel(command);
        return;
      case 'drop-flatten':
        this.flatten.withdraw('dropped by a person');
        return;
      case 'resolve':
        this.#orders.resolve(command);
        return;
      case 'adopt':
        this.#parts.adopt(command.what);
        return;
      case 'resume':
        this.#parts.resume(command.symbol);
        return;
      case 'amend':
        this.#orders.amend(command, cause);
        return;
      case 'transfer':
      case 'set-leverage':
      case 'margin':
      case 'protect':
        this.#operations.command(command, cause);
        return;
      case 'operation':
      // It stands in the journal now.
    }
  }

  operationEnded(operation: Operation): void {
    this.#orders.operationEnded(operation);
  }

  ended(order: OwnOrder): void {
    this.#orders.ended(order);
  }

  /** An order on its way has filled, ended or moved; a flatten goes on with the rest. */
  goOn(): void {
    this.flatten.goOn();
  }

  #stop(policy: Extract<Command, { kind: 'stop' }>['policy'], commandId: string): void {
    this.#parts.standing.stopping = true;
    for (const host of this.#parts.hosts) host.stop();
    if (policy === 'cancel-entries') this.#cancel(isEntry);
    if (policy === 'flatten') this.flatten.begin(commandId, 'a stop under the policy flatten');
  }

  /** A flatten that is under way goes on under `cancel`: only the person's own word withdraws it. */
  #kill({ level, reason }: Extract<Command, { kind: 'kill' }>, commandId: string): void {
    const { standing } = this.#parts;
    const goesOn = level === 'cancel' && this.flatten.comesFirst;
    standing.kill(goesOn ? 'flatten' : level, reason);
    if (level === 'flatten') this.flatten.begin(commandId, `the kill switch: ${reason}`);
    else if (goesOn) this.#cancel(isNoMarketExit);
    else if (level === 'cancel') this.#cancel(() => true);
  }

  #cancel(which: (order: OwnOrder) => boolean): void {
    for (const order of [...this.#parts.ledger.allActive()]) {
      if (which(order)) this.#parts.protocol.cancel(order);
    }
  }
}

/** What could still increase, and can still be called back. */
const isEntry = ({ terms, state }: OwnOrder): boolean =>
  !terms.reduceOnly && (terms.type === 'limit' || state === 'waiting' || state === 'retrying');
