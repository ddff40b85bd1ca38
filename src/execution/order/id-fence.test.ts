import { describe, expect, it } from 'vitest';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  unsent,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import type { OrderTerms } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';
import { BURNED_READS, FENCE_SPACING_MS, READ_VISIBILITY_MS } from '../constants.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecordOf,
} from '../journal/journal-record.js';
import type { OwnOrder } from './own-order.js';

const ENTRY = { quantity: '1', price: '60000' } as const;
const FENCE: OrderTerms = {
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'buy',
  type: 'limit',
  quantity: d('0.002'),
  price: d('30000'),
  reduceOnly: false,
};

interface Case {
  readonly rig: ProtocolRig;
  readonly order: OwnOrder;
}

/** Its only attempt was not answered, nobody wants it any more, and a lookup and history lack it. */
function givenUp(fence: OrderTerms | string = FENCE): Case {
  const rig = new ProtocolRig();
  rig.fence = fence;
  const order = rig.placed(ENTRY);
  rig.answer('place', unknown());
  rig.protocol.cancel(order);
  rig.grant();
  rig.answer('cancel', NOT_FOUND);
  rig.miss();
  return { rig, order };
}

/** The same, with its fence on the wire. */
function fenced(): Case {
  const { rig, order } = givenUp();
  rig.grant();
  expect(rig.waiting('place')).toEqual(expect.objectContaining({ terms: FENCE }));
  return { rig, order };
}

function answered(outcome: Outcome<Placement>): Case {
  const { rig, order } = fenced();
  rig.answer('place', outcome);
  return { rig, order };
}

/** Another life on what is durable. */
function reborn({ rig, order }: Case, fence: OrderTerms | string): Case {
  const records = rig.records.map(encodeJournalRecord).map(decodeJournalRecord);
  const next = ProtocolRig.after(records, rig.stamp, (life) => (life.fence = fence));
  next.grant();
  const own = next.ledger.byClientOrderId(order.clientOrderId);
  if (own === undefined) throw new Error('the order is forgotten');
  return { rig: next, order: own };
}

/** Plays the venue's answers on the fence after its cancel was acknowledged, until the order ends. */
function cancelFence({ rig, order }: Case): void {
  rig.passUntil('cancel');
  rig.answer('cancel', yes(null));
  const gone = yes(reportOf(FENCE, { status: 'canceled' }));
  for (let looks = 0; looks < 3 && !order.ended; looks += 1) rig.look(gone);
}

const fencesOf = (rig: ProtocolRig) =>
  rig.records.filter((record): record is JournalRecordOf<'fence'> => record.type === 'fence');
const outcomesOf = (rig: ProtocolRig) =>
  rig.records.flatMap((record) => (record.type === 'fence-outcome' ? [record.outcome] : []));
const refusalsOf = (rig: ProtocolRig) =>
  rig.records.flatMap((record) =>
    record.type === 'note' && record.text.startsWith('no fence') ? [record.text] : [],
  );

