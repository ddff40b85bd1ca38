import type { OrderRef } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import { CANCEL_SPACING_MS, spaced } from '../constants.js';
import type { Looking } from './looking.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { OwnOrder } from './own-order.js';
import { saidBy } from './said-by.js';
import type { Placing } from './placing.js';

/** Takes orders back. A cancel is safe to repeat; truth is the lookup after it (hazards B1 to B5). */
export class Canceling {
  readonly #parts: ProtocolParts;
  readonly #placing: Placing;
  readonly #looking: Looking;

  constructor(parts: ProtocolParts, placing: Placing, looking: Looking) {
    this.#parts = parts;
    this.#placing = placing;
    this.#looking = looking;
  }

  cancel(order: OwnOrder): void {
    if (order.ended || order.cancelState !== 'none') return;
    const awaits = order.state === 'waiting' || order.state === 'retrying';
    order.cancelState = 'wanted';
    if (awaits && !order.unknownSeen) {
      this.#placing.withdraw(order, 'canceled before it was sent');
      return;
    }
    order.wanted = false;
    this.#parts.journal.instruction(order, 'cancel', 'cancel wanted');
    if (awaits) this.#looking.quarantine(order, 'canceled before it was sent again');
    else this.#request(order, 0);
  }

  /** The venue has it: what nobody wants any more is canceled now that it can be. */
  met(order: OwnOrder): void {
    if (order.wanted) return;
    if (order.cancelState === 'none') order.cancelState = 'wanted';
    if (order.cancelState === 'wanted') this.#request(order, 0);
  }

  #request(order: OwnOrder, tries: number): void {
    if (order.canceling) return;
    order.canceling = true;
    this.#parts.desk.ask<'cancel'>({
      request: { kind: 'cancel', order: referenceOf(order) },
      priority: 'cancel',
      ready: () => {
        order.cancelSentAt = this.#parts.world.stamp.venueTime;
        return !order.ended;
      },
      answered: (outcome) => {
        order.canceling = false;
        if (!order.ended) this.#answered(order, outcome, tries);
      },
    });
  }

  #answered(order: OwnOrder, outcome: Outcome<null>, tries: number): void {
    const over = outcome.kind === 'no' && outcome.code === 'order-not-open';
    this.#parts.journal.note(order, `cancel: ${saidBy(outcome, 'acknowledged')}`, 'info');
    if (outcome.kind === 'yes' || over) {
      order.cancelState = over ? 'not-open' : 'acknowledged';
      const { monotonic, venueTime } = this.#parts.world.stamp;
      order.canceledAt = monotonic;
      order.cancelAnsweredAt = venueTime;
      order.endReads = 0;
      if (order.state === 'accepted') this.#looking.look(order, 0);
    } else if (order.state === 'accepted') {
      // It may be done: a look is cheaper than another cancel, which has a budget of its own.
      if (outcome.kind === 'unknown' && outcome.sent) this.#looking.look(order, 0);
      this.#parts.desk.after(spaced(CANCEL_SPACING_MS, tries), () => {
        if (!order.ended) this.#request(order, tries + 1);
      });
    }
    // Otherwise it may not have landed yet: a 404 ends nothing (B3), and `met` cancels what lands.
  }
}

function referenceOf({ orderId, clientOrderId }: OwnOrder): OrderRef {
  return orderId === undefined ? { clientOrderId } : { orderId };
}
