import type { OrderRef, OrderReport } from '../../core/order.js';
import type { Outcome, Priority } from '../../core/request.js';
import {
  LIST_FRESHNESS_MS,
  POLL_BACKOFF_MS,
  RESTING_BACKOFF_MS,
  RESUMED_QUERY_MS,
  SLOW_QUERY_MS,
  VERIFY_BACKOFF_MS,
  VERIFY_EXIT_BACKOFF_MS,
  backoffDelay,
} from '../constants.js';
import type { ProtocolParts } from '../protocol-parts.js';
import { isUnproved } from './order-state.js';
import type { OwnOrder } from './own-order.js';

/** Lookups of single orders: when the next one leaves, by which id, and at which priority. */
export class OrderLookup {
  readonly #parts: ProtocolParts;
  /** Lookups without a permit yet. */
  readonly #waiting = new WeakMap<OwnOrder, { readonly priority: Priority }>();
  readonly #onReply: (
    order: OwnOrder,
    outcome: Outcome<OrderReport>,
    /** Monotonic ms at which the lookup was asked for. */
    startedAt: number,
  ) => void;

  constructor(
    parts: ProtocolParts,
    onReply: (order: OwnOrder, outcome: Outcome<OrderReport>, startedAt: number) => void,
  ) {
    this.#parts = parts;
    this.#onReply = onReply;
  }

  /** One lookup per order at a time: a request made meanwhile runs right after the reply. */
  query(order: OwnOrder, delayMs: number): void {
    if (order.ended) return;
    if (order.queryInFlight) {
      if (delayMs === 0) this.#hurry(order);
      return;
    }
    const delay = order.querySoon ? 0 : delayMs;
    if (order.querySoon) order.querySoon = false;
    const { requests } = this.#parts;
    requests.cancelTimer(order.timer);
    if (delay > 0 && requests.reportsOrders) {
      order.timer = undefined;
      return;
    }
    order.timer = requests.after(delay, () => {
      order.timer = undefined;
      // A lookup without delay has a reason of its own, so that a recent list does not replace it.
      if (delay > 0 && this.#isRestingAsListed(order)) this.poll(order, order.queries);
      else this.#send(order);
    });
  }

  /** The next lookup of an order that may be at the venue and was not found. */
  verify(order: OwnOrder): void {
    this.query(order, verifyDelay(order, order.queries));
  }

  /** The n-th lookup of an order that the venue has. */
  poll(order: OwnOrder, n: number): void {
    this.query(order, pollDelay(order, n));
  }

  /** Each unclear attempt in a row waits longer, so that the same bytes do not go in circles. */
  queryAfterUnclear(order: OwnOrder): void {
    this.query(order, verifyDelay(order, order.unclearAttempts));
    order.unclearAttempts += 1;
  }

  queryNow(order: OwnOrder): void {
    if (order.state === 'accepted' || isUnproved(order.state)) this.query(order, 0);
  }

  queryUnlessListed(order: OwnOrder): void {
    if (!this.#isRecentlyListed(order)) this.queryNow(order);
  }

  /**
   * For a resting order of a previous run. One list of open orders covers all of them, so that each
   * waits for the list before it costs a request of its own.
   */
  resume(order: OwnOrder): void {
    order.lastQueriedAt = this.#parts.engine.stamp.monotonic;
    this.query(order, RESUMED_QUERY_MS);
  }

  priorityOf(order: OwnOrder): Priority {
    // Whether a position is closed and an order is at the venue comes before canceled orders. A cancel that
    // waits for its answer is not in doubt.
    const { state, cancelState, cancelInFlight } = order;
    if (state === 'accepted' && cancelState === 'wanted' && !cancelInFlight) return 'protect';
    if (order.terms.reduceOnly && order.terms.type === 'market') return 'protect';
    // A listed order that rests may wait for orders that are to be placed.
    return this.#isRecentlyListed(order) ? 'poll' : 'verify';
  }

  /** The list of open orders has shown what a lookup would show. */
  #isRestingAsListed(order: OwnOrder): boolean {
    const now = this.#parts.engine.stamp.monotonic;
    return this.#isRecentlyListed(order) && now - order.lastQueriedAt < SLOW_QUERY_MS;
  }

  #isRecentlyListed({ state, cancelState, terminalReads, lastListedAt }: OwnOrder): boolean {
    const isResting = state === 'accepted' && cancelState === 'none' && terminalReads === 0;
    return isResting && this.#parts.engine.stamp.monotonic - lastListedAt < LIST_FRESHNESS_MS;
  }

  /** A lookup that waits behind everything else is withdrawn once the order is in doubt: another one goes ahead. */
  #hurry(order: OwnOrder): void {
    if (this.#waiting.get(order)?.priority !== 'poll' || this.priorityOf(order) === 'poll')
      order.querySoon = true;
    else this.#send(order);
  }

  #send(order: OwnOrder): void {
    const startedAt = this.#parts.engine.stamp.monotonic;
    const lookup = { priority: this.priorityOf(order) };
    this.#waiting.set(order, lookup);
    order.queryInFlight = true;
    order.lastQueriedAt = startedAt;
    this.#parts.requests.enqueue<'find-order'>({
      request: { kind: 'find-order', order: referenceOf(order) },
      priority: lookup.priority,
      ready: () => {
        if (this.#waiting.get(order) !== lookup) return false;
        this.#waiting.delete(order);
        return !order.ended;
      },
      onReply: (outcome) => {
        order.queryInFlight = false;
        this.#onReply(order, outcome, startedAt);
      },
    });
  }
}

/** An exit that may not have landed leaves a position open, so that its lookups stay close for longer. */
export const verifyDelay = ({ terms }: OwnOrder, n: number): number =>
  backoffDelay(
    terms.reduceOnly && terms.type === 'market' ? VERIFY_EXIT_BACKOFF_MS : VERIFY_BACKOFF_MS,
    n,
  );

/** A limit order has one early lookup, in case it matched at once; after that the lists show it. */
const pollDelay = ({ terms }: OwnOrder, n: number): number =>
  backoffDelay(terms.type === 'limit' ? RESTING_BACKOFF_MS : POLL_BACKOFF_MS, n);

/**
 * Before the order is adopted only a lookup by client id proves anything, since nothing else is known
 * to be ours. After that every other failing lookup goes by the venue's id. The first one does so too
 * where the venue's lookup by client id was seen to miss the order (supplement: lookups).
 */
function referenceOf(order: OwnOrder): OrderRef {
  const { orderId, clientOrderId, queries, missedByClientId } = order;
  const byOrderId = queries % 2 === (missedByClientId ? 0 : 1);
  return orderId !== undefined && byOrderId ? { orderId } : { clientOrderId };
}
