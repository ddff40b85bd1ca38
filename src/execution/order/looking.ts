import { divideHalfEvenBig, fixed, type Price, type Quantity } from '../../core/fixed.js';
import type { OrderRef, OrderReport } from '../../core/order.js';
import type { Outcome, Priority } from '../../core/request.js';
import { BurnedProof } from './burned-proof.js';
import {
  CLOCK_SLACK_MS,
  CONFIRMING_READS,
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
  UNTIMED_READ_MS,
  VERIFY_SPACING_MS,
} from '../constants.js';
import { amendedByHand, contradictionOf } from './order-comparison.js';
import type { ProtocolParts } from '../protocol-parts.js';
import { isUnproved, progressOf } from './order-state.js';
import type { OwnOrder } from './own-order.js';
import { saidBy } from './said-by.js';

export interface LookingNews {
  /** Not there, and still wanted. */
  readonly sendAgain: (order: OwnOrder) => void;
  /** The venue has it, as is known from now on. */
  readonly found: (order: OwnOrder) => void;
}

/** Learns from the venue what became of an order, until it has ended or cannot be found for ever. */
export class Looking {
  readonly #parts: ProtocolParts;
  readonly #news: LookingNews;
  readonly #burned: BurnedProof;
  /** Answers in a row that do not come from our venue. */
  #strange = 0;

  constructor(parts: ProtocolParts, news: LookingNews) {
    this.#parts = parts;
    this.#news = news;
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
    this.#parts.world.accepted(order);
    order.looks = 0;
    this.#news.found(order);
    this.look(order, pollDelay(order, 0));
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
    if (!this.#meet(order, report)) return;
    const { full, gone } = progressOf(report);
    const news = this.#book(order, report);
    order.lookedAt = Math.max(order.lookedAt, startedAt);
    const over = gone || this.#isOver(order, report, startedAt);
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
    if (!this.#meet(order, report)) return;
    const { full, gone } = progressOf(report);
    this.#book(order, report);
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
   * Counts the polls of open orders that lack it. Our wish to cancel is not journaled, and others
   * cancel too, so that a cancelled remainder may say PARTIAL_FILLED for ever (hazard B5).
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
    if (order.state === 'accepted' && order.cancelState === 'wanted') return 'cancel';
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
    const startedAt = this.#parts.world.stamp.monotonic;
    const listsAreEnough = order.conflictSeen && this.#burned.countLook(order);
    order.looking = true;
    this.#parts.desk.ask<'read-order-history'>({
      request: {
        kind: 'read-order-history',
        currency: order.terms.currency,
        limit: HISTORY_LIMIT,
        from: order.intent.decidedAt - HISTORY_SLACK_MS,
      },
      priority: 'verify',
      ready: () => !order.ended,
      answered: (outcome) => {
        order.looking = false;
        if (order.ended) return;
        const history = outcome.kind === 'yes' ? outcome.value : undefined;
        const own = history?.find((report) => report.clientOrderId === order.clientOrderId);
        const said = history === undefined ? saidBy(outcome, 'found') : 'no row of it';
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
      if (order.state === 'verifying' && this.#isUndecidable(order)) order.wanted = false;
    } else if (order.state === 'verifying' && order.wanted) {
      order.move('not-found-wanted');
      this.#news.sendAgain(order);
      return;
    }
    const givenUp = order.state === 'verifying' && !order.wanted;
    if (givenUp) this.quarantine(order, 'not found, and no longer wanted');
    const now = this.#parts.world.stamp.monotonic;
    order.missingSince ??= now;
    const late = now - order.missingSince >= LATE_LANDING_MS;
    this.look(order, late ? SPARSE_LOOK_MS : spaced(VERIFY_SPACING_MS, order.looks));
  }

  /** The id is taken, reads had time, something could be it, and by now it comes too late anyway. */
  #isUndecidable({ conflictAt, intent }: OwnOrder): boolean {
    const { monotonic, venueTime } = this.#parts.world.stamp;
    const hadTime = conflictAt !== undefined && monotonic >= conflictAt + READ_VISIBILITY_MS;
    return hadTime && venueTime > intent.validUntil;
  }

  /** Takes a report in. @returns whether it is of this order and may be built on */
  #meet(order: OwnOrder, report: OrderReport): boolean {
    if (order.ended || order.state === 'sent' || order.state === 'waiting') return false;
    const difference = contradictionOf(order, report);
    if (difference !== undefined && this.#isAmended(order, report)) return true;
    if (difference !== undefined) {
      this.#parts.world.halt(
        `order ${order.clientOrderId} at the venue is not the one we sent: ${difference}`,
      );
      return false;
    }
    const found = order.state !== 'accepted';
    order.orderId = report.orderId;
    order.positionId ??= report.positionId;
    if (found) {
      order.move('found');
      this.#parts.journal.update(order, report);
      this.adopt(order);
    }
    return true;
  }

  /** What the venue acknowledged to us is ours, whatever somebody made of it in its app (N10). */
  #isAmended(order: OwnOrder, report: OrderReport): boolean {
    if (order.state !== 'accepted' || report.orderId !== order.orderId) return false;
    const amended = amendedByHand(order.terms, report);
    if (amended === undefined) return false;
    this.#parts.journal.note(order, 'somebody amended it: it goes on with the terms at the venue');
    order.amendedTo(amended);
    return true;
  }

