import { scaledOf } from '../../harness/scaled.js';
import type { OwnOrder } from '../../../src/execution/order/own-order.js';
import { fixed } from '../../../src/core/fixed.js';
import type { OrderTerms } from '../../../src/core/order.js';
import type {
  Outcome,
  Placement,
  Reply,
  RequestOf,
  VenueRequest,
} from '../../../src/core/request.js';
import { ProtocolRig, unknown } from '../../harness/protocol-rig.js';
import type { Choices } from './choices.js';
import { isFence, LatePlaces } from './late-places.js';
import { fateOfFence, fateOfPlace } from './place-fates.js';
import {
  checkEnd,
  checkRequest,
  checkStep,
  isDecided,
  isWithdrawn,
  must,
  type Sight,
} from './place-properties.js';
import { PlaceVenue } from './place-venue.js';
import { onDisk } from './read-back.js';
import type { Scope } from './scope.js';

/** After the faults stop, ms: within this everything must be decided. */
const QUIET_MS = 600_000;
/** The account is polled so often. */
const POLL_MS = 2_000;

export interface Ending {
  readonly state: OwnOrder['state'] | 'fenced' | 'never written';
  /** Requests that one intent cost, all lives together. */
  readonly requests: number;
  readonly crashed: boolean;
}

/**
 * One intent, the real protocol with its journal and recovery, and a venue that does at each step what
 * the choices say. Every effect is looked at as it happens.
 */
export class PlaceHistory {
  readonly #choices: Choices;
  readonly #scope: Scope;
  readonly #venue: PlaceVenue;
  readonly #id: string;
  readonly #original: OrderTerms;
  readonly #late: LatePlaces;
  #rig = new ProtocolRig();
  #attempts = 0;
  #fences = 0;
  /** As the first fence that left had it. */
  #fencePayload: string | undefined;
  /** As every reduction, and as an entry whose age nobody limits: a later life sends it again. */
  readonly #isAgeless: boolean;
  /** The order must not leave again, in any life. */
  #isWithdrawn = false;
  #lookups = 0;
  #crashes = 0;
  #failures = 0;
  #requests = 0;
  /** Records of the journal that no crash can take. */
  #durable = 0;
  /** Attempts, and fences, that the journal vouches for and that have not left. */
  #promised = 0;
  #promisedFences = 0;
  /** An attempt left, and no answer since then said that it is not at the venue. */
  #mayBeThere = false;
  #seenEffects = 0;
  #isBlip = false;
  #arePollsDown = false;
  #polledAt = Number.NEGATIVE_INFINITY;

