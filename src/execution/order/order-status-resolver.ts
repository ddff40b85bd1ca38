import type { OrderReport } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import {
  LATE_LANDING_MS,
  MAX_UNRECOGNIZED_ANSWERS,
  READ_VISIBILITY_MS,
  RESUMED_QUERY_MS,
  SLOW_QUERY_MS,
  UNPROVED_EXIT_WARNING_MS,
  VERIFY_BACKOFF_MS,
  backoffDelay,
} from '../constants.js';
import { describeOutcome } from '../journal/journal.js';
import type { ProtocolParts } from '../protocol-parts.js';
import { BurnedProof } from './burned-proof.js';
import { OrderHistorySearch, type HistorySearchResult } from './order-history-search.js';
import { OrderLookup } from './order-lookup.js';
import { OrderReports } from './order-reports.js';
import { isUnproved, progressOf } from './order-state.js';
import { cancelHadNoEffect, isTerminal, missingFromOpenOrders } from './order-terminal.js';
import type { OwnOrder } from './own-order.js';

export interface OrderStatusHandlers {
  /** The order was not found and is still active. @returns false while attempts are paused */
  readonly resend: (order: OwnOrder) => boolean;
  /** The order was not found and is withdrawn. */
  readonly onNotFound: (order: OwnOrder) => void;
  /** The venue is now known to have the order. */
  readonly onFound: (order: OwnOrder) => void;
}

/** Decides from lookups, lists and history what became of an order, until it has ended. */
export class OrderStatusResolver {
  readonly lookups: OrderLookup;
  readonly #parts: ProtocolParts;
  readonly #handlers: OrderStatusHandlers;
  readonly #reports: OrderReports;
  readonly #historySearch: OrderHistorySearch;
  readonly #burned: BurnedProof;
  /** Replies in a row that do not come from our venue. */
  #unrecognizedAnswers = 0;

