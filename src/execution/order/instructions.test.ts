import { describe, expect, it } from 'vitest';
import {
  CONFLICT,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { HELD_EXIT_RETRY_MS, READ_VISIBILITY_MS } from '../constants.js';

const MARKET = { quantity: '1' } as const;
const LIMIT = { quantity: '1', price: '60000' } as const;
const EXIT = { ...MARKET, side: 'sell', exit: true } as const;

const later = (rig: ProtocolRig) =>
  ProtocolRig.after(rig.records, {
    venueTime: rig.stamp.venueTime + 1_000,
    monotonic: 1_000,
  });

describe('withdrawn order', () => {
  /** An entry whose attempt has no reply, held permanently at its next permit. */
  function withdrawn(): ProtocolRig {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    rig.holdReason = 'the bot is stopping';
    rig.answerOrderNotFound();
    rig.grantPermit();
    return rig;
  }

  it('a withdrawal is journaled before the order is quarantined', () => {
    const { records, ledger } = withdrawn();
    expect(ledger.byKey(0)).toMatchObject({ state: 'quarantined', active: false });
    const at = records.findIndex(({ type }) => type === 'instruction');
    expect(records[at]).toMatchObject({ instruction: 'withdraw', reason: 'the bot is stopping' });
    const quarantined = records.findIndex(
      (record) => record.type === 'note' && record.text.startsWith('quarantined'),
    );
    expect(quarantined).toBeGreaterThan(at);
  });

  it('no later run sends a withdrawn order, at whichever record the journal ends after it', () => {
    const { records } = withdrawn();
    const at = records.findIndex(({ type }) => type === 'instruction');
    for (let length = at + 1; length <= records.length; length += 1) {
      const rig = ProtocolRig.after(records.slice(0, length), { venueTime: 0, monotonic: 1_000 });
      rig.isTooOld = () => false;
      for (let queries = 0; queries < 5; queries += 1) rig.answerOrderNotFound();
      expect(rig.sends('place'), `after ${length} records`).toBe(0);
      expect(rig.ledger.byKey(0).state).toBe('quarantined');
    }
  });

  it('a later run sends an order without such an instruction again while it is not stale', () => {
    const { records } = withdrawn();
    const at = records.findIndex(({ type }) => type === 'instruction');
    expect(at).toBeGreaterThan(0);
    const rig = ProtocolRig.after(records.slice(0, at), { venueTime: 0, monotonic: 1_000 });
    rig.isTooOld = () => false;
    rig.answerOrderNotFound();
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
  });
});

describe('cancel requested before a restart', () => {
  it('the cancel is requested again when the order rests', () => {
    const before = new ProtocolRig();
    const order = before.placedOrder(LIMIT);
    before.answer('place', placement());
    before.protocol.cancel(order);
    const rig = later(before);
    rig.passUntil('cancel');
    expect(rig.pendingRequest('cancel')).toMatchObject({ order: { orderId: 'v1' } });
  });

  it('the cancel is requested again as soon as an unproved order turns up', () => {
    const before = new ProtocolRig();
    const order = before.placedOrder(LIMIT);
    before.answer('place', unknown());
    before.protocol.cancel(order);
    const rig = later(before);
    rig.answerOrderNotFound();
    expect(rig.sends('place')).toBe(0);
    rig.answerOrderQuery(yes(reportOf(order.terms)));
    rig.passUntil('cancel');
    expect(rig.ledger.byKey(0)).toMatchObject({ state: 'accepted', active: false });
  });
});

describe('exit', () => {
  it('an exit under a temporary hold is tried each second and never withdrawn', () => {
    const rig = new ProtocolRig();
    rig.holdReason = 'R05: the last price is 20000 ms old';
    rig.holdPasses = true;
    const order = rig.placedOrder(EXIT, 3_600_000);
    for (let times = 0; times < 600; times += 1) {
      expect(rig.nextTimer).toBe(rig.stamp.monotonic + HELD_EXIT_RETRY_MS);
      rig.pass(HELD_EXIT_RETRY_MS);
    }
    expect(order).toMatchObject({ state: 'waiting', active: true });
    rig.holdReason = undefined;
    rig.pass(HELD_EXIT_RETRY_MS);
    expect(rig.sends('place')).toBe(1);
  });

  it('an exit under a permanent hold is withdrawn', () => {
    const rig = new ProtocolRig();
    rig.holdReason = 'mode HALTED';
    expect(rig.placedOrder(EXIT).state).toBe('dropped');
  });

  /** The venue has its id, does not show the order, and does not permit the burned proof. */
  function inConflict(): ProtocolRig {
    const rig = new ProtocolRig();
    rig.absent = false;
    rig.placedOrder(EXIT, 3_600_000);
    rig.answer('place', CONFLICT);
    return rig;
  }

  it('an exit is undecidable 30 s after its 409, and another one may leave beside it', () => {
    const rig = inConflict();
    const [order] = rig.ledger.all;
    const { monotonic } = rig.stamp;
    while (order?.state === 'verifying') rig.answerOrderNotFound();
    const took = rig.stamp.monotonic - monotonic;
    expect(took).toBeGreaterThanOrEqual(READ_VISIBILITY_MS);
    expect(took).toBeLessThan(2 * READ_VISIBILITY_MS);
    expect(order).toMatchObject({ state: 'quarantined', active: false });
    rig.placedOrder({ ...EXIT, ordinal: 1 });
    expect(rig.sends('place')).toBe(2);
  });

  it('an unproved exit is logged by the first lookup after 10 s, and each time that has doubled', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(EXIT, 3_600_000);
    rig.answer('place', unknown());
    const { monotonic } = rig.stamp;
    while (rig.stamp.monotonic - monotonic < 90_000) rig.answerOrderQuery(unknown());
    // Lookups are 5 and then 10 s apart by then.
    expect(rig.warnings).toEqual(
      [11, 31, 71].map((seconds) => `exit of BTCUSDT unproved for ${seconds} s`),
    );
  });

  it('an unproved entry is not logged', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET, 3_600_000);
    rig.answer('place', unknown());
    const { monotonic } = rig.stamp;
    while (rig.stamp.monotonic - monotonic < 30_000) rig.answerOrderQuery(unknown());
    expect(rig.warnings).toEqual([]);
  });
});
