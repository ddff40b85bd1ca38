import type { OrderReport } from '../../core/order.js';
import { BURNED_READS, READ_VISIBILITY_MS } from '../constants.js';
import { mayBeOrderOrFence } from './order-comparison.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { OwnOrder } from './own-order.js';

/**
 * Proves that the venue consumed an id without making an order (interface: order create,
 * client_order_id rule 4). A read that lags looks the same, and so does a lookup that never finds
 * orders by client id. The proof therefore takes time, spaced lookups, and a read of every list of
 * the account after that time.
 */
export class BurnedProof {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  /**
   * Counts a lookup that missed the order; called right before order history is read.
   *
   * @returns whether a history that lacks the order too completes the proof
   */
  countQuery(order: OwnOrder): boolean {
    const { engine } = this.#parts;
    order.conflictAt ??= engine.stamp.monotonic;
    order.conflictQueries += 1;
    const visibleAt = order.conflictAt + READ_VISIBILITY_MS;
    const enough = order.conflictQueries >= BURNED_READS && engine.stamp.monotonic >= visibleAt;
    return enough && engine.isAbsentFromLists(order, visibleAt);
  }

  /** @returns whether this history ended the order as burned */
  evaluate(order: OwnOrder, history: readonly OrderReport[]): boolean {
    if (history.some((report) => this.#mayBeOrder(order, report))) return false;
    this.#parts.end(order, 'proved-burned', this.#evidence(order));
    return true;
  }

  /** A history row without a client id may still be this order or its fence. */
  #mayBeOrder(order: OwnOrder, report: OrderReport): boolean {
    if (report.clientOrderId !== undefined || !mayBeOrderOrFence(order, report)) return false;
    return !this.#parts.ledger.hasOrderId(report.orderId);
  }

  #evidence(order: OwnOrder): string {
    const seconds = READ_VISIBILITY_MS / 1_000;
    return (
      `the venue calls the id taken, and ${order.conflictQueries} lookups over more than ${seconds} s, ` +
      'open orders, positions and order history have no such order'
    );
  }
}