  constructor(choices: Choices, scope: Scope) {
    this.#choices = choices;
    this.#scope = scope;
    const order = this.#rig.order({ quantity: '1', price: '60000' });
    this.#id = order.clientOrderId;
    this.#original = order.terms;
    this.#late = new LatePlaces(order.terms);
    this.#isAgeless = scope.life && choices.rarely(3, 'has no age');
    this.#venue = new PlaceVenue(this.#id, order.terms, {
      lag: (of) => choices.choose((of === 'lists' ? scope.listLag : scope.lookupLag) + 1, of),
      isBlind: () => scope.blind && choices.rarely(4, 'blind'),
      fills: () => choices.choose(2, 'rests') === 0,
      fillsAtLast: () => this.#order?.wanted === true,
      isStale: () => scope.life && choices.rarely(3, 'stale'),
      fillLags: () => scope.life && choices.rarely(2, 'fill lags'),
      tradesAtCancel: () => scope.life && choices.rarely(3, 'trades at its cancel'),
      sticks: () => choices.choose(2, 'sticks') === 1,
    });
    this.#arePollsDown = scope.life && choices.rarely(8, 'polls are down');
    this.#begin();
    this.#rig.protocol.submit(order);
    this.#look();
  }

  /** @throws Error naming the property that a step breaks */
  run(): Ending {
    while (this.#goesOn) {
      if (this.#scope.life) this.#live();
      if (this.#mayCrashNow && this.#choices.rarely(this.#crashOneIn, 'crash')) this.#crash();
      else this.#step();
      this.#look();
      if (this.#order === undefined) return this.#ending();
    }
    this.#quieten();
    const until = this.#now + QUIET_MS;
    while (!isDecided(this.#sight) && this.#now < until) {
      this.#step();
      this.#pollInTime();
      this.#look();
    }
    checkEnd(this.#sight);
    return this.#ending();
  }

  /** Right before the disk or the network is touched: between these, a crash changes nothing else. */
  get #mayCrashNow(): boolean {
    if (!this.#crashIsLeft) return false;
    const { slots, sent } = this.#rig;
    return slots.length > 0 ? slots[0]?.request.kind === 'place' : sent.length > 0;
  }

  /** More often where a journal is easily misread: a wish to take it back, an answer after another. */
  get #crashOneIn(): number {
    const { state, wanted, attempts } = this.#order ?? {};
    if (state === 'accepted' && wanted === false) return 2;
    return state === 'verifying' && attempts !== undefined && attempts > 1 ? 4 : 8;
  }

  // --- what happens --------------------------------------------------------------------------------

  get #goesOn(): boolean {
    const { ended } = this.#order ?? { ended: true };
    return !ended && !this.#isHalted && !this.#isIdle && this.#lookups < this.#scope.lookups;
  }

  /** The venue has it, nobody will ask for anything but its end, and no crash can forget it. */
  get #isIdle(): boolean {
    return this.#order?.state === 'accepted' && this.#order.wanted && !this.#crashIsLeft;
  }

  get #crashIsLeft(): boolean {
    const { crashes, mishaps } = this.#scope;
    return this.#crashes < crashes && this.#crashes + this.#failures < mishaps;
  }

  get #failureIsLeft(): boolean {
    const { failures, mishaps } = this.#scope;
    return this.#failures < failures && this.#crashes + this.#failures < mishaps;
  }

  #step(): void {
    const { slots, sent } = this.#rig;
    if (slots.length > 0) this.#grant();
    else if (sent.length > 0) this.#serve();
    else this.#wait();
  }

  #grant(): void {
    const rig = this.#rig;
    const slot = rig.slots.shift();
    if (slot === undefined) return;
    rig.hold = this.#isOriginal(slot.request) && this.#isTooLate() ? 'too late' : undefined;
    rig.desk.slot(slot.id);
    const left = rig.sent.some(({ id }) => id === slot.id);
    must(rig.hold === undefined || !left, 'P10: what is held back at its slot does not leave');
  }

  /** Validity runs out at any attempt but the first of the first life. */
  #isTooLate(): boolean {
    if (this.#attempts === 0 && this.#crashes === 0) return false;
    if (this.#attempts >= this.#scope.attempts) return !this.#venue.quiet;
    return !this.#venue.quiet && this.#choices.choose(2, 'too late') === 1;
  }

  #serve(): void {
    const rig = this.#rig;
    const asked = rig.sent[0];
    if (asked === undefined) return;
    if (!this.#venue.quiet) this.#landOrNot('may land');
    // Only a conflict makes the protocol ask for it.
    if (this.#order?.conflictSeen === true)
      rig.absent = !this.#arePollsDown && !this.#venue.isListed(this.#now);
    const { request } = asked;
    rig.sent.shift();
    const outcome = request.kind === 'place' ? this.#fateOfPlace(request) : this.#answerOf(request);
    if (saysAbsent(request.kind, outcome as Outcome<unknown>)) this.#mayBeThere = false;
    rig.desk.reply(asked.id, { to: request.kind, outcome } as Reply);
  }

  #answerOf(request: Parameters<PlaceVenue['answer']>[0]): unknown {
    const chosen = !this.#venue.quiet;
    if (
      chosen &&
      this.#scope.life &&
      request.kind === 'cancel' &&
      this.#choices.rarely(4, 'lost')
    ) {
      if (this.#choices.choose(2, 'cancel landed') === 1) this.#venue.answer(request, this.#now);
      return unknown();
    }
    if (chosen && request.kind === 'find-order') this.#lookups += 1;
    if (chosen && this.#failureIsLeft && this.#choices.rarely(6, 'read fails')) {
      this.#failures += 1;
      return unknown(500);
    }
    return this.#venue.answer(request, this.#now);
  }

  #fateOfPlace({ terms }: RequestOf<'place'>): Outcome<Placement> {
    const arrival = {
      venue: this.#venue,
      terms,
      now: this.#now,
      mayStay: this.#scope.life,
      delay: () => {
        this.#late.add(terms);
      },
    };
    if (!isFence(this.#original, terms)) return fateOfPlace(this.#choices, arrival);
    return fateOfFence(this.#choices, arrival, this.#fences <= this.#scope.fences);
  }

  #isOriginal(request: VenueRequest): boolean {
    return request.kind === 'place' && !isFence(this.#original, request.terms);
  }

  #landOrNot(label: string): void {
    this.#late.landOrNot(this.#choices, this.#venue, this.#now, label);
  }

  /** Time goes to the next timer. */
  #wait(): void {
    const state = this.#order?.state ?? 'unknown';
    must(this.#rig.nextTimer !== undefined, `P17: something is waited for; the order is ${state}`);
    this.#rig.fireNext();
  }

  /** What happens to an order of itself. */
  #live(): void {
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
    // Two blips in a row are no blip.
    this.#isBlip = !quiet && !this.#isBlip && this.#choices.rarely(5, 'blip');
    this.#poll(this.#isBlip || (this.#venue.hasOrder && !this.#venue.isListed(this.#now)));
  }

  #poll(isMissing: boolean): void {
    const order = this.#order;
    if (order === undefined || order.ended) return;
    const row = isMissing ? undefined : this.#venue.openRow;
    if (row !== undefined) this.#rig.protocol.listed(order, row, this.#now);
    // As the engine does, which knows an order in a list by the venue's id.
    if (order.orderId !== undefined && !order.ended)
      this.#rig.protocol.unlisted(order, row === undefined, this.#now);
  }

  /** Dies with all that was durable and any part of what was not, and starts again. */
  #crash(): void {
    const rig = this.#rig;
    this.#crashes += 1;
    for (const { request } of rig.sent) if (request.kind === 'place') this.#late.add(request.terms);
    const lost = this.#choices.choose(rig.records.length - this.#durable + 1, 'records lost');
    const kept = rig.records.slice(0, rig.records.length - lost).map(onDisk);
    rig.stamp.monotonic += 1;
    this.#rig = ProtocolRig.after(kept, rig.stamp, (next) => {
      this.#begin(next);
    });
    this.#durable = kept.length;
    this.#isWithdrawn = isWithdrawn(kept);
    this.#promised = 0;
    this.#promisedFences = 0;
    this.#seenEffects = 0;
  }

  /** Gives a life its bounds. Its fence has a price of its own, so that a forgotten one is seen. */
  #begin(rig = this.#rig): void {
    if (this.#isAgeless) rig.isTooOld = () => false;
    const isForbidden = this.#scope.life && this.#choices.rarely(4, 'no fence');
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

  /** Faults stop. What is still on its way lands now or never; a resting order trades. */
  #quieten(): void {
    this.#landOrNot('lands at last');
    this.#venue.quiet = true;
    this.#arePollsDown = false;
    this.#rig.fence = this.#fenceTerms;
  }

  // --- what must hold ------------------------------------------------------------------------------

  #look(): void {
    const { left, effects } = this.#rig;
    for (; this.#seenEffects < effects.length; this.#seenEffects += 1) {
      const effect = effects[this.#seenEffects] ?? '';
      if (effect === 'journal attempt') this.#promised += 1;
      if (effect === 'journal fence') this.#promisedFences += 1;
      if (effect === 'journal instruction') this.#isWithdrawn = true;
      if (!effect.startsWith('send ')) continue;
      this.#requests += 1;
      this.#durable = this.#rig.records.length;
      const request = left.shift();
      if (request?.kind === 'place') this.#lookAtPlace(request);
    }
    must(this.#venue.accepted <= 1, 'P1: one accepted order at most');
    const { halts } = this.#rig;
    must(halts.length === 0 || this.#venue.isForeign, `nothing halts: ${halts.join(', ')}`);
    checkStep(this.#sight);
  }

  #lookAtPlace(request: RequestOf<'place'>): void {
    must(!this.#mayBeThere, 'P1: sent again only after an answer that it is not there');
    this.#mayBeThere = true;
    must(this.#hasIntent, 'P6: the INTENT is durable before the bytes leave');
    if (this.#isOriginal(request)) this.#lookAtAttempt(request);
    else this.#lookAtFence(request);
  }

  #lookAtAttempt(request: RequestOf<'place'>): void {
    this.#attempts += 1;
    this.#promised -= 1;
    must(this.#promised === 0, 'P6: an ATTEMPT of its own is durable before the bytes leave');
    must(!this.#isWithdrawn, 'what an instruction took back never leaves again');
    must(this.#fencePayload === undefined, 'what was fenced never leaves again');
    const isOfThisLife = this.#crashes === 0 || this.#isAgeless;
    must(isOfThisLife, 'R27: an entry of an earlier life is not sent');
    checkRequest(request, { id: this.#id, payload: JSON.stringify(this.#original) });
  }

  #lookAtFence(request: RequestOf<'place'>): void {
    this.#fences += 1;
    this.#promisedFences -= 1;
    must(this.#promisedFences === 0, 'P6: a FENCE of its own is durable before the bytes leave');
    must(this.#order?.wanted === false, 'only what nobody wants any more is fenced');
    this.#fencePayload ??= JSON.stringify(request.terms);
    checkRequest(request, { id: this.#id, payload: this.#fencePayload });
  }

  get #sight(): Sight {
    const { ledger, sent, halts } = this.#rig;
    let late = this.#late.reach;
    for (const { request } of sent)
      if (request.kind === 'place') late = Math.max(late, scaledOf(request.terms.quantity));
    return {
      order: this.#order,
      venue: this.#venue,
      late,
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

/** Only a JSON 404 to a lookup does, and an answer by which this attempt made nothing (part 0.1). */
function saysAbsent(kind: VenueRequest['kind'], outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'yes') return false;
  if (kind === 'find-order') return outcome.kind === 'no' && outcome.code === 'order-not-found';
  if (kind !== 'place') return false;
  if (outcome.kind === 'unknown') return !outcome.sent;
  return outcome.code === 'locked' || outcome.code === 'rate-limited';
}
