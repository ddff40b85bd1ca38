import { assert } from '../../core/assert.js';
import type { Price, Quantity } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import { isFinal, type OrderReport, type OrderTerms } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import {
  CONFIRMING_MS,
  CONFIRMING_READS,
  MAX_LOCKED,
  POLL_SPACING_MS,
  READ_VISIBILITY_MS,
  RETRY_SPACING_MS,
  spaced,
  VERIFY_SPACING_MS,
} from '../constants.js';
import { laneOf, type Operation } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';
import type { OwnOrder } from '../order/own-order.js';

export interface AmendingParts extends OperationParts {
  /** Ends the order, and with it everything that could still change it. */
  readonly cancel: (order: OwnOrder) => void;
}

export interface NewTerms {
  readonly price: Price;
  readonly quantity: Quantity;
}

/** One amendment on its way, and the order that it is for. */
interface Amendment {
  readonly operation: Operation<'amend'>;
  readonly order: OwnOrder;
  readonly hold: () => string | undefined;
  looks: number;
  /** Reads in a row that showed the old terms, and when the first of them began. */
  oldReads: number;
  oldSince: number;
}

/**
 * Another price and quantity for a resting order, by the venue's PATCH. A PATCH has no id, so that one
 * whose answer is lost could land over whatever was wanted since (C2): none follows it. The order is
 * read until it shows the new terms, and is canceled when it does not in time, because nothing can
 * change an order that has ended. Until then exposure counts the larger of the two (C5).
 */
export class Amending {
  readonly #parts: AmendingParts;
  readonly #underWay = new Map<string, Amendment>();

  constructor(parts: AmendingParts) {
    this.#parts = parts;
  }

  /**
   * @param hold why it must not leave, judged when its slot is granted
   * @returns the operation, or why there can be none
   */
  amend(
    order: OwnOrder,
    { price, quantity }: NewTerms,
    hold: () => string | undefined,
    cause?: Cause,
  ): Operation<'amend'> | string {
    const objection = this.#objection(order);
    if (objection !== undefined) return objection;
    const { operations, journal } = this.#parts;
    const { terms, clientOrderId } = order;
    assert(terms.price !== undefined, 'A limit order has a price');
    const plan = {
      kind: 'amend',
      clientOrderId,
      fromPrice: terms.price,
      fromQuantity: terms.quantity,
      price,
      quantity,
    } as const;
    const operation = operations.create<'amend'>(plan, cause);
    journal.begun(operation as unknown as Operation);
    this.#attempt(this.#begin(operation, order, hold));
    return operation;
  }

  /** What an earlier life left: its order counts at both terms again. */
  takeOver(operation: Operation<'amend'>, order: OwnOrder): void {
    this.#begin(operation, order, () => 'an earlier life asked for it');
  }

  resume(): void {
    for (const amendment of [...this.#underWay.values()]) {
      const { operation, order } = amendment;
      if (order.ended) this.orderEnded(order);
      else if (operation.state === 'waiting' || operation.state === 'retrying') {
        this.#end(amendment, 'drop', 'it was not sent again after a restart');
      } else this.#look(amendment, 0);
    }
  }

  isUnderWay(order: OwnOrder): boolean {
    return this.#of(order) !== undefined;
  }

  /** The order's end is proved. */
  orderEnded(order: OwnOrder): void {
    const amendment = this.#of(order);
    if (amendment === undefined) return;
    const evidence = `the order is ${order.state}: nothing changes it any more`;
    this.#end(amendment, 'order-ended', evidence);
  }

  /** Where nothing is amended, as in a backtest, no id is computed. */
  #of(order: OwnOrder): Amendment | undefined {
    return this.#underWay.size === 0 ? undefined : this.#underWay.get(order.clientOrderId);
  }

