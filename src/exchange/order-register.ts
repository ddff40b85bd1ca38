import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import type { OrderRef } from '../core/order.js';
import type { Assumptions } from './assumptions.js';
import type { ExchangeOrder, Retention } from './simulated-exchange.js';
import type { BookOrder } from './symbol-book.js';

/** Of all orders, the share that may be forgotten and still take up room. */
const SLACK = 1 / 8;
const LEAST_SLACK = 64;

/** The orders accepted, and which of them may still trade. */
export class OrderRegister {
  readonly #historyTells: Assumptions['orderHistory'];
  /** Oldest first; the forgotten ones leave many at a time. */
  #all: BookOrder[] = [];
  readonly #byOrderId = new Map<string, BookOrder>();
  readonly #byClientOrderId = new Map<string, BookOrder>();
  /**
   * For ever: an id is unique also after its order is forgotten, or when a refusal used it up
   * (interface, client_order_id rule 4).
   */
  readonly #spent = new Set<string>();
  /** Oldest first. */
  readonly #open = new Set<BookOrder>();
  readonly #forgotten = new Set<BookOrder>();
  readonly #unfilled: UnfilledRing | undefined;

  /** @param historyTells whether open orders are part of the history */
  constructor(historyTells: Assumptions['orderHistory'], retention?: Retention) {
    this.#historyTells = historyTells;
    if (retention !== undefined) this.#unfilled = new UnfilledRing(retention.endedOrders);
  }

  add(order: BookOrder): void {
    this.#all.push(order);
    this.#byOrderId.set(order.orderId, order);
    if (order.clientOrderId !== undefined) this.#byClientOrderId.set(order.clientOrderId, order);
    this.#open.add(order);
  }

  end(order: BookOrder): void {
    this.#open.delete(order);
    if (this.#unfilled === undefined || order.hasFilled) return;
    const oldest = this.#unfilled.push(order);
    if (oldest !== undefined) this.#forget(oldest);
  }

  find(ref: OrderRef): BookOrder | undefined {
    return 'orderId' in ref
      ? this.#byOrderId.get(ref.orderId)
      : this.#byClientOrderId.get(ref.clientOrderId);
  }

  hasClientOrderId(id: string): boolean {
    return this.#byClientOrderId.has(id) || this.#spent.has(id);
  }

  burn(clientOrderId: string): void {
    this.#spent.add(clientOrderId);
  }

  belongsTo(positionId: string): boolean {
    return this.#all.some((order) => order.positionId === positionId && this.#remembers(order));
  }

  /** Newest first; see `SimulatedExchange.openOrders`. */
  open(currency: Currency, most = Infinity, untilMs = Infinity): readonly ExchangeOrder[] {
    return newest(
      [...this.#open],
      most,
      (order) => order.currency === currency && order.createdAt <= untilMs,
    );
  }

  /**
   * Newest first: an account with a long past costs no more than its last page.
   * System-canceled stops and targets are found by id only (interface, Limitations).
   */
  history(currency: Currency, most = Infinity, untilMs = Infinity): readonly ExchangeOrder[] {
    return newest(
      this.#all,
      most,
      (order) =>
        order.currency === currency &&
        order.createdAt <= untilMs &&
        (this.#historyTells === 'all' || !order.open) &&
        (order.role === 'trade' || order.status !== 'system-canceled') &&
        this.#remembers(order),
    );
  }

  /** Oldest first. */
  all(): readonly ExchangeOrder[] {
    return this.#all.filter((order) => this.#remembers(order)).map((order) => order.snapshot());
  }

  #remembers(order: BookOrder): boolean {
    return !this.#forgotten.has(order);
  }

  #forget(order: BookOrder): void {
    const { orderId, clientOrderId } = order;
    this.#byOrderId.delete(orderId);
    if (clientOrderId !== undefined) {
      this.#byClientOrderId.delete(clientOrderId);
      this.#spent.add(clientOrderId);
    }
    this.#forgotten.add(order);
    // So seldom that it costs each forgotten order the same, however many are kept.
    if (this.#forgotten.size < Math.max(LEAST_SLACK, this.#all.length * SLACK)) return;
    this.#all = this.#all.filter((one) => this.#remembers(one));
    this.#forgotten.clear();
  }
}

/** The newest orders that ended without a fill. */
class UnfilledRing {
  readonly #orders: BookOrder[] = [];
  readonly #length: number;
  #next = 0;

  constructor(length: number) {
    assert(Number.isSafeInteger(length) && length > 0, 'A retention keeps at least one order');
    this.#length = length;
  }

  /** The order that the new one takes the place of. */
  push(order: BookOrder): BookOrder | undefined {
    const oldest = this.#orders[this.#next];
    this.#orders[this.#next] = order;
    this.#next = (this.#next + 1) % this.#length;
    return oldest;
  }
}

/** So many of the last that are told, the last first: no other is made into a snapshot. */
function newest(
  orders: readonly BookOrder[],
  most: number,
  isTold: (order: BookOrder) => boolean,
): readonly ExchangeOrder[] {
  const told: ExchangeOrder[] = [];
  for (let index = orders.length - 1; index >= 0 && told.length < most; index -= 1) {
    const order = orders[index] as BookOrder;
    if (isTold(order)) told.push(order.snapshot());
  }
  return told;
}
