import { assert } from '../../core/assert.js';
import type { Price, Quantity } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import { isTerminalStatus, type OrderReport, type OrderTerms } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import {
  CONFIRMING_MS,
  CONFIRMING_READS,
  MAX_LOCK_REFUSALS,
  POLL_BACKOFF_MS,
  READ_VISIBILITY_MS,
  RETRY_BACKOFF_MS,
  backoffDelay,
  VERIFY_BACKOFF_MS,
} from '../constants.js';
import { symbolLockOf, type Operation } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';
import type { OwnOrder } from '../order/own-order.js';

export interface OrderAmenderParts extends OperationParts {
  /** Cancels the order, after which no edit can reach it. */
  readonly cancel: (order: OwnOrder) => void;
}

export interface AmendmentTerms {
  readonly price: Price;
  readonly quantity: Quantity;
}

/** One amendment in progress, and its order. */
interface Amendment {
  readonly operation: Operation<'amend'>;
  readonly order: OwnOrder;
  readonly holdReason: () => string | undefined;
  queries: number;
  /** Reads in a row that showed the old terms, and when the first of them began. */
  oldReads: number;
  oldSince: number;
}

/**
 * Amends price and quantity of a resting order by the venue's PATCH. A PATCH has no id: one whose
 * reply is lost could land over any later one, so that none follows it (hazard C2). The order is
 * read until it shows the new terms. If it does not in time it is canceled, since an ended order
 * cannot change. Until then exposure counts the larger quantity (hazard C5).
 */
export class OrderAmender {
  readonly #parts: OrderAmenderParts;
  readonly #inProgress = new Map<string, Amendment>();

  constructor(parts: OrderAmenderParts) {
    this.#parts = parts;
  }

  /**
   * @param holdReason why it must not be sent; asked when its permit is granted
   * @returns the operation, or the reason that there can be none
   */
  amend(
    order: OwnOrder,
    { price, quantity }: AmendmentTerms,
    holdReason: () => string | undefined,
    cause?: DecisionCause,
  ): Operation<'amend'> | string {
    const refusal = this.#refusalReason(order);
    if (refusal !== undefined) return refusal;
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
    journal.started(operation as unknown as Operation);
    this.#attempt(this.#track(operation, order, holdReason));
    return operation;
  }

  /** Restores an operation of a previous run: its order counts at both terms again. */
  restore(operation: Operation<'amend'>, order: OwnOrder): void {
    this.#track(operation, order, () => 'a previous run requested it');
  }

  resume(): void {
    for (const amendment of [...this.#inProgress.values()]) {
      const { operation, order } = amendment;
      if (order.ended) this.onOrderEnded(order);
      else if (operation.state === 'waiting' || operation.state === 'retrying') {
        this.#end(amendment, 'drop', 'it was not sent again after a restart');
      } else this.#query(amendment, 0);
    }
  }

  isInProgress(order: OwnOrder): boolean {
    return this.#of(order) !== undefined;
  }

  /** The order's end is proved. */
  onOrderEnded(order: OwnOrder): void {
    const amendment = this.#of(order);
    if (amendment === undefined) return;
    const evidence = `the order is ${order.state}: nothing changes it any more`;
    this.#end(amendment, 'order-ended', evidence);
  }

  /** Without amendments, as in a backtest, no client order id is computed. */
  #of(order: OwnOrder): Amendment | undefined {
    return this.#inProgress.size === 0 ? undefined : this.#inProgress.get(order.clientOrderId);
  }

