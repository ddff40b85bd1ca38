import type { OrderReport } from '../../core/order.js';
import { BURNED_READS, READ_VISIBILITY_MS } from '../constants.js';
import { couldBeOf } from './order-comparison.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { OwnOrder } from './own-order.js';

/**
 * Proves that an id was consumed without making an order (interface, client_order_id rule 4; part 0.2
 * of the kernel). The picture is the same as a read that lags, or as a lookup that never knows client
 * ids (supplement part 9), so that it takes time, spaced lookups, and every list of the account read
 * after that time.
 */
export class BurnedProof {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  /**
   * Counts a lookup that did not find it, right before order history is asked for.
   *
   * @returns whether a history that lacks it too would be the last piece of the proof
   */
  countLook(order: OwnOrder): boolean {
    const { world } = this.#parts;
    order.conflictAt ??= world.stamp.monotonic;
    order.conflictLooks += 1;
    const visibleAt = order.conflictAt + READ_VISIBILITY_MS;
    const enough = order.conflictLooks >= BURNED_READS && world.stamp.monotonic >= visibleAt;
    return enough && world.absent(order, visibleAt);
  }

  /** @returns whether this history ended the order as burned */
  weigh(order: OwnOrder, history: readonly OrderReport[]): boolean {
    if (history.some((report) => this.#couldBe(order, report))) return false;
    this.#parts.end(order, 'proved-burned', this.#evidence(order));
    return true;
  }

  /** History rows need not tell their client id (interface, Order history). */
  #couldBe(order: OwnOrder, report: OrderReport): boolean {
    if (report.clientOrderId !== undefined || !couldBeOf(order, report)) return false;
    return !this.#parts.ledger.hasOrderId(report.orderId);
  }

  #evidence(order: OwnOrder): string {
    const seconds = READ_VISIBILITY_MS / 1_000;
    return (
      `the venue calls the id taken, and ${order.conflictLooks} lookups over more than ${seconds} s, ` +
      'open orders, positions and order history have no such order'
    );
  }
}
