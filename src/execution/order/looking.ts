import type { OrderRef, OrderReport } from '../../core/order.js';
import { readableFor, type Outcome, type Priority } from '../../core/request.js';
import { BurnedProof } from './burned-proof.js';
import {
  HISTORY_LIMIT,
  HISTORY_SLACK_MS,
  LISTED_FOR_MS,
  LATE_LANDING_MS,
  MAX_STRANGE_ANSWERS,
  POLL_SPACING_MS,
  READ_VISIBILITY_MS,
  RESTING_SPACING_MS,
  RESUMED_LOOK_MS,
  SPARSE_LOOK_MS,
  spaced,
  UNPROVED_EXIT_MS,
  VERIFY_SPACING_MS,
} from '../constants.js';
import type { ProtocolParts } from '../protocol-parts.js';
import { isInVain, isOffTheList, isOver } from './order-over.js';
import { OrderReports } from './order-reports.js';
import { isUnproved, progressOf } from './order-state.js';
import type { OwnOrder } from './own-order.js';
import { saidBy } from './said-by.js';

export interface LookingNews {
  /** Not there, and still wanted. @returns false while nothing may leave: it is held back */
  readonly sendAgain: (order: OwnOrder) => boolean;
  /** Not there, and not wanted any more. */
  readonly absent: (order: OwnOrder) => void;
  /** The venue has it, as is known from now on. */
  readonly found: (order: OwnOrder) => void;
}

/** Learns from the venue what became of an order, until it has ended or cannot be found for ever. */
export class Looking {
  readonly #parts: ProtocolParts;
  readonly #news: LookingNews;
  readonly #reports: OrderReports;
  readonly #burned: BurnedProof;
  /** Answers in a row that do not come from our venue. */
  #strange = 0;

