import type { OrderTerms } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';
import { FENCE_BACKOFF_MS, backoffDelay } from '../constants.js';
import { symbolLockOf } from '../operation/operation.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { OrderStatusResolver } from './order-status-resolver.js';
import type { OwnOrder } from './own-order.js';

/**
 * Ends a withdrawn order that never landed. A harmless order that is priced to rest leaves under
 * the same client id, its terms journaled first, and is canceled. The venue takes an id once, so
 * that a delayed request for the original can no longer become an order.
 *
 * - 202: the fence has the id. From then on it is an ordinary order and ends `canceled`.
 * - 409: the original landed, or a rejection burned the id. Lookups, lists and the burned proof
 *   decide.
 * - Any other reply proves nothing: the order stays quarantined, and the fence is sent again later.
 */
export class IdFence {
  readonly #parts: ProtocolParts;
  readonly #statusResolver: OrderStatusResolver;

  constructor(parts: ProtocolParts, statusResolver: OrderStatusResolver) {
    this.#parts = parts;
    this.#statusResolver = statusResolver;
  }

  /** Call it when neither a lookup nor order history has the order. */
  attempt(order: OwnOrder): void {
    const { requests, engine } = this.#parts;
    if (!this.#isDue(order)) return;
    const terms = order.fence ?? engine.fenceTerms(order);
    if (typeof terms === 'string') {
      this.#noteOnce(order, terms);
      return;
    }
    order.fenceInFlight = true;
    const { clientOrderId, key: orderKey } = order;
    requests.enqueue<'place'>({
      request: { kind: 'place', clientOrderId, terms, orderKey },
      priority: 'place',
      ready: () => {
        if (this.#maySend(order)) return this.#recordSent(order, terms);
        order.fenceInFlight = false;
        return false;
      },
      onReply: (outcome) => {
        this.#onReply(order, outcome);
      },
    });
  }

  #isDue(order: OwnOrder): boolean {
    const { state, active, conflictSeen, fenceInFlight, nextFenceAt, fencedAt, lastReadAt } = order;
    if (state !== 'quarantined' || active || conflictSeen || fenceInFlight) return false;
    // A lookup from before the last fence left is no evidence about that fence.
    if (lastReadAt <= fencedAt) return false;
    return this.#parts.engine.stamp.monotonic >= nextFenceAt;
  }

  /**
   * Nothing else of the symbol is in flight, and the order is as it was when the permit was asked
   * for.
   */
  #maySend(order: OwnOrder): boolean {
    const { locks, engine } = this.#parts;
    if (order.state !== 'quarantined' || order.conflictSeen) return false;
    if (typeof engine.fenceTerms(order) === 'string') return false;
    return locks.tryStartRequest(symbolLockOf(order.terms), order, true);
  }

  #recordSent(order: OwnOrder, terms: OrderTerms): true {
    order.fence = terms;
    order.fenceAttempts += 1;
    order.fencedAt = this.#parts.engine.stamp.monotonic;
    this.#parts.journal.fence(order, terms);
    return true;
  }

  #onReply(order: OwnOrder, outcome: Outcome<Placement>): void {
    const { locks, journal, engine } = this.#parts;
    locks.finishRequest(symbolLockOf(order.intent.terms));
    order.fenceInFlight = false;
    const { monotonic } = engine.stamp;
    order.nextFenceAt = monotonic + backoffDelay(FENCE_BACKOFF_MS, order.fenceAttempts - 1);
    if (order.ended) return;
    journal.fenceOutcome(order, outcome);
    // A lookup found the order before this reply arrived.
    if (order.state !== 'quarantined') return;
    if (outcome.kind === 'yes') {
      order.orderId = outcome.value.orderId;
      order.landAsFence();
      order.apply('found');
      this.#statusResolver.trackUntilEnd(order);
      return;
    }
    if (outcome.kind === 'no' && outcome.code === 'client-order-id-exists') {
      order.conflictSeen = true;
      order.conflictAt ??= monotonic;
    } else if (outcome.kind === 'no') this.#noteOnce(order, outcome.text);
    order.queries = 0;
    this.#statusResolver.lookups.queryAfterUnclear(order);
  }

  /** Journals each reason once. */
  #noteOnce(order: OwnOrder, reason: string): void {
    if (order.fenceRefusal === reason) return;
    order.fenceRefusal = reason;
    const text = `no fence is possible now: ${reason}`;
    this.#parts.journal.note(order, text);
  }
}
