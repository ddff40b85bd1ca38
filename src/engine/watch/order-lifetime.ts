import type { EventTime } from '../../core/events.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { Gate } from '../../risk/gate.js';
import { enforcesLimits } from '../../risk/preset.js';

export interface OrderLifetimeParts {
  readonly stamp: Readonly<EventTime>;
  readonly gate: Pick<Gate, 'preset' | 'limits'>;
  readonly ledger: OrderLedger;
  readonly protocol: Pick<OrderProtocol, 'cancel'>;
  readonly journal: Journal;
}

/**
 * Cancels a strategy's entry that has rested for longer than `max_order_lifetime_ms` of venue time (control
 * R33). A person decides about manual orders; reductions stay.
 */
export class OrderLifetime {
  readonly #parts: OrderLifetimeParts;
  readonly #isEnforced: boolean;

  constructor(parts: OrderLifetimeParts) {
    this.#parts = parts;
    this.#isEnforced = enforcesLimits(parts.gate.preset);
  }

  /** At each read of open orders, and at each close time of a backtest. */
  cancelOld(): void {
    const { ledger, journal, protocol, gate } = this.#parts;
    if (!this.#isEnforced || ledger.orderCount === 0) return;
    const limitMs = gate.limits.protection.maxOrderLifetimeMs;
    for (const order of [...ledger.allOpenOrders()]) {
      if (!this.#isOld(order, limitMs)) continue;
      journal.note(order, `R33: it has rested for more than ${limitMs} ms (max_order_lifetime_ms)`);
      protocol.cancel(order);
    }
  }

  /** Venue ms since the decision of the oldest resting entry of a strategy; undefined: none rests. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const order of this.#parts.ledger.allOpenOrders())
      if (this.#isWatched(order)) oldest = Math.min(oldest ?? Infinity, order.intent.decidedAt);
    return oldest === undefined ? undefined : this.#parts.stamp.venueTime - oldest;
  }

  #isOld(order: OwnOrder, limitMs: number): boolean {
    const { decidedAt } = order.intent;
    return this.#isWatched(order) && this.#parts.stamp.venueTime - decidedAt > limitMs;
  }

  #isWatched({ state, terms, intent, cancelState }: OwnOrder): boolean {
    const rests = state === 'accepted' && terms.type === 'limit' && cancelState === 'none';
    return rests && !terms.reduceOnly && intent.cause.kind !== 'operator';
  }
}
