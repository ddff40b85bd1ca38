import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  protectiveOrderOf,
  OperationRig,
  rowOf,
} from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  unknown,
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { textFromFixed, type Price } from '../../core/fixed/fixed.js';
import type { OrderRef, OrderReport } from '../../core/order.js';
import type { Outcome, RequestOf } from '../../core/request.js';

type Change = RequestOf<'set-leg' | 'move-leg' | 'cancel'>;

interface VenueOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly createdAt: number;
  price: Price;
  live: boolean;
}

/** A position whose stop is set, edited and canceled; reads may show a change late. */
class ProtectiveOrderVenue {
  readonly protectiveOrders: VenueOrder[] = [];
  readonly ids = new Set<string>();
  /** Changes that left and may still land. */
  readonly pipe: Change[] = [];
  readonly #replaces: boolean;
  readonly #lagMs: number;
  /** Earlier states of the list of positions, and since when. */
  readonly #snapshots: {
    readonly at: number;
    readonly order: VenueOrder | undefined;
    readonly price: Price;
  }[] = [];

  constructor(options: { readonly replaces: boolean; readonly lagMs: number }) {
    this.#replaces = options.replaces;
    this.#lagMs = options.lagMs;
  }

  get live(): VenueOrder | undefined {
    return this.protectiveOrders.find((order) => order.live);
  }

  land(change: Change, now: number): Outcome<null> {
    const outcome = this.#land(change, now);
    const { live } = this;
    this.#snapshots.push({ at: now, order: live, price: live?.price ?? d('0') });
    return outcome;
  }

  row(now: number) {
    const seen = this.#snapshots.findLast(({ at }) => at + this.#lagMs <= now);
    if (seen?.order === undefined) return rowOf();
    return rowOf({ stopLoss: [textFromFixed(seen.price), seen.order.orderId] });
  }

  find(ref: OrderRef, now: number): Outcome<OrderReport> {
    const order = this.protectiveOrders.find((each) =>
      'orderId' in ref ? each.orderId === ref.orderId : each.clientOrderId === ref.clientOrderId,
    );
    if (order === undefined || now < order.createdAt + this.#lagMs) return NOT_FOUND;
    const { orderId, clientOrderId, price, live } = order;
    const status = live ? 'created' : 'system-canceled';
    return yes(protectiveOrderOf(orderId, textFromFixed(price), { clientOrderId, status }));
  }

  #land(change: Change, now: number): Outcome<null> {
    if (change.kind === 'set-leg') return this.#set(change, now);
    const id = change.kind === 'cancel' ? change.order : { orderId: change.orderId };
    const order = this.protectiveOrders.find(
      (each) => 'orderId' in id && each.orderId === id.orderId,
    );
    if (order === undefined) return NOT_FOUND;
    if (!order.live) return no('order-not-open');
    if (change.kind === 'cancel') order.live = false;
    else order.price = change.price;
    return yes(null);
  }

  #set({ clientOrderId, price }: RequestOf<'set-leg'>, now: number): Outcome<null> {
    if (this.ids.has(clientOrderId)) return CONFLICT;
    if (this.live !== undefined && !this.#replaces) return no('protection-refused');
    if (this.live !== undefined) this.live.live = false;
    this.ids.add(clientOrderId);
    const orderId = `s${this.protectiveOrders.length + 1}`;
    this.protectiveOrders.push({ orderId, clientOrderId, createdAt: now, price, live: true });
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

/** Prices that only tighten the stop of a long position, so that D12 holds none back. */
const PRICES: readonly Price[] = [d('57000'), d('58000'), d('59000')];

class Scenario {
  readonly venue: ProtectiveOrderVenue;
  rig = new OperationRig();
  #newest = 0;

  constructor(venue: ProtectiveOrderVenue) {
    this.venue = venue;
    this.ask();
  }

  get requested(): Price {
    return PRICES[this.#newest] ?? d('0');
  }

  ask(): void {
    this.rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: this.requested });
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
        if (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', unknown(500));
        else if (rig.pendingRequest('read-positions') !== undefined)
          rig.answer('read-positions', unknown(500));
        break;
      case 'wait':
        rig.pass(Math.max(0, (rig.nextTimer ?? this.#now) - this.#now));
        break;
      case 'go':
        for (let read = 0; read < 4; read += 1) {
          rig.pass(Math.max(0, (rig.nextTimer ?? this.#now) - this.#now));
          this.#read();
          rig.grantPermit();
          this.#read();
        }
        break;
      case 'wish':
        this.#newest = Math.max(this.#newest, price);
        this.ask();
        break;
      case 'cancel-by-hand':
        if (venue.live !== undefined)
          venue.land({ kind: 'cancel', order: { orderId: venue.live.orderId } }, this.#now);
        break;
      case 'crash':
        this.#crash();
    }
    rig.grantPermit();
    this.#check();
  }

  /**
   * Every reply arrives; a late request lands when all seems done; the monitor requests at every
   * poll.
   */
  quiet(): void {
    this.#settle();
    while (this.venue.pipe.length > 0) this.do({ action: 'land', price: 0 });
    this.#settle();
  }

  #settle(): void {
    for (let poll = 0; poll < 60; poll += 1) {
      this.rig.pass(40_000);
      this.rig.protecting.onPositionRead('BTCUSDT', 'USDT', this.venue.row(this.#now), this.#now);
      this.ask();
      this.rig.grantPermit();
      if (this.#done) return;
      for (let round = 0; round < 10; round += 1) {
        this.do({ action: 'deliver', price: 0 });
        this.do({ action: 'go', price: 0 });
      }
    }
  }

  get #done(): boolean {
    return this.stateOf === 'live' && this.venue.live !== undefined;
  }

  get stateOf() {
    return this.rig.protecting.states('BTCUSDT', 'USDT').stopLoss;
  }

  get #now(): number {
    return this.rig.stamp.monotonic;
  }

  #change(): Change | undefined {
    const { rig } = this;
    return (
      rig.pendingRequest('set-leg') ??
      rig.pendingRequest('move-leg') ??
      rig.pendingRequest('cancel')
    );
  }

  #read(): void {
    const { rig, venue } = this;
    const find = rig.pendingRequest('find-order');
    if (find !== undefined) rig.answer('find-order', venue.find(find.order, this.#now));
    else if (rig.pendingRequest('read-positions') !== undefined)
      rig.answer('read-positions', yes([venue.row(this.#now)]));
  }

  /** Requests in flight may still land. */
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
    const inFlight = rig.sent.filter(({ request }) => /leg|cancel/.test(request.kind));
    expect(inFlight.length, 'one change in flight').toBeLessThanOrEqual(1);
    expect(
      venue.protectiveOrders.filter(({ live }) => live).length,
      'one stop',
    ).toBeLessThanOrEqual(1);
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
/** A late edit, the same one again, and another one after it (as C2). */
const LATE_EDIT: readonly Step[] = [
  ...[go, deliver, go, go],
  ...[{ action: 'wish', price: 1 } as const, go, { action: 'delay', price: 0 } as const],
  ...[go, deliver, go, go],
  ...[{ action: 'wish', price: 2 } as const, go, deliver, go, go, deliver, go, go],
];

const step = fc.record({ action: fc.constantFrom(...ACTIONS), price: fc.nat({ max: 2 }) });

describe('a stop under any requests, replies, reads and crashes', () => {
  it('in the end one stop exists, at the newest requested price', () => {
    fc.assert(
      fc.property(
        fc.record({ replaces: fc.boolean(), lagMs: fc.constantFrom(0, 0, 500, 20_000) }),
        fc.array(step, { maxLength: 80 }),
        (options, steps) => {
          const scenario = new Scenario(new ProtectiveOrderVenue(options));
          for (const each of steps) scenario.do(each);
          scenario.quiet();
          expect(scenario.stateOf).toBe('live');
          expect(scenario.venue.live?.price).toBe(scenario.requested);
          expect(scenario.rig.halts).toEqual([]);
        },
      ),
      { numRuns: 1_000, examples: [[{ replaces: false, lagMs: 0 }, [...LATE_EDIT]]] },
    );
  }, 60_000);
});
