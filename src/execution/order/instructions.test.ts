import { describe, expect, it } from 'vitest';
import {
  CONFLICT,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { HELD_EXIT_MS, READ_VISIBILITY_MS } from '../constants.js';

const MARKET = { quantity: '1' } as const;
const LIMIT = { quantity: '1', price: '60000' } as const;
const EXIT = { ...MARKET, side: 'sell', exit: true } as const;

const later = (rig: ProtocolRig) =>
  ProtocolRig.after(rig.records, {
    venueTime: rig.stamp.venueTime + 1_000,
    monotonic: 1_000,
  });

describe('an order that is withdrawn', () => {
  /** An entry whose attempt was not answered, and which the world holds for good at its next slot. */
  function withdrawn(): ProtocolRig {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.hold = 'the bot is stopping';
    rig.miss();
    rig.grant();
    return rig;
  }

  it('is so in the journal before it is quarantined', () => {
    const { records, ledger } = withdrawn();
    expect(ledger.byKey(0)).toMatchObject({ state: 'quarantined', wanted: false });
    const at = records.findIndex(({ type }) => type === 'instruction');
    expect(records[at]).toMatchObject({ instruction: 'withdraw', reason: 'the bot is stopping' });
    const quarantined = records.findIndex(
      (record) => record.type === 'note' && record.text.startsWith('quarantined'),
    );
    expect(quarantined).toBeGreaterThan(at);
  });

  it('is not sent by a later life, whichever record after the instruction was the last', () => {
    const { records } = withdrawn();
    const at = records.findIndex(({ type }) => type === 'instruction');
    for (let length = at + 1; length <= records.length; length += 1) {
      const rig = ProtocolRig.after(records.slice(0, length), { venueTime: 0, monotonic: 1_000 });
      rig.isTooOld = () => false;
      for (let looks = 0; looks < 5; looks += 1) rig.miss();
      expect(rig.sends('place'), `after ${length} records`).toBe(0);
      expect(rig.ledger.byKey(0).state).toBe('quarantined');
    }
  });

  it('goes again in a later life where no instruction says otherwise and it is not too old', () => {
    const { records } = withdrawn();
    const at = records.findIndex(({ type }) => type === 'instruction');
    expect(at).toBeGreaterThan(0);
    const rig = ProtocolRig.after(records.slice(0, at), { venueTime: 0, monotonic: 1_000 });
    rig.isTooOld = () => false;
    rig.miss();
    rig.grant();
    expect(rig.sends('place')).toBe(1);
  });
});

describe('a cancel that was wanted before a restart', () => {
  it('is asked for after it when the order rests', () => {
    const before = new ProtocolRig();
    const order = before.placed(LIMIT);
    before.answer('place', placement());
    before.protocol.cancel(order);
    const rig = later(before);
    rig.passUntil('cancel');
    expect(rig.waiting('cancel')).toMatchObject({ order: { orderId: 'v1' } });
  });

  it('is asked for as soon as an order that was unknown turns up', () => {
    const before = new ProtocolRig();
    const order = before.placed(LIMIT);
    before.answer('place', unknown());
    before.protocol.cancel(order);
    const rig = later(before);
    rig.miss();
    expect(rig.sends('place')).toBe(0);
    rig.look(yes(reportOf(order.terms)));
    rig.passUntil('cancel');
    expect(rig.ledger.byKey(0)).toMatchObject({ state: 'accepted', wanted: false });
  });
});

describe('an exit', () => {
  it('that is held for a reason that passes asks again each second, and is never withdrawn', () => {
    const rig = new ProtocolRig();
    rig.hold = 'R05: the last price is 20000 ms old';
    rig.holdPasses = true;
    const order = rig.placed(EXIT, 3_600_000);
    for (let times = 0; times < 600; times += 1) {
      expect(rig.nextTimer).toBe(rig.stamp.monotonic + HELD_EXIT_MS);
      rig.pass(HELD_EXIT_MS);
    }
    expect(order).toMatchObject({ state: 'waiting', wanted: true });
    rig.hold = undefined;
    rig.pass(HELD_EXIT_MS);
    expect(rig.sends('place')).toBe(1);
  });

  it('that is held for good is withdrawn', () => {
    const rig = new ProtocolRig();
    rig.hold = 'mode HALTED';
    expect(rig.placed(EXIT).state).toBe('dropped');
  });

  /** The venue has its id, and neither shows it nor lets it be proved burned. */
  function inConflict(): ProtocolRig {
    const rig = new ProtocolRig();
    rig.absent = false;
    rig.placed(EXIT, 3_600_000);
    rig.answer('place', CONFLICT);
    return rig;
  }

  it('is undecidable 30 s after its 409, and another one may leave beside it', () => {
    const rig = inConflict();
    const [order] = rig.ledger.all;
    const { monotonic } = rig.stamp;
    while (order?.state === 'verifying') rig.miss();
    const took = rig.stamp.monotonic - monotonic;
    expect(took).toBeGreaterThanOrEqual(READ_VISIBILITY_MS);
    expect(took).toBeLessThan(2 * READ_VISIBILITY_MS);
    expect(order).toMatchObject({ state: 'quarantined', wanted: false });
    rig.placed({ ...EXIT, ordinal: 1 });
    expect(rig.sends('place')).toBe(2);
  });

  it('is logged as unproved by the first look after 10 s, and each time that this has doubled', () => {
    const rig = new ProtocolRig();
    rig.placed(EXIT, 3_600_000);
    rig.answer('place', unknown());
    const { monotonic } = rig.stamp;
    while (rig.stamp.monotonic - monotonic < 90_000) rig.look(unknown());
    // Looks are 10 s apart by then, the first of them a little before 10 s.
    expect(rig.warnings).toEqual(
      [20, 40, 80].map((seconds) => `exit of BTCUSDT unproved for ${seconds} s`),
    );
  });

  it('alone is logged so, and no entry', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET, 3_600_000);
    rig.answer('place', unknown());
    const { monotonic } = rig.stamp;
    while (rig.stamp.monotonic - monotonic < 30_000) rig.look(unknown());
    expect(rig.warnings).toEqual([]);
  });
});
