import { describe, expect, it } from 'vitest';
import {
  CONFLICT,
  no,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { Outcome, Placement } from '../../core/request.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;
const MARKET = { quantity: '1' } as const;
const EXIT = { ...MARKET, exit: true } as const;

describe('client order id that the venue calls taken', () => {
  it('a 409 to the first attempt warns the operator, since another bot may have sent the id', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', CONFLICT);
    expect(rig.warnings).toEqual([
      expect.stringContaining(`the venue had order ${order.clientOrderId} before it answered`),
    ]);
    expect([order.state, rig.halts]).toEqual(['verifying', []]);
  });

  it('a 409 after an attempt that may have landed does not warn', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    rig.answerOrderNotFound();
    rig.passUntil('place');
    rig.answer('place', CONFLICT);
    expect(rig.warnings).toEqual([]);
  });
});

describe('journal of an attempt that proves nothing', () => {
  it.each<{ outcome: Outcome<Placement>; reason: string }>([
    { outcome: unknown(), reason: 'no answer' },
    { outcome: CONFLICT, reason: 'client-order-id-exists' },
  ])('a note names the reason: $reason', ({ outcome, reason }) => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', outcome);
    expect(rig.notes('warn')).toEqual([expect.stringContaining(reason)]);
    expect(order).toMatchObject({ state: 'verifying', active: true });
  });

  it.each<{ outcome: Outcome<Placement>; reason: string; wanted: boolean }>([
    { outcome: no('insufficient-balance'), reason: 'insufficient-balance', wanted: false },
    { outcome: no('locked', 423), reason: 'locked', wanted: true },
    { outcome: no('rate-limited', 429), reason: 'rate-limited', wanted: true },
    { outcome: unsent, reason: 'refused to connect', wanted: true },
  ])(
    'after an unclear attempt a note names the reason, and nothing has ended: $reason',
    ({ outcome, reason, wanted }) => {
      const rig = new ProtocolRig();
      const order = rig.placedOrder(MARKET);
      rig.answer('place', unknown());
      rig.answerOrderNotFound();
      rig.passUntil('place');
      const noted = rig.notes('warn').length;
      rig.answer('place', outcome);
      expect(rig.notes('warn').slice(noted)).toEqual([expect.stringContaining(reason)]);
      expect(order).toMatchObject({ state: 'verifying', active: wanted });
      expect(rig.ends).toEqual([]);
    },
  );

  it.each([no('insufficient-balance'), no('locked', 423)])(
    'a note on a refusal after an unclear attempt says why the refusal does not count',
    (outcome) => {
      const rig = new ProtocolRig();
      rig.placedOrder(MARKET);
      rig.answer('place', unknown());
      rig.answerOrderNotFound();
      rig.passUntil('place');
      rig.answer('place', outcome);
      expect(rig.notes('warn').at(-1)).toMatch(/attempt without a clear answer/);
    },
  );

  it('an attempt that must not be repeated has its reason journaled', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    rig.answerOrderNotFound();
    rig.holdReason = 'halted';
    rig.grantPermit();
    expect(rig.notes('warn').at(-1)).toContain('halted');
    expect(
      rig.records.filter(({ type }) => type === 'instruction'),
      'it binds later runs',
    ).toMatchObject([{ instruction: 'withdraw', reason: 'halted' }]);
    expect(order.state).toBe('quarantined');
    expect(rig.sends('place')).toBe(1);
    expect(rig.ends, 'its exposure stays reserved').toEqual([]);
  });
});

describe('withdrawn order', () => {
  it.each([
    { outcome: no('locked', 423), what: 'a lock' },
    { outcome: unsent, what: 'a connection that was refused' },
  ])('a withdrawn order ends with the first proof that nothing was made: $what', ({ outcome }) => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.protocol.cancel(order);
    rig.answer('place', outcome);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'it is no longer wanted' }]);
    rig.pass(10_000);
    expect(rig.sends('place')).toBe(1);
  });
});

describe('refusal that contradicts the tracked position', () => {
  it.each<{ code: Parameters<typeof no>[0]; unverified: number }>([
    { code: 'locked', unverified: 1 },
    { code: 'reduce-only-without-position', unverified: 1 },
    { code: 'reduce-only-same-side', unverified: 1 },
    { code: 'rate-limited', unverified: 0 },
    { code: 'insufficient-balance', unverified: 0 },
  ])('$code marks the position unverified: $unverified', ({ code, unverified }) => {
    const rig = new ProtocolRig();
    rig.placedOrder(EXIT);
    rig.answer('place', no(code));
    expect(rig.unverifiedPositions).toBe(unverified);
  });
});

describe('locks and limits', () => {
  const refuse = (rig: ProtocolRig, code: 'locked' | 'rate-limited', times: number): void => {
    for (let tries = 1; tries <= times; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', no(code));
    }
  };

  it('a rate limit does not end an entry, however often it refuses', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT, 600_000);
    refuse(rig, 'rate-limited', 8);
    expect(order.state).toBe('retrying');
  });

  it('an entry survives four refusals by a lock and ends at the fifth', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT, 600_000);
    refuse(rig, 'locked', 4);
    expect(order.state).toBe('retrying');
    refuse(rig, 'locked', 1);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'locked' }]);
  });

  it('no lock ends a reduction', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(EXIT, 600_000);
    refuse(rig, 'locked', 8);
    expect(order.state).toBe('retrying');
  });

  it('pauses grow with each refusal', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(EXIT, 600_000);
    const waits: number[] = [];
    for (let tries = 1; tries <= 6; tries += 1) {
      rig.answer('place', no('locked', 423));
      waits.push(rig.passUntil('place'));
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });
});

