import {
  isGreater,
  isAtMost,
  add,
  isMultipleOf,
  subtract,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderRef } from '../../core/order.js';
import type { RejectionCode } from '../../core/rejection.js';
import type { Affordability } from '../account/affordability.js';
import type { ExchangeState } from '../exchange-state.js';
import type { Matcher } from './matcher.js';
import type { ExchangeOrderCanceler } from './order-canceler.js';
import { checkAmend, isActionLocked } from './placement-checks.js';
import type { ExchangeResult, ExchangeOrder } from '../simulated-exchange.js';
import type { ExchangeOrderState, SymbolState } from '../price/symbol-state.js';

/** Cancels, amends, fills or refuses accepted orders. */
export class OrderHandler {
  readonly #state: ExchangeState;
  readonly #matcher: Matcher;
  readonly #canceler: ExchangeOrderCanceler;
  readonly #affordability: Affordability;
  readonly #triggerAtPrice: (symbolState: SymbolState) => void;

  constructor(parts: {
    readonly state: ExchangeState;
    readonly matcher: Matcher;
    readonly canceler: ExchangeOrderCanceler;
    readonly affordability: Affordability;
    /** Triggers everything that the current price reaches. */
    readonly triggerAtPrice: (symbolState: SymbolState) => void;
  }) {
    this.#state = parts.state;
    this.#matcher = parts.matcher;
    this.#canceler = parts.canceler;
    this.#affordability = parts.affordability;
    this.#triggerAtPrice = parts.triggerAtPrice;
  }

  cancel(ref: OrderRef): ExchangeResult<ExchangeOrder> {
    return this.#change(ref, (order) => {
      this.#canceler.cancel(order, 'canceled');
      return undefined;
    });
  }

  /** An amended order moves to the end of the queue and is matched again. */
  amend(
    ref: OrderRef,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): ExchangeResult<ExchangeOrder> {
    return this.#change(ref, (order) => {
      const quantity = this.#totalQuantity(order, to.quantity);
      const refusal = this.#amendRejection(order, { price: to.price, quantity });
      if (refusal !== undefined) return refusal;
      order.amend({ price: to.price, quantity }, this.#state.nowMs);
      for (const protectiveOrder of order.protectiveOrders)
        protectiveOrder.setCoveredQuantity(quantity);
      order.symbolState.remove(order);
      order.symbolState.unmatched.push(order);
      this.#state.queueOrderEvent(order);
      return undefined;
    });
  }

  /** The rest of the order stays open. */
  fillPart(ref: OrderRef, quantity: Quantity): ExchangeResult<ExchangeOrder> {
    return this.#change(
      ref,
      (order) => {
        if (order.role !== 'trade' || order.symbolState.last === 0) return 'params-error';
        const { quantityStep } = order.symbolState.listing.instrument;
        if (!isMultipleOf(quantity, quantityStep)) return 'quantity-step';
        if (quantity <= 0 || isGreater(quantity, order.remaining)) return 'quantity-range';
        const refusal = this.#matcher.fillPart(order, quantity);
        // The current price may already be beyond the new position's stop or liquidation price.
        if (refusal === undefined) this.#triggerAtPrice(order.symbolState);
        return refusal;
      },
      'admin',
    );
  }

  /** Refuses an order after it was accepted with 202 (interface: order create v2). */
  reject(ref: OrderRef, reason: string): ExchangeResult<ExchangeOrder> {
    return this.#change(
      ref,
      (order) => {
        this.#canceler.reject(order, reason);
        return undefined;
      },
      'admin',
    );
  }

  /** Cancels pending entries, or keeps them (assumption). */
  delist(symbolState: SymbolState): void {
    if (this.#state.assumptions.delistingEntries === 'keep') return;
    for (const order of [...symbolState.unmatched, ...symbolState.resting]) {
      if (!order.reduceOnly) this.#canceler.cancel(order, 'system-canceled', DELISTED);
    }
    this.#state.eventQueue.flush();
  }

  /** The asset lock holds users only; admin actions are the venue's own. */
  #change(
    ref: OrderRef,
    change: (order: ExchangeOrderState) => RejectionCode | undefined,
    by: 'user' | 'admin' = 'user',
  ): ExchangeResult<ExchangeOrder> {
    const { orders, assumptions, eventQueue } = this.#state;
    const order = orders.find(ref);
    if (order === undefined) return { ok: false, code: 'order-not-found' };
    if (by === 'user' && isActionLocked(order.symbolState, order.currency, assumptions)) {
      return { ok: false, code: 'locked' };
    }
    if (!order.open) return { ok: false, code: 'order-not-open' };
    const refusal = change(order);
    if (refusal !== undefined) return { ok: false, code: refusal };
    const snapshot = order.snapshot();
    eventQueue.flush();
    return { ok: true, value: snapshot };
  }

  #totalQuantity(order: ExchangeOrderState, quantity: Quantity): Quantity {
    if (this.#state.assumptions.amendQuantity === 'total') return quantity;
    return add(quantity, subtract(order.quantity, order.remaining));
  }

  #amendRejection(
    order: ExchangeOrderState,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): RejectionCode | undefined {
    const { assumptions } = this.#state;
    const { symbolState, currency, side, reduceOnly, leverage } = order;
    if (order.role !== 'trade' || order.type !== 'limit') return 'params-error';
    if (order.hasFilled && assumptions.amendFilled === 'refused') return 'order-not-open';
    const filled = subtract(order.quantity, order.remaining);
    if (order.hasFilled && isAtMost(to.quantity, filled)) return 'quantity-range';
    const rest = { currency, side, quantity: subtract(to.quantity, filled) };
    const { price } = to;
    const affordabilityRequest = {
      terms: rest,
      symbolState,
      price,
      leverage,
      unsettled: false,
      reverses: false,
    };
    return checkAmend({
      terms: {
        symbol: symbolState.symbol,
        type: 'limit',
        reduceOnly,
        ...rest,
        ...to,
        ...protectivePricesOf(order),
      },
      symbolState,
      price,
      assumptions,
      affordable: () => this.#affordability.covers(affordabilityRequest),
    });
  }
}

/** Prices of the entry's open stop and target. */
function protectivePricesOf(entry: ExchangeOrderState): {
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
} {
  const live = (role: ExchangeOrderState['role']): ExchangeOrderState | undefined =>
    entry.protectiveOrders.find((order) => order.open && order.role === role);
  const [stop, target] = [live('stop-loss'), live('take-profit')];
  return { ...(stop && { stopLoss: stop.price }), ...(target && { takeProfit: target.price }) };
}

const DELISTED = 'This trading pair is being delisted';
