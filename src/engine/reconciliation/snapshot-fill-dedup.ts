import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  isLess,
  isGreater,
  larger,
  sign,
  smaller,
  subtract,
  withSign,
  ZERO,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { sideSign } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';

/** One tracked or expected position: signed quantity. */
export type SignedPosition = RecoveredPosition;

export interface SnapshotGap {
  readonly currency: Currency;
  /** Positions from the journal; symbols without a row are flat. */
  readonly expected: readonly SignedPosition[];
  /** Positions of the venue's first snapshot. */
  readonly shown: readonly SignedPosition[];
  /** Orders that have not ended and may have reached the venue. */
  readonly orders: readonly OwnOrder[];
}

/**
 * Fills that the first snapshot of the positions includes although their order is found only later, because
 * reads lag or its query fails. Their later report must not count twice.
 *
 * The journal gives the positions without these fills. A difference that the open orders of a symbol can
 * explain is theirs, and is deducted from their later reports. A part that they have not reported by their end
 * is not theirs. The comparison of positions settles any other difference.
 */
export class SnapshotFillDedup {
  readonly #orders = new Set<OwnOrder>();
  /** Signed quantity by symbol. */
  readonly #remaining = new Map<string, Quantity>();

  start({ currency, expected, shown, orders: active }: SnapshotGap): void {
    const quantityOf = (positions: readonly SignedPosition[], symbol: string): Quantity =>
      positions.find((each) => each.symbol === symbol && each.currency === currency)?.quantity ??
      (ZERO as Quantity);
    for (const [symbol, orders] of bySymbol(active, currency)) {
      const gap = subtract(quantityOf(shown, symbol), quantityOf(expected, symbol));
      const { low, high } = fillRange(orders);
      if (gap === 0 || isLess(gap, low) || isGreater(gap, high)) continue;
      this.#remaining.set(symbol, gap);
      for (const order of orders) this.#orders.add(order);
    }
  }

  /** Signed quantity in the snapshot that no order has reported yet. */
  remainingOf(symbol: string): Quantity {
    return this.#remaining.get(symbol) ?? (ZERO as Quantity);
  }

  /** @returns the part of this fill that the snapshot includes; it counts as reported from now on */
  consume(order: OwnOrder, quantity: Quantity): Quantity {
    const { symbol, side } = order.terms;
    const remaining = this.remainingOf(symbol);
    if (sign(remaining) !== sideSign(side) || !this.#orders.has(order)) return ZERO as Quantity;
    const counted = smaller(absolute(remaining), quantity);
    this.#remaining.set(symbol, subtract(remaining, withSign(sideSign(side), counted)));
    return counted;
  }

  /**
   * An order has ended: it reports no more fills.
   * @returns the signed part of the snapshot that no order is left to explain
   */
  onEnded(order: OwnOrder): Quantity {
    if (!this.#orders.delete(order)) return ZERO as Quantity;
    const { symbol } = order.terms;
    const remaining = this.remainingOf(symbol);
    const left = [...this.#orders].filter(({ terms }) => terms.symbol === symbol);
    const { low, high } = fillRange(left);
    const explained = remaining > 0 ? smaller(remaining, high) : larger(remaining, low);
    this.#remaining.set(symbol, explained);
    return subtract(remaining, explained);
  }

  /** The comparison of positions has settled a symbol: later fills count in full. */
  forget(symbol: string): void {
    this.#remaining.delete(symbol);
  }
}

function bySymbol(
  orders: readonly OwnOrder[],
  currency: Currency,
): ReadonlyMap<string, readonly OwnOrder[]> {
  const symbols = new Map<string, OwnOrder[]>();
  for (const order of orders) {
    if (order.terms.currency !== currency) continue;
    const of = symbols.get(order.terms.symbol);
    if (of === undefined) symbols.set(order.terms.symbol, [order]);
    else of.push(order);
  }
  return symbols;
}

/** Range by which these orders can have moved a position. */
function fillRange(orders: readonly OwnOrder[]): {
  readonly low: Quantity;
  readonly high: Quantity;
} {
  let [low, high] = [ZERO as Quantity, ZERO as Quantity];
  for (const { signedRemaining } of orders) {
    if (signedRemaining < 0) low = add(low, signedRemaining);
    else high = add(high, signedRemaining);
  }
  return { low, high };
}
