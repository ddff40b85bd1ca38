import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import { OrdinalMap } from '../../core/table/ordinal-map.js';
import type { OrderRef } from '../../core/order.js';
import type { Assumptions } from '../assumptions.js';
import type { ExecutionLog } from '../account/execution-log.js';
import type { ExchangeOrder, TradedOrder, Retention } from '../simulated-exchange.js';
import type { ExchangeOrderState } from '../price/symbol-state.js';
import { EndedOrders } from './ended-orders.js';

/** Share of evicted orders above which the list of all orders is compacted. */
const MAX_EVICTED_SHARE = 1 / 8;
/** With fewer evicted orders the list is not compacted. */
const MIN_EVICTED = 64;

/**
 * All accepted orders: the open ones as records, the ended ones as rows. With a `Retention`, the oldest orders without
 * a fill are evicted, so that a long run has bounded memory.
 */
export class OrderRegister {
  readonly #historyScope: Assumptions['orderHistory'];
  /** A row for each order, oldest first. Rows of evicted orders are removed in batches. */
  readonly #rows: EndedOrders;
  /** Numbers of the orders of the rows; undefined while these count up from 0. */
  #ordinals: Float64Array | undefined;
  #count = 0;
  /** Numbers of the orders in the rows up to `#indexedCount`: most orders of a backtest are never looked up. */
  readonly #byOrderId = new Map<string, number>();
  #indexedCount = 0;
  readonly #byClientOrderId = new Map<string, number>();
  /**
   * Kept for ever: an id stays used after its order is evicted, or when a refusal used it up
   * (interface: client_order_id rule 4).
   */
  readonly #usedIds = new Set<string>();
  /** By number, oldest first. */
  readonly #open = new OrdinalMap<ExchangeOrderState>();
  /** Numbers of evicted orders that still have a row. */
  readonly #evicted = new Set<number>();
  readonly #unfilled: UnfilledRing | undefined;

  /**
   * @param historyScope `all`: open orders are part of the history; `final`: ended ones only
   * @param retention absent: no order is evicted
   */
  constructor(
    historyScope: Assumptions['orderHistory'],
    executions: ExecutionLog,
    retention?: Retention,
  ) {
    this.#historyScope = historyScope;
    this.#rows = new EndedOrders(executions);
    if (retention !== undefined) this.#unfilled = new UnfilledRing(retention.endedOrders);
  }

  add(order: ExchangeOrderState): void {
    const ordinal = this.#count;
    this.#count += 1;
    order.ordinal = ordinal;
    this.#rows.add(order);
    if (order.clientOrderId !== undefined) this.#byClientOrderId.set(order.clientOrderId, ordinal);
    this.#open.add(ordinal, order);
  }

