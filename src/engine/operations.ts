import type { Stamp } from '../core/events.js';
import type { Currency } from '../core/currency.js';
import type { Cause } from '../core/intent.js';
import { Amending, newTermsOf } from '../execution/operation/amending.js';
import { ChangingMargin } from '../execution/operation/changing-margin.js';
import type { Desk } from '../execution/desk.js';
import type { EffectSink } from '../execution/effects.js';
import type { Lanes } from '../execution/lanes.js';
import type { Operation, PlanOf } from '../execution/operation/operation.js';
import { OperationJournal } from '../execution/journal/operation-journal.js';
import { OperationLedger } from '../execution/operation/operation-ledger.js';
import { endOperation, type OperationParts } from '../execution/operation/operation-parts.js';
import type { RecoveredOperations } from '../execution/recovery/operation-recovery.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OwnOrder } from '../execution/order/own-order.js';
import type { PositionBook } from '../execution/position-book.js';
import { Protecting } from '../execution/protection/protecting.js';
import { SettingLeverage } from '../execution/operation/setting-leverage.js';
import { Transferring } from '../execution/operation/transferring.js';
import type { Mode } from '../risk/mode.js';
import type { Standing } from './standing.js';

export interface OperationsParts {
  readonly account: string;
  readonly stamp: Readonly<Stamp>;
  readonly effects: EffectSink;
  readonly desk: Desk;
  readonly ledger: OrderLedger;
  readonly positions: PositionBook;
  readonly standing: Standing;
  readonly lanes: Lanes;
  readonly cancel: (order: OwnOrder) => void;
  readonly ended: (operation: Operation) => void;
  readonly halt: (reason: string) => void;
}

/** Everything that the engine changes at the venue and that is neither a place nor a cancel. */
export class Operations {
  readonly all: OperationLedger;
  readonly protecting: Protecting;
  readonly amending: Amending;
  readonly margin: ChangingMargin;
  readonly leverage: SettingLeverage;
  readonly transferring: Transferring;
  readonly #parts: OperationsParts;
  readonly #shared: OperationParts;

  constructor(parts: OperationsParts) {
    const { stamp, effects, desk, lanes, account, ledger, positions, cancel } = parts;
    this.#parts = parts;
    this.all = new OperationLedger(stamp);
    const shared: OperationParts = {
      desk,
      lanes,
      operations: this.all,
      journal: new OperationJournal(effects, stamp),
      world: {
        stamp,
        reasonToHold: (operation) => this.#reasonToHold(operation),
        ended: (operation) => {
          this.#ended(operation);
        },
        halt: parts.halt,
      },
    };
    this.#shared = shared;
    const isFlat = (symbol: string, currency: Currency): boolean =>
      positions.quantity(symbol, currency) === 0;
    this.protecting = new Protecting({ ...shared, account, isFlat });
    this.amending = new Amending({ ...shared, cancel });
    this.margin = new ChangingMargin({
      ...shared,
      ordersUnderWay: (symbol, currency) => ledger.active(symbol, currency).length,
    });
    this.leverage = new SettingLeverage(shared);
    this.transferring = new Transferring(shared);
  }

  /** What earlier lives left; the orders that they amended are in the ledger already. */
  takeOver(recovered: RecoveredOperations): void {
    const { ledger } = this.#parts;
    this.all.takeOver(recovered.operations);
    for (const [clientOrderId, plan] of recovered.amended) {
      const order = ledger.byClientOrderId(clientOrderId);
      order?.amendedTo(newTermsOf(order, plan));
    }
    for (const operation of this.all.open('amend')) {
      const order = ledger.byClientOrderId(operation.plan.clientOrderId);
      if (order !== undefined) this.amending.takeOver(operation, order);
    }
    this.protecting.takeOver({ ...recovered, operations: this.all.open('protect') });
  }

  /** Looks at once at what earlier lives left without an end. */
  resume(): void {
    this.leverage.resume();
    this.protecting.resume();
    this.amending.resume();
    this.margin.resume();
    this.transferring.resume();
  }

  /** Nothing is sent; the word that asked for it finds why. */
  refuse<K extends 'transfer' | 'margin' | 'amend'>(
    plan: PlanOf<K>,
    reason: string,
    cause: Cause,
  ): void {
    const operation = this.all.create<K>(plan, cause);
    this.#shared.journal.begun(operation as unknown as Operation);
    (operation as unknown as Operation<'transfer' | 'margin' | 'amend'>).move('drop');
    endOperation(operation, reason, this.#shared);
  }

  #reasonToHold({ kind }: Operation): string | undefined {
    const { standing } = this.#parts;
    // A leverage is wanted before anything else is: it waits for the key by asking again.
    if (standing.accessRefused && kind !== 'leverage') return 'the venue refuses the key';
    return ALLOWED[kind].has(standing.mode) ? undefined : `mode ${standing.mode}`;
  }

  #ended(operation: Operation): void {
    const { effects, ended } = this.#parts;
    const { kind, state, evidence } = operation;
    const level = LOUD.has(state) ? 'warn' : 'info';
    effects.notify({ level, text: `${kind}: ${state}: ${evidence}` });
    ended(operation);
  }
}

const LOUD: ReadonlySet<string> = new Set(['unproved', 'refused', 'contested', 'dropped']);

/**
 * Modes in which each may leave. What protects may leave in every one in which anything may; leverage
 * is set, and money moved, before the first reconciliation too.
 */
const ALLOWED: Readonly<Record<Operation['kind'], ReadonlySet<Mode>>> = {
  protect: new Set<Mode>(['RECONCILING', 'TRADING', 'REDUCE_ONLY']),
  amend: new Set<Mode>(['TRADING']),
  margin: new Set<Mode>(['TRADING', 'REDUCE_ONLY']),
  leverage: new Set<Mode>(['STARTING', 'RECONCILING', 'TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY']),
  transfer: new Set<Mode>(['STARTING', 'RECONCILING', 'TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY']),
};
