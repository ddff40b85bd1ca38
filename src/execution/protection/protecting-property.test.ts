import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legOf, OperationRig, rowOf } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  unknown,
  unsent,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { textFromFixed, type Price } from '../../core/fixed.js';
import type { OrderRef, OrderReport } from '../../core/order.js';
import type { Outcome, RequestOf } from '../../core/request.js';

type Change = RequestOf<'set-leg' | 'move-leg' | 'cancel'>;

interface Leg {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly createdAt: number;
  price: Price;
  live: boolean;
}

/** A position whose stop is set, edited and canceled; what has landed may show late. */
class LegVenue {
  readonly legs: Leg[] = [];
  readonly ids = new Set<string>();
  /** Changes that left and may still land. */
  readonly pipe: Change[] = [];
  readonly #replaces: boolean;
  readonly #lagMs: number;
  /** How the list of positions looked, and since when. */
  readonly #pictures: {
    readonly at: number;
    readonly leg: Leg | undefined;
    readonly price: Price;
  }[] = [];

  constructor(options: { readonly replaces: boolean; readonly lagMs: number }) {
    this.#replaces = options.replaces;
    this.#lagMs = options.lagMs;
  }

  get live(): Leg | undefined {
    return this.legs.find((leg) => leg.live);
  }

  land(change: Change, now: number): Outcome<null> {
    const outcome = this.#land(change, now);
    const { live } = this;
    this.#pictures.push({ at: now, leg: live, price: live?.price ?? d('0') });
    return outcome;
  }

  row(now: number) {
    const seen = this.#pictures.findLast(({ at }) => at + this.#lagMs <= now);
    if (seen?.leg === undefined) return rowOf();
    return rowOf({ stopLoss: [textFromFixed(seen.price), seen.leg.orderId] });
  }

  find(ref: OrderRef, now: number): Outcome<OrderReport> {
    const leg = this.legs.find((each) =>
      'orderId' in ref ? each.orderId === ref.orderId : each.clientOrderId === ref.clientOrderId,
    );
    if (leg === undefined || now < leg.createdAt + this.#lagMs) return NOT_FOUND;
    const { orderId, clientOrderId, price, live } = leg;
    const status = live ? 'created' : 'system-canceled';
    return yes(legOf(orderId, textFromFixed(price), { clientOrderId, status }));
  }

  #land(change: Change, now: number): Outcome<null> {
    if (change.kind === 'set-leg') return this.#set(change, now);
    const id = change.kind === 'cancel' ? change.order : { orderId: change.orderId };
    const leg = this.legs.find((each) => 'orderId' in id && each.orderId === id.orderId);
    if (leg === undefined) return NOT_FOUND;
    if (!leg.live) return no('order-not-open');
    if (change.kind === 'cancel') leg.live = false;
    else leg.price = change.price;
    return yes(null);
  }

  #set({ clientOrderId, price }: RequestOf<'set-leg'>, now: number): Outcome<null> {
    if (this.ids.has(clientOrderId)) return CONFLICT;
    if (this.live !== undefined && !this.#replaces) return no('protection-refused');
    if (this.live !== undefined) this.live.live = false;
    this.ids.add(clientOrderId);
    const orderId = `s${this.legs.length + 1}`;
    this.legs.push({ orderId, clientOrderId, createdAt: now, price, live: true });
    return yes(null);
  }
}

const ACTIONS = [
  'deliver',
  'deliver',
  'deliver-silently',
  'lose',
  'delay',
  'delay',
  'not-sent',
  'lock',
  'land',
  'read',
  'read',
  'read',
  'read-fails',
  'wait',
  'go',
  'go',
  'go',
  'go',
  'wish',
  'wish',
  'wish',
  'cancel-by-hand',
  'crash',
] as const;

interface Step {
  readonly action: (typeof ACTIONS)[number];
  readonly price: number;
}

/** Prices that only tighten a long position's stop: nothing is kept back by D12. */
const PRICES: readonly Price[] = [d('57000'), d('58000'), d('59000')];

class World {
  readonly venue: LegVenue;
  rig = new OperationRig();
  #wish = 0;

  constructor(venue: LegVenue) {
    this.venue = venue;
    this.ask();
  }