describe('symbol in flight', () => {
  const places = (rig: ProtocolRig): number => rig.sends('place');

  it('a symbol has one entry in flight, and the next leaves at its reply', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(LIMIT);
    rig.placedOrder({ ...LIMIT, leg: 1 });
    expect(places(rig)).toBe(1);
    rig.answer('place', placement());
    rig.grantPermit();
    expect(places(rig)).toBe(2);
  });

  it('the other currency has a lock of its own', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(LIMIT);
    rig.placedOrder({ ...LIMIT, currency: 'INR' });
    expect(places(rig)).toBe(2);
  });

  it('a reduction overtakes, and its reply does not free the lock', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(LIMIT);
    rig.placedOrder({ ...EXIT, leg: 1 });
    rig.placedOrder({ ...LIMIT, leg: 2 });
    expect(places(rig)).toBe(2);
    const exit = rig.sent.findIndex(
      ({ request }) => request.kind === 'place' && request.terms.reduceOnly,
    );
    const [asked] = rig.sent.splice(exit, 1);
    if (asked === undefined) throw new Error('the exit was sent');
    rig.requestTracker.onReply(asked.id, { to: 'place', outcome: yes({ orderId: 'v2' }) });
    rig.grantPermit();
    expect(places(rig), 'the first entry is still on it').toBe(2);
    rig.answer('place', placement());
    rig.grantPermit();
    expect(places(rig)).toBe(3);
  });

  it('the next order leaves when the woken one must not', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(LIMIT);
    const second = rig.placedOrder({ ...LIMIT, leg: 1 }, 1_000);
    rig.placedOrder({ ...LIMIT, leg: 2 });
    rig.stamp.venueTime += 1_001;
    rig.answer('place', placement());
    rig.grantPermit();
    expect(second.state).toBe('dropped');
    expect(places(rig)).toBe(2);
  });

  it('the next order leaves when the woken one was canceled', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(LIMIT);
    const second = rig.placedOrder({ ...LIMIT, leg: 1 });
    rig.placedOrder({ ...LIMIT, leg: 2 });
    rig.protocol.cancel(second);
    const before = rig.effects.length;
    rig.answer('place', placement());
    rig.grantPermit();
    expect(places(rig)).toBe(2);
    const permits = rig.effects.slice(before).filter((effect) => effect === 'slot place');
    expect(permits, 'one for the third, none for what has ended').toHaveLength(1);
  });
});

describe('symbol lock reserved by a change without an id', () => {
  const LOCK = 'BTCUSDT/USDT';
  const change = {};

  it('an entry leaves when the lock is free, at the cost of one more permit', () => {
    const rig = new ProtocolRig();
    rig.symbolLocks.tryReserve(LOCK, change);
    rig.placedOrder(MARKET);
    expect(rig.sends('place')).toBe(0);
    rig.symbolLocks.release(LOCK, change);
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
    expect(rig.effects.filter((effect) => effect === 'slot place')).toHaveLength(2);
  });

  it('an exit does not wait for the lock', () => {
    const rig = new ProtocolRig();
    rig.symbolLocks.tryReserve(LOCK, change);
    rig.placedOrder(EXIT);
    expect(rig.sends('place')).toBe(1);
  });
});

describe('order that was not found', () => {
  it('an order that was not found is sent again, and the reply to that decides', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    rig.answerOrderNotFound();
    rig.grantPermit();
    rig.pass(20_000);
    expect(rig.sends('place')).toBe(2);
    expect(rig.sends('find-order')).toBe(1);
  });
});

describe('paused submission', () => {
  it('an order that already has its permit waits, and all leave in order when submission resumes', () => {
    const rig = new ProtocolRig();
    const first = rig.order(MARKET);
    rig.protocol.submit(first);
    rig.protocol.pauseSubmission();
    rig.protocol.pauseSubmission();
    rig.grantPermit();
    const second = rig.order({ ...EXIT, leg: 1 });
    rig.protocol.submit(second);
    rig.grantPermit();
    expect(rig.sends('place')).toBe(0);
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.left).toMatchObject([
      { kind: 'place', clientOrderId: first.clientOrderId },
      { kind: 'place', clientOrderId: second.clientOrderId },
    ]);
  });

  it('an order that must not leave is dropped while paused', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    rig.protocol.pauseSubmission();
    rig.holdReason = 'halted';
    rig.grantPermit();
    expect(rig.ends).toEqual([{ end: 'dropped', reason: 'halted' }]);
  });

  it('resuming without a pause sends nothing twice', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
  });
});

describe('accepted order', () => {
  it("an accepted order has the venue's ids, and is reported once", () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', yes({ orderId: 'v3', positionId: 'p4' }));
    expect(order).toMatchObject({ state: 'accepted', orderId: 'v3', positionId: 'p4' });
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), orderId: 'v3' }));
    expect(rig.accepted).toBe(1);
  });

  it('the place request shows a venue in this process what it needs', () => {
    const rig = new ProtocolRig();
    const order: OwnOrder = rig.order(LIMIT);
    rig.protocol.submit(order);
    const request = rig.permits[0]?.request;
    expect(request).toMatchObject({
      kind: 'place',
      clientOrderId: order.clientOrderId,
      orderKey: order.key,
      terms: { quantity: d('1') },
      validUntil: order.intent.validUntil,
    });
  });
});
