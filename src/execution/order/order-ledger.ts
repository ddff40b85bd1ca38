import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import {
  add,
  larger,
  smaller,
  subtract,
  ZERO,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import { removeAt } from '../../core/table/remove-at.js';
import { IdRows } from '../../core/table/id-rows.js';
import type { Exposure, SymbolExposure } from '../../risk/exposure.js';
import type { OwnOrder } from './own-order.js';
import { PastOrders, type KnownOrder } from './past-orders.js';
import type { PositionLedger } from '../position-ledger.js';
import { SymbolMap } from '../symbol-map.js';

/**
 * Ended orders of a daemon that stay whole in memory, the newest: 0.8 kB each. Nothing needs an older
 * one but its ids and its end, which stay in `PastOrders`. The journal has all of it.
 */
export const KEPT_ENDED_ORDERS = 200;

/** The same where the venue reports each end at once and nothing asks for an order after it. */
export const KEPT_REPORTED_ORDERS = 16;

/**
 * Our orders and the exposure of those that have not ended. Each open order counts at its worst,
 * whether waiting, in flight, resting or unproved (properties P4, P5).
 */
export class OrderLedger implements Exposure {
  readonly #positions: PositionLedger;
  readonly #keptEnded: number;
  readonly #computesIds: boolean;
  /** By key, ascending. */
  readonly #orders: OwnOrder[] = [];
  /** Ended orders that may leave, the longest ended first. */
  readonly #ended: OwnOrder[] = [];
  /** Older ones that stay: the entry of each book and side that filled last. */
  #lastEntries: OwnOrder[] = [];
  readonly #past = new PastOrders();
  /** The venue's ids of past orders whose own ids are not computed. */
  readonly #pastOrderIds = new IdRows();
  readonly #byClientOrderId = new Map<string, OwnOrder>();
  readonly #openBySymbol = new SymbolMap<OwnOrder[]>();
  #openCount = 0;
  #nextKey = 0;

  /**
   * @param keptEnded number of ended orders that stay whole; default: all
   * @param computesIds false: nothing asks for an order by its client order id, so that none is computed
   */
  constructor(positions: PositionLedger, keptEnded = Number.POSITIVE_INFINITY, computesIds = true) {
    this.#positions = positions;
    this.#keptEnded = keptEnded;
    this.#computesIds = computesIds;
  }

  get nextKey(): number {
    return this.#nextKey;
  }

  /**
   * The whole orders: all that have not ended, the newest that have, those of operators' commands, and
   * the entry of each book and side that filled last. Ascending by key.
   */
  get all(): readonly OwnOrder[] {
    return this.#orders;
  }

  /** Number of orders that have not ended. */
  get orderCount(): number {
    return this.#openCount;
  }

  add(order: OwnOrder): void {
    assert(order.key === this.#nextKey, 'Order keys count up');
    this.#nextKey += 1;
    this.#orders.push(order);
    if (order.ended) {
      this.#retire(order);
      return;
    }
    this.#openCount += 1;
    const { symbol, currency } = order.terms;
    this.#openBySymbol.getOrAdd(symbol, currency, newList).push(order);
  }

  /** A backtest without ids never calls it. */
  indexByClientOrderId(order: OwnOrder): void {
    this.#byClientOrderId.set(order.clientOrderId, order);
  }

  /** Removes an ended order from the open orders of its symbol. */
  end(order: OwnOrder): void {
    const open = this.#openBySymbol.get(order.terms.symbol, order.terms.currency);
    const at = open?.indexOf(order) ?? -1;
    assert(open !== undefined && at >= 0 && order.ended, 'An order ends once');
    removeAt(open, at);
    this.#openCount -= 1;
    this.#retire(order);
  }

  byKey(key: number): OwnOrder {
    const order = this.find(key);
    if (order === undefined) assert(false, `There is an order ${key}`);
    return order;
  }

  /** undefined where the order ended long ago. */
  find(key: number): OwnOrder | undefined {
    // The message is built only on failure: a backtest has hundreds of thousands of orders.
    if (!(key >= 0 && key < this.#nextKey)) assert(false, `There is or was an order ${key}`);
    // Where none has left, each is at the index of its key.
    const order = this.#orders[key];
    return order?.key === key ? order : this.#orders.find((each) => each.key === key);
  }

  /** Among the whole orders. */
  byClientOrderId(id: string): OwnOrder | undefined {
    return this.#byClientOrderId.get(id);
  }

  /** An order of ours, however long ago it ended. */
  known(clientOrderId: string): KnownOrder | undefined {
    return this.#byClientOrderId.get(clientOrderId) ?? this.#past.find(clientOrderId);
  }

  /** Whether an order id of the venue is one of ours, however long ago it ended. */
  hasOrderId(orderId: string): boolean {
    return (
      this.#orders.some((order) => order.orderId === orderId) ||
      this.#past.hasOrderId(orderId) ||
      this.#pastOrderIds.has(orderId)
    );
  }

  /** Orders of one symbol and currency that have not ended, oldest first. */
  openOrders(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#openOf(symbol, currency);
  }

  *allOpenOrders(): Iterable<OwnOrder> {
    for (const orders of this.#openBySymbol.values) yield* orders;
  }

  /** Every order has ended or rests at the venue, and no cancel is unproved. */
  get allResolved(): boolean {
    for (const order of this.allOpenOrders()) if (!isResting(order)) return false;
    return true;
  }

  /** As `allResolved`, except for orders that the venue has not shown for so long that others need not wait. */
  isSettled(monotonic: number): boolean {
    for (const order of this.allOpenOrders())
      if (!isResting(order) && !order.isPresumedLost(monotonic)) return false;
    return true;
  }

  get unprovedCount(): number {
    let count = 0;
    for (const order of this.allOpenOrders()) if (order.unproved) count += 1;
    return count;
  }

  /** Quantity that market exits on their way close. A resting exit, or an abandoned one, may never fill. */
  closingQuantity(symbol: string, currency: Currency): Quantity {
    let sum = NONE;
    for (const { terms, active, state, remaining } of this.#openOf(symbol, currency)) {
      const isMarketExit = terms.reduceOnly && terms.type === 'market';
      if (isMarketExit && active && state !== 'quarantined') sum = add(sum, remaining);
    }
    return sum;
  }

  of(symbol: string, currency: Currency): SymbolExposure {
    const position = this.#positions.quantity(symbol, currency);
    const open = this.#openOf(symbol, currency);
    let bought = NONE;
    let sold = NONE;
    let reducingQuantity = NONE;
    let unresolvedIntents = 0;
    for (const order of open) {
      const remaining = order.remaining;
      if (order.terms.reduceOnly) reducingQuantity = add(reducingQuantity, remaining);
      else if (order.terms.side === 'buy') bought = add(bought, remaining);
      else sold = add(sold, remaining);
      if (order.fence !== undefined) {
        // Only one of the order and its fence can land, and it is unknown which.
        bought = add(bought, larger(NONE, order.fenceExposure));
        sold = subtract(sold, smaller(NONE, order.fenceExposure));
      }
      if (order.unproved) unresolvedIntents += 1;
    }
    return {
      position,
      maxPosition: add(larger(NONE, position), bought),
      minPosition: subtract(smaller(NONE, position), sold),
      reducingQuantity,
      orderCount: open.length,
      unresolvedIntents,
    };
  }

  /** Symbols with orders that have not ended. */
  symbols(currency: Currency): readonly string[] {
    if (this.#openCount === 0) return NO_SYMBOLS;
    const symbols: string[] = [];
    for (const [order] of this.#openBySymbol.values)
      if (order?.terms.currency === currency) symbols.push(order.terms.symbol);
    return symbols;
  }

  /** A fence cannot fill, and is not among them. */
  bestPrice(symbol: string, currency: Currency, side: Side): Price | undefined {
    let best: Price | undefined;
    for (const { terms, amending, isFence } of this.#openOf(symbol, currency)) {
      if (terms.side !== side || terms.type !== 'limit' || isFence) continue;
      best = better(side, better(side, best, terms.price), amending?.price);
    }
    return best;
  }

  /** Signed sum of the quantities that open orders may still trade. */
  pendingQuantity(symbol: string, currency: Currency): Quantity {
    let sum = NONE;
    for (const order of this.#openOf(symbol, currency)) sum = add(sum, order.signedRemaining);
    return sum;
  }

  /** Commands and flattens of operators find their orders by their cause: these stay. */
  #retire(ended: OwnOrder): void {
    if (this.#keptEnded === Number.POSITIVE_INFINITY) return;
    if (ended.intent.cause.kind === 'operator') return;
    this.#ended.push(ended);
    const oldest = this.#ended.length > this.#keptEnded ? this.#ended.shift() : undefined;
    if (oldest === undefined) return;
    if (!isFilledEntry(oldest)) {
      this.#forget(oldest);
      return;
    }
    this.#lastEntries.push(oldest);
    this.#lastEntries = this.#lastEntries.filter((order) => {
      const stays = this.#isLastFilledEntry(order);
      if (!stays) this.#forget(order);
      return stays;
    });
  }

  #forget(order: OwnOrder): void {
    removeAt(this.#orders, this.#orders.indexOf(order));
    if (!this.#computesIds) {
      if (order.orderId !== undefined) this.#pastOrderIds.add(order.orderId);
      return;
    }
    const { clientOrderId } = order;
    this.#past.add(order);
    if (this.#byClientOrderId.get(clientOrderId) === order)
      this.#byClientOrderId.delete(clientOrderId);
  }

  /** The stop of a position is that of the entry that filled last (`decidedTrigger`). */
  #isLastFilledEntry(order: OwnOrder): boolean {
    if (!isFilledEntry(order)) return false;
    const { symbol, currency, side } = order.terms;
    const laterEntry = this.#orders.find(
      (each) =>
        isFilledEntry(each) &&
        each.terms.symbol === symbol &&
        each.terms.currency === currency &&
        each.terms.side === side &&
        filledLater(each, order),
    );
    return laterEntry === undefined;
  }

  /** Adds no key on a read: `allOpenOrders` follows the order of keys, which a replay repeats. */
  #openOf(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#openBySymbol.get(symbol, currency) ?? NO_ORDERS;
  }
}

const NONE = ZERO as Quantity;
const NO_ORDERS: readonly OwnOrder[] = [];
const newList = (): OwnOrder[] => [];
const NO_SYMBOLS: readonly string[] = [];

const isFilledEntry = ({ terms, filledQuantity }: OwnOrder): boolean =>
  !terms.reduceOnly && filledQuantity !== 0;

const filledLater = (a: OwnOrder, b: OwnOrder): boolean =>
  a.lastFilledAt === b.lastFilledAt ? a.key > b.key : a.lastFilledAt > b.lastFilledAt;

/** The higher price of two buys, the lower of two sells. */
function better(side: Side, a: Price | undefined, b: Price | undefined): Price | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return side === 'buy' ? larger(a, b) : smaller(a, b);
}

const isResting = ({ state, terms, cancelState }: OwnOrder): boolean =>
  state === 'accepted' && terms.type !== 'market' && cancelState === 'none';
