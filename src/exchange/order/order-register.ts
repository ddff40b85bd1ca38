import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { OrderRef } from '../../core/order.js';
import type { Assumptions } from '../assumptions.js';
import type { ExchangeOrder, Retention } from '../simulated-exchange.js';
import type { ExchangeOrderState } from '../price/symbol-state.js';

/** Share of evicted orders above which the list of all orders is compacted. */
const MAX_EVICTED_SHARE = 1 / 8;
/** With fewer evicted orders the list is not compacted. */
const MIN_EVICTED = 64;

/**
 * All accepted orders, with indexes by id and by being open. With a `Retention`, the oldest orders without a
 * fill are evicted, so that a long run has bounded memory.
 */
export class OrderRegister {
  readonly #historyScope: Assumptions['orderHistory'];
  /** Oldest first. Evicted orders are removed in batches. */
  #all: ExchangeOrderState[] = [];
  /** The orders of `#all` up to `#indexedCount`: most orders of a backtest are never looked up. */
  readonly #byOrderId = new Map<string, ExchangeOrderState>();
  #indexedCount = 0;
  readonly #byClientOrderId = new Map<string, ExchangeOrderState>();
  /**
   * Kept for ever: an id stays used after its order is evicted, or when a refusal used it up
   * (interface: client_order_id rule 4).
   */
  readonly #usedIds = new Set<string>();
  /** Oldest first. */
  readonly #open = new Set<ExchangeOrderState>();
  readonly #evicted = new Set<ExchangeOrderState>();
  readonly #unfilled: UnfilledRing | undefined;

  /**
   * @param historyScope `all`: open orders are part of the history; `final`: ended ones only
   * @param retention absent: no order is evicted
   */
  constructor(historyScope: Assumptions['orderHistory'], retention?: Retention) {
    this.#historyScope = historyScope;
    if (retention !== undefined) this.#unfilled = new UnfilledRing(retention.endedOrders);
  }

  add(order: ExchangeOrderState): void {
    this.#all.push(order);
    if (order.clientOrderId !== undefined) this.#byClientOrderId.set(order.clientOrderId, order);
    this.#open.add(order);
  }

  /** The order has ended: it may evict the oldest one without a fill. */
  end(order: ExchangeOrderState): void {
    this.#open.delete(order);
    if (this.#unfilled === undefined || order.hasFilled) return;
    const oldest = this.#unfilled.push(order);
    if (oldest !== undefined) this.#evict(oldest);
  }

  find(ref: OrderRef): ExchangeOrderState | undefined {
    if (!('orderId' in ref)) return this.#byClientOrderId.get(ref.clientOrderId);
    this.#index();
    return this.#byOrderId.get(ref.orderId);
  }

  #index(): void {
    for (; this.#indexedCount < this.#all.length; this.#indexedCount += 1) {
      const order = this.#all[this.#indexedCount] as ExchangeOrderState;
      this.#byOrderId.set(order.orderId, order);
    }
  }

  hasClientOrderId(id: string): boolean {
    return this.#byClientOrderId.has(id) || this.#usedIds.has(id);
  }

  /** Marks an id as used, although no order has it. */
  burn(clientOrderId: string): void {
    this.#usedIds.add(clientOrderId);
  }

  /** Whether a retained order belongs to the position. */
  hasPosition(positionId: string): boolean {
    return this.#all.some((order) => order.positionId === positionId && this.#isRetained(order));
  }

  /** Newest first; see `SimulatedExchange.openOrders`. @param untilMs latest creation, venue ms */
  open(currency: Currency, limit = Infinity, untilMs = Infinity): readonly ExchangeOrder[] {
    return newest(
      [...this.#open],
      limit,
      (order) => order.currency === currency && order.createdAt <= untilMs,
    );
  }

  /**
   * Newest first, so that a page costs the same however long the history is.
   * System-canceled stops and targets are found by id only (interface: Limitations).
   */
  history(currency: Currency, limit = Infinity, untilMs = Infinity): readonly ExchangeOrder[] {
    return newest(
      this.#all,
      limit,
      (order) =>
        order.currency === currency &&
        order.createdAt <= untilMs &&
        (this.#historyScope === 'all' || !order.open) &&
        (order.role === 'trade' || order.status !== 'system-canceled') &&
        this.#isRetained(order),
    );
  }

  /** Oldest first. */
  all(): readonly ExchangeOrder[] {
    return this.#all.filter((order) => this.#isRetained(order)).map((order) => order.snapshot());
  }

  #isRetained(order: ExchangeOrderState): boolean {
    return !this.#evicted.has(order);
  }

  #evict(order: ExchangeOrderState): void {
    const { orderId, clientOrderId } = order;
    this.#index();
    this.#byOrderId.delete(orderId);
    if (clientOrderId !== undefined) {
      this.#byClientOrderId.delete(clientOrderId);
      this.#usedIds.add(clientOrderId);
    }
    this.#evicted.add(order);
    // Compacting copies the list: rare compactions keep the mean cost per evicted order constant.
    if (this.#evicted.size < Math.max(MIN_EVICTED, this.#all.length * MAX_EVICTED_SHARE)) return;
    this.#all = this.#all.filter((one) => this.#isRetained(one));
    this.#indexedCount = this.#all.length;
    this.#evicted.clear();
  }
}

/** Ring buffer of the newest orders that ended without a fill. */
class UnfilledRing {
  readonly #orders: ExchangeOrderState[] = [];
  readonly #length: number;
  #next = 0;

  constructor(length: number) {
    assert(
      Number.isSafeInteger(length) && length > 0,
      'retention.endedOrders must be an integer of at least 1',
    );
    this.#length = length;
  }

  /** @returns the order that the new one replaces */
  push(order: ExchangeOrderState): ExchangeOrderState | undefined {
    const oldest = this.#orders[this.#next];
    this.#orders[this.#next] = order;
    this.#next = (this.#next + 1) % this.#length;
    return oldest;
  }
}

/** The last `limit` included orders, newest first. Only these are turned into snapshots. */
function newest(
  orders: readonly ExchangeOrderState[],
  limit: number,
  isIncluded: (order: ExchangeOrderState) => boolean,
): readonly ExchangeOrder[] {
  const rows: ExchangeOrder[] = [];
  for (let index = orders.length - 1; index >= 0 && rows.length < limit; index -= 1) {
    const order = orders[index] as ExchangeOrderState;
    if (isIncluded(order)) rows.push(order.snapshot());
  }
  return rows;
}
