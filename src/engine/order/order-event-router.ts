import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import type { Price, Quantity } from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import type { EndState } from '../../execution/order/order-state.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OrderEnginePort, OrderHold } from '../../execution/protocol-parts.js';
import type { Restriction } from '../../risk/restrictions.js';
import type { RunCounts } from '../account/run-counts.js';
import type { Operations } from '../operations.js';
import type { Operator } from '../operator/operator.js';
import type { Reconciliation } from '../reconciliation/reconciliation.js';
import type { InstrumentMonitor } from '../watch/instrument-monitor.js';
import type { CircuitBreakers } from '../watch/circuit-breakers.js';
import type { LeverageSettings } from '../watch/leverage-settings.js';
import type { TradingState } from '../trading-state.js';
import type { OrderChecks } from './order-checks.js';
import type { OrderManager } from './order-manager.js';

export interface OrderEventRouterParts {
  readonly stamp: Readonly<EventTime>;
  readonly counts: RunCounts;
  readonly tradingState: TradingState;
  readonly breakers: CircuitBreakers;
}

/** Parts of the engine that the order protocol reaches. They hold the protocol themselves. */
export interface OrderEventReceivers {
  readonly orderChecks: OrderChecks;
  readonly orderManager: OrderManager;
  readonly operations: Operations;
  readonly operator: Operator;
  readonly reconciliation: Reconciliation;
  readonly leverage: LeverageSettings;
  readonly instrumentMonitor: InstrumentMonitor;
}

/**
 * The engine as the order protocol sees it. Each event reaches its receivers in a fixed order, because
 * the order of effects is part of a run's result.
 */
export class OrderEventRouter implements OrderEnginePort {
  readonly #parts: OrderEventRouterParts;
  #receivers: OrderEventReceivers | undefined;

  constructor(parts: OrderEventRouterParts) {
    this.#parts = parts;
  }

  /** Once, before the first event: the receivers are built on the protocol, which needs this router. */
  connect(receivers: OrderEventReceivers): void {
    this.#receivers = receivers;
  }

  get stamp(): Readonly<EventTime> {
    return this.#parts.stamp;
  }

  holdReason(order: OwnOrder): OrderHold | undefined {
    return this.#to.orderChecks.holdReason(order);
  }

  staleReason(order: OwnOrder): string | undefined {
    return this.#to.orderChecks.staleReason(order);
  }

  fenceTerms(order: OwnOrder): OrderTerms | string {
    return this.#to.orderChecks.fenceTerms(order);
  }

  isAbsentFromLists(order: OwnOrder, since: number): boolean {
    return this.#to.reconciliation.isAbsentFromLists(order, since);
  }

  historyUncheckedSince(currency: Currency): number | undefined {
    return this.#to.reconciliation.historyUncheckedSince(currency);
  }

  isAdopted(clientOrderId: string): boolean {
    return this.#to.reconciliation.isAdopted(clientOrderId);
  }

  onAccepted(): void {
    this.#parts.counts.ordersPlaced += 1;
  }

  onFilled(order: OwnOrder, quantity: Quantity, price: Price): void {
    const alreadyCounted = this.#to.reconciliation.onFilled(order, quantity);
    this.#to.orderManager.onFilled(order, quantity, price, alreadyCounted);
  }

  onEnded(order: OwnOrder, end: EndState, reason: string | undefined): void {
    const { orderManager, operations, operator, reconciliation } = this.#to;
    reconciliation.onOrderEnded(order);
    orderManager.onEnded(order, end, reason);
    if (end === 'rejected') this.#parts.breakers.onRejected(order);
    operations.orderModifier.onOrderEnded(order);
    operator.onOrderEnded(order);
    if (end === 'filled') operator.continueFlatten();
    // The venue cancels a reduction whose position is gone.
    else if (end === 'canceled' && order.terms.reduceOnly) reconciliation.readPositions();
  }

  onPositionUnverified(): void {
    this.#to.reconciliation.readPositions();
  }

  onDelisting({ terms }: OwnOrder): void {
    this.#to.instrumentMonitor.onEntryRefused(terms.symbol);
  }

  onLeverageNotSet({ terms }: OwnOrder): void {
    this.#to.leverage.onUnset(terms.symbol);
  }

  warn(text: string): void {
    this.#to.orderManager.warn(text);
  }

  restrict(restriction: Restriction): void {
    this.#parts.tradingState.restrict(restriction);
  }

  halt(reason: string): void {
    this.#parts.tradingState.halt(reason);
  }

  get #to(): OrderEventReceivers {
    assert(this.#receivers !== undefined, 'The router is connected before the first order event');
    return this.#receivers;
  }
}
