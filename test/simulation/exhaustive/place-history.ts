import { scaledOf } from '../../support/builders/scaled.js';
import type { OwnOrder } from '../../../src/execution/order/own-order.js';
import { fixed } from '../../../src/core/fixed/fixed.js';
import type { OrderTerms } from '../../../src/core/order.js';
import type {
  Outcome,
  Placement,
  Reply,
  RequestOf,
  VenueRequest,
} from '../../../src/core/request.js';
import { ProtocolRig, unknown } from '../../support/rigs/protocol-rig.js';
import type { Choices } from './choices.js';
import { isFence, DelayedPlaceRequests } from './delayed-place-requests.js';
import { deliverFence, deliverPlace } from './place-delivery.js';
import {
  checkEnd,
  checkRequest,
  checkStep,
  isDecided,
  isWithdrawn,
  must,
  type OrderSnapshot,
} from './place-properties.js';
import { SingleOrderExchange } from './single-order-exchange.js';
import { roundTripRecord } from './read-back.js';
import type { Scope } from './scope.js';

/** Ms after the faults stop within which every order must be decided. */
const QUIET_MS = 600_000;
/** Interval of the account polls, ms. */
const POLL_MS = 2_000;

export interface Ending {
  readonly state: OwnOrder['state'] | 'fenced' | 'never written';
  /** Requests of one intent, all runs together. */
  readonly requests: number;
  readonly crashed: boolean;
}

/**
 * One intent, the real protocol with its journal and recovery, and a venue that follows the choices
 * at each step. Every effect is checked as it happens.
 */
export class PlaceHistory {
  readonly #choices: Choices;
  readonly #scope: Scope;
  readonly #venue: SingleOrderExchange;
  readonly #id: string;
  readonly #original: OrderTerms;
  readonly #delayedPlaces: DelayedPlaceRequests;
  #rig = new ProtocolRig();
  #attempts = 0;
  #fences = 0;
  /** Payload of the first fence that left. */
  #fencePayload: string | undefined;
  /** The order has no age limit, as a reduction: a later run sends it again. */
  readonly #ignoresAge: boolean;
  /** No run may send the order again. */
  #isWithdrawn = false;
  #lookups = 0;
  #crashes = 0;
  #failures = 0;
  #requests = 0;
  /** Number of durable journal records, which no crash loses. */
  #durable = 0;
  /** Journaled attempts and fences that have not left. */
  #journaledAttempts = 0;
  #journaledFences = 0;
  /** An attempt left, and no reply since then says that it is not at the venue. */
  #mayBeAtVenue = false;
  #checkedEffects = 0;
  #isMissingOnce = false;
  #arePollsDown = false;
  #polledAt = Number.NEGATIVE_INFINITY;

