import type { OrderReport } from '../core/order.js';
import { BURNED_READS, HISTORY_LIMIT, READ_VISIBILITY_MS } from './constants.js';
import { isSameOrder } from './order-comparison.js';
import type { ProtocolParts } from './protocol-parts.js';
import type { OwnOrder } from './own-order.js';

export interface ProofNews {
  /** It is there after all. */
  readonly found: (report: OrderReport, startedAt: number) => void;
  /** Not yet; look again. */
  readonly undecided: () => void;
}

/**
 * Proves that an id was consumed without making an order (interface, client_order_id rule 4; part 0.2
 * of the kernel). The picture is the same as a read that lags, or as a lookup that never knows client
 * ids (supplement part 9), so that it takes time, spaced lookups, and every list of the account read
 * after that time. That the order is there is proved by one row of its history, at any time.
 */
export class BurnedProof {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  /** After a lookup that did not find it. */
  weigh(order: OwnOrder, news: ProofNews): void {
    const { world } = this.#parts;
    order.conflictAt ??= world.stamp.monotonic;
    order.conflictLooks += 1;
    const visibleAt = order.conflictAt + READ_VISIBILITY_MS;
    const enough = order.conflictLooks >= BURNED_READS && world.stamp.monotonic >= visibleAt;
    this.#askHistory(order, enough && world.absent(order, visibleAt), news);
  }

  #askHistory(order: OwnOrder, absent: boolean, news: ProofNews): void {
    const startedAt = this.#parts.world.stamp.monotonic;
    this.#parts.desk.ask<'read-order-history'>({
      request: {
        kind: 'read-order-history',
        currency: order.terms.currency,
        limit: HISTORY_LIMIT,
      },
      priority: 'verify',
      ready: () => !order.ended,
      answered: (outcome) => {
        if (order.ended) return;
        const history = outcome.kind === 'yes' ? outcome.value : undefined;
        const own = history?.find((report) => report.clientOrderId === order.clientOrderId);
        if (own !== undefined) news.found(own, startedAt);
        else if (absent && history !== undefined) this.#weighHistory(order, history, news);
        else news.undecided();
      },
    });
  }

  #weighHistory(order: OwnOrder, history: readonly OrderReport[], news: ProofNews): void {
    if (history.some((report) => this.#couldBe(order, report))) news.undecided();
    else this.#parts.end(order, 'proved-burned', this.#evidence(order));
  }

  /** History rows need not tell their client id (interface, Order history). */
  #couldBe(order: OwnOrder, report: OrderReport): boolean {
    if (report.clientOrderId !== undefined || !isSameOrder(order.terms, report)) return false;
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
