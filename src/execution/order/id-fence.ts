import type { OrderTerms } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';
import { FENCE_SPACING_MS, spaced } from '../constants.js';
import { laneOf } from '../operation/operation.js';
import type { ProtocolParts } from '../protocol-parts.js';
import type { Looking } from './looking.js';
import type { OwnOrder } from './own-order.js';

/**
 * Ends an order that never landed and is not wanted any more (reliability part 0.2). A harmless order that
 * surely rests leaves under the same id, its terms journaled first, and is canceled. The venue takes an id
 * once: what was on its way under it can never become an order after that.
 *
 * - 202: the fence has the id. It is an order like any from there on, and ends `canceled`.
 * - 409: the original landed, or a hard rejection burned the id. Lookups, lists and the burned proof decide.
 * - Anything else proves nothing: the order stays quarantined, and the fence is tried again later.
 */
export class IdFence {
  readonly #parts: ProtocolParts;
  readonly #looking: Looking;

  constructor(parts: ProtocolParts, looking: Looking) {
    this.#parts = parts;
    this.#looking = looking;
  }

  /** Neither a lookup nor history has the order. */
  attempt(order: OwnOrder): void {
    const { desk, world } = this.#parts;
    if (!this.#isDue(order)) return;
    const terms = order.fence ?? world.fenceTerms(order);
    if (typeof terms === 'string') {
      this.#say(order, terms);
      return;
    }
    order.fencing = true;
    const { clientOrderId, key: orderKey } = order;
    desk.ask<'place'>({
      request: { kind: 'place', clientOrderId, terms, orderKey },
      priority: 'place',
      ready: () => {
        if (this.#mayLeave(order)) return this.#leave(order, terms);
        order.fencing = false;
        return false;
      },
      answered: (outcome) => {
        this.#answered(order, outcome);
      },
    });
  }

  #isDue(order: OwnOrder): boolean {
    const { state, wanted, conflictSeen, fencing, fenceAt, fencedAt, lookedAt } = order;
    if (state !== 'quarantined' || wanted || conflictSeen || fencing) return false;
    // A lookup that began before the last fence left says nothing of it.
    if (lookedAt <= fencedAt) return false;
    return this.#parts.world.stamp.monotonic >= fenceAt;
  }

  /** Nothing else of the symbol is on the wire, and nothing has changed since it was asked for. */
  #mayLeave(order: OwnOrder): boolean {
    const { lanes, world } = this.#parts;
    if (order.state !== 'quarantined' || order.conflictSeen) return false;
    if (typeof world.fenceTerms(order) === 'string') return false;
    return lanes.enter(laneOf(order.terms), order, true);
  }

  #leave(order: OwnOrder, terms: OrderTerms): true {
    order.fence = terms;
    order.fenceAttempts += 1;
    order.fencedAt = this.#parts.world.stamp.monotonic;
    this.#parts.journal.fence(order, terms);
    return true;
  }

  #answered(order: OwnOrder, outcome: Outcome<Placement>): void {
    const { lanes, journal, world } = this.#parts;
    lanes.leave(laneOf(order.intent.terms));
    order.fencing = false;
    const { monotonic } = world.stamp;
    order.fenceAt = monotonic + spaced(FENCE_SPACING_MS, order.fenceAttempts - 1);
    if (order.ended) return;
    journal.fenceOutcome(order, outcome);
    // A lookup was quicker than this answer.
    if (order.state !== 'quarantined') return;
    if (outcome.kind === 'yes') {
      order.orderId = outcome.value.orderId;
      order.landAsFence();
      order.move('found');
      this.#looking.adopt(order);
      return;
    }
    if (outcome.kind === 'no' && outcome.code === 'client-order-id-exists') {
      order.conflictSeen = true;
      order.conflictAt ??= monotonic;
    } else if (outcome.kind === 'no') this.#say(order, outcome.text);
    order.looks = 0;
    this.#looking.lookAfterUnclear(order);
  }

  /** Once for each reason. */
  #say(order: OwnOrder, reason: string): void {
    if (order.fenceRefusal === reason) return;
    order.fenceRefusal = reason;
    const text = `no fence is possible now: ${reason}`;
    this.#parts.journal.note(order, text);
  }
}