describe('the fence of an order that never landed', () => {
  it('leaves under its id only when it is in the journal, and after the instruction', () => {
    const { rig, order } = fenced();
    expect(rig.effects.indexOf('journal instruction')).toBeGreaterThan(0);
    const fenceAt = rig.effects.indexOf('journal fence');
    expect(fenceAt).toBeGreaterThan(rig.effects.indexOf('journal instruction'));
    expect(rig.effects.lastIndexOf('send place')).toBeGreaterThan(fenceAt);
    expect(rig.waiting('place')?.clientOrderId).toBe(order.clientOrderId);
    expect(fencesOf(rig)).toMatchObject([{ attempt: 1, terms: FENCE }]);
  });

  it('is canceled when the venue takes it, and the order ends canceled with nothing filled', () => {
    const { rig, order } = answered(placement());
    expect(order).toMatchObject({ state: 'accepted', isFence: true, terms: FENCE });
    cancelFence({ rig, order });
    expect(order).toMatchObject({ state: 'canceled', filledQuantity: 0 });
    expect(rig.ends).toEqual([expect.objectContaining({ end: 'canceled' })]);
    expect(rig.halts).toEqual([]);
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({ longest: 0, orders: 0, unknown: 0 });
  });

  it('is found by a lookup where its answer was lost, as the fence and as no second writer', () => {
    const { rig, order } = answered(unknown());
    expect(order.state).toBe('quarantined');
    rig.look(yes(reportOf(FENCE)));
    expect(order).toMatchObject({ state: 'accepted', isFence: true });
    expect(outcomesOf(rig)).toEqual(['unknown', 'yes']);
    cancelFence({ rig, order });
    expect(order).toMatchObject({ state: 'canceled', filledQuantity: 0 });
    expect(rig.halts).toEqual([]);
    expect(rig.sends('place'), 'the original and one fence').toBe(2);
  });

  it('may be found before its answer is there, which then says nothing new', () => {
    const { rig, order } = fenced();
    rig.look(yes(reportOf(FENCE)));
    expect(order).toMatchObject({ state: 'accepted', isFence: true });
    rig.answer('place', placement());
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
  });

  it('that the venue calls taken leaves it to lookups, which find the original', () => {
    const { rig, order } = answered(CONFLICT);
    expect(order).toMatchObject({ state: 'quarantined', conflictSeen: true });
    rig.look(yes(reportOf(order.intent.terms, { status: 'filled', filled: '1' })));
    expect(order).toMatchObject({ state: 'filled', isFence: false, filledQuantity: d('1') });
    expect(rig.positions.quantity('BTCUSDT', 'USDT')).toBe(d('1'));
  });

  it('that the venue calls taken leaves it to the burned proof where nothing shows an order', () => {
    const { rig, order } = answered(CONFLICT);
    for (let looks = 0; looks < 30 && !order.ended; looks += 1) rig.miss();
    expect(order.state).toBe('burned');
    const { monotonic } = rig.stamp;
    expect(monotonic - (order.conflictAt ?? monotonic)).toBeGreaterThanOrEqual(READ_VISIBILITY_MS);
    expect(order.conflictLooks).toBeGreaterThanOrEqual(BURNED_READS);
    expect(rig.sends('place'), 'no other fence').toBe(2);
  });

  it.each([
    ['was not sent', unsent],
    ['was not answered', unknown()],
    ['met an error of the venue', unknown(500)],
    ['was refused for the moment', no('rate-limited', 429)],
    ['was refused', no('insufficient-balance')],
  ])('that %s proves nothing: it goes again later with the same terms', (_what, outcome) => {
    const { rig, order } = answered(outcome);
    expect(order.state).toBe('quarantined');
    const from = rig.stamp.monotonic;
    rig.fence = { ...FENCE, price: d('29000') };
    for (let looks = 0; looks < 10 && rig.waiting('place') === undefined; looks += 1) rig.miss();
    expect(rig.waiting('place')).toEqual(expect.objectContaining({ terms: FENCE }));
    expect(rig.stamp.monotonic - from).toBeGreaterThanOrEqual(FENCE_SPACING_MS[0] ?? 0);
    expect(fencesOf(rig).map(({ attempt }) => attempt)).toEqual([1, 2]);
    rig.answer('place', placement());
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
  });

  it('does not leave again by a lookup that began before it left', () => {
    const { rig, order } = givenUp();
    const slot = rig.slots.shift();
    rig.passUntil('find-order');
    rig.desk.slot(slot?.id ?? 0);
    expect(rig.sends('place'), 'the fence is on the wire, beside an older lookup').toBe(2);
    rig.answer('place', unknown());
    rig.pass(FENCE_SPACING_MS[0] ?? 0);
    const looks = rig.sends('find-order');
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('read-order-history', yes([]));
    rig.grant();
    expect(rig.sends('place')).toBe(2);
    rig.miss();
    rig.grant();
    expect(rig.sends('find-order')).toBeGreaterThan(looks);
    expect(rig.sends('place'), 'by a lookup of its own').toBe(3);
    expect(order.fenceAttempts).toBe(2);
  });

  it('counts in the worst case beside the original until one of the two is known', () => {
    const { rig, order } = fenced();
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({ longest: d('1.002'), unknown: 1 });
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({ longest: d('0.002'), unknown: 0 });
  });

  it('that trades all the same is a fill like any', () => {
    const { rig, order } = answered(placement());
    rig.look(yes(reportOf(FENCE, { status: 'filled', filled: '0.002', average: '30000' })));
    expect(order).toMatchObject({ state: 'filled', filledQuantity: d('0.002') });
    expect(rig.fills).toEqual([{ quantity: d('0.002'), price: d('30000') }]);
  });

  it('does not leave where the mode forbids it, which is said once a reason', () => {
    const { rig, order } = givenUp('the kill switch is on');
    for (let looks = 0; looks < 4; looks += 1) rig.miss();
    expect(refusalsOf(rig)).toEqual(['no fence is possible now: the kill switch is on']);
    rig.fence = 'mode HALTED';
    rig.miss();
    rig.miss();
    expect(refusalsOf(rig).slice(1)).toEqual(['no fence is possible now: mode HALTED']);
    expect(order.state).toBe('quarantined');
    expect(rig.sends('place'), 'the original alone').toBe(1);
    rig.fence = FENCE;
    rig.miss();
    rig.grant();
    expect(rig.waiting('place')).toEqual(expect.objectContaining({ terms: FENCE }));
  });

  it('stays behind where it is forbidden between its wish and its slot', () => {
    const { rig, order } = givenUp();
    rig.fence = 'mode HALTED';
    rig.grant();
    expect(rig.sends('place')).toBe(1);
    expect(fencesOf(rig)).toEqual([]);
    expect(order).toMatchObject({ state: 'quarantined', fencing: false });
  });

  it('stays behind where the original lands late, before it', () => {
    const { rig, order } = givenUp();
    rig.protocol.listed(order, reportOf(order.intent.terms), rig.stamp.monotonic);
    expect(order).toMatchObject({ state: 'accepted', isFence: false });
    rig.grant();
    expect(rig.sends('place'), 'the original alone').toBe(1);
    expect(rig.sends('cancel'), 'nobody wants what landed').toBe(2);
  });

  it('gives way to another change of the symbol on the wire', () => {
    const { rig, order } = givenUp();
    const lane = 'BTCUSDT/USDT';
    const other = {};
    expect(rig.lanes.enter(lane, other, true)).toBe(true);
    rig.grant();
    expect(rig.sends('place')).toBe(1);
    rig.lanes.leave(lane);
    for (let looks = 0; looks < 3 && rig.waiting('place') === undefined; looks += 1) rig.miss();
    expect(rig.waiting('place')?.clientOrderId).toBe(order.clientOrderId);
  });
});