  #objection(order: OwnOrder): string | undefined {
    if (order.terms.type !== 'limit') return 'only a limit order has a price to change';
    if (order.state !== 'accepted' || order.orderId === undefined)
      return 'the order is not proved to rest at the venue';
    if (this.isUnderWay(order)) return 'another amendment of it is not proved yet';
    return notAmendable(order);
  }

  #begin(operation: Operation<'amend'>, order: OwnOrder, hold: Amendment['hold']): Amendment {
    const amendment: Amendment = { operation, order, hold, looks: 0, oldReads: 0, oldSince: 0 };
    order.amending = newTermsOf(order, operation.plan);
    this.#underWay.set(order.clientOrderId, amendment);
    return amendment;
  }

  #attempt(amendment: Amendment): void {
    const { operation, order } = amendment;
    const { orderId } = order;
    assert(orderId !== undefined, 'An order that is amended has the id of the venue');
    const { price, quantity } = operation.plan;
    sendAttempt<'amend', 'amend'>(
      operation,
      {
        request: { kind: 'amend', orderId, price, quantity },
        priority: 'place',
        step: { kind: 'amend', orderId },
        lane: { name: laneOf(order.terms), calm: true },
        hold: () => (operation.ended ? 'it has ended' : (notAmendable(order) ?? amendment.hold())),
        held: (reason) => {
          if (!operation.ended) this.#end(amendment, 'drop', reason);
        },
        leaves: () => {
          operation.move('attempt');
        },
        answered: (outcome) => {
          if (!operation.ended) this.#answered(amendment, outcome);
        },
      },
      this.#parts,
    );
  }

  #answered(amendment: Amendment, outcome: Outcome<null>): void {
    const { operation } = amendment;
    if (outcome.kind === 'yes') {
      operation.move('yes');
      this.#look(amendment, spaced(POLL_SPACING_MS, 0));
    } else if (isForNow(outcome)) {
      operation.move('no-for-now');
      const again = operation.attempts < MAX_LOCKED;
      if (!again) this.#end(amendment, 'drop', 'refused for the moment too often');
      else
        this.#parts.desk.after(spaced(RETRY_SPACING_MS, operation.attempts - 1), () => {
          if (!operation.ended) this.#attempt(amendment);
        });
    } else if (outcome.kind === 'no') this.#end(amendment, 'no', outcome.text);
    else {
      operation.move('unknown');
      this.#lookAgain(amendment);
    }
  }

  #lookAgain(amendment: Amendment): void {
    this.#look(amendment, spaced(VERIFY_SPACING_MS, amendment.looks));
    amendment.looks += 1;
  }

  #look(amendment: Amendment, delayMs: number): void {
    const { desk, world } = this.#parts;
    const { operation, order } = amendment;
    const { orderId } = order;
    assert(orderId !== undefined, 'An order that is amended has the id of the venue');
    desk.after(delayMs, () => {
      if (!isRead(operation)) return;
      const startedAt = world.stamp.monotonic;
      desk.ask<'find-order'>({
        request: { kind: 'find-order', order: { orderId } },
        priority: 'verify',
        ready: () => isRead(operation),
        answered: (outcome) => {
          if (!isRead(operation)) return;
          if (outcome.kind === 'yes') this.#weigh(amendment, outcome.value, startedAt);
          else this.#lookAgain(amendment);
        },
      });
    });
  }

  #weigh(amendment: Amendment, report: OrderReport, startedAt: number): void {
    const { operation } = amendment;
    const { plan } = operation;
    if (shows(report, plan.price, plan.quantity)) {
      this.#end(amendment, 'shows-new', `order ${report.orderId} shows the new price and quantity`);
      return;
    }
    // Its end is for the order's own looks to prove; they tell.
    if (isFinal(report.status)) this.#lookAgain(amendment);
    else if (shows(report, plan.fromPrice, plan.fromQuantity)) this.#showsOld(amendment, startedAt);
    else {
      this.#parts.world.halt(
        `order ${plan.clientOrderId} shows a price and quantity that are neither its old nor its new ones`,
      );
      this.#fence(amendment);
    }
  }

  #showsOld(amendment: Amendment, startedAt: number): void {
    if (amendment.oldReads === 0) amendment.oldSince = startedAt;
    amendment.oldReads += 1;
    const patience = amendment.operation.state === 'verifying' ? CONFIRMING_MS : READ_VISIBILITY_MS;
    const longEnough = startedAt - amendment.oldSince >= patience;
    if (amendment.oldReads >= CONFIRMING_READS && longEnough) this.#fence(amendment);
    else this.#lookAgain(amendment);
  }

  #fence({ operation, order }: Amendment): void {
    operation.move('shows-old');
    this.#parts.cancel(order);
  }

  #end(
    amendment: Amendment,
    move: 'no' | 'shows-new' | 'order-ended' | 'drop',
    evidence: string,
  ): void {
    const { operation, order } = amendment;
    operation.move(move);
    order.amending = undefined;
    this.#underWay.delete(order.clientOrderId);
    if (operation.state === 'applied') order.amendedTo(newTermsOf(order, operation.plan));
    endOperation(operation, evidence, this.#parts);
  }
}

/** The interface amends an open unfilled order; what is filled, nobody knows how it would count (C4). */
function notAmendable({ filledQuantity, cancelState, ended }: OwnOrder): string | undefined {
  if (ended) return 'the order has ended';
  if (cancelState !== 'none') return 'the order is being canceled';
  return filledQuantity > 0 ? 'a part of the order is filled' : undefined;
}

const isRead = ({ state }: Operation<'amend'>): boolean =>
  state === 'verifying' || state === 'acknowledged';

/** Proof that this attempt changed nothing, and that the next may go. */
const isForNow = (outcome: Outcome<null>): boolean =>
  outcome.kind === 'unknown'
    ? !outcome.sent
    : outcome.kind === 'no' && (outcome.code === 'locked' || outcome.code === 'rate-limited');

const shows = (report: OrderReport, price: Price, quantity: Quantity): boolean =>
  report.price === price && report.quantity === quantity;

/** @returns the order's terms as the amendment makes them */
export const newTermsOf = ({ terms }: OwnOrder, { price, quantity }: NewTerms): OrderTerms => ({
  ...terms,
  price,
  quantity,
});
