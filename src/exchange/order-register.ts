import type { Currency } from '../core/currency.js';
import type { OrderRef } from '../core/order.js';
import type { ExchangeOrder } from './simulated-exchange.js';
import type { BookOrder } from './symbol-book.js';

/** Every order ever accepted, and which of them may still trade. */
export class OrderRegister {
  /** Oldest first. */
  readonly #all: BookOrder[] = [];
  readonly #byOrderId = new Map<string, BookOrder>();
  /** For ever: an id is unique also after its order has ended. */
  readonly #byClientOrderId = new Map<string, BookOrder>();
  /** Used up by a refusal: no order has them, none will (interface, client_order_id rule 4). */
  readonly #burned = new Set<string>();
  /** Oldest first. */
  readonly #open = new Set<BookOrder>();

  add(order: BookOrder): void {
    this.#all.push(order);
    this.#byOrderId.set(order.orderId, order);
    if (order.clientOrderId !== undefined) this.#byClientOrderId.set(order.clientOrderId, order);
    this.#open.add(order);
  }

  end(order: BookOrder): void {
    this.#open.delete(order);
  }

  find(ref: OrderRef): BookOrder | undefined {
    return 'orderId' in ref
      ? this.#byOrderId.get(ref.orderId)
      : this.#byClientOrderId.get(ref.clientOrderId);
  }

  hasClientOrderId(id: string): boolean {
    return this.#byClientOrderId.has(id) || this.#burned.has(id);
  }

  burn(clientOrderId: string): void {
    this.#burned.add(clientOrderId);
  }

  belongsTo(positionId: string): boolean {
    return this.#all.some((order) => order.positionId === positionId);
  }

  /** Newest first. */
  open(currency: Currency): readonly ExchangeOrder[] {
    return newestFirst([...this.#open].filter((order) => order.currency === currency));
  }

  /**
   * Newest first, so many at most: an account with a long past costs no more than its last page.
   * System-canceled stops and targets are found by id only (interface, Limitations).
   */
  history(currency: Currency, which: 'final' | 'all', most: number): readonly ExchangeOrder[] {
    const told: ExchangeOrder[] = [];
    for (let index = this.#all.length - 1; index >= 0 && told.length < most; index -= 1) {
      const order = this.#all[index] as BookOrder;
      const isTold =
        order.currency === currency &&
        (which === 'all' || !order.open) &&
        (order.role === 'trade' || order.status !== 'system-canceled');
      if (isTold) told.push(order.snapshot());
    }
    return told;
  }

  /** Oldest first. */
  all(): readonly ExchangeOrder[] {
    return this.#all.map((order) => order.snapshot());
  }
}

const newestFirst = (orders: readonly BookOrder[]): readonly ExchangeOrder[] =>
  orders.map((order) => order.snapshot()).reverse();
