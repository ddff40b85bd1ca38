import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import { add, larger, smaller, subtract, ZERO, type Quantity } from '../../core/fixed.js';
import type { Exposure, SymbolExposure } from '../../risk/exposure.js';
import type { OwnOrder } from './own-order.js';
import type { PositionBook } from '../position-book.js';

/**
 * Every order of ours, and what it may still do to a position. Anything that has not ended counts at
 * its worst: waiting, in flight, open and unknown alike (properties P4, P5).
 */
export class OrderLedger implements Exposure {
  readonly #positions: PositionBook;
  readonly #orders: OwnOrder[] = [];
  readonly #byClientOrderId = new Map<string, OwnOrder>();
  readonly #lanes = new Map<string, OwnOrder[]>();
  #active = 0;

  constructor(positions: PositionBook) {
    this.#positions = positions;
  }

  get nextKey(): number {
    return this.#orders.length;
  }

  get all(): readonly OwnOrder[] {
    return this.#orders;
  }

  /** Orders that have not ended. */
  get orders(): number {
    return this.#active;
  }

  add(order: OwnOrder): void {
    assert(order.key === this.#orders.length, 'Order keys count up');
    this.#orders.push(order);
    if (order.ended) return;
    this.#active += 1;
    const key = laneKey(order.terms.symbol, order.terms.currency);
    const lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, [order]);
    else lane.push(order);
  }

  /** Makes the order findable by its id; a backtest without ids never calls it. */
  index(order: OwnOrder): void {
    this.#byClientOrderId.set(order.clientOrderId, order);
  }

  /** Takes an ended order out of its lane. */
  end(order: OwnOrder): void {
    const lane = this.#lanes.get(laneKey(order.terms.symbol, order.terms.currency));
    const at = lane?.indexOf(order) ?? -1;
    assert(at >= 0 && order.ended, 'An order ends once');
    lane?.splice(at, 1);
    this.#active -= 1;
  }

  byKey(key: number): OwnOrder {
    const order = this.#orders[key];
    assert(order !== undefined, `There is an order ${key}`);
    return order;
  }

  byClientOrderId(id: string): OwnOrder | undefined {
    return this.#byClientOrderId.get(id);
  }

  /** Whether an order of the venue is known to be one of ours. */
  hasOrderId(orderId: string): boolean {
    return this.#orders.some((order) => order.orderId === orderId);
  }

  /** Orders of one symbol and currency that have not ended, oldest first. */
  active(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#lane(symbol, currency);
  }

  *allActive(): Iterable<OwnOrder> {
    for (const lane of this.#lanes.values()) yield* lane;
  }

  /** Every order has ended or rests at the venue, and no cancel waits for its proof. */
  get settled(): boolean {
    for (const { state, terms, cancelState } of this.allActive()) {
      if (state !== 'accepted' || terms.type === 'market' || cancelState !== 'none') return false;
    }
    return true;
  }

  get unproved(): number {
    let count = 0;
    for (const order of this.allActive()) if (order.unproved) count += 1;
    return count;
  }

  of(symbol: string, currency: Currency): SymbolExposure {
    const position = this.#positions.quantity(symbol, currency);
    const lane = this.#lane(symbol, currency);
    let bought = NONE;
    let sold = NONE;
    let reducing = NONE;
    let unknown = 0;
    for (const order of lane) {
      const remaining = order.remaining;
      if (order.terms.reduceOnly) reducing = add(reducing, remaining);
      else if (order.terms.side === 'buy') bought = add(bought, remaining);
      else sold = add(sold, remaining);
      // Only one of the two can land, and neither is known to.
      bought = add(bought, larger(NONE, order.fenceReach));
      sold = subtract(sold, smaller(NONE, order.fenceReach));
      if (order.unproved) unknown += 1;
    }
    return {
      position,
      longest: add(position, bought),
      shortest: subtract(position, sold),
      reducing,
      orders: lane.length,
      unknown,
    };
  }

  /** Signed sum of what working orders may still trade. */
  pending(symbol: string, currency: Currency): Quantity {
    let sum = NONE;
    for (const order of this.#lane(symbol, currency)) sum = add(sum, order.signedRemaining);
    return sum;
  }

  /** Makes none: who only looks must not change the order in which `allActive` goes, which a replay repeats. */
  #lane(symbol: string, currency: Currency): readonly OwnOrder[] {
    return this.#lanes.get(laneKey(symbol, currency)) ?? NO_ORDERS;
  }
}

const NONE = ZERO as Quantity;
const NO_ORDERS: readonly OwnOrder[] = [];
const laneKey = (symbol: string, currency: Currency): string => `${symbol}/${currency}`;
