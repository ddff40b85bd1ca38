import { fixed } from '../../../src/core/fixed/fixed.js';
import type { OrderReport, OrderTerms } from '../../../src/core/order.js';
import type { Outcome, Placement, ReplyTo, VenueRequest } from '../../../src/core/request.js';
import {
  CONFLICT,
  NOT_FOUND,
  no,
  placement,
  reportOf,
  yes,
} from '../../support/rigs/protocol-rig.js';
import { scaledOf } from '../../support/builders/scaled.js';
import { isFence } from './delayed-place-requests.js';

/** Choices of the venue, asked when each first matters. */
export interface ExchangeBehavior {
  /** Number of lookups, or reads of each list, begun after it landed that still miss it. */
  lag(of: 'lookups' | 'lists'): number;
  /** Lookups by client id never find anything (supplement: lookups). */
  isBlind(): boolean;
  /** The order fills as it lands; otherwise it rests. */
  fills(): boolean;
  /** Whether a resting order fills once the faults stopped; otherwise it waits for its cancel. */
  fillsAtLast(): boolean;
  /** A read shows the order as it was before its last change. */
  isStale(): boolean;
  /** The first read after a change shows the new status with the old fill (hazard B4). */
  fillLags(): boolean;
  /** The order fills partly as the cancel arrives. */
  tradesAtCancel(): boolean;
  /** A canceled order that filled partly keeps that status (interface: known issue). */
  keepsPartialStatus(): boolean;
}

/** Longest lag of a read, ms. */
const VISIBLE_WITHIN_MS = 29_000;
const POLL_MS = 2_000;

/**
 * The smallest venue for one client order id. The id is free, has an order, or was consumed without
 * one; the first of the latter two is final (interface: client_order_id rules).
 */
