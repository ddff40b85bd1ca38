import type { OperatorCommand } from '../../core/events.js';
import type { DecisionCause } from '../../core/intent.js';
import type { Operation } from '../../execution/operation/operation.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import { Flatten, isNotMarketExit, type FlattenParts } from './flatten.js';
import type { ResumeScope } from '../trading-state.js';
import { OperatorOperations } from './operator-operations.js';
import type { LimitTightening } from './limit-tightening.js';
import type { StrategySwitches } from './strategy-switches.js';
import { OperatorOrders, type OperatorOrdersParts } from './operator-orders.js';

export interface OperatorParts extends Omit<OperatorOrdersParts, 'flatten'>, FlattenParts {
  readonly hosts: readonly StrategyHost[];
  readonly adopt: (what: string) => void;
  readonly limits: Pick<LimitTightening, 'tighten' | 'loosen'>;
  /** Stops and pauses of single strategies. */
  readonly switches: Pick<StrategySwitches, 'execute'>;
  /** A person says that the cause of a restriction, or of a symbol's position change, is over. */
  readonly resume: (scope: ResumeScope) => void;
  /** Resumes of the account that wait for the reconciliation are void. */
  readonly withdrawResume: () => void;
}

/** Executes operator commands: manual orders, stop, and the levels of the kill switch (control R30). */
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

  execute(commandId: string, command: OperatorCommand): void {
    this.#parts.journal.command(commandId, command);
    const cause: DecisionCause = { kind: 'operator', commandId };
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
        this.#parts.resume(command);
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
      case 'stop-strategy':
      case 'pause-strategy':
      case 'resume-strategy':
      case 'start-strategy':
        this.#parts.switches.execute(command);
        return;
      case 'tighten':
        this.#parts.limits.tighten(command.limits, command.reason);
        return;
      case 'loosen':
        this.#parts.limits.loosen(command.reason);
        return;
      case 'operation':
      // The command itself is the record.
    }
  }

  onOperationEnded(operation: Operation): void {
    this.#orders.onOperationEnded(operation);
  }

  onOrderEnded(order: OwnOrder): void {
    this.#orders.onOrderEnded(order);
  }

  /** An order in flight has filled, ended or changed; a flatten continues with the rest. */
  continueFlatten(): void {
    this.flatten.continueClosing();
  }

  /** Cancels orders that could still open or add to a position. */
  cancelEntries(): void {
    this.#cancel(isEntry);
  }

  #stop(policy: Extract<OperatorCommand, { kind: 'stop' }>['policy'], commandId: string): void {
    this.#parts.tradingState.isStopping = true;
    for (const host of this.#parts.hosts) host.stop();
    if (policy === 'cancel-entries') this.#cancel(isEntry);
    if (policy === 'flatten') this.flatten.start(commandId, 'a stop under the policy flatten');
  }

  /** A flatten in progress continues under `cancel`: only the operator's own command withdraws it. */
  #kill({ level, reason }: Extract<OperatorCommand, { kind: 'kill' }>, commandId: string): void {
    const { tradingState, withdrawResume } = this.#parts;
    withdrawResume();
    const flattenContinues = level === 'cancel' && this.flatten.isActive;
    tradingState.kill(flattenContinues ? 'flatten' : level, reason);
    if (level === 'flatten') this.#flatten(commandId, `the kill switch: ${reason}`);
    else if (flattenContinues) this.#cancel(isNotMarketExit);
    else if (level === 'cancel') this.#cancel(() => true);
  }

  /** A flatten under way continues: its exits keep their ids, and strategies learn of what it has closed. */
  #flatten(commandId: string, text: string): void {
    if (this.flatten.isActive) this.flatten.resume();
    else this.flatten.start(commandId, text);
  }

  #cancel(which: (order: OwnOrder) => boolean): void {
    for (const order of [...this.#parts.ledger.allOpenOrders()]) {
      if (which(order)) this.#parts.protocol.cancel(order);
    }
  }
}

/** Entries that could still fill and can still be canceled. */
const isEntry = ({ terms, state }: OwnOrder): boolean =>
  !terms.reduceOnly && (terms.type === 'limit' || state === 'waiting' || state === 'retrying');
