import type { OrderReport, OrderTerms } from '../../core/order.js';
import { OrderCanceler } from './order-canceler.js';
import { OrderStatusResolver } from './order-status-resolver.js';
import { mayBeOrderOrFence } from './order-comparison.js';
import { IdFence } from './id-fence.js';
import type { EndState, OrderEvent } from './order-state.js';
import { mayBeResolved, type OwnOrder } from './own-order.js';
import { OrderSubmitter } from './order-submitter.js';
import type { ProtocolParts } from '../protocol-parts.js';

/**
 * Places and cancels orders exactly once (docs/exactly-once.md). An outcome belongs to the intent
 * and not to one attempt: a timeout is no failure, a 409 no success, and a rejection after an
 * unclear attempt no proof. Every effect is journaled before its bytes leave.
 */
export class OrderProtocol {
  readonly #parts: ProtocolParts;
  readonly #submitter: OrderSubmitter;
  readonly #statusResolver: OrderStatusResolver;
  readonly #canceler: OrderCanceler;
  readonly #fence: IdFence;

  constructor(parts: Omit<ProtocolParts, 'end'>) {
    this.#parts = {
      ...parts,
      end: (order, event, reason) => {
        this.#end(order, event, reason);
      },
    };
    this.#statusResolver = new OrderStatusResolver(this.#parts, {
      resend: (order) => this.#submitter.resend(order),
      onFound: (order) => {
        this.#canceler.onAccepted(order);
      },
      onNotFound: (order) => {
        this.#fence.attempt(order);
      },
    });
    this.#submitter = new OrderSubmitter(this.#parts, this.#statusResolver);
    this.#fence = new IdFence(this.#parts, this.#statusResolver);
    this.#canceler = new OrderCanceler(this.#parts, this.#submitter, this.#statusResolver);
  }

  submit(order: OwnOrder): void {
    this.#parts.ledger.add(order);
    this.#parts.journal.intent(order);
    this.#submitter.requestAttempt(order);
  }

  /** Resumes an order of a previous run. */
  resume(order: OwnOrder): void {
    if (order.ended) return;
    const { engine } = this.#parts;
    if (order.unknownSeen || order.state === 'sent') order.unprovedSince = engine.stamp.monotonic;
    if (order.state === 'waiting') this.#resumeWaiting(order);
    else if (order.state === 'sent')
      this.#submitter.onUnknownOutcome(order, 'no answer was journaled');
    else {
      // The cancel may not have left before the restart.
      if (order.state === 'accepted') this.#canceler.onAccepted(order);
      if (order.state === 'accepted' && order.terms.type === 'limit')
        this.#statusResolver.lookups.resume(order);
      else this.#statusResolver.lookups.query(order, 0);
    }
  }

  /** The venue certainly does not have the order: a stale entry is dropped, an exit is sent. */
  #resumeWaiting(order: OwnOrder): void {
    const staleReason = this.#parts.engine.staleReason(order);
    if (!order.active) this.#submitter.withdraw(order, 'it was withdrawn');
    else if (staleReason !== undefined) this.#submitter.withdraw(order, staleReason);
    else this.#submitter.requestAttempt(order);
  }

  /** Attempts wait until `resumeSubmission`. */
  pauseSubmission(): void {
    this.#submitter.pauseSubmission();
  }

  resumeSubmission(): void {
    this.#submitter.resumeSubmission();
  }

  /**
   * The operator states that an unproved order never landed. @returns false where its outcome is
   * proved
   */
  resolveNeverLanded(order: OwnOrder): boolean {
    if (!mayBeResolved(order)) return false;
    if (order.state === 'sent') order.apply('unknown');
    this.#parts.end(order, 'resolved', 'a person says that it never landed');
    return true;
  }

  /** Safe to repeat. */
  cancel(order: OwnOrder): void {
    this.#canceler.cancel(order);
  }

  /** Looks up at once every order of a symbol that the venue has or may have. */
  queryNow(symbol: string, currency: OrderTerms['currency']): void {
    for (const order of this.#parts.ledger.openOrders(symbol, currency))
      this.#statusResolver.lookups.queryNow(order);
  }

  /**
   * Looks up at once every order that no recent list shows, except orders whose next attempt is
   * paused: their lookup has just missed them.
   */
  queryUnlisted(): void {
    for (const order of [...this.#parts.ledger.allOpenOrders()])
      if (!this.#submitter.isPaused(order)) this.#statusResolver.lookups.queryUnlessListed(order);
  }

  /** Looks up at once every order with a paused attempt: an earlier attempt may have landed. */
  queryPaused(): void {
    for (const order of [...this.#parts.ledger.allOpenOrders()])
      if (this.#submitter.isPaused(order)) this.#statusResolver.lookups.queryNow(order);
  }

  /** A list of open orders shows the order: it exists, even if the lookup by its id missed it. */
  onListed(order: OwnOrder, report: OrderReport, startedAt: number): void {
    if (order.unproved) this.#statusResolver.applyReport(order, report, startedAt);
    this.#statusResolver.onListed(order, report, startedAt);
  }

  /** A list of open orders, requested at `startedAt` (monotonic ms), shows or lacks the order. */
  onOpenOrders(order: OwnOrder, missing: boolean, startedAt: number): void {
    this.#statusResolver.onOpenOrders(order, missing, startedAt);
  }

  /** A report from a venue in this process, which never lags. */
  applyAuthoritativeReport(order: OwnOrder, report: OrderReport): void {
    this.#statusResolver.applyAuthoritativeReport(order, report);
  }

  /** Whether a report, with or without a client id, could be this order. */
  mayBeOrder(order: OwnOrder, report: OrderReport): boolean {
    if (report.clientOrderId !== undefined) return report.clientOrderId === order.clientOrderId;
    return mayBeOrderOrFence(order, report) && !this.#parts.ledger.hasOrderId(report.orderId);
  }

  #end(order: OwnOrder, event: OrderEvent, reason: string | undefined): void {
    const { requests, ledger, journal, engine } = this.#parts;
    order.apply(event);
    if (reason !== undefined) order.endReason = reason;
    const end = order.state as EndState;
    requests.cancelTimer(order.timer);
    order.timer = undefined;
    ledger.end(order);
    journal.ended(order, end, reason);
    engine.onEnded(order, end, reason);
  }
}
