import {
  isMore,
  isAtMost,
  add,
  isMultipleOf,
  subtract,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import type { OrderRef } from '../core/order.js';
import type { RejectionCode } from '../core/rejection.js';
import type { Affordability } from './affordability.js';
import type { ExchangeState } from './exchange-state.js';
import type { Matcher } from './matcher.js';
import { checkAmend, isActionLocked } from './placement-checks.js';
import type { Answer, ExchangeOrder } from './simulated-exchange.js';
import type { BookOrder, SymbolBook } from './symbol-book.js';

/** What can happen to an order after it was accepted, other than the price. */
export class OrderDesk {
  readonly #state: ExchangeState;
  readonly #matcher: Matcher;
  readonly #affordability: Affordability;
  readonly #stand: (book: SymbolBook) => void;

  constructor(parts: {
    readonly state: ExchangeState;
    readonly matcher: Matcher;
    readonly affordability: Affordability;
    /** Sets off what the present price meets. */
    readonly stand: (book: SymbolBook) => void;
  }) {
    this.#state = parts.state;
    this.#matcher = parts.matcher;
    this.#affordability = parts.affordability;
    this.#stand = parts.stand;
  }

  cancel(ref: OrderRef): Answer<ExchangeOrder> {
    return this.#change(ref, (order) => {
      this.#matcher.cancel(order, 'canceled');
      return undefined;
    });
  }

  /** It takes its place at the end of the queue, and meets the market anew. */
  amend(
    ref: OrderRef,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): Answer<ExchangeOrder> {
    return this.#change(ref, (order) => {
      const quantity = this.#wholeQuantity(order, to.quantity);
      const refusal = this.#refusesAmend(order, { price: to.price, quantity });
      if (refusal !== undefined) return refusal;
      order.amend({ price: to.price, quantity }, this.#state.nowMs);
      for (const leg of order.legs) leg.recover(quantity);
      order.book.remove(order);
      order.book.waiting.push(order);
      this.#state.tellOrder(order);
      return undefined;
    });
  }

  /** The rest of the order goes on as before. */
  fillPart(ref: OrderRef, quantity: Quantity): Answer<ExchangeOrder> {
    return this.#change(
      ref,
      (order) => {
        if (order.role !== 'trade' || order.book.last === 0) return 'params-error';
        const { quantityStep } = order.book.listing.instrument;
        if (!isMultipleOf(quantity, quantityStep)) return 'quantity-step';
        if (quantity <= 0 || isMore(quantity, order.remaining)) return 'quantity-range';
        const refusal = this.#matcher.fillPart(order, quantity);
        // What it opened may lie beyond its own stop or liquidation price already.
        if (refusal === undefined) this.#stand(order.book);
        return refusal;
      },
      'by-hand',
    );
  }

  /** The exchange behind the venue does not take what was accepted (interface, v2: 202). */
  refuse(ref: OrderRef, reason: string): Answer<ExchangeOrder> {
    return this.#change(
      ref,
      (order) => {
        this.#matcher.refuse(order, reason);
        return undefined;
      },
      'by-hand',
    );
  }

  /** What was accepted no longer is: entries that wait go, or stay (assumption). */
  delist(book: SymbolBook): void {
    if (this.#state.assumptions.delistingEntries === 'keep') return;
    for (const order of [...book.waiting, ...book.resting]) {
      if (!order.reduceOnly) this.#matcher.cancel(order, 'system-canceled', DELISTED);
    }
    this.#state.announcer.tell();
  }

  /** The lock is for users: what is done by hand is the venue itself. */
  #change(
    ref: OrderRef,
    change: (order: BookOrder) => RejectionCode | undefined,
    by: 'user' | 'by-hand' = 'user',
  ): Answer<ExchangeOrder> {
    const { orders, assumptions, announcer } = this.#state;
    const order = orders.find(ref);
    if (order === undefined) return { ok: false, code: 'order-not-found' };
    if (by === 'user' && isActionLocked(order.book, order.currency, assumptions)) {
      return { ok: false, code: 'locked' };
    }
    if (!order.open) return { ok: false, code: 'order-not-open' };
    const refusal = change(order);
    if (refusal !== undefined) return { ok: false, code: refusal };
    const snapshot = order.snapshot();
    announcer.tell();
    return { ok: true, value: snapshot };
  }

  #wholeQuantity(order: BookOrder, quantity: Quantity): Quantity {
    if (this.#state.assumptions.amendQuantity === 'total') return quantity;
    return add(quantity, subtract(order.quantity, order.remaining));
  }

  #refusesAmend(
    order: BookOrder,
    to: { readonly price: Price; readonly quantity: Quantity },
  ): RejectionCode | undefined {
    const { assumptions } = this.#state;
    const { book, currency, side, reduceOnly, leverage } = order;
    if (order.role !== 'trade' || order.type !== 'limit') return 'params-error';
    if (order.hasFilled && assumptions.amendFilled === 'refused') return 'order-not-open';
    const filled = subtract(order.quantity, order.remaining);
    if (order.hasFilled && isAtMost(to.quantity, filled)) return 'quantity-range';
    const rest = { currency, side, quantity: subtract(to.quantity, filled) };
    const { price } = to;
    const prospect = { terms: rest, book, price, leverage, unsettled: false, reverses: false };
    return checkAmend({
      terms: { symbol: book.symbol, type: 'limit', reduceOnly, ...rest, ...to, ...legsOf(order) },
      book,
      price,
      assumptions,
      affordable: () => this.#affordability.covers(prospect),
    });
  }
}

/** Prices of the stop and target that still wait with the entry. */
function legsOf(entry: BookOrder): { readonly stopLoss?: Price; readonly takeProfit?: Price } {
  const live = (role: BookOrder['role']): BookOrder | undefined =>
    entry.legs.find((leg) => leg.open && leg.role === role);
  const [stop, target] = [live('stop-loss'), live('take-profit')];
  return { ...(stop && { stopLoss: stop.price }), ...(target && { takeProfit: target.price }) };
}

const DELISTED = 'This trading pair is being delisted';