  #refusalReason(order: OwnOrder): string | undefined {
    if (order.terms.type !== 'limit') return 'only a limit order has a price to change';
    if (order.state !== 'accepted' || order.orderId === undefined)
      return 'the order is not proved to rest at the venue';
    if (this.isInProgress(order)) return 'another amendment of it is not proved yet';
    return notAmendable(order);
  }

  #track(
    operation: Operation<'amend'>,
    order: OwnOrder,
    holdReason: Amendment['holdReason'],
  ): Amendment {
    const amendment: Amendment = {
      operation,
      order,
      holdReason,
      queries: 0,
      oldReads: 0,
      oldSince: 0,
    };
    order.amending = amendedTermsOf(order, operation.plan);
    this.#inProgress.set(order.clientOrderId, amendment);
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
        lock: { name: symbolLockOf(order.terms), exclusive: true },
        holdReason: () =>
          operation.ended ? 'it has ended' : (notAmendable(order) ?? amendment.holdReason()),
        onHeld: (reason) => {
          if (!operation.ended) this.#end(amendment, 'drop', reason);
        },
        onSend: () => {
          operation.apply('attempt');
        },
        onReply: (outcome) => {
          if (!operation.ended) this.#onReply(amendment, outcome);
        },
      },
      this.#parts,
    );
  }

  #onReply(amendment: Amendment, outcome: Outcome<null>): void {
    const { operation } = amendment;
    if (outcome.kind === 'yes') {
      operation.apply('yes');
      this.#query(amendment, backoffDelay(POLL_BACKOFF_MS, 0));
    } else if (isTemporaryRefusal(outcome)) {
      operation.apply('no-for-now');
      const again = operation.attempts < MAX_LOCK_REFUSALS;
      if (!again) this.#end(amendment, 'drop', 'refused for the moment too often');
      else
        this.#parts.requests.after(backoffDelay(RETRY_BACKOFF_MS, operation.attempts - 1), () => {
          if (!operation.ended) this.#attempt(amendment);
        });
    } else if (outcome.kind === 'no') this.#end(amendment, 'no', outcome.text);
    else {
      operation.apply('unknown');
      this.#queryAgain(amendment);
    }
  }

  #queryAgain(amendment: Amendment): void {
    this.#query(amendment, backoffDelay(VERIFY_BACKOFF_MS, amendment.queries));
    amendment.queries += 1;
  }

  #query(amendment: Amendment, delayMs: number): void {
    const { requests, engine } = this.#parts;
    const { operation, order } = amendment;
    const { orderId } = order;
    assert(orderId !== undefined, 'An order that is amended has the id of the venue');
    requests.after(delayMs, () => {
      if (!isAwaitingProof(operation)) return;
      const startedAt = engine.stamp.monotonic;
      requests.enqueue<'find-order'>({
        request: { kind: 'find-order', order: { orderId } },
        priority: 'verify',
        ready: () => isAwaitingProof(operation),
        onReply: (outcome) => {
          if (!isAwaitingProof(operation)) return;
          if (outcome.kind === 'yes') this.#evaluate(amendment, outcome.value, startedAt);
          else this.#queryAgain(amendment);
        },
      });
    });
  }

  #evaluate(amendment: Amendment, report: OrderReport, startedAt: number): void {
    const { operation } = amendment;
    const { plan } = operation;
    if (hasTerms(report, plan.price, plan.quantity)) {
      this.#end(amendment, 'shows-new', `order ${report.orderId} shows the new price and quantity`);
      return;
    }
    // The order's own lookups prove its end and call `onOrderEnded`.
    if (isTerminalStatus(report.status)) this.#queryAgain(amendment);
    else if (hasTerms(report, plan.fromPrice, plan.fromQuantity))
      this.#onOldTerms(amendment, startedAt);
    else {
      this.#parts.engine.restrict({
        control: 'R22',
        symbol: amendment.order.terms.symbol,
        to: 'REDUCE_ONLY',
        class: 'latching',
        cause: `order ${plan.clientOrderId} shows a price and quantity that are neither its old nor its new ones`,
      });
      this.#fence(amendment);
    }
  }

  #onOldTerms(amendment: Amendment, startedAt: number): void {
    if (amendment.oldReads === 0) amendment.oldSince = startedAt;
    amendment.oldReads += 1;
    const requiredMs =
      amendment.operation.state === 'verifying' ? CONFIRMING_MS : READ_VISIBILITY_MS;
    const longEnough = startedAt - amendment.oldSince >= requiredMs;
    if (amendment.oldReads >= CONFIRMING_READS && longEnough) this.#fence(amendment);
    else this.#queryAgain(amendment);
  }

  #fence({ operation, order }: Amendment): void {
    operation.apply('shows-old');
    this.#parts.cancel(order);
  }

  #end(
    amendment: Amendment,
    event: 'no' | 'shows-new' | 'order-ended' | 'drop',
    evidence: string,
  ): void {
    const { operation, order } = amendment;
    operation.apply(event);
    order.amending = undefined;
    this.#inProgress.delete(order.clientOrderId);
    if (operation.state === 'applied') order.applyAmendment(amendedTermsOf(order, operation.plan));
    endOperation(operation, evidence, this.#parts);
  }
}

/**
 * The interface amends an open unfilled order; how a filled part would count is not documented
 * (hazard C4).
 */
function notAmendable({ filledQuantity, cancelState, ended }: OwnOrder): string | undefined {
  if (ended) return 'the order has ended';
  if (cancelState !== 'none') return 'the order is being canceled';
  return filledQuantity > 0 ? 'a part of the order is filled' : undefined;
}

const isAwaitingProof = ({ state }: Operation<'amend'>): boolean =>
  state === 'verifying' || state === 'acknowledged';

/** Proof that this attempt changed nothing, so that another may be sent. */
const isTemporaryRefusal = (outcome: Outcome<null>): boolean =>
  outcome.kind === 'unknown'
    ? !outcome.sent
    : outcome.kind === 'no' && (outcome.code === 'locked' || outcome.code === 'rate-limited');

const hasTerms = (report: OrderReport, price: Price, quantity: Quantity): boolean =>
  report.price === price && report.quantity === quantity;

/** @returns the order's terms after the amendment */
export const amendedTermsOf = (
  { terms }: OwnOrder,
  { price, quantity }: AmendmentTerms,
): OrderTerms => ({
  ...terms,
  price,
  quantity,
});
