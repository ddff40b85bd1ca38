import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeModel } from '../../../test/support/fakes/exchange-model.js';
import { no, ProtocolRig, unknown, unsent } from '../../../test/support/rigs/protocol-rig.js';
import type { RequestOf } from '../../core/request.js';
import { decodeJournalRecord, encodeJournalRecord } from '../journal/journal-record.js';
import { isEndState } from './order-state.js';
import { add } from '../../core/fixed/fixed.js';

/** Events that may happen next, chosen by one number. */
const ACTIONS = [
  'deliver',
  'deliver',
  'deliver-silently',
  'lose',
  'delay',
  'not-sent',
  'lock',
  'limit',
  'burn',
  'land',
  'read',
  'read',
  'read-fails',
  'cancel-answered',
  'cancel-lost',
  'wait',
  'wait-long',
  'wait-long',
  'fill-part',
  'fill-rest',
  'cancel',
  'crash',
] as const;
type Action = (typeof ACTIONS)[number];

interface Step {
  readonly action: Action;
  /** 0 … 1 */
  readonly share: number;
}

/** One order, a venue with every fault, and runs of the bot one after another. */
class World {
  readonly venue = new ExchangeModel();
  rig = new ProtocolRig();
  readonly id: string;
  readonly #payload: string;
  /** Records that were durable when the last bytes left, so that no crash loses them. */
  #durable = 0;

  constructor(options: {
    readonly limit: boolean;
    readonly exit: boolean;
    readonly lagMs: number;
  }) {
    this.venue.readLagMs = options.lagMs;
    const order = this.rig.order({
      quantity: '1',
      ...(options.limit && { price: '60000' }),
      exit: options.exit,
    });
    this.id = order.clientOrderId;
    this.#payload = JSON.stringify([order.clientOrderId, order.terms]);
    this.rig.protocol.submit(order);
    this.grant();
  }

  get order() {
    const order = this.rig.ledger.byClientOrderId(this.id);
    if (order === undefined) throw new Error('the order is known');
    return order;
  }

