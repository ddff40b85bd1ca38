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
} from '../../../test/harness/protocol-rig.js';
import { storyOf } from '../../../test/harness/story.js';
import { d } from '../../../test/harness/risk-case.js';
import type { Outcome, Placement } from '../../core/request.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;
const MARKET = { quantity: '1' } as const;
const EXIT = { ...MARKET, exit: true } as const;

const notes = (story: readonly string[]): readonly string[] =>
  story.filter((line) => line.includes(' warn: ')).map((line) => line.slice(line.indexOf('warn')));

describe('an id that the venue calls taken', () => {
  it('at the first request of all is told to people, since somebody else may have sent it', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', CONFLICT);
    expect(rig.warnings).toEqual([
      expect.stringContaining(`the venue had order ${order.clientOrderId} before it answered`),
    ]);
    expect([order.state, rig.halts]).toEqual(['verifying', []]);
  });

  it('after a request of ours that may have landed is told to nobody', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.miss();
    rig.passUntil('place');
    rig.answer('place', CONFLICT);
    expect(rig.warnings).toEqual([]);
  });
});

describe('what the journal says of an attempt that proves nothing', () => {
  it.each<{ outcome: Outcome<Placement>; says: string }>([
    { outcome: unknown(), says: 'warn: outcome unknown: no answer' },
    { outcome: CONFLICT, says: 'warn: outcome unknown: client-order-id-exists' },
  ])('$says', ({ outcome, says }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    const story = storyOf(rig);
    rig.answer('place', outcome);
    expect(notes(story)).toEqual([says]);
    expect(order.state).toBe('verifying');
  });

  it.each<{ outcome: Outcome<Placement>; says: string; wanted: boolean }>([
    {
      outcome: no('insufficient-balance'),
      says: 'warn: outcome unknown: insufficient-balance, after an attempt without a clear answer',
      wanted: false,
    },
    {
      outcome: no('locked', 423),
      says: 'warn: outcome unknown: locked, after an attempt without a clear answer',
      wanted: true,
    },
    {
      outcome: no('rate-limited', 429),
      says: 'warn: outcome unknown: rate-limited, after an attempt without a clear answer',
      wanted: true,
    },
    { outcome: unsent, says: 'warn: outcome unknown: refused to connect', wanted: true },
  ])('after one before it: $says', ({ outcome, says, wanted }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.miss();
    rig.passUntil('place');
    const story = storyOf(rig);
    rig.answer('place', outcome);
    expect(notes(story)).toEqual([says]);
    expect(order).toMatchObject({ state: 'verifying', wanted });
  });

  it('and that is not to go again: why', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.miss();
    const story = storyOf(rig);
    rig.hold = 'halted';
    rig.grant();
    expect(notes(story)).toEqual(['warn: quarantined: halted']);
    expect(order.state).toBe('quarantined');
    expect(rig.sends('place')).toBe(1);
  });
});

describe('an order that nobody wants any more', () => {
  it.each([
    { outcome: no('locked', 423), what: 'a lock' },
    { outcome: unsent, what: 'a connection that was refused' },
  ])('is over with the first proof that nothing was made: $what', ({ outcome }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.protocol.cancel(order);
    rig.answer('place', outcome);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'it is no longer wanted' }]);
    rig.pass(10_000);
    expect(rig.sends('place')).toBe(1);
  });
});

describe('a refusal that says that our picture of the position may be old', () => {
  it.each<{ code: Parameters<typeof no>[0]; doubts: number }>([
    { code: 'locked', doubts: 1 },
    { code: 'reduce-only-without-position', doubts: 1 },
    { code: 'reduce-only-same-side', doubts: 1 },
    { code: 'rate-limited', doubts: 0 },
    { code: 'insufficient-balance', doubts: 0 },
  ])('$code: $doubts', ({ code, doubts }) => {
    const rig = new ProtocolRig();
    rig.placed(EXIT);
    rig.answer('place', no(code));
    expect(rig.doubts).toBe(doubts);
  });
});

describe('locks and limits', () => {
  const refuse = (rig: ProtocolRig, code: 'locked' | 'rate-limited', times: number): void => {
    for (let tries = 1; tries <= times; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', no(code));
    }
  };

  it('a limit of the rate does not end what opens, however often', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT, 600_000);
    refuse(rig, 'rate-limited', 8);
    expect(order.state).toBe('retrying');
  });

  it('four locks do not end what opens, the fifth does', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT, 600_000);
    refuse(rig, 'locked', 4);
    expect(order.state).toBe('retrying');
    refuse(rig, 'locked', 1);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'locked' }]);
  });

  it('no lock ends what reduces', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(EXIT, 600_000);
    refuse(rig, 'locked', 8);
    expect(order.state).toBe('retrying');
  });

  it('pauses grow with each refusal', () => {
    const rig = new ProtocolRig();
    rig.placed(EXIT, 600_000);
    const waits: number[] = [];
    for (let tries = 1; tries <= 6; tries += 1) {
      rig.answer('place', no('locked', 423));
      waits.push(rig.passUntil('place'));
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });
});

