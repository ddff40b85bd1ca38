import { fixed } from '../../../src/core/fixed.js';
import type { OrderReport, OrderTerms } from '../../../src/core/order.js';
import type { Outcome, Placement, ReplyTo, VenueRequest } from '../../../src/core/request.js';
import { CONFLICT, NOT_FOUND, no, placement, reportOf, yes } from '../../harness/protocol-rig.js';
import { scaledOf } from '../../harness/scaled.js';
import { isFence } from './late-places.js';

/** What a venue may do with its answers, asked when it first matters. */
export interface Manners {
  /** How many lookups, or reads of each list, begun after it landed still miss it. */
  lag(of: 'lookups' | 'lists'): number;
  /** Its lookups by client id never find anything (supplement, part 9). */
  isBlind(): boolean;
  /** It fills as it lands; otherwise it rests. */
  fills(): boolean;
  /** Whether a resting order trades once the faults stopped; otherwise it waits for its cancel. */
  fillsAtLast(): boolean;
  /** A read shows the order as it was before its last change. */
  isStale(): boolean;
  /** The first read after a change shows the new word with the old fill (hazard B4). */
  fillLags(): boolean;
  /** It trades in part as the cancel arrives. */
  tradesAtCancel(): boolean;
  /** A cancelled order that traded in part keeps saying so (interface, Known issue). */
  sticks(): boolean;
}

/** What a venue may show late, it shows within this time, ms (reliability part 0.7, T_vis). */
const VISIBLE_WITHIN_MS = 29_000;
const POLL_MS = 2_000;

/**
 * The least venue for one client order id: it is free, or has an order, or was consumed without one,
 * and the first of these that happens is for ever (interface, client_order_id rules).
 */
export class PlaceVenue {
  readonly #clientOrderId: string;
  readonly #original: OrderTerms;
  readonly #manners: Manners;
  readonly #learnt: { lookups?: number; lists?: number; blind?: boolean; sticks?: boolean } = {};
  readonly #reads = { lookups: 0, open: 0, history: 0 };
  #state: 'free' | 'order' | 'burned' = 'free';
  #status: 'open' | 'filled' | 'canceled' | undefined;
  #landedAt = 0;
  /** Of what landed. */
  #terms: OrderTerms;
  /** Of an order that has not filled whole. */
  #traded = 0;
  #before:
    { readonly report: OrderReport; readonly changedAt: number; wasLookedUp: boolean } | undefined;
  #isForeign = false;
  /** Orders that it ever accepted under this intent. */
  accepted = 0;
  /** From now on every read shows what is, and what rests fills. */
  quiet = false;