describe('a life after a fence', () => {
  const OTHER = { ...FENCE, price: d<'price'>('29000') };

  it('that was not answered looks first, and sends the same terms', () => {
    const { rig, order } = reborn(fenced(), OTHER);
    expect(rig.sends('place'), 'nothing before a look').toBe(0);
    rig.miss();
    rig.grant();
    expect(rig.waiting('place')).toEqual(expect.objectContaining({ terms: FENCE }));
    expect(fencesOf(rig).map(({ attempt }) => attempt)).toEqual([1, 2]);
    rig.answer('place', placement());
    cancelFence({ rig, order });
    expect(order).toMatchObject({ state: 'canceled', filledQuantity: 0 });
  });

  it('that was not answered finds it at the venue, and knows it', () => {
    const { rig, order } = reborn(fenced(), OTHER);
    rig.look(yes(reportOf(FENCE)));
    expect(order).toMatchObject({ state: 'accepted', isFence: true });
    expect(rig.halts).toEqual([]);
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
  });

  it('that was taken cancels it', () => {
    const { rig, order } = reborn(answered(placement()), OTHER);
    expect(order).toMatchObject({ state: 'accepted', isFence: true, wanted: false });
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
    expect(rig.sends('place')).toBe(0);
  });

  it('that was called taken sends no other', () => {
    const { rig, order } = reborn(answered(CONFLICT), OTHER);
    expect(order.conflictSeen).toBe(true);
    for (let looks = 0; looks < 30 && !order.ended; looks += 1) rig.miss();
    expect(order.state).toBe('burned');
    expect(rig.sends('place')).toBe(0);
  });
});
