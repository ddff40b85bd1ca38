import { fixed, type Quantity } from '../../../src/core/fixed/fixed.js';
import type { OrderRef, OrderReport, OrderTerms } from '../../../src/core/order.js';
import type { Outcome, Placement, RequestOf } from '../../../src/core/request.js';
import { CONFLICT, no, NOT_FOUND, yes } from '../rigs/protocol-rig.js';
import { scaledOf } from '../builders/scaled.js';

interface ModelOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly terms: OrderTerms;
  readonly createdAt: number;
  filled: number;
  canceled: boolean;
}

/**
 * The least venue that the interface allows: an id is taken once and for ever, at times without an
 * order; lookups may not show an order for a while; a cancelled remainder may keep its status word.
 */
export class ExchangeModel {
  readonly orders = new Map<string, ModelOrder>();
  readonly burned = new Set<string>();
  /** Place requests that left and may still land. */
  readonly inFlight: RequestOf<'place'>[] = [];
  /** How long a lookup by client id may miss an order, ms. */
  readLagMs = 0;
  /** Every place that the venue ever saw land. */
  acceptedPlaces = 0;

  place(request: RequestOf<'place'>, now: number): Outcome<Placement> {
    const { clientOrderId, terms } = request;
    if (this.orders.has(clientOrderId) || this.burned.has(clientOrderId)) return CONFLICT;
    const orderId = `v${this.orders.size + 1}`;
    this.orders.set(clientOrderId, {
      orderId,
      clientOrderId,
      terms,
      createdAt: now,
      filled: 0,
      canceled: false,
    });
    this.acceptedPlaces += 1;
    return yes({ orderId });
  }

  /** A hard reject that consumes the id. */
  burn(request: RequestOf<'place'>): Outcome<Placement> {
    const { clientOrderId } = request;
    if (this.orders.has(clientOrderId) || this.burned.has(clientOrderId)) return CONFLICT;
    this.burned.add(clientOrderId);
    return no('insufficient-balance');
  }

  find(ref: OrderRef, now: number): Outcome<OrderReport> {
    const order = this.#byRef(ref);
    if (order === undefined || now < order.createdAt + this.readLagMs) return NOT_FOUND;
    return yes(reportOf(order));
  }

  cancel(ref: OrderRef): Outcome<null> {
    const order = this.#byRef(ref);
    if (order === undefined) return NOT_FOUND;
    if (order.canceled || order.filled === order.terms.quantity) return no('order-not-open');
    order.canceled = true;
    return yes(null);
  }

  /** The order trades `part` of what is left of it. */
  fill(clientOrderId: string, part: number): void {
    const order = this.orders.get(clientOrderId);
    if (order === undefined || order.canceled) return;
    const left = scaledOf(order.terms.quantity) - order.filled;
    order.filled += part >= 1 ? left : Math.floor(left * part);
  }

  /** Signed bound of what this id has traded or may yet trade. */
  potentialQuantity(clientOrderId: string): Quantity {
    const order = this.orders.get(clientOrderId);
    const landing = this.inFlight.find((request) => request.clientOrderId === clientOrderId);
    const may = this.burned.has(clientOrderId) ? 0 : (landing?.terms.quantity ?? 0);
    if (order === undefined) return fixed(scaledOf(may));
    return fixed(order.canceled ? order.filled : scaledOf(order.terms.quantity));
  }

  #byRef(ref: OrderRef): ModelOrder | undefined {
    if ('clientOrderId' in ref) return this.orders.get(ref.clientOrderId);
    return [...this.orders.values()].find((order) => order.orderId === ref.orderId);
  }
}

function reportOf(order: ModelOrder): OrderReport {
  const { terms, filled, canceled } = order;
  const full = filled === terms.quantity;
  const partial = filled > 0 ? 'partially-filled' : 'created';
  // Cancelled after a part was filled: the word may stay as it was (interface, Known issue).
  const status = full ? 'filled' : canceled && filled === 0 ? 'canceled' : partial;
  return {
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    currency: terms.currency,
    symbol: terms.symbol,
    role: 'trade',
    side: terms.side,
    type: terms.type,
    status,
    quantity: terms.quantity,
    filledQuantity: fixed(filled),
    ...(terms.price !== undefined && { price: terms.price, averagePrice: terms.price }),
  };
}
