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
import type { Exposure, SymbolExposure } from '../../risk/exposure.js';
import type { OwnOrder } from './own-order.js';
import type { PositionLedger } from '../position-ledger.js';
import { SymbolMap } from '../symbol-map.js';

/**
 * Every order of ours and the exposure of those that have not ended. Each open order counts at its
 * worst, whether waiting, in flight, resting or unproved (properties P4, P5).
 */
export class OrderLedger implements Exposure {
  readonly #positions: PositionLedger;
  readonly #orders: OwnOrder[] = [];
  readonly #byClientOrderId = new Map<string, OwnOrder>();
  readonly #openBySymbol = new SymbolMap<OwnOrder[]>();
  #openCount = 0;

  constructor(positions: PositionLedger) {
    this.#positions = positions;
  }

  get nextKey(): number {
    return this.#orders.length;
  }

  get all(): readonly OwnOrder[] {
    return this.#orders;
  }

  /** Number of orders that have not ended. */
  get orderCount(): number {
    return this.#openCount;
  }

  add(order: OwnOrder): void {
    assert(order.key === this.#orders.length, 'Order keys count up');
    this.#orders.push(order);
    if (order.ended) return;
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
    assert(at >= 0 && order.ended, 'An order ends once');
    open?.splice(at, 1);
    this.#openCount -= 1;
  }

  byKey(key: number): OwnOrder {
    const order = this.#orders[key];
    assert(order !== undefined, `There is an order ${key}`);
    return order;
  }

  byClientOrderId(id: string): OwnOrder | undefined {
    return this.#byClientOrderId.get(id);
  }

  /** Whether an order id of the venue is one of ours. */
  hasOrderId(orderId: string): boolean {
    return this.#orders.some((order) => order.orderId === orderId);
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

  /** Adds no key on a read: `allOpenOrders` follows the order of keys, which a replay repeats. */
  #openOf(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#openBySymbol.get(symbol, currency) ?? NO_ORDERS;
  }
}

const NONE = ZERO as Quantity;
const NO_ORDERS: readonly OwnOrder[] = [];
const newList = (): OwnOrder[] => [];
const NO_SYMBOLS: readonly string[] = [];

/** The higher price of two buys, the lower of two sells. */
function better(side: Side, a: Price | undefined, b: Price | undefined): Price | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return side === 'buy' ? larger(a, b) : smaller(a, b);
}

const isResting = ({ state, terms, cancelState }: OwnOrder): boolean =>
  state === 'accepted' && terms.type !== 'market' && cancelState === 'none';