describe('the wire of a symbol', () => {
  const places = (rig: ProtocolRig): number => rig.sends('place');

  it('takes one entry at a time, and the next when the first is answered', () => {
    const rig = new ProtocolRig();
    rig.placed(LIMIT);
    rig.placed({ ...LIMIT, leg: 1 });
    expect(places(rig)).toBe(1);
    rig.answer('place', placement());
    rig.grant();
    expect(places(rig)).toBe(2);
  });

  it('of the other currency is another', () => {
    const rig = new ProtocolRig();
    rig.placed(LIMIT);
    rig.placed({ ...LIMIT, currency: 'INR' });
    expect(places(rig)).toBe(2);
  });

  it('is overtaken by what reduces, which does not free it', () => {
    const rig = new ProtocolRig();
    rig.placed(LIMIT);
    rig.placed({ ...EXIT, leg: 1 });
    rig.placed({ ...LIMIT, leg: 2 });
    expect(places(rig)).toBe(2);
    const exit = rig.sent.findIndex(
      ({ request }) => request.kind === 'place' && request.terms.reduceOnly,
    );
    const [asked] = rig.sent.splice(exit, 1);
    if (asked === undefined) throw new Error('the exit was sent');
    rig.desk.reply(asked.id, { to: 'place', outcome: yes({ orderId: 'v2' }) });
    rig.grant();
    expect(places(rig), 'the first entry is still on it').toBe(2);
    rig.answer('place', placement());
    rig.grant();
    expect(places(rig)).toBe(3);
  });

  it('goes to the next when the one whose turn it was may not leave', () => {
    const rig = new ProtocolRig();
    rig.placed(LIMIT);
    const second = rig.placed({ ...LIMIT, leg: 1 }, 1_000);
    rig.placed({ ...LIMIT, leg: 2 });
    rig.stamp.venueTime += 1_001;
    rig.answer('place', placement());
    rig.grant();
    expect(second.state).toBe('dropped');
    expect(places(rig)).toBe(2);
  });

  it('goes to the next when the one whose turn it was has been canceled', () => {
    const rig = new ProtocolRig();
    rig.placed(LIMIT);
    const second = rig.placed({ ...LIMIT, leg: 1 });
    rig.placed({ ...LIMIT, leg: 2 });
    rig.protocol.cancel(second);
    const before = rig.effects.length;
    rig.answer('place', placement());
    rig.grant();
    expect(places(rig)).toBe(2);
    const slots = rig.effects.slice(before).filter((effect) => effect === 'slot place');
    expect(slots, 'one for the third, none for what has ended').toHaveLength(1);
  });
});

describe('a lane that a change without an id holds', () => {
  const LANE = 'BTCUSDT/USDT';
  const change = {};

  it('lets out what opens when it is free, by one slot more', () => {
    const rig = new ProtocolRig();
    rig.lanes.hold(LANE, change);
    rig.placed(MARKET);
    expect(rig.sends('place')).toBe(0);
    rig.lanes.release(LANE, change);
    rig.grant();
    expect(rig.sends('place')).toBe(1);
    expect(rig.effects.filter((effect) => effect === 'slot place')).toHaveLength(2);
  });

  it('does not hold up an exit', () => {
    const rig = new ProtocolRig();
    rig.lanes.hold(LANE, change);
    rig.placed(EXIT);
    expect(rig.sends('place')).toBe(1);
  });
});

describe('an order that was looked for and is not there', () => {
  it('goes again, and is looked for by what that is answered', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.miss();
    rig.grant();
    rig.pass(20_000);
    expect(rig.sends('place')).toBe(2);
    expect(rig.sends('find-order')).toBe(1);
  });
});

describe('a pause', () => {
  it('keeps back what has its slot already, and lets all go in their order when it is over', () => {
    const rig = new ProtocolRig();
    const first = rig.order(MARKET);
    rig.protocol.submit(first);
    rig.protocol.pause();
    rig.protocol.pause();
    rig.grant();
    const second = rig.order({ ...EXIT, leg: 1 });
    rig.protocol.submit(second);
    rig.grant();
    expect(rig.sends('place')).toBe(0);
    rig.protocol.goOn();
    rig.grant();
    expect(rig.left).toMatchObject([
      { kind: 'place', clientOrderId: first.clientOrderId },
      { kind: 'place', clientOrderId: second.clientOrderId },
    ]);
  });

  it('does not keep from being dropped what must not leave', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    rig.protocol.pause();
    rig.hold = 'halted';
    rig.grant();
    expect(rig.ends).toEqual([{ end: 'dropped', reason: 'halted' }]);
  });

  it('that is over without having begun lets nothing go twice', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    rig.protocol.goOn();
    rig.grant();
    expect(rig.sends('place')).toBe(1);
  });
});

describe('an accepted order', () => {
  it('has the ids of the venue, and is told of once', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', yes({ orderId: 'v3', positionId: 'p4' }));
    expect(order).toMatchObject({ state: 'accepted', orderId: 'v3', positionId: 'p4' });
    rig.look(yes({ ...reportOf(order.terms), orderId: 'v3' }));
    expect(rig.accepted).toBe(1);
  });

  it('was asked for with what a venue in this process reads of it', () => {
    const rig = new ProtocolRig();
    const order: OwnOrder = rig.order(LIMIT);
    rig.protocol.submit(order);
    const request = rig.slots[0]?.request;
    expect(request).toMatchObject({
      kind: 'place',
      clientOrderId: order.clientOrderId,
      orderKey: order.key,
      terms: { quantity: d('1') },
      validUntil: order.intent.validUntil,
    });
  });
});
