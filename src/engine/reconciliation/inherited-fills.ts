import type { Currency } from '../../core/currency.js';
import {
  absolute,
  add,
  isLess,
  isMore,
  sign,
  smaller,
  subtract,
  withSign,
  ZERO,
  type Quantity,
} from '../../core/fixed.js';
import { signOf } from '../../core/order.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { RecoveredPosition } from '../../execution/recovery/recovered-positions.js';

/** One believed or expected position: signed quantity. */
export type HeldPosition = RecoveredPosition;

export interface Inheritance {
  readonly currency: Currency;
  /** What the journal leaves; positions that are not here are flat. */
  readonly expected: readonly HeldPosition[];
  /** What the first picture of the venue shows. */
  readonly shown: readonly HeldPosition[];
  /** Orders that have not ended and may have reached the venue. */
  readonly orders: readonly OwnOrder[];
}

/**
 * Fills that the first picture of the positions holds, though the order that made them is found only
 * later, because reads lag or its lookup fails. Told again then, they must not count twice.
 *
 * The journal says what the positions were without them. A difference that the orders of a symbol can
 * explain is theirs, and is taken off what they tell later; any other is not, and is for
 * the comparison of positions to settle.
 */
export class InheritedFills {
  readonly #orders = new Set<OwnOrder>();
  /** Signed quantity by symbol. */
  readonly #held = new Map<string, Quantity>();

  begin({ currency, expected, shown, orders: active }: Inheritance): void {
    const quantityOf = (positions: readonly HeldPosition[], symbol: string): Quantity =>
      positions.find((each) => each.symbol === symbol && each.currency === currency)?.quantity ??
      (ZERO as Quantity);
    for (const [symbol, orders] of bySymbol(active, currency)) {
      const held = subtract(quantityOf(shown, symbol), quantityOf(expected, symbol));
      const { low, high } = reachOf(orders);
      if (held === 0 || isLess(held, low) || isMore(held, high)) continue;
      this.#held.set(symbol, held);
      for (const order of orders) this.#orders.add(order);
    }
  }

  /** Signed quantity that the picture holds and no order has told yet. */
  untold(symbol: string): Quantity {
    return this.#held.get(symbol) ?? (ZERO as Quantity);
  }

  /** @returns how much of this fill the picture already holds; it is told from now on */
  tell(order: OwnOrder, quantity: Quantity): Quantity {
    const { symbol, side } = order.terms;
    const held = this.untold(symbol);
    if (sign(held) !== signOf(side) || !this.#orders.has(order)) return ZERO as Quantity;
    const told = smaller(absolute(held), quantity);
    this.#held.set(symbol, subtract(held, withSign(signOf(side), told)));
    return told;
  }

  /** The comparison of positions has settled a symbol: nothing is inherited any more. */
  forget(symbol: string): void {
    this.#held.delete(symbol);
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

/** How far down and up these orders can have moved a position. */
function reachOf(orders: readonly OwnOrder[]): { readonly low: Quantity; readonly high: Quantity } {
  let [low, high] = [ZERO as Quantity, ZERO as Quantity];
  for (const { signedRemaining } of orders) {
    if (signedRemaining < 0) low = add(low, signedRemaining);
    else high = add(high, signedRemaining);
  }
  return { low, high };
}
