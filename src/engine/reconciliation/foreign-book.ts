import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { add, subtract, textFromFixed, ZERO, type Quantity } from '../../core/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { Reach } from './reconcile-positions.js';

const NONE: readonly OrderReport[] = [];
const MOST_SAID = 10_000;
const NOWHERE: Reach = { low: ZERO as Quantity, high: ZERO as Quantity };

/**
 * What others hold and want on the account: a person in the app, another bot under the same key. It is
 * counted wherever risk is, said once, and never touched (hazard G15).
 */
export class ForeignBook {
  readonly #notify: (text: string) => void;
  readonly #orders = new Map<Currency, readonly OrderReport[]>();
  /** Of books in which nothing of ours is traded. */
  readonly #positions = new Map<Currency, readonly PositionReport[]>();
  readonly #said = new Set<string>();

  constructor(notify: (text: string) => void) {
    this.#notify = notify;
  }

  /** The whole list of others' open orders in one currency. */
  seeOrders(currency: Currency, orders: readonly OrderReport[]): void {
    this.#orders.set(currency, orders);
    for (const order of orders) this.#say(`order ${order.orderId}`, () => orderText(order));
  }

  /** All positions of a currency that we do not trade in. */
  seePositions(currency: Currency, positions: readonly PositionReport[]): void {
    this.#positions.set(currency, positions);
    for (const row of positions) {
      const { symbol, side, quantity, positionId } = row;
      this.#say(`position ${positionId}`, () => {
        const text = textFromFixed(quantity);
        return `a position that is not ours: ${side} ${text} ${symbol} in ${currency}`;
      });
    }
  }

  get orders(): readonly OrderReport[] {
    return [...this.#orders.values()].flat();
  }

  get positions(): readonly PositionReport[] {
    return [...this.#positions.values()].flat();
  }

  /**
   * By how much their open orders can move a position. Nobody tells whether one of them only reduces,
   * so that each counts as one that opens.
   */
  reach(symbol: string, currency: Currency): Reach {
    const orders = this.#orders.get(currency) ?? NONE;
    if (orders.length === 0) return NOWHERE;
    let low = ZERO as Quantity;
    let high = ZERO as Quantity;
    for (const order of orders) {
      if (order.symbol !== undefined && order.symbol !== symbol) continue;
      const left = subtract(order.quantity, order.filledQuantity);
      if (order.side !== 'sell') high = add(high, left);
      if (order.side !== 'buy') low = subtract(low, left);
    }
    return { low, high };
  }

  #say(what: string, text: () => string): void {
    if (this.#said.has(what)) return;
    this.#said.add(what);
    // Said twice after so many is better than a memory that grows for ever (P24).
    if (this.#said.size > MOST_SAID) this.#said.delete(this.#said.values().next().value ?? '');
    this.#notify(`${text()}. It counts as exposure and is left alone`);
  }
}

function orderText({ side, symbol, quantity, filledQuantity, orderId, currency }: OrderReport) {
  const left = textFromFixed(subtract(quantity, filledQuantity));
  return `an open order that is not ours: ${side ?? 'buy or sell'} ${left} ${symbol ?? 'of some symbol'} in ${currency}, ${orderId}`;
}
