import type { OrderRef } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import {
  CANCEL_BACKOFF_MS,
  CANCEL_DELAY_MS,
  MAX_CANCEL_DELAYS,
  backoffDelay,
} from '../constants.js';
import { describeOutcome } from '../journal/journal.js';
import type { OrderStatusResolver } from './order-status-resolver.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { OwnOrder } from './own-order.js';
import type { OrderSubmitter } from './order-submitter.js';

/** Cancels orders. A cancel is safe to repeat; the lookup after it decides (hazards B1 to B5). */
export class OrderCanceler {
  readonly #parts: ProtocolParts;
  readonly #submitter: OrderSubmitter;
  readonly #statusResolver: OrderStatusResolver;

  constructor(
    parts: ProtocolParts,
    submitter: OrderSubmitter,
    statusResolver: OrderStatusResolver,
  ) {
    this.#parts = parts;
    this.#submitter = submitter;
    this.#statusResolver = statusResolver;
  }

  cancel(order: OwnOrder): void {
    if (order.ended || order.cancelState !== 'none') return;
    const awaitsAttempt = order.state === 'waiting' || order.state === 'retrying';
    order.cancelState = 'wanted';
    if (awaitsAttempt && !order.unknownSeen) {
      this.#submitter.withdraw(order, 'canceled before it was sent');
      return;
    }
    order.active = false;
    this.#parts.journal.instruction(order, 'cancel', 'cancel wanted');
    if (awaitsAttempt) this.#statusResolver.quarantine(order, 'canceled before it was sent again');
    else this.#request(order, 0);
  }

  /** The venue has the order: one that was withdrawn meanwhile can be canceled from now on. */
  onAccepted(order: OwnOrder): void {
    if (order.active) return;
    if (order.cancelState === 'none') order.cancelState = 'wanted';
    if (order.cancelState === 'wanted') this.#request(order, 0);
  }

  #request(order: OwnOrder, tries: number): void {
    if (order.cancelInFlight) return;
    order.cancelInFlight = true;
    this.#parts.requests.enqueue<'cancel'>({
      request: { kind: 'cancel', order: referenceOf(order, tries) },
      priority: 'cancel',
      ready: () => {
        order.cancelSentAt = this.#parts.engine.stamp.venueTime;
        return !order.ended;
      },
      onReply: (outcome) => {
        order.cancelInFlight = false;
        if (!order.ended) this.#onReply(order, outcome, tries);
      },
    });
  }

  #onReply(order: OwnOrder, outcome: Outcome<null>, tries: number): void {
    const notOpen = outcome.kind === 'no' && outcome.code === 'order-not-open';
    this.#parts.journal.note(order, `cancel: ${describeOutcome(outcome, 'acknowledged')}`, 'info');
    if (outcome.kind === 'yes' || notOpen) {
      order.cancelState = notOpen ? 'not-open' : 'acknowledged';
      const { monotonic, venueTime } = this.#parts.engine.stamp;
      order.canceledAt = monotonic;
      order.cancelAnsweredAt = venueTime;
      order.terminalReads = 0;
      if (order.state === 'accepted') this.#statusResolver.lookups.query(order, 0);
    } else if (order.state === 'accepted') {
      // The cancel may have taken effect. A lookup is cheaper than another cancel, which has a rate
      // limit of its own.
      const mayHaveEnded = outcome.kind === 'unknown' && outcome.sent;
      if (mayHaveEnded) this.#statusResolver.lookups.query(order, 0);
      const delayMs = backoffDelay(CANCEL_BACKOFF_MS, tries);
      this.#repeat(order, delayMs, tries + 1, mayHaveEnded ? MAX_CANCEL_DELAYS : 0);
    }
    // Otherwise it may not have landed yet: a 404 ends nothing, and `onAccepted` cancels it if it
    // lands.
  }

  /** @param delays how often it may wait for a lookup that is about to show the end of the order */
  #repeat(order: OwnOrder, delayMs: number, tries: number, delays: number): void {
    this.#parts.requests.after(delayMs, () => {
      if (order.ended) return;
      const isLookedUp = order.queryInFlight || order.terminalReads > 0;
      if (isLookedUp && delays > 0) this.#repeat(order, CANCEL_DELAY_MS, tries, delays - 1);
      else this.#request(order, tries);
    });
  }
}

/**
 * Every second try takes the other endpoint: it has a rate limit of its own (interface, limits), and may
 * answer while the first does not.
 */
function referenceOf({ orderId, clientOrderId }: OwnOrder, tries: number): OrderRef {
  return orderId === undefined || tries % 2 === 1 ? { clientOrderId } : { orderId };
}
