import type { OrderStatus } from '../../core/order.js';
import type { ExchangeState } from '../exchange-state.js';
import type { ExchangeOrderState } from '../price/symbol-state.js';

/** Ends orders before they are completely filled, with the protective orders that depend on them. */
export class ExchangeOrderCanceler {
  readonly #state: ExchangeState;

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  cancel(order: ExchangeOrderState, status: OrderStatus, reason?: string): void {
    const { assumptions, nowMs } = this.#state;
    const sticky = order.hasFilled && assumptions.partialCancelStatus === 'partially-filled';
    order.end(sticky ? 'partially-filled' : status, reason, nowMs);
    this.removeEnded(order);
    this.cancelUnattached(order);
  }

  /** Refuses an order after it was accepted (supplement: part 10). */
  reject(order: ExchangeOrderState, reason: string | undefined): void {
    this.cancel(order, this.#state.assumptions.asyncRefusal, reason);
  }

  /** Cancels stops and targets of an ended entry that protect no position. */
  cancelUnattached(entry: ExchangeOrderState): void {
    if (entry.protectiveOrders.length === 0) return;
    const position = entry.symbolState.positions.get(entry.currency);
    for (const order of entry.protectiveOrders) {
      const isAttached = position?.stopLoss === order || position?.takeProfit === order;
      if (order.open && !isAttached) this.cancel(order, 'system-canceled');
    }
  }

  /** Removes an order that has ended, by a fill or a cancel, from the open orders. */
  removeEnded(order: ExchangeOrderState): void {
    order.symbolState.remove(order);
    this.#state.orders.end(order);
    this.#state.queueOrderEvent(order);
  }
}