  constructor(clientOrderId: string, terms: OrderTerms, manners: Manners) {
    this.#clientOrderId = clientOrderId;
    this.#original = terms;
    this.#terms = terms;
    this.#manners = manners;
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
    this.#status ??= !this.isFence && (this.quiet || this.#manners.fills()) ? 'filled' : 'open';
    if (this.#status === 'open' && !this.isFence && this.quiet && this.#manners.fillsAtLast())
      this.#status = 'filled';
    return this.#status;
  }
  /** The order under our id is somebody else's. */
  get isForeign(): boolean {
    return this.#isForeign;
  }
  /** The order under our id rests far from the market, in the place of the one that was meant. */
  get isFence(): boolean {
    return isFence(this.#original, this.#terms);
  }
  /** What this id has traded or may trade without another request. */
  get reach(): number {
    if (this.#state !== 'order' || this.#isForeign) return 0;
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

  /** What rests trades: half of it, then the rest. */
  trade(now: number): void {
    if (!this.hasOrder || this.#isForeign || this.status !== 'open') return;
    this.#changes(now);
    if (this.#traded > 0) this.#status = 'filled';
    else this.#traded = scaledOf(this.#terms.quantity) / 2;
  }

  /** Somebody else's order has our id (hazard A20). */
  forge(now: number): Outcome<Placement> {
    this.#state = 'order';
    this.#isForeign = true;
    this.#landedAt = now;
    return CONFLICT;
  }

  /** Whether the account's lists and positions, as they are polled, show it. */
  isListed(now: number): boolean {
    return this.hasOrder && now >= this.#landedAt + this.#lag('lists') * POLL_MS;
  }

  /** Its row in the account's open orders, as they are polled; undefined: not there. */
  get openRow(): OrderReport | undefined {
    return this.hasOrder && this.status === 'open' ? this.#report() : undefined;
  }

  answer(request: VenueRequest, now: number): ReplyTo<VenueRequest['kind']> {
    switch (request.kind) {
      case 'find-order':
        return this.#find(request.order, now);
      case 'read-open-orders':
        return yes(this.#shows('open', now) ? [this.#report()] : []);
      case 'read-order-history':
        return yes(this.#shows('history', now) ? [this.#report()] : []);
      case 'read-positions':
        return yes([]);
      case 'cancel':
        return this.#cancel(now);
      default:
        throw new Error(`nobody asks this venue for ${request.kind}`);
    }
  }

  #find(ref: { clientOrderId?: string; orderId?: string }, now: number): Outcome<OrderReport> {
    if (!this.hasOrder || (ref.clientOrderId !== undefined && this.#isBlind)) return NOT_FOUND;
    if (this.#isLate('lookups', 'lookups', now)) return NOT_FOUND;
    return yes(this.#lookedUp(now));
  }

  #lookedUp(now: number): OrderReport {
    const before = this.#mustShow(this.#before?.changedAt ?? 0, now) ? undefined : this.#before;
    if (before === undefined) return this.#report();
    const isFirst = !before.wasLookedUp;
    before.wasLookedUp = true;
    if (this.#manners.isStale()) return before.report;
    if (!isFirst || !this.#manners.fillLags()) return this.#report();
    return { ...this.#report(), filledQuantity: before.report.filledQuantity };
  }

  #shows(list: 'open' | 'history', now: number): boolean {
    if (!this.hasOrder || (this.status === 'open') !== (list === 'open')) return false;
    return !this.#isLate(list, 'lists', now);
  }

  #isLate(read: 'lookups' | 'open' | 'history', of: 'lookups' | 'lists', now: number): boolean {
    if (this.#mustShow(this.#landedAt, now)) return false;
    const before = this.#reads[read];
    this.#reads[read] += 1;
    return before < this.#lag(of);
  }

  #mustShow(since: number, now: number): boolean {
    return this.quiet || now >= since + VISIBLE_WITHIN_MS;
  }

  #changes(now: number): void {
    this.#before = { report: this.#report(), changedAt: now, wasLookedUp: false };
  }

  #lag(of: 'lookups' | 'lists'): number {
    return this.quiet ? 0 : (this.#learnt[of] ??= this.#manners.lag(of));
  }

  get #isBlind(): boolean {
    return (this.#learnt.blind ??= this.#manners.isBlind());
  }

  #cancel(now: number): Outcome<null> {
    if (!this.hasOrder) return NOT_FOUND;
    if (this.status !== 'open') return no('order-not-open');
    this.#changes(now);
    if (this.#traded === 0 && this.#manners.tradesAtCancel())
      this.#traded = scaledOf(this.#terms.quantity) / 2;
    this.#status = 'canceled';
    return yes(null);
  }

  #report(): OrderReport {
    const quantity = fixed<'quantity'>(scaledOf(this.#terms.quantity) + (this.#isForeign ? 1 : 0));
    const clientOrderId = this.#clientOrderId;
    const report = reportOf(this.#terms, { status: this.#word });
    return { ...report, clientOrderId, quantity, filledQuantity: fixed(this.filled) };
  }

  get #word(): OrderReport['status'] {
    const { status } = this;
    if (status === 'filled') return 'filled';
    if (this.#traded === 0) return status === 'open' ? 'created' : 'canceled';
    if (status === 'open') return 'partially-filled';
    this.#learnt.sticks ??= this.#manners.sticks();
    return this.#learnt.sticks ? 'partially-filled' : 'canceled';
  }
}
