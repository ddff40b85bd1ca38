import type { Outcome, Placement } from '../../core/request.js';
import type { RejectionCode } from '../../core/rejection.js';
import { HELD_EXIT_MS, MAX_LOCKED, RETRY_SPACING_MS, spaced } from '../constants.js';
import type { Looking } from './looking.js';
import type { Hold, ProtocolParts } from '../protocol-parts.js';
import { laneOf } from '../operation/operation.js';
import type { OwnOrder } from './own-order.js';

/** Brings an order to the venue: attempt, answer, and the same bytes again while that is safe. */
export class Placing {
  readonly #parts: ProtocolParts;
  readonly #looking: Looking;
  /** While paused, attempts wait here: what an earlier life or a refused key left is proved first. */
  #held: Set<OwnOrder> | undefined;

  constructor(parts: ProtocolParts, looking: Looking) {
    this.#parts = parts;
    this.#looking = looking;
  }

  pause(): void {
    this.#held ??= new Set();
  }

  goOn(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const order of held) {
      if (order.state !== 'verifying') this.requestAttempt(order);
      // A look that is under way decides.
      else if (order.wanted && !order.looking) this.sendAgain(order);
    }
  }

  /** It was looked for, is not there, and waits to go again. */
  holds(order: OwnOrder): boolean {
    return order.state === 'verifying' && this.#held?.has(order) === true;
  }

  /**
   * It was looked for and is not there. @returns false while attempts wait: it stays unproved, since
   * bytes that left before may land meanwhile and move a position that nothing else explains.
   */
  sendAgain(order: OwnOrder): boolean {
    if (this.#held !== undefined) {
      this.#held.add(order);
      return false;
    }
    order.move('not-found-wanted');
    this.#parts.desk.cancel(order.timer);
    order.timer = undefined;
    this.requestAttempt(order);
    return true;
  }

  requestAttempt(order: OwnOrder): void {
    if (this.#held !== undefined) {
      this.#held.add(order);
      return;
    }
    if (!awaitsAttempt(order)) {
      this.#parts.lanes.pass(laneOf(order.terms));
      return;
    }
    this.#parts.desk.ask<'place'>({
      request: order.placeRequest(),
      priority: order.terms.reduceOnly ? 'protect' : 'place',
      ready: () => this.#readyToSend(order),
      answered: (outcome) => {
        this.#answered(order, outcome);
      },
    });
  }

  /** It will not be sent any more; where an attempt may have left, that is still to be proved. */
  withdraw(order: OwnOrder, reason: string): void {
    if (!order.unknownSeen) {
      order.wanted = false;
      this.#parts.end(order, 'drop', reason);
      return;
    }
    this.#looking.withdraw(order, reason);
    this.#looking.quarantine(order, reason);
  }

  /** The attempt may have taken effect: look before anything else. */
  uncertain(order: OwnOrder, cause: string): void {
    order.unknownSeen = true;
    order.unprovedSince ??= this.#parts.world.stamp.monotonic;
    order.looks = 0;
    order.move('unknown');
    this.#parts.journal.note(order, `outcome unknown: ${cause}`);
    this.#looking.lookAfterUnclear(order);
  }

  #readyToSend(order: OwnOrder): boolean {
    if (!this.#mayLeave(order)) {
      if (!order.terms.reduceOnly) this.#parts.lanes.pass(laneOf(order.terms));
      return false;
    }
    if (!this.#entersLane(order)) return false;
    order.attempts += 1;
    order.move('attempt');
    this.#parts.journal.attempt(order);
    return true;
  }

  /** The last look: validity, risk, and whether anything may be sent at all. */
  #mayLeave(order: OwnOrder): boolean {
    if (!awaitsAttempt(order)) return false;
    const { world } = this.#parts;
    const isExit = order.terms.reduceOnly;
    if (order.wanted && isExit && this.#held !== undefined) {
      this.#held.add(order);
      return false;
    }
    const hold = order.wanted ? world.reasonToHold(order) : NOT_WANTED;
    if (hold !== undefined) {
      if (isExit && hold.passes) this.#waitAndAsk(order);
      else {
        order.heldForNow = hold.passes;
        this.withdraw(order, hold.reason);
      }
      return false;
    }
    this.#held?.add(order);
    return this.#held === undefined;
  }

  /** A reduction is not given up for what passes: it asks for another slot. */
  #waitAndAsk(order: OwnOrder): void {
    this.#parts.desk.cancel(order.timer);
    order.timer = this.#parts.desk.after(HELD_EXIT_MS, () => {
      this.requestAttempt(order);
    });
  }

  /** One change of a symbol on the wire; a reduction overtakes. */
  #entersLane(order: OwnOrder): boolean {
    const { lanes } = this.#parts;
    const lane = laneOf(order.terms);
    if (order.terms.reduceOnly || lanes.enter(lane, order, true)) return true;
    lanes.whenFree(lane, order, true, () => {
      this.requestAttempt(order);
    });
    return false;
  }

  #answered(order: OwnOrder, outcome: Outcome<Placement>): void {
    if (!order.terms.reduceOnly) this.#parts.lanes.leave(laneOf(order.terms));
    this.#parts.journal.outcome(order, outcome);
    switch (outcome.kind) {
      case 'yes':
        order.move('yes');
        order.orderId = outcome.value.orderId;
        order.positionId = outcome.value.positionId;
        this.#looking.adopt(order);
        return;
      case 'no':
        this.#refused(order, outcome.code, outcome.text);
        return;
      case 'unknown':
        this.#looking.checkAnswer(outcome);
        if (outcome.sent || order.unknownSeen) this.uncertain(order, outcome.cause);
        else this.#tryAgain(order);
    }
  }

  #refused(order: OwnOrder, code: RejectionCode, text: string): void {
    const { world } = this.#parts;
    const forNow = code === 'locked' || code === 'rate-limited';
    if (code === 'client-order-id-exists') {
      if (isFirstWord(order)) world.warn(takenText(order));
      order.conflictSeen = true;
      order.conflictAt ??= world.stamp.monotonic;
      this.uncertain(order, text);
    } else if (order.unknownSeen) {
      // The refusal may be caused by an attempt that landed, and then it is the order's own doing.
      if (!forNow) order.wanted = false;
      this.uncertain(order, `${text}, after an attempt without a clear answer`);
    } else if (forNow && !this.#isLockedForGood(order, code)) {
      this.#tryAgain(order);
    } else this.#parts.end(order, 'no', text);
    if (code === 'leverage-not-set') world.leverageUnset(order);
    if (code === 'locked' || code.startsWith('reduce-only')) world.positionDoubted(order);
  }

  /** An exit goes on for as long as it is valid; what opens gives way. */
  #isLockedForGood(order: OwnOrder, code: RejectionCode): boolean {
    if (code === 'locked') order.locked += 1;
    return order.locked >= MAX_LOCKED && !order.terms.reduceOnly;
  }

  /** This attempt made nothing: wait and send the same bytes again, while they are still wanted. */
  #tryAgain(order: OwnOrder): void {
    order.move('no-for-now');
    const delay = spaced(RETRY_SPACING_MS, order.refusedForNow);
    order.refusedForNow += 1;
    if (!order.wanted) this.withdraw(order, 'it is no longer wanted');
    else
      order.timer = this.#parts.desk.after(delay, () => {
        this.requestAttempt(order);
      });
  }
}

/** Nothing of it left before, in no life: the journal would have the attempt. */
const isFirstWord = ({ attempts, unknownSeen }: OwnOrder): boolean =>
  attempts === 1 && !unknownSeen;

/** The wire does not tell the two apart (A19): the order is looked up, and its terms decide. */
const takenText = ({ clientOrderId }: OwnOrder): string =>
  `the venue had order ${clientOrderId} before it answered our first request for it: either the request ` +
  'was delivered twice on its way, or another bot with this account name decides the same';

const NOT_WANTED: Hold = { reason: 'it is no longer wanted', passes: false };

const awaitsAttempt = ({ state }: OwnOrder): boolean => state === 'waiting' || state === 'retrying';