  constructor(choices: Choices, scope: Scope) {
    this.#choices = choices;
    this.#scope = scope;
    const order = this.#rig.order({ quantity: '1', price: '60000' });
    this.#id = order.clientOrderId;
    this.#original = order.terms;
    this.#delayedPlaces = new DelayedPlaceRequests(order.terms);
    this.#ignoresAge = scope.extendedBehavior && choices.rarely(3, 'has no age');
    this.#venue = new SingleOrderExchange(this.#id, order.terms, {
      lag: (of) => choices.choose((of === 'lists' ? scope.listLag : scope.lookupLag) + 1, of),
      isBlind: () => scope.blind && choices.rarely(4, 'blind'),
      fills: () => choices.choose(2, 'rests') === 0,
      fillsAtLast: () => this.#order?.active === true,
      isStale: () => scope.extendedBehavior && choices.rarely(3, 'stale'),
      fillLags: () => scope.extendedBehavior && choices.rarely(2, 'fill lags'),
      tradesAtCancel: () => scope.extendedBehavior && choices.rarely(3, 'trades at its cancel'),
      keepsPartialStatus: () => choices.choose(2, 'sticks') === 1,
    });
    this.#arePollsDown = scope.extendedBehavior && choices.rarely(8, 'polls are down');
    this.#configureRun();
    this.#rig.protocol.submit(order);
    this.#checkEffects();
  }

  /** @throws Error naming the property that a step breaks */
  run(): Ending {
    while (this.#shouldContinue) {
      if (this.#scope.extendedBehavior) this.#advanceOrder();
      if (this.#mayCrashNow && this.#choices.rarely(this.#crashOneIn, 'crash')) this.#crash();
      else this.#step();
      this.#checkEffects();
      if (this.#order === undefined) return this.#ending();
    }
    this.#stopFaults();
    const until = this.#now + QUIET_MS;
    while (!isDecided(this.#snapshot) && this.#now < until) {
      this.#step();
      this.#pollInTime();
      this.#checkEffects();
    }
    checkEnd(this.#snapshot);
    return this.#ending();
  }

  /** True right before the disk or network is used: between these, crashes do not differ. */
  get #mayCrashNow(): boolean {
    if (!this.#canCrash) return false;
    const { permits, sent } = this.#rig;
    return permits.length > 0 ? permits[0]?.request.kind === 'place' : sent.length > 0;
  }

  /** Crashes are more frequent where a journal is easily misread: a cancel, a second reply. */
  get #crashOneIn(): number {
    const { state, active, attempts } = this.#order ?? {};
    if (state === 'accepted' && active === false) return 2;
    return state === 'verifying' && attempts !== undefined && attempts > 1 ? 4 : 8;
  }

  // --- events ---------------------------------------------------------------------------------------

  get #shouldContinue(): boolean {
    const { ended } = this.#order ?? { ended: true };
    return !ended && !this.#isHalted && !this.#isIdle && this.#lookups < this.#scope.lookups;
  }

  /** The venue has the order, only its end can follow, and no crash can lose it. */
  get #isIdle(): boolean {
    return this.#order?.state === 'accepted' && this.#order.active && !this.#canCrash;
  }

  get #canCrash(): boolean {
    const { crashes, totalFaults } = this.#scope;
    return this.#crashes < crashes && this.#crashes + this.#failures < totalFaults;
  }

  get #canFail(): boolean {
    const { failures, totalFaults } = this.#scope;
    return this.#failures < failures && this.#crashes + this.#failures < totalFaults;
  }

  #step(): void {
    const { permits, sent } = this.#rig;
    if (permits.length > 0) this.#grantPermit();
    else if (sent.length > 0) this.#answerRequest();
    else this.#wait();
  }

  #grantPermit(): void {
    const rig = this.#rig;
    const permit = rig.permits.shift();
    if (permit === undefined) return;
    rig.holdReason = this.#isOriginal(permit.request) && this.#isTooLate() ? 'too late' : undefined;
    rig.requestTracker.onPermitGranted(permit.id);
    const left = rig.sent.some(({ id }) => id === permit.id);
    must(rig.holdReason === undefined || !left, 'P10: a held order does not leave at its permit');
  }

  /** Validity may end at any attempt but the first of the first run. */
  #isTooLate(): boolean {
    if (this.#attempts === 0 && this.#crashes === 0) return false;
    if (this.#attempts >= this.#scope.attempts) return !this.#venue.quiet;
    return !this.#venue.quiet && this.#choices.choose(2, 'too late') === 1;
  }

  #answerRequest(): void {
    const rig = this.#rig;
    const sentRequest = rig.sent[0];
    if (sentRequest === undefined) return;
    if (!this.#venue.quiet) this.#maybeLand('may land');
    // The protocol reads it after a conflict only.
    if (this.#order?.conflictSeen === true)
      rig.absent = !this.#arePollsDown && !this.#venue.isListed(this.#now);
    const { request } = sentRequest;
    rig.sent.shift();
    const outcome =
      request.kind === 'place' ? this.#deliverPlaceRequest(request) : this.#responseTo(request);
    if (provesAbsence(request.kind, outcome as Outcome<unknown>)) this.#mayBeAtVenue = false;
    rig.requestTracker.onReply(sentRequest.id, { to: request.kind, outcome } as Reply);
  }

  #responseTo(request: Parameters<SingleOrderExchange['answer']>[0]): unknown {
    const chosen = !this.#venue.quiet;
    if (
      chosen &&
      this.#scope.extendedBehavior &&
      request.kind === 'cancel' &&
      this.#choices.rarely(4, 'lost')
    ) {
      if (this.#choices.choose(2, 'cancel landed') === 1) this.#venue.answer(request, this.#now);
      return unknown();
    }
    if (chosen && request.kind === 'find-order') this.#lookups += 1;
    if (chosen && this.#canFail && this.#choices.rarely(6, 'read fails')) {
      this.#failures += 1;
      return unknown(500);
    }
    return this.#venue.answer(request, this.#now);
  }

  #deliverPlaceRequest({ terms }: RequestOf<'place'>): Outcome<Placement> {
    const arrival = {
      venue: this.#venue,
      terms,
      now: this.#now,
      mayNotLeave: this.#scope.extendedBehavior,
      delay: () => {
        this.#delayedPlaces.add(terms);
      },
    };
    if (!isFence(this.#original, terms)) return deliverPlace(this.#choices, arrival);
    return deliverFence(this.#choices, arrival, this.#fences <= this.#scope.fences);
  }

  #isOriginal(request: VenueRequest): boolean {
    return request.kind === 'place' && !isFence(this.#original, request.terms);
  }

  #maybeLand(label: string): void {
    this.#delayedPlaces.maybeLand(this.#choices, this.#venue, this.#now, label);
  }

  /** Advances time to the next timer. */
  #wait(): void {
    const state = this.#order?.state ?? 'unknown';
    must(
      this.#rig.nextTimer !== undefined,
      `P17: a timer or a reply is pending; the order is ${state}`,
    );
    this.#rig.fireNext();
  }

  /** Events of the order without a request: fills, an operator's cancel, polls. */
  #advanceOrder(): void {
    const order = this.#order;
    if (order === undefined) return;
    if (this.#choices.rarely(10, 'trades')) this.#venue.trade(this.#now);
    if (this.#choices.rarely(14, 'nobody wants it')) this.#rig.protocol.cancel(order);
    this.#pollInTime();
  }

  #pollInTime(): void {
    if (this.#now < this.#polledAt + POLL_MS) return;
    this.#polledAt = this.#now;
    if (this.#arePollsDown) return;
    const { quiet } = this.#venue;
    // Two wrong lists in a row would be evidence.
    this.#isMissingOnce = !quiet && !this.#isMissingOnce && this.#choices.rarely(5, 'blip');
    this.#poll(this.#isMissingOnce || (this.#venue.hasOrder && !this.#venue.isListed(this.#now)));
  }

  #poll(isMissing: boolean): void {
    const order = this.#order;
    if (order === undefined || order.ended) return;
    const row = isMissing ? undefined : this.#venue.openRow;
    if (row !== undefined) this.#rig.protocol.onListed(order, row, this.#now);
    // The engine too finds an order in a list by the venue's id.
    if (order.orderId !== undefined && !order.ended)
      this.#rig.protocol.onOpenOrders(order, row === undefined, this.#now);
  }

  /** Crashes with every durable record and any part of the others, and starts again. */
  #crash(): void {
    const rig = this.#rig;
    this.#crashes += 1;
    for (const { request } of rig.sent)
      if (request.kind === 'place') this.#delayedPlaces.add(request.terms);
    const lost = this.#choices.choose(rig.records.length - this.#durable + 1, 'records lost');
    const durableRecords = rig.records.slice(0, rig.records.length - lost).map(roundTripRecord);
    rig.stamp.monotonic += 1;
    this.#rig = ProtocolRig.after(durableRecords, rig.stamp, (next) => {
      this.#configureRun(next);
    });
    this.#durable = durableRecords.length;
    this.#isWithdrawn = isWithdrawn(durableRecords);
    this.#journaledAttempts = 0;
    this.#journaledFences = 0;
    this.#checkedEffects = 0;
  }

  /** Configures a run. Each run's fence has its own price, so that a forgotten fence is noticed. */
  #configureRun(rig = this.#rig): void {
    if (this.#ignoresAge) rig.isTooOld = () => false;
    const isForbidden = this.#scope.extendedBehavior && this.#choices.rarely(4, 'no fence');
    rig.fence = isForbidden ? 'mode HALTED' : this.#fenceTerms;
  }

  get #fenceTerms(): OrderTerms {
    const quantity = fixed<'quantity'>(scaledOf(this.#original.quantity) / 100);
    const { price = fixed<'price'>(0) } = this.#original;
    return {
      ...this.#original,
      quantity,
      price: fixed(scaledOf(price) / 2 - this.#crashes * 1_000_000),
    };
  }

  /** Faults stop. Requests in flight land now or never; a resting order trades. */
  #stopFaults(): void {
    this.#maybeLand('lands at last');
    this.#venue.quiet = true;
    this.#arePollsDown = false;
    this.#rig.fence = this.#fenceTerms;
  }

  // --- properties ----------------------------------------------------------------------------------

  #checkEffects(): void {
    const { left, effects } = this.#rig;
    for (; this.#checkedEffects < effects.length; this.#checkedEffects += 1) {
      const effect = effects[this.#checkedEffects] ?? '';
      if (effect === 'journal attempt') this.#journaledAttempts += 1;
      if (effect === 'journal fence') this.#journaledFences += 1;
      if (effect === 'journal instruction') this.#isWithdrawn = true;
      if (!effect.startsWith('send ')) continue;
      this.#requests += 1;
      this.#durable = this.#rig.records.length;
      const request = left.shift();
      if (request?.kind === 'place') this.#checkPlace(request);
    }
    must(this.#venue.accepted <= 1, 'P1: one accepted order at most');
    const { halts } = this.#rig;
    must(halts.length === 0 || this.#venue.isExternal, `nothing halts: ${halts.join(', ')}`);
    checkStep(this.#snapshot);
  }

  #checkPlace(request: RequestOf<'place'>): void {
    must(!this.#mayBeAtVenue, 'P1: sent again only after a reply that it is not at the venue');
    this.#mayBeAtVenue = true;
    must(this.#hasIntent, 'P6: the INTENT is durable before the bytes leave');
    if (this.#isOriginal(request)) this.#checkAttempt(request);
    else this.#checkFence(request);
  }

  #checkAttempt(request: RequestOf<'place'>): void {
    this.#attempts += 1;
    this.#journaledAttempts -= 1;
    must(
      this.#journaledAttempts === 0,
      'P6: an ATTEMPT of its own is durable before the bytes leave',
    );
    must(!this.#isWithdrawn, 'a withdrawn order never leaves again');
    must(this.#fencePayload === undefined, 'a fenced order never leaves again');
    const isCurrentRun = this.#crashes === 0 || this.#ignoresAge;
    must(isCurrentRun, 'R27: an entry of a previous run is not sent');
    checkRequest(request, { id: this.#id, payload: JSON.stringify(this.#original) });
  }

  #checkFence(request: RequestOf<'place'>): void {
    this.#fences += 1;
    this.#journaledFences -= 1;
    must(this.#journaledFences === 0, 'P6: a FENCE of its own is durable before the bytes leave');
    must(this.#order?.active === false, 'only a withdrawn order is fenced');
    this.#fencePayload ??= JSON.stringify(request.terms);
    checkRequest(request, { id: this.#id, payload: this.#fencePayload });
  }

  get #snapshot(): OrderSnapshot {
    const { ledger, sent, halts } = this.#rig;
    let lateQuantity = this.#delayedPlaces.potentialQuantity;
    for (const { request } of sent)
      if (request.kind === 'place')
        lateQuantity = Math.max(lateQuantity, scaledOf(request.terms.quantity));
    return {
      order: this.#order,
      venue: this.#venue,
      late: lateQuantity,
      exposure: ledger.of('BTCUSDT', 'USDT'),
      isWritten: this.#durable > 0,
      isHalted: halts.length > 0,
    };
  }

  get #isHalted(): boolean {
    return this.#rig.halts.length > 0;
  }

  get #hasIntent(): boolean {
    return this.#rig.records[0]?.type === 'intent';
  }

  get #order(): OwnOrder | undefined {
    return this.#rig.ledger.byClientOrderId(this.#id);
  }

  get #now(): number {
    return this.#rig.stamp.monotonic;
  }

  #ending(): Ending {
    const { state, isFence: isFenced } = this.#order ?? { state: 'never written' as const };
    return {
      state: isFenced === true && state === 'canceled' ? 'fenced' : state,
      requests: this.#requests,
      crashed: this.#crashes > 0,
    };
  }
}

/** Only a JSON 404 to a lookup proves absence, and a reply by which this attempt made nothing. */
function provesAbsence(kind: VenueRequest['kind'], outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'yes') return false;
  if (kind === 'find-order') return outcome.kind === 'no' && outcome.code === 'order-not-found';
  if (kind !== 'place') return false;
  if (outcome.kind === 'unknown') return !outcome.sent;
  return outcome.code === 'locked' || outcome.code === 'rate-limited';
}