  /** @returns whether there was anything new */
  #book(order: OwnOrder, report: OrderReport): boolean {
    const before = order.filledQuantity;
    const delta = report.filledQuantity - before;
    if (delta <= 0) return false;
    const average = report.averagePrice ?? report.price ?? order.intent.referencePrice;
    const price = before === 0 ? average : priceOfNewest(order, average, delta);
    order.filledQuantity = fixed<'quantity'>(before + delta);
    order.averagePrice = average;
    this.#parts.journal.update(order, report);
    this.#parts.world.filled(order, fixed<'quantity'>(delta), price);
    return true;
  }

  /** Whether other evidence than the status word says that nothing more will fill. */
  #isOver(order: OwnOrder, report: OrderReport, startedAt: number): boolean {
    const partial = report.status === 'partially-filled';
    const acknowledged = order.cancelState === 'acknowledged';
    if ((partial || acknowledged) && isOffTheList(order, startedAt)) return true;
    if (startedAt < order.canceledAt) return false;
    if (acknowledged) return partial && isChangedByCancel(order, report, startedAt);
    return startedAt - order.canceledAt >= READ_VISIBILITY_MS;
  }

  /** What is still there when reads have had their time was not canceled, whatever was answered. */
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

/** What rests is told of by the lists: it has one look of its own at once, in case it matched. */
const pollDelay = ({ terms }: OwnOrder, looks: number): number =>
  spaced(terms.type === 'limit' ? RESTING_SPACING_MS : POLL_SPACING_MS, looks);

/**
 * Open orders have lacked it often, and for as long as a lookup may lag: what fills whole leaves the
 * list too, and its lookup may go on to tell of the part before.
 */
const isOffTheList = ({ unlistedReads, unlistedSince }: OwnOrder, at: number): boolean =>
  unlistedReads >= CONFIRMING_READS && at - unlistedSince >= READ_VISIBILITY_MS;

const isInVain = ({ cancelState, canceledAt }: OwnOrder, at: number): boolean =>
  cancelState === 'acknowledged' && at - canceledAt >= READ_VISIBILITY_MS;

/**
 * A cancelled remainder goes on to say PARTIAL_FILLED (hazard B5), as does a read that lags behind fills
 * before the cancel (B4): its time of change tells them apart, in whole seconds of the venue's clock. The
 * short form of an order by id has none: such a read is taken for one that lags, for as long as most do.
 */
function isChangedByCancel(
  order: OwnOrder,
  { updatedAt }: OrderReport,
  startedAt: number,
): boolean {
  if (updatedAt === undefined) return startedAt - order.canceledAt >= UNTIMED_READ_MS;
  // What changed long after the answer has traded on: the answer was none.
  return (
    updatedAt >= order.cancelSentAt - CLOCK_SLACK_MS &&
    updatedAt <= order.cancelAnsweredAt + CLOCK_SLACK_MS
  );
}

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

/** Price of the newest `delta`, from the order's average before and after it. */
function priceOfNewest(order: OwnOrder, average: Price, delta: number): Price {
  const filled: Quantity = order.filledQuantity;
  const before = BigInt(order.averagePrice ?? average) * BigInt(filled);
  const after = BigInt(average) * BigInt(filled + delta);
  const price = divideHalfEvenBig(after - before, BigInt(delta));
  // Averages that contradict each other must not make a price that nobody can have paid.
  return price > 0n ? fixed(Number(price)) : average;
}