  get wanted(): Price {
    return PRICES[this.#wish] ?? d('0');
  }

  ask(): void {
    this.rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: this.wanted });
  }

  do({ action, price }: Step): void {
    const { rig, venue } = this;
    const change = this.#change();
    const answer = (outcome: Outcome<null>): void => {
      if (change !== undefined) rig.answer(change.kind, outcome);
    };
    switch (action) {
      case 'deliver':
        if (change !== undefined) answer(venue.land(change, this.#now));
        break;
      case 'deliver-silently':
        if (change !== undefined) venue.land(change, this.#now);
        answer(unknown());
        break;
      case 'lose':
        answer(unknown());
        break;
      case 'delay':
        if (change !== undefined) venue.pipe.push(change);
        answer(unknown());
        break;
      case 'not-sent':
        answer(unsent);
        break;
      case 'lock':
        answer(no('locked', 423));
        break;
      case 'land': {
        const late = venue.pipe.shift();
        if (late !== undefined) venue.land(late, this.#now);
        break;
      }
      case 'read':
        this.#read();
        break;
      case 'read-fails':
        if (rig.waiting('find-order') !== undefined) rig.answer('find-order', unknown(500));
        else if (rig.waiting('read-positions') !== undefined)
          rig.answer('read-positions', unknown(500));
        break;
      case 'wait':
        rig.pass(Math.max(0, (rig.nextTimer ?? this.#now) - this.#now));
        break;
      case 'go':
        for (let look = 0; look < 4; look += 1) {
          rig.pass(Math.max(0, (rig.nextTimer ?? this.#now) - this.#now));
          this.#read();
          rig.grant();
          this.#read();
        }
        break;
      case 'wish':
        this.#wish = Math.max(this.#wish, price);
        this.ask();
        break;
      case 'cancel-by-hand':
        if (venue.live !== undefined)
          venue.land({ kind: 'cancel', order: { orderId: venue.live.orderId } }, this.#now);
        break;
      case 'crash':
        this.#crash();
    }
    rig.grant();
    this.#check();
  }

  /** Every answer comes; what is late lands when all seems done; who watches asks at every poll. */
  quiet(): void {
    this.#settle();
    while (this.venue.pipe.length > 0) this.do({ action: 'land', price: 0 });
    this.#settle();
  }

  #settle(): void {
    for (let poll = 0; poll < 60; poll += 1) {
      this.rig.pass(40_000);
      this.rig.protecting.seen('BTCUSDT', 'USDT', this.venue.row(this.#now), this.#now);
      this.ask();
      this.rig.grant();
      if (this.#done) return;
      for (let round = 0; round < 10; round += 1) {
        this.do({ action: 'deliver', price: 0 });
        this.do({ action: 'go', price: 0 });
      }
    }
  }

  get #done(): boolean {
    return this.standing === 'live' && this.venue.live !== undefined;
  }

  get standing() {
    return this.rig.protecting.standing('BTCUSDT', 'USDT').stopLoss;
  }

  get #now(): number {
    return this.rig.stamp.monotonic;
  }

  #change(): Change | undefined {
    const { rig } = this;
    return rig.waiting('set-leg') ?? rig.waiting('move-leg') ?? rig.waiting('cancel');
  }

  #read(): void {
    const { rig, venue } = this;
    const find = rig.waiting('find-order');
    if (find !== undefined) rig.answer('find-order', venue.find(find.order, this.#now));
    else if (rig.waiting('read-positions') !== undefined)
      rig.answer('read-positions', yes([venue.row(this.#now)]));
  }

  /** What was on its way may still land. */
  #crash(): void {
    const change = this.#change();
    if (change !== undefined) this.venue.pipe.push(change);
    const { records, stamp } = this.rig;
    this.rig = OperationRig.revived(records, stamp);
    this.rig.protecting.resume();
    this.ask();
  }

  #check(): void {
    const { rig, venue } = this;
    const onTheWire = rig.sent.filter(({ request }) => /leg|cancel/.test(request.kind));
    expect(onTheWire.length, 'one change on the wire').toBeLessThanOrEqual(1);
    expect(venue.legs.filter(({ live }) => live).length, 'one stop').toBeLessThanOrEqual(1);
    const bytes = new Map<string, string>();
    for (const request of rig.left) {
      if (request.kind !== 'set-leg') continue;
      const text = JSON.stringify(request);
      expect(bytes.get(request.clientOrderId) ?? text, 'one id, one payload (P29)').toBe(text);
      bytes.set(request.clientOrderId, text);
    }
    for (const { attempts, kind } of rig.operations.all)
      if (kind === 'protect') expect(attempts, 'bounded (P17)').toBeLessThanOrEqual(12);
  }
}

const go: Step = { action: 'go', price: 0 };
const deliver: Step = { action: 'deliver', price: 0 };
/** An edit that is late, the same one again, and another one after it (as C2). */
const LATE_EDIT: readonly Step[] = [
  ...[go, deliver, go, go],
  ...[{ action: 'wish', price: 1 } as const, go, { action: 'delay', price: 0 } as const],
  ...[go, deliver, go, go],
  ...[{ action: 'wish', price: 2 } as const, go, deliver, go, go, deliver, go, go],
];

const step = fc.record({ action: fc.constantFrom(...ACTIONS), price: fc.nat({ max: 2 }) });

describe('a stop, whatever becomes of requests, answers, reads and the process', () => {
  it('stands in the end, once, at the newest price that was wanted', () => {
    fc.assert(
      fc.property(
        fc.record({ replaces: fc.boolean(), lagMs: fc.constantFrom(0, 0, 500, 20_000) }),
        fc.array(step, { maxLength: 80 }),
        (options, steps) => {
          const world = new World(new LegVenue(options));
          for (const each of steps) world.do(each);
          world.quiet();
          expect(world.standing).toBe('live');
          expect(world.venue.live?.price).toBe(world.wanted);
          expect(world.rig.halts).toEqual([]);
        },
      ),
      { numRuns: 1_000, examples: [[{ replaces: false, lagMs: 0 }, [...LATE_EDIT]]] },
    );
  }, 60_000);
});
