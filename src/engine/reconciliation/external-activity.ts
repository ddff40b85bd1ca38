import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import {
  add,
  larger,
  subtract,
  textFromFixed,
  ZERO,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { ExposureRange } from './reconcile-positions.js';

const NONE: readonly OrderReport[] = [];
const MAX_REPORTED = 10_000;
const NO_EXPOSURE: ExposureRange = { low: ZERO as Quantity, high: ZERO as Quantity };

/**
 * External orders and positions on the account: of a person in the app, or of another bot under the same key.
 * They count in every risk control, are reported once, and are never touched (hazard G15).
 */
export class ExternalActivity {
  readonly #notify: (text: string) => void;
  readonly #orders = new Map<Currency, readonly OrderReport[]>();
  /** Positions of currencies in which we do not trade. */
  readonly #positions = new Map<Currency, readonly PositionReport[]>();
  readonly #reported = new Set<string>();

  constructor(notify: (text: string) => void) {
    this.#notify = notify;
  }

  /** The complete list of external open orders in one currency. */
  setOrders(currency: Currency, orders: readonly OrderReport[]): void {
    this.#orders.set(currency, orders);
    for (const order of orders) this.#reportOnce(`order ${order.orderId}`, () => orderText(order));
  }

  /** All positions of a currency in which we do not trade. */
  setPositions(currency: Currency, positions: readonly PositionReport[]): void {
    this.#positions.set(currency, positions);
    for (const row of positions) {
      const { symbol, side, quantity, positionId } = row;
      this.#reportOnce(`position ${positionId}`, () => {
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
   * Range by which external open orders can move a position. The venue does not show whether one only
   * reduces, so each counts as an entry.
   */
  exposureRange(symbol: string, currency: Currency): ExposureRange {
    const orders = this.#orders.get(currency) ?? NONE;
    if (orders.length === 0) return NO_EXPOSURE;
    let low = ZERO as Quantity;
    let high = ZERO as Quantity;
    for (const order of orders) {
      if (order.symbol !== undefined && order.symbol !== symbol) continue;
      const remaining = subtract(order.quantity, order.filledQuantity);
      if (order.side !== 'sell') high = add(high, remaining);
      if (order.side !== 'buy') low = subtract(low, remaining);
    }
    return { low, high };
  }

  /** Symbols of external open orders that name one. */
  symbols(currency: Currency): readonly string[] {
    const orders = this.#orders.get(currency) ?? NONE;
    return orders.flatMap(({ symbol }) => (symbol === undefined ? [] : [symbol]));
  }

  /** Highest price of the external open orders of a symbol; undefined: none has a price. */
  orderPrice(symbol: string, currency: Currency): Price | undefined {
    let highest: Price | undefined;
    for (const order of this.#orders.get(currency) ?? NONE) {
      if (order.symbol !== symbol || order.price === undefined) continue;
      highest = highest === undefined ? order.price : larger(highest, order.price);
    }
    return highest;
  }

  #reportOnce(what: string, text: () => string): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    // A repeated warning after so many orders is better than a set that grows without bound.
    if (this.#reported.size > MAX_REPORTED)
      this.#reported.delete(this.#reported.values().next().value ?? '');
    this.#notify(`${text()}. It counts as exposure and is left alone`);
  }
}

function orderText({ side, symbol, quantity, filledQuantity, orderId, currency }: OrderReport) {
  const remaining = textFromFixed(subtract(quantity, filledQuantity));
  return `an open order that is not ours: ${side ?? 'buy or sell'} ${remaining} ${symbol ?? 'of some symbol'} in ${currency}, ${orderId}`;
}