export class SingleOrderExchange {
  readonly #clientOrderId: string;
  readonly #original: OrderTerms;
  readonly #behavior: ExchangeBehavior;
  readonly #decidedBehavior: {
    lookups?: number;
    lists?: number;
    blind?: boolean;
    sticks?: boolean;
  } = {};
  readonly #reads = { lookups: 0, open: 0, history: 0 };
  #state: 'free' | 'order' | 'burned' = 'free';
  #status: 'open' | 'filled' | 'canceled' | undefined;
  #landedAt = 0;
  /** Terms of the order or fence that landed. */
  #terms: OrderTerms;
  /** Filled quantity of an order that is not fully filled. */
  #traded = 0;
  #before:
    { readonly report: OrderReport; readonly changedAt: number; wasLookedUp: boolean } | undefined;
  #isExternal = false;
  /** Orders accepted under this intent so far. */
  accepted = 0;
  /** From now on reads do not lag, and resting orders fill. */
  quiet = false;

  constructor(clientOrderId: string, terms: OrderTerms, behavior: ExchangeBehavior) {
    this.#clientOrderId = clientOrderId;
    this.#original = terms;
    this.#terms = terms;
    this.#behavior = behavior;
  }

  get isTaken(): boolean {
    return this.#state !== 'free';
  }
  get isBurned(): boolean {
    return this.#state === 'burned';
  }
  get hasOrder(): boolean {
    return this.#state === 'order';
  }
  get status(): 'open' | 'filled' | 'canceled' {
    this.#status ??= !this.isFence && (this.quiet || this.#behavior.fills()) ? 'filled' : 'open';
    if (this.#status === 'open' && !this.isFence && this.quiet && this.#behavior.fillsAtLast())
      this.#status = 'filled';
    return this.#status;
  }
  /** The order under our id is external. */
  get isExternal(): boolean {
    return this.#isExternal;
  }
  /** The order under our id is the fence, which rests far from the market. */
  get isFence(): boolean {
    return isFence(this.#original, this.#terms);
  }
  /** The most that this id has traded or may trade without another request. */
  get potentialQuantity(): number {
    if (this.#state !== 'order' || this.#isExternal) return 0;
    return this.#status === 'canceled' ? this.#traded : scaledOf(this.#terms.quantity);
  }
  get filled(): number {
    if (this.#state !== 'order') return 0;
    return this.status === 'filled' ? scaledOf(this.#terms.quantity) : this.#traded;
  }

  accept(now: number, terms: OrderTerms): Outcome<Placement> {
    if (this.isTaken) return CONFLICT;
    this.#state = 'order';
    this.#terms = terms;
    this.#landedAt = now;
    this.accepted += 1;
    return placement();
  }

  /** A hard rejection that consumes the id (interface, client_order_id rule 4). */
  burn(): Outcome<Placement> {
    if (this.isTaken) return CONFLICT;
    this.#state = 'burned';
    return no('insufficient-balance');
  }

  /** A resting order fills: half of it, then the rest. */
  trade(now: number): void {
    if (!this.hasOrder || this.#isExternal || this.status !== 'open') return;
    this.#recordChange(now);
    if (this.#traded > 0) this.#status = 'filled';
    else this.#traded = scaledOf(this.#terms.quantity) / 2;
  }

  /** An external order has our id (hazard A20). */
  acceptExternal(now: number): Outcome<Placement> {
    this.#state = 'order';
    this.#isExternal = true;
    this.#landedAt = now;
    return CONFLICT;
  }

  /** Whether polled lists and positions of the account show the order. */
  isListed(now: number): boolean {
    return this.hasOrder && now >= this.#landedAt + this.#lag('lists') * POLL_MS;
  }

  /** Its row in the polled list of open orders; undefined: not listed. */
  get openRow(): OrderReport | undefined {
    return this.hasOrder && this.status === 'open' ? this.#report() : undefined;
  }

  answer(request: VenueRequest, now: number): ReplyTo<VenueRequest['kind']> {
    switch (request.kind) {
      case 'find-order':
        return this.#find(request.order, now);
      case 'read-open-orders':
        return yes(this.#isVisibleIn('open', now) ? [this.#report()] : []);
      case 'read-order-history':
        return yes(this.#isVisibleIn('history', now) ? [this.#report()] : []);
      case 'read-positions':
        return yes([]);
      case 'cancel':
        return this.#cancel(now);
      default:
        throw new Error(`unexpected request ${request.kind}`);
    }
  }

  #find(ref: { clientOrderId?: string; orderId?: string }, now: number): Outcome<OrderReport> {
    if (!this.hasOrder || (ref.clientOrderId !== undefined && this.#isBlind)) return NOT_FOUND;
    if (this.#isLate('lookups', 'lookups', now)) return NOT_FOUND;
    return yes(this.#lookupResult(now));
  }

  #lookupResult(now: number): OrderReport {
    const before = this.#mustBeVisible(this.#before?.changedAt ?? 0, now)
      ? undefined
      : this.#before;
    if (before === undefined) return this.#report();
    const isFirst = !before.wasLookedUp;
    before.wasLookedUp = true;
    if (this.#behavior.isStale()) return before.report;
    if (!isFirst || !this.#behavior.fillLags()) return this.#report();
    return { ...this.#report(), filledQuantity: before.report.filledQuantity };
  }

  #isVisibleIn(list: 'open' | 'history', now: number): boolean {
    if (!this.hasOrder || (this.status === 'open') !== (list === 'open')) return false;
    return !this.#isLate(list, 'lists', now);
  }

  #isLate(read: 'lookups' | 'open' | 'history', of: 'lookups' | 'lists', now: number): boolean {
    if (this.#mustBeVisible(this.#landedAt, now)) return false;
    const before = this.#reads[read];
    this.#reads[read] += 1;
    return before < this.#lag(of);
  }

  #mustBeVisible(since: number, now: number): boolean {
    return this.quiet || now >= since + VISIBLE_WITHIN_MS;
  }

  #recordChange(now: number): void {
    this.#before = { report: this.#report(), changedAt: now, wasLookedUp: false };
  }

  #lag(of: 'lookups' | 'lists'): number {
    return this.quiet ? 0 : (this.#decidedBehavior[of] ??= this.#behavior.lag(of));
  }

  get #isBlind(): boolean {
    return (this.#decidedBehavior.blind ??= this.#behavior.isBlind());
  }

  #cancel(now: number): Outcome<null> {
    if (!this.hasOrder) return NOT_FOUND;
    if (this.status !== 'open') return no('order-not-open');
    this.#recordChange(now);
    if (this.#traded === 0 && this.#behavior.tradesAtCancel())
      this.#traded = scaledOf(this.#terms.quantity) / 2;
    this.#status = 'canceled';
    return yes(null);
  }

  #report(): OrderReport {
    const quantity = fixed<'quantity'>(scaledOf(this.#terms.quantity) + (this.#isExternal ? 1 : 0));
    const clientOrderId = this.#clientOrderId;
    const report = reportOf(this.#terms, { status: this.#reportedStatus });
    return { ...report, clientOrderId, quantity, filledQuantity: fixed(this.filled) };
  }

  get #reportedStatus(): OrderReport['status'] {
    const { status } = this;
    if (status === 'filled') return 'filled';
    if (this.#traded === 0) return status === 'open' ? 'created' : 'canceled';
    if (status === 'open') return 'partially-filled';
    this.#decidedBehavior.sticks ??= this.#behavior.keepsPartialStatus();
    return this.#decidedBehavior.sticks ? 'partially-filled' : 'canceled';
  }
}
