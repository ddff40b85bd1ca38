import type { EventTime } from '../core/events.js';
import type { Currency } from '../core/currency.js';
import type { DecisionCause } from '../core/intent.js';
import { OrderAmender, amendedTermsOf } from '../execution/operation/order-amender.js';
import { MarginAdjuster } from '../execution/operation/margin-adjuster.js';
import type { RequestTracker } from '../execution/request-tracker.js';
import type { EffectSink } from '../execution/effects.js';
import type { SymbolLocks } from '../execution/symbol-locks.js';
import type { Operation, PlanOf } from '../execution/operation/operation.js';
import { OperationJournal } from '../execution/journal/operation-journal.js';
import { OperationLedger } from '../execution/operation/operation-ledger.js';
import { endOperation, type OperationParts } from '../execution/operation/operation-parts.js';
import type { RecoveredOperations } from '../execution/recovery/operation-recovery.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OwnOrder } from '../execution/order/own-order.js';
import type { PositionLedger } from '../execution/position-ledger.js';
import {
  ProtectiveOrderManager,
  type EndedProtectiveOrder,
} from '../execution/protection/protective-order-manager.js';
import { isRestoreCause } from '../execution/protection/managed-protective-order.js';
import { LeverageSetter } from '../execution/operation/leverage-setter.js';
import { TransferExecutor } from '../execution/operation/transfer-executor.js';
import type { TradingState } from './trading-state.js';

export interface OperationsParts {
  readonly account: string;
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly requests: RequestTracker;
  readonly ledger: OrderLedger;
  readonly positions: PositionLedger;
  readonly tradingState: TradingState;
  readonly locks: SymbolLocks;
  readonly cancel: (order: OwnOrder) => void;
  readonly onEnded: (operation: Operation) => void;
  readonly onProtectiveOrderEnded: (ended: EndedProtectiveOrder) => void;
}

/** Every change that the engine makes at the venue besides placing and canceling orders. */
export class Operations {
  readonly all: OperationLedger;
  readonly protectiveOrders: ProtectiveOrderManager;
  readonly orderModifier: OrderAmender;
  readonly marginAdjuster: MarginAdjuster;
  readonly leverageSetter: LeverageSetter;
  readonly transferExecutor: TransferExecutor;
  readonly #parts: OperationsParts;
  readonly #shared: OperationParts;

  constructor(parts: OperationsParts) {
    const { stamp, effects, requests, locks, account, ledger, positions, cancel } = parts;
    this.#parts = parts;
    this.all = new OperationLedger(stamp);
    const shared: OperationParts = {
      requests,
      locks,
      operations: this.all,
      journal: new OperationJournal(effects, stamp),
      engine: {
        stamp,
        holdReason: (operation) => this.#holdReason(operation),
        onEnded: (operation) => {
          this.#handleEnded(operation);
        },
        restrict: (restriction) => {
          parts.tradingState.restrict(restriction);
        },
      },
    };
    this.#shared = shared;
    const isFlat = (symbol: string, currency: Currency): boolean =>
      positions.quantity(symbol, currency) === 0;
    this.protectiveOrders = new ProtectiveOrderManager({
      ...shared,
      account,
      isFlat,
      onEnded: parts.onProtectiveOrderEnded,
    });
    this.orderModifier = new OrderAmender({ ...shared, cancel });
    this.marginAdjuster = new MarginAdjuster({
      ...shared,
      openOrderCount: (symbol, currency) => ledger.openOrders(symbol, currency).length,
    });
    this.leverageSetter = new LeverageSetter(shared);
    this.transferExecutor = new TransferExecutor(shared);
  }

  /** Operations of previous runs; the orders that they amended are in the ledger already. */
  restore(recovered: RecoveredOperations): void {
    const { ledger } = this.#parts;
    this.all.restore(recovered.operations);
    for (const [clientOrderId, plan] of recovered.amended) {
      const order = ledger.byClientOrderId(clientOrderId);
      order?.applyAmendment(amendedTermsOf(order, plan));
    }
    for (const operation of this.all.open('amend')) {
      const order = ledger.byClientOrderId(operation.plan.clientOrderId);
      if (order !== undefined) this.orderModifier.restore(operation, order);
    }
    this.protectiveOrders.restore({ ...recovered, operations: this.all.open('protect') });
  }

  /** Queries the unfinished operations of previous runs at once. */
  resume(): void {
    this.leverageSetter.resume();
    this.protectiveOrders.resume();
    this.orderModifier.resume();
    this.marginAdjuster.resume();
    this.transferExecutor.resume();
  }

  /** Sends nothing; the operation's record answers the command that requested it. */
  refuse<K extends 'transfer' | 'margin' | 'amend'>(
    plan: PlanOf<K>,
    reason: string,
    cause: DecisionCause,
  ): void {
    const operation = this.all.create<K>(plan, cause);
    this.#shared.journal.started(operation as unknown as Operation);
    (operation as unknown as Operation<'transfer' | 'margin' | 'amend'>).apply('drop');
    endOperation(operation, reason, this.#shared);
  }

  /**
   * Why an operation may not leave now. Stops leave in every mode in which any order may, and before the
   * first reconciliation is complete; leverage and transfers leave before it too.
   */
  #holdReason({ kind }: Operation): string | undefined {
    const { tradingState } = this.#parts;
    // Leverage is set before anything else: it retries until the venue accepts the key.
    if (tradingState.isKeyRefused && kind !== 'leverage') return 'the venue refuses the key';
    const { mode, haltReason, killLevel, phase, exitHold } = tradingState;
    if (haltReason !== undefined) return `the run ends: ${haltReason}`;
    switch (kind) {
      case 'protect':
        if (killLevel === 'cancel') return exitHold;
        return phase === 'starting' ? `mode ${mode}` : undefined;
      case 'amend':
        return mode === 'TRADING' ? undefined : `mode ${mode}`;
      case 'margin':
        return exitHold;
      case 'leverage':
      case 'transfer':
        return undefined;
    }
  }

  #handleEnded(operation: Operation): void {
    const { effects, onEnded } = this.#parts;
    const { kind, state, evidence, cause } = operation;
    // The protection monitor reports its own stops, each refusal of an outage only once.
    if (kind === 'protect' && isRestoreCause(cause)) {
      onEnded(operation);
      return;
    }
    const level = WARN_STATES.has(state) ? 'warn' : 'info';
    effects.notify({ level, text: `${kind}: ${state}: ${evidence}` });
    onEnded(operation);
  }
}

const WARN_STATES: ReadonlySet<string> = new Set(['unproved', 'refused', 'contested', 'dropped']);