  do({ action, share }: Step): void {
    const { rig, venue } = this;
    const place = rig.pendingRequest('place');
    const find = rig.pendingRequest('find-order');
    switch (action) {
      case 'deliver':
        if (place !== undefined) rig.answer('place', venue.place(place, this.#now));
        break;
      case 'deliver-silently':
        if (place !== undefined) {
          venue.place(place, this.#now);
          rig.answer('place', unknown());
        }
        break;
      case 'lose':
        if (place !== undefined) rig.answer('place', unknown());
        break;
      case 'delay':
        if (place !== undefined) {
          venue.inFlight.push(place);
          rig.answer('place', unknown());
        }
        break;
      case 'not-sent':
        if (place !== undefined) rig.answer('place', unsent);
        break;
      case 'lock':
        if (place !== undefined) rig.answer('place', no('locked', 423));
        break;
      case 'limit':
        if (place !== undefined) rig.answer('place', no('rate-limited', 429));
        break;
      case 'burn':
        if (place !== undefined) rig.answer('place', venue.burn(place));
        break;
      case 'land': {
        const landing = venue.inFlight.shift();
        if (landing !== undefined) venue.place(landing, this.#now);
        break;
      }
      case 'read':
        if (find !== undefined) rig.answer('find-order', venue.find(find.order, this.#now));
        this.#answerHistory();
        break;
      case 'read-fails':
        if (find !== undefined) rig.answer('find-order', unknown(500));
        break;
      case 'cancel-answered':
      case 'cancel-lost':
        this.#answerCancel(action === 'cancel-lost');
        break;
      case 'wait':
        rig.pass(Math.max(0, (rig.nextTimer ?? this.#now) - this.#now));
        break;
      case 'wait-long':
        rig.pass(Math.round(share * 40_000));
        break;
      case 'fill-part':
        venue.fill(this.id, share);
        break;
      case 'fill-rest':
        venue.fill(this.id, 1);
        break;
      case 'cancel':
        rig.protocol.cancel(this.order);
        break;
      case 'crash':
        this.#crash(share);
    }
    this.grant();
  }

  grant(): void {
    const { rig } = this;
    // Lists of the account lag as long as lookups do.
    const shown = [...this.venue.orders.values()].some(
      (order) => this.#now >= order.createdAt + this.venue.readLagMs,
    );
    rig.absent = !shown;
    const before = rig.left.length;
    rig.grantPermit();
    if (rig.left.length > before) this.#durable = rig.records.length;
  }

  /** Faults stop: every reply is correct until nothing changes any more. */
  settle(): void {
    this.venue.inFlight.splice(0).forEach((request) => this.venue.place(request, this.#now));
    for (let round = 0; round < 200 && !this.order.ended; round += 1) {
      for (const action of ['deliver', 'read', 'cancel-answered', 'wait'] as const)
        this.do({ action, share: 0 });
    }
  }

  check(): void {
    const { rig, venue, order } = this;
    expect(venue.acceptedPlaces, 'P1: one accepted order at most').toBeLessThanOrEqual(1);
    const places = rig.left.filter((request) => request.kind === 'place');
    for (const { clientOrderId, terms } of places as RequestOf<'place'>[])
      expect(JSON.stringify([clientOrderId, terms]), 'the same id and bytes').toBe(this.#payload);
    expect(rig.sent.filter(({ request }) => request.kind === 'place').length).toBeLessThanOrEqual(
      1,
    );
    this.#checkReserved();
    this.#checkWriteAhead();
    if (order.state === 'rejected' || order.state === 'dropped' || order.state === 'burned')
      expect(venue.potentialQuantity(this.id), `P8: ${order.state} is the truth`).toBe(0);
    if (order.state === 'filled')
      expect(venue.potentialQuantity(this.id)).toBe(order.terms.quantity);
    expect(rig.halts).toEqual([]);
  }

  /** P4: every order that may still land counts. */
  #checkReserved(): void {
    const { order, rig, venue } = this;
    const { maxPosition, position, reducingQuantity } = rig.ledger.of('BTCUSDT', 'USDT');
    const counted = order.terms.reduceOnly ? add(position, reducingQuantity) : maxPosition;
    expect(counted, 'P4: what may land is reserved').toBeGreaterThanOrEqual(
      venue.potentialQuantity(this.id),
    );
  }

  /** P6: INTENT, then ATTEMPT, then the bytes; one ATTEMPT per request. */
  #checkWriteAhead(): void {
    let intents = this.rig.records.some((record) => record.type === 'intent') ? 1 : 0;
    let attempts = 0;
    for (const effect of this.rig.effects) {
      if (effect === 'journal intent') intents += 1;
      if (effect === 'journal attempt') attempts += 1;
      if (effect !== 'send place') continue;
      expect(intents).toBeGreaterThan(0);
      attempts -= 1;
      expect(attempts, 'P6: an ATTEMPT before each send').toBe(0);
    }
  }

  /** Crashes at any point of its journal that the disk may have reached, and starts again. */
  #crash(share: number): void {
    const { rig, venue } = this;
    const place = rig.pendingRequest('place');
    // Requests without a reply may land at any later time.
    if (place !== undefined && share < 0.7) venue.inFlight.push(frozenPlace(place));
    const atRisk = rig.records.length - this.#durable;
    const lost = Math.min(atRisk, Math.floor(share * (atRisk + 1)));
    const kept = rig.records.slice(0, Math.max(1, rig.records.length - lost));
    const onDisk = kept.map((record) => decodeJournalRecord(encodeJournalRecord(record)));
    rig.stamp.monotonic += 1;
    this.rig = ProtocolRig.after(onDisk, rig.stamp);
    this.#durable = onDisk.length;
  }

  #answerCancel(lost: boolean): void {
    const cancel = this.rig.pendingRequest('cancel');
    if (cancel === undefined) return;
    const truth = this.venue.cancel(cancel.order);
    this.rig.answer('cancel', lost ? unknown() : truth);
  }

  #answerHistory(): void {
    const { rig, venue } = this;
    if (rig.pendingRequest('read-order-history') === undefined) return;
    const found = venue.find({ clientOrderId: this.id }, this.#now);
    rig.answer('read-order-history', {
      kind: 'yes',
      value: found.kind === 'yes' ? [found.value] : [],
    });
  }

  get #now(): number {
    return this.rig.stamp.monotonic;
  }
}

function frozenPlace({ kind, clientOrderId, terms }: RequestOf<'place'>): RequestOf<'place'> {
  return { kind, clientOrderId, terms };
}

const worlds = fc.record({
  limit: fc.boolean(),
  exit: fc.boolean(),
  lagMs: fc.constantFrom(0, 0, 1_000, 29_000),
});
const steps = fc.array(
  fc.record({
    action: fc.constantFrom(...ACTIONS),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 60 },
);

describe('one intent under any replies, losses, landings, cancels and crashes', () => {
  it('the protocol makes at most one order, reserves it while it may land, and writes ahead', () => {
    fc.assert(
      fc.property(worlds, steps, (options, script) => {
        const world = new World(options);
        world.check();
        for (const step of script) {
          world.do(step);
          world.check();
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('the order ends as the venue has it, or stays watched, once the faults stop', () => {
    fc.assert(
      fc.property(worlds, steps, (options, script) => {
        const world = new World(options);
        for (const step of script) world.do(step);
        world.settle();
        world.check();
        const { order, venue } = world;
        const there = venue.orders.get(world.id);
        if (there === undefined) {
          expect(order.filledQuantity).toBe(0);
          expect(['rejected', 'dropped', 'burned', 'quarantined', 'verifying']).toContain(
            order.state,
          );
        } else {
          expect(order.filledQuantity, 'every fill is booked').toBe(there.filled);
          expect(isEndState(order.state)).toBe(
            there.canceled || there.filled === there.terms.quantity,
          );
        }
      }),
      { numRuns: 700 },
    );
  });
});

describe('journal of any run', () => {
  it('a run can be resumed from a journal that is cut at any record', () => {
    fc.assert(
      fc.property(worlds, steps, (options, script) => {
        const world = new World(options);
        for (const step of script) world.do(step);
        const { records, stamp } = world.rig;
        for (let length = 1; length <= records.length; length += 1) {
          const rig = ProtocolRig.after(records.slice(0, length), stamp);
          const order = rig.ledger.byClientOrderId(world.id);
          const attempted = records.slice(0, length).some((record) => record.type === 'attempt');
          expect(order?.ended === false || isEndState(order?.state ?? 'waiting')).toBe(true);
          if (attempted && order?.state === 'waiting')
            expect(order.unknownSeen, 'an unclear attempt is never forgotten').toBe(false);
        }
      }),
      { numRuns: 150 },
    );
  });
});