  constructor(parts: ProtocolParts, handlers: OrderStatusHandlers) {
    this.#parts = parts;
    this.#handlers = handlers;
    this.lookups = new OrderLookup(parts, (order, outcome, startedAt) => {
      this.#onLookupReply(order, outcome, startedAt);
    });
    this.#reports = new OrderReports(parts, (order) => {
      this.trackUntilEnd(order);
    });
    this.#historySearch = new OrderHistorySearch(parts);
    this.#burned = new BurnedProof(parts);
  }

  /** The venue has the order: it is polled until it ends. */
  trackUntilEnd(order: OwnOrder): void {
    // A write makes a field (uncommon-state.ts).
    if (order.unprovedSince !== undefined) order.unprovedSince = undefined;
    this.#parts.engine.onAccepted(order);
    if (order.queries !== 0) order.queries = 0;
    this.#handlers.onFound(order);
    this.lookups.poll(order, 0);
  }

  /** No run sends the order again: durable before anything follows from it. */
  withdraw(order: OwnOrder, reason: string): void {
    if (!order.active) return;
    order.active = false;
    this.#parts.journal.instruction(order, 'withdraw', reason);
  }

  /** The order is never sent again, and is watched in case it lands late. */
  quarantine(order: OwnOrder, reason: string): void {
    order.apply('not-found-unwanted');
    this.#parts.journal.note(order, `quarantined: ${reason}`);
    this.lookups.verify(order);
  }

  /**
   * Entries stop when 404s without the venue's envelope come in a row: the address is another
   * server's (hazard A12). A refused key does not count here: the API key monitor reads every reply.
   */
  checkResponseOrigin(outcome: Outcome<unknown>): void {
    const status = outcome.kind === 'unknown' ? outcome.status : undefined;
    this.#unrecognizedAnswers = status === 404 ? this.#unrecognizedAnswers + 1 : 0;
    if (this.#unrecognizedAnswers === MAX_UNRECOGNIZED_ANSWERS)
      this.#parts.engine.restrict({
        control: 'R25',
        to: 'HALTED',
        class: 'latching',
        cause: `${this.#unrecognizedAnswers} lookups met a 404 that is not the venue's: is base_url right?`,
      });
  }

  /** A read of the order that began at `startedAt` (monotonic ms) and may lag. */
  applyReport(order: OwnOrder, report: OrderReport, startedAt: number): void {
    if (!this.#reports.acceptReport(order, report)) return;
    const { fullyFilled } = progressOf(report);
    const hasNewFill = this.#reports.recordFill(order, report);
    order.lastReadAt = Math.max(order.lastReadAt, startedAt);
    const terminal = isTerminal(order, report, startedAt);
    if (!terminal && cancelHadNoEffect(order, startedAt)) this.#cancelAgain(order);
    order.terminalReads = terminal ? (hasNewFill ? 1 : order.terminalReads + 1) : 0;
    if (fullyFilled || order.terminalReads >= 2) this.#finish(order, report);
    else {
      order.queries = hasNewFill || order.terminalReads === 1 ? 0 : order.queries + 1;
      this.lookups.poll(order, order.queries);
    }
  }

  /** A report from a venue in this process, which never lags. */
  applyAuthoritativeReport(order: OwnOrder, report: OrderReport): void {
    if (!this.#reports.acceptReport(order, report)) return;
    const { fullyFilled, endedEarly } = progressOf(report);
    this.#reports.recordFill(order, report);
    order.lastReadAt = this.#parts.engine.stamp.monotonic;
    if (fullyFilled || endedEarly) this.#finish(order, report);
  }

  /** A list of open orders shows an adopted order. Another filled quantity is looked up at once. */
  onListed(order: OwnOrder, report: OrderReport, startedAt: number): void {
    if (order.state !== 'accepted') return;
    if (report.filledQuantity !== order.filledQuantity) {
      // The order no longer rests as listed, so that its lookup must not get the low priority.
      order.lastListedAt = Number.NEGATIVE_INFINITY;
      this.lookups.query(order, 0);
    } else {
      order.lastListedAt = startedAt;
      order.lastReadAt = Math.max(order.lastReadAt, startedAt);
    }
  }

  /**
   * Counts the lists of open orders that lack the order. An external cancel leaves no other trace
   * where its remainder stays PARTIAL_FILLED for ever (hazard B5).
   */
  onOpenOrders(order: OwnOrder, missing: boolean, startedAt: number): void {
    if (order.state !== 'accepted') return;
    if (!missing) order.missingFromListSince = Number.POSITIVE_INFINITY;
    else order.missingFromListSince = Math.min(order.missingFromListSince, startedAt);
    order.openOrdersMisses = missing ? order.openOrdersMisses + 1 : 0;
    if (missing) order.lastListedAt = Number.NEGATIVE_INFINITY;
    if (order.openOrdersMisses === 1 || missingFromOpenOrders(order, startedAt))
      this.lookups.query(order, 0);
  }

  #onLookupReply(order: OwnOrder, outcome: Outcome<OrderReport>, startedAt: number): void {
    this.checkResponseOrigin(outcome);
    if (order.ended) return;
    this.#warnIfLongUnproved(order);
    if (outcome.kind === 'yes') {
      this.applyReport(order, outcome.value, startedAt);
      return;
    }
    const notFound = outcome.kind === 'no' && outcome.code === 'order-not-found';
    if (notFound && this.#isFirstMissByClientId(order)) order.missedByClientId = true;
    else order.queries += 1;
    if (notFound && isUnproved(order.state)) this.#searchHistory(order, startedAt);
    else if (order.state === 'accepted' || isUnproved(order.state)) {
      this.#noteEvidence(order, `lookup by client id: ${describeOutcome(outcome, 'found')}`);
      this.lookups.verify(order);
    }
  }

  /** The owner must know of a position that may still be open although its exit was sent. */
  #warnIfLongUnproved(order: OwnOrder): void {
    const { terms, unprovedSince, loggedUnprovedMs } = order;
    if (!terms.reduceOnly || unprovedSince === undefined || !isUnproved(order.state)) return;
    const { engine } = this.#parts;
    const forMs = engine.stamp.monotonic - unprovedSince;
    if (forMs < Math.max(UNPROVED_EXIT_WARNING_MS, 2 * loggedUnprovedMs)) return;
    order.loggedUnprovedMs = forMs;
    engine.warn(`exit of ${terms.symbol} unproved for ${Math.round(forMs / 1_000)} s`);
  }

  /** True at most once per order: the venue has it, and the first lookup by client id missed it. */
  #isFirstMissByClientId({ state, queries, orderId, missedByClientId }: OwnOrder): boolean {
    return state === 'accepted' && queries === 0 && orderId !== undefined && !missedByClientId;
  }

  /** Journals the evidence of an unproved order when it differs from the last one. */
  #noteEvidence(order: OwnOrder, evidence: string): void {
    if (order.evidence === evidence || !isUnproved(order.state)) return;
    order.evidence = evidence;
    this.#parts.journal.note(order, evidence, 'info');
  }

  /**
   * Only an explicit JSON 404 counts as "not found", and even that is no proof: a lookup by client id
   * was seen to miss orders that exist (supplement: lookups). Order history carries the client id, so
   * that it is read before anything is sent again or given up.
   */
  #searchHistory(order: OwnOrder, queriedAt: number): void {
    const listsAreEnough = order.conflictSeen && this.#burned.countQuery(order);
    this.#historySearch.search(order, this.lookups.priorityOf(order), (result) => {
      this.#onHistory(order, result, queriedAt, listsAreEnough);
    });
  }

  #onHistory(
    order: OwnOrder,
    { own, history, evidence, startedAt }: HistorySearchResult,
    queriedAt: number,
    listsAreEnough: boolean,
  ): void {
    this.#noteEvidence(order, `lookup by client id: not found; order history: ${evidence}`);
    if (own !== undefined) this.applyReport(order, own, startedAt);
    else if (!isUnproved(order.state)) this.lookups.poll(order, 0);
    else if (history === undefined) this.lookups.verify(order);
    else {
      order.lastReadAt = Math.max(order.lastReadAt, queriedAt);
      this.#onMissingEverywhere(order, history, listsAreEnough);
    }
  }

  /** Neither the lookup nor order history has the order. */
  #onMissingEverywhere(
    order: OwnOrder,
    history: readonly OrderReport[],
    listsAreEnough: boolean,
  ): void {
    if (order.conflictSeen) {
      if (listsAreEnough && this.#burned.evaluate(order, history)) return;
      if (order.state === 'verifying' && this.#isUndecidable(order))
        this.withdraw(order, 'the venue has its id, and does not show it');
    } else if (order.state === 'verifying' && order.active) {
      const staleReason = this.#parts.engine.staleReason(order);
      if (staleReason === undefined) {
        this.#resendOrWait(order);
        return;
      }
      this.withdraw(order, staleReason);
    }
    const givenUp = order.state === 'verifying' && !order.active;
    if (givenUp) this.quarantine(order, 'not found, and no longer wanted');
    this.#watchMissing(order);
  }

  #resendOrWait(order: OwnOrder): void {
    if (this.#handlers.resend(order)) return;
    const delay = backoffDelay(VERIFY_BACKOFF_MS, order.queries);
    this.lookups.query(order, Math.max(RESUMED_QUERY_MS, delay));
  }

  #watchMissing(order: OwnOrder): void {
    const now = this.#parts.engine.stamp.monotonic;
    order.notFoundSince ??= now;
    const late = now - order.notFoundSince >= LATE_LANDING_MS;
    this.#handlers.onNotFound(order);
    this.lookups.query(
      order,
      late ? SLOW_QUERY_MS : backoffDelay(VERIFY_BACKOFF_MS, order.queries),
    );
  }

  /**
   * The id is taken, reads had time to show the order, and some row of history could be it. An entry
   * is too late by now. Beside an unproved exit another one may leave: `reduceOnly` keeps both
   * together from closing more than the position.
   */
  #isUndecidable(order: OwnOrder): boolean {
    const { engine } = this.#parts;
    const { monotonic, venueTime } = engine.stamp;
    const { conflictAt, intent, terms } = order;
    const hadTime = conflictAt !== undefined && monotonic >= conflictAt + READ_VISIBILITY_MS;
    const isTooLate = terms.reduceOnly || venueTime > intent.validUntil;
    return hadTime && (isTooLate || engine.staleReason(order) !== undefined);
  }

  #cancelAgain(order: OwnOrder): void {
    this.#parts.journal.note(
      order,
      'canceled again: its cancel was acknowledged, and it is still there',
    );
    order.cancelState = 'wanted';
    order.canceledAt = Number.POSITIVE_INFINITY;
    this.#handlers.onFound(order);
  }

  #finish(order: OwnOrder, report: OrderReport): void {
    const { fullyFilled } = progressOf(report);
    const filled = fullyFilled || report.status === 'filled';
    this.#parts.end(order, filled ? 'report-filled' : 'report-canceled', report.reason);
  }
}