  constructor(parts: ProtocolParts, news: LookingNews) {
    this.#parts = parts;
    this.#news = news;
    this.#reports = new OrderReports(parts, (order) => {
      this.adopt(order);
    });
    this.#burned = new BurnedProof(parts);
  }

  /** One look at a time: what is asked for meanwhile follows the answer. */
  look(order: OwnOrder, delayMs: number): void {
    if (order.ended) return;
    if (order.looking) {
      order.lookSoon ||= delayMs === 0;
      return;
    }
    const delay = order.lookSoon ? 0 : delayMs;
    order.lookSoon = false;
    this.#parts.desk.cancel(order.timer);
    order.timer = this.#parts.desk.after(delay, () => {
      order.timer = undefined;
      // What is asked for at once has a reason of its own.
      if (delay > 0 && this.#restsAsKnown(order)) this.look(order, pollDelay(order, order.looks));
      else this.#ask(order);
    });
  }

  /** Each unclear attempt in a row waits longer, so that the same bytes do not go round and round. */
  lookAfterUnclear(order: OwnOrder): void {
    this.look(order, spaced(VERIFY_SPACING_MS, order.unclear));
    order.unclear += 1;
  }

  hurry(order: OwnOrder): void {
    if (order.state === 'accepted' || isUnproved(order.state)) this.look(order, 0);
  }

  /** The venue has it: from now on it is watched until it ends. */
  adopt(order: OwnOrder): void {
    order.unprovedSince = undefined;
    this.#parts.world.accepted(order);
    order.looks = 0;
    this.#news.found(order);
    this.look(order, pollDelay(order, 0));
  }

  /** It is not wanted any more, in any later life either: durable before anything follows from it. */
  withdraw(order: OwnOrder, reason: string): void {
    if (!order.wanted) return;
    order.wanted = false;
    this.#parts.journal.instruction(order, 'withdraw', reason);
  }

  /** Never sent again, watched in case it lands late. */
  quarantine(order: OwnOrder, reason: string): void {
    order.move('not-found-unwanted');
    this.#parts.journal.note(order, `quarantined: ${reason}`);
    this.look(order, spaced(VERIFY_SPACING_MS, order.looks));
  }

  /**
   * What does not come from our venue stops trading (hazard A12). A refused key does not: who watches
   * all answers tells the engine (N7).
   */
  checkAnswer(outcome: Outcome<unknown>): void {
    const status = outcome.kind === 'unknown' ? outcome.status : undefined;
    this.#strange = status === 404 ? this.#strange + 1 : 0;
    if (this.#strange === MAX_STRANGE_ANSWERS)
      this.#parts.world.halt(
        `${this.#strange} lookups met a 404 that is not the venue's: is base_url right?`,
      );
  }

  /** What a read of the venue says of one of ours: it may be old. */
  report(order: OwnOrder, report: OrderReport, startedAt: number): void {
    if (!this.#reports.meet(order, report)) return;
    const { full } = progressOf(report);
    const news = this.#reports.book(order, report);
    order.lookedAt = Math.max(order.lookedAt, startedAt);
    const over = isOver(order, report, startedAt);
    if (!over && isInVain(order, startedAt)) this.#cancelAgain(order);
    order.endReads = over ? (news ? 1 : order.endReads + 1) : 0;
    if (full || order.endReads >= 2) this.#finish(order, report);
    else {
      order.looks = news || order.endReads === 1 ? 0 : order.looks + 1;
      this.look(order, pollDelay(order, order.looks));
    }
  }

  /** What a venue in this process says: it is the truth. */
  tell(order: OwnOrder, report: OrderReport): void {
    if (!this.#reports.meet(order, report)) return;
    const { full, gone } = progressOf(report);
    this.#reports.book(order, report);
    order.lookedAt = this.#parts.world.stamp.monotonic;
    if (full || gone) this.#finish(order, report);
  }

  /** A list of open orders shows one that was adopted: what it does not know is asked for at once. */
  listed(order: OwnOrder, report: OrderReport, startedAt: number): void {
    if (order.state !== 'accepted') return;
    if (report.filledQuantity !== order.filledQuantity) {
      // No longer one that rests as the lists say: its look goes before what may wait.
      order.listedAt = Number.NEGATIVE_INFINITY;
      this.look(order, 0);
    } else {
      order.listedAt = startedAt;
      order.lookedAt = Math.max(order.lookedAt, startedAt);
    }
  }

  /** One list tells of all that an earlier life left resting: each waits for it before it is asked for. */
  resume(order: OwnOrder): void {
    order.askedAt = this.#parts.world.stamp.monotonic;
    this.look(order, RESUMED_LOOK_MS);
  }

  /** Looks at once at what no list has shown lately. */
  hurryUnlisted(order: OwnOrder): void {
    if (!this.#isListed(order)) this.hurry(order);
  }

  /**
   * Counts the polls of open orders that lack it. Others cancel too, so that a cancelled remainder may
   * say PARTIAL_FILLED for ever (hazard B5).
   */
  unlisted(order: OwnOrder, lacking: boolean, startedAt: number): void {
    if (order.state !== 'accepted') return;
    if (!lacking) order.unlistedSince = Number.POSITIVE_INFINITY;
    else order.unlistedSince = Math.min(order.unlistedSince, startedAt);
    order.unlistedReads = lacking ? order.unlistedReads + 1 : 0;
    if (lacking) order.listedAt = Number.NEGATIVE_INFINITY;
    if (order.unlistedReads === 1 || isOffTheList(order, startedAt)) this.look(order, 0);
  }

  /** One list tells of all orders that rest what a look would tell of each of them. */
  #restsAsKnown(order: OwnOrder): boolean {
    const now = this.#parts.world.stamp.monotonic;
    return this.#isListed(order) && now - order.askedAt < SPARSE_LOOK_MS;
  }

  #urgencyOf(order: OwnOrder): Priority {
    // Before what became of orders that were taken back: whether a position is closed, and an order there.
    if (order.state === 'accepted' && order.cancelState === 'wanted') return 'protect';
    if (order.terms.reduceOnly && order.terms.type === 'market') return 'protect';
    // What rests as the lists say may wait for what is to be placed.
    return this.#isListed(order) ? 'poll' : 'verify';
  }

  #isListed({ state, cancelState, endReads, listedAt }: OwnOrder): boolean {
    const isCalm = state === 'accepted' && cancelState === 'none' && endReads === 0;
    return isCalm && this.#parts.world.stamp.monotonic - listedAt < LISTED_FOR_MS;
  }

  #ask(order: OwnOrder): void {
    const startedAt = this.#parts.world.stamp.monotonic;
    order.looking = true;
    order.askedAt = startedAt;
    this.#parts.desk.ask<'find-order'>({
      request: { kind: 'find-order', order: referenceOf(order) },
      priority: this.#urgencyOf(order),
      ready: () => !order.ended,
      answered: (outcome) => {
        order.looking = false;
        this.#looked(order, outcome, startedAt);
      },
    });
  }

  #looked(order: OwnOrder, outcome: Outcome<OrderReport>, startedAt: number): void {
    this.checkAnswer(outcome);
    if (order.ended) return;
    this.#tellUnproved(order);
    if (outcome.kind === 'yes') {
      this.report(order, outcome.value, startedAt);
      return;
    }
    const notFound = outcome.kind === 'no' && outcome.code === 'order-not-found';
    if (notFound && this.#missesByClientId(order)) order.missedByClientId = true;
    else order.looks += 1;
    if (notFound && isUnproved(order.state)) this.#search(order, startedAt);
    else if (order.state === 'accepted' || isUnproved(order.state)) {
      this.#tell(order, `lookup by client id: ${saidBy(outcome, 'found')}`);
      this.look(order, spaced(VERIFY_SPACING_MS, order.looks));
    }
  }

  /** A position that is not left yet is what its owner must know of. */
  #tellUnproved(order: OwnOrder): void {
    const { terms, unprovedSince, loggedUnprovedMs } = order;
    if (!terms.reduceOnly || unprovedSince === undefined || !isUnproved(order.state)) return;
    const { world } = this.#parts;
    const forMs = world.stamp.monotonic - unprovedSince;
    if (forMs < Math.max(UNPROVED_EXIT_MS, 2 * loggedUnprovedMs)) return;
    order.loggedUnprovedMs = forMs;
    world.warn(`exit of ${terms.symbol} unproved for ${Math.round(forMs / 1_000)} s`);
  }

  /** Learnt once an order: the venue has it, and the first look could not find it. */
  #missesByClientId({ state, looks, orderId, missedByClientId }: OwnOrder): boolean {
    return state === 'accepted' && looks === 0 && orderId !== undefined && !missedByClientId;
  }

  /** Evidence of an order that is still unproved, where it is another than before. */
  #tell(order: OwnOrder, evidence: string): void {
    if (order.evidence === evidence || !isUnproved(order.state)) return;
    order.evidence = evidence;
    this.#parts.journal.note(order, evidence, 'info');
  }

  /**
   * An explicit JSON 404 is the only answer that counts as "not there", and even it is no proof: a
   * lookup by client id was seen to miss orders that exist (supplement part 9). Their row of order
   * history, which tells the client id, speaks before anything is sent again or given up.
   */
  #search(order: OwnOrder, lookedAt: number): void {
    const { stamp, historyUnjudgedSince } = this.#parts.world;
    const startedAt = stamp.monotonic;
    const { currency } = order.terms;
    const from = order.intent.decidedAt - HISTORY_SLACK_MS;
    const changedSince = historyUnjudgedSince(currency);
    const listsAreEnough = order.conflictSeen && this.#burned.countLook(order);
    order.looking = true;
    this.#parts.desk.ask<'read-order-history'>({
      request: {
        kind: 'read-order-history',
        currency,
        limit: HISTORY_LIMIT,
        from,
        ...(changedSince !== undefined && { changedSince }),
      },
      priority: this.#urgencyOf(order),
      ready: () => !order.ended,
      answered: (outcome) => {
        order.looking = false;
        if (order.ended) return;
        const told = outcome.kind === 'yes' ? outcome.value : [];
        const own = told.find((report) => report.clientOrderId === order.clientOrderId);
        const evidence = readableFor(outcome, order.terms.symbol);
        const history =
          evidence.kind === 'yes' ? evidence.value.filter(madeSince(from)) : undefined;
        const said = history === undefined ? saidBy(evidence, 'found') : 'no row of it';
        this.#tell(
          order,
          `lookup by client id: not found; order history: ${own === undefined ? said : 'has its row'}`,
        );
        if (own !== undefined) this.report(order, own, startedAt);
        else if (!isUnproved(order.state)) this.look(order, pollDelay(order, 0));
        else if (history === undefined) this.look(order, spaced(VERIFY_SPACING_MS, order.looks));
        else {
          order.lookedAt = Math.max(order.lookedAt, lookedAt);
          this.#missing(order, history, listsAreEnough);
        }
      },
    });
  }

  /** Neither a lookup nor history has it. */
  #missing(order: OwnOrder, history: readonly OrderReport[], listsAreEnough: boolean): void {
    if (order.conflictSeen) {
      if (listsAreEnough && this.#burned.weigh(order, history)) return;
      if (order.state === 'verifying' && this.#isUndecidable(order))
        this.withdraw(order, 'the venue has its id, and does not show it');
    } else if (order.state === 'verifying' && order.wanted) {
      const tooOld = this.#parts.world.tooOld(order);
      if (tooOld === undefined) {
        if (!this.#news.sendAgain(order))
          this.look(order, Math.max(RESUMED_LOOK_MS, spaced(VERIFY_SPACING_MS, order.looks)));
        return;
      }
      this.withdraw(order, tooOld);
    }
    const givenUp = order.state === 'verifying' && !order.wanted;
    if (givenUp) this.quarantine(order, 'not found, and no longer wanted');
    const now = this.#parts.world.stamp.monotonic;
    order.missingSince ??= now;
    const late = now - order.missingSince >= LATE_LANDING_MS;
    this.#news.absent(order);
    this.look(order, late ? SPARSE_LOOK_MS : spaced(VERIFY_SPACING_MS, order.looks));
  }

  /**
   * The id is taken, reads had time, and something could be it. An entry comes too late by now; beside an
   * exit another one may leave, since neither takes more off than there is.
   */
  #isUndecidable(order: OwnOrder): boolean {
    const { stamp, tooOld } = this.#parts.world;
    const { conflictAt, intent, terms } = order;
    const hadTime = conflictAt !== undefined && stamp.monotonic >= conflictAt + READ_VISIBILITY_MS;
    const isOver = terms.reduceOnly || stamp.venueTime > intent.validUntil;
    return hadTime && (isOver || tooOld(order) !== undefined);
  }

  #cancelAgain(order: OwnOrder): void {
    this.#parts.journal.note(
      order,
      'canceled again: its cancel was acknowledged, and it is still there',
    );
    order.cancelState = 'wanted';
    order.canceledAt = Number.POSITIVE_INFINITY;
    this.#news.found(order);
  }

  #finish(order: OwnOrder, report: OrderReport): void {
    const { full } = progressOf(report);
    const filled = full || report.status === 'filled';
    this.#parts.end(order, filled ? 'report-filled' : 'report-canceled', report.reason);
  }
}

const madeSince =
  (from: number) =>
  ({ createdAt = Number.POSITIVE_INFINITY }: OrderReport): boolean =>
    createdAt >= from;

/** What rests is told of by the lists: it has one look of its own at once, in case it matched. */
const pollDelay = ({ terms }: OwnOrder, looks: number): number =>
  spaced(terms.type === 'limit' ? RESTING_SPACING_MS : POLL_SPACING_MS, looks);

/**
 * By client id, the only key that proves anything before the order was adopted (hazard A25). Once it
 * was, every other look that fails goes by the venue's id, and the first one does where the lookup by
 * client id was seen to miss it (supplement part 9).
 */
function referenceOf(order: OwnOrder): OrderRef {
  const { orderId, clientOrderId, looks, missedByClientId } = order;
  const byOrderId = looks % 2 === (missedByClientId ? 0 : 1);
  return orderId !== undefined && byOrderId ? { orderId } : { clientOrderId };
}