  /** The order has ended: it may evict the oldest one without a fill. */
  end(order: ExchangeOrderState): void {
    const { ordinal } = order;
    this.#open.delete(ordinal);
    this.#rows.write(this.#rowOf(ordinal), order);
    if (this.#unfilled === undefined || order.hasFilled) return;
    const oldest = this.#unfilled.push(ordinal);
    if (oldest !== undefined) this.#evict(oldest);
  }

  /** An ended order has changed after its end. */
  rewrite(order: ExchangeOrderState): void {
    const row = this.#rowOf(order.ordinal);
    if (row >= 0) this.#rows.write(row, order);
  }

  find(ref: OrderRef): ExchangeOrderState | undefined {
    if ('orderId' in ref) this.#index();
    const ordinal =
      'orderId' in ref
        ? this.#byOrderId.get(ref.orderId)
        : this.#byClientOrderId.get(ref.clientOrderId);
    return ordinal === undefined ? undefined : this.byOrdinal(ordinal);
  }

  /** @param ordinal of an order that is not evicted */
  byOrdinal(ordinal: number): ExchangeOrderState {
    return this.#open.get(ordinal) ?? this.#rows.at(this.#rowOf(ordinal));
  }

  /** @param ordinal of an order with an execution */
  filledOrder(ordinal: number): TradedOrder {
    return this.#open.get(ordinal)?.snapshot() ?? this.#rows.filledAt(this.#rowOf(ordinal));
  }

  /** The row of an order; −1: it has none any more. */
  #rowOf(ordinal: number): number {
    const { length } = this.#rows;
    if (this.#ordinals === undefined) return ordinal;
    const kept = this.#ordinals;
    const newest = length - (this.#count - ordinal);
    if (newest >= kept.length) return newest;
    let [low, high] = [0, kept.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = kept[middle] as number;
      if (at === ordinal) return middle;
      if (at < ordinal) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #ordinalOf(row: number): number {
    const kept = this.#ordinals;
    if (kept === undefined) return row;
    return row < kept.length ? (kept[row] as number) : this.#count - (this.#rows.length - row);
  }

  #index(): void {
    for (; this.#indexedCount < this.#rows.length; this.#indexedCount += 1)
      this.#byOrderId.set(
        this.#rows.orderIdAt(this.#indexedCount),
        this.#ordinalOf(this.#indexedCount),
      );
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
    for (const order of this.#open.values) if (order.positionId === positionId) return true;
    for (let row = 0; row < this.#rows.length; row += 1)
      if (this.#isEnded(row) && this.#rows.positionIdAt(row) === positionId) return true;
    return false;
  }

  /** Newest first; see `SimulatedExchange.openOrders`. @param untilMs latest creation, venue ms */
  open(currency: Currency, limit = Infinity, untilMs = Infinity): readonly ExchangeOrder[] {
    const rows: ExchangeOrder[] = [];
    for (const order of [...this.#open.values].reverse()) {
      if (rows.length >= limit) break;
      if (order.currency === currency && order.createdAt <= untilMs) rows.push(order.snapshot());
    }
    return rows;
  }

  /**
   * Newest first, so that a page costs the same however long the history is.
   * System-canceled stops and targets are found by id only (interface: Limitations).
   */
  history(currency: Currency, limit = Infinity, untilMs = Infinity): readonly ExchangeOrder[] {
    const listed: ExchangeOrder[] = [];
    for (let row = this.#rows.length - 1; row >= 0 && listed.length < limit; row -= 1) {
      const ordinal = this.#ordinalOf(row);
      const open = this.#open.get(ordinal);
      if (open !== undefined) {
        const isListed = this.#historyScope === 'all' && open.currency === currency;
        if (isListed && open.createdAt <= untilMs) listed.push(open.snapshot());
      } else if (this.#isEnded(row) && this.#rows.createdAt(row) <= untilMs) {
        const kind = this.#rows.kindAt(row);
        const isHidden = kind.role !== 'trade' && kind.status === 'system-canceled';
        if (kind.currency === currency && !isHidden) listed.push(this.#rows.at(row).snapshot());
      }
    }
    return listed;
  }

  /** Oldest first. */
  all(): readonly ExchangeOrder[] {
    const listed: ExchangeOrder[] = [];
    for (let row = 0; row < this.#rows.length; row += 1) {
      const ordinal = this.#ordinalOf(row);
      if (!this.#evicted.has(ordinal)) listed.push(this.byOrdinal(ordinal).snapshot());
    }
    return listed;
  }

  /** Whether the order of the row has ended and is retained. */
  #isEnded(row: number): boolean {
    const ordinal = this.#ordinalOf(row);
    return !this.#open.has(ordinal) && !this.#evicted.has(ordinal);
  }

  #evict(ordinal: number): void {
    const row = this.#rowOf(ordinal);
    const clientOrderId = this.#rows.clientOrderIdAt(row);
    this.#index();
    this.#byOrderId.delete(this.#rows.orderIdAt(row));
    if (clientOrderId !== undefined) {
      this.#byClientOrderId.delete(clientOrderId);
      this.#usedIds.add(clientOrderId);
    }
    this.#evicted.add(ordinal);
    // Compacting copies the rows: rare compactions keep the mean cost per evicted order constant.
    const { length } = this.#rows;
    if (this.#evicted.size < Math.max(MIN_EVICTED, length * MAX_EVICTED_SHARE)) return;
    const isKept = (each: number): boolean => !this.#evicted.has(this.#ordinalOf(each));
    const kept: number[] = [];
    for (let each = 0; each < length; each += 1) if (isKept(each)) kept.push(this.#ordinalOf(each));
    this.#rows.keep(isKept);
    this.#ordinals = Float64Array.from(kept);
    this.#indexedCount = kept.length;
    this.#evicted.clear();
  }
}

/** Ring buffer of the numbers of the newest orders that ended without a fill. */
class UnfilledRing {
  readonly #orders: number[] = [];
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
  push(order: number): number | undefined {
    const oldest = this.#orders[this.#next];
    this.#orders[this.#next] = order;
    this.#next = (this.#next + 1) % this.#length;
    return oldest;
  }
}
