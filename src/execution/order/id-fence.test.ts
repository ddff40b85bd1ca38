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
} from '../../../test/support/rigs/protocol-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { OrderTerms } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';
import { BURNED_READS, FENCE_BACKOFF_MS, READ_VISIBILITY_MS } from '../constants.js';
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

/** Withdrawn; its only attempt has no reply, and neither the lookup nor history has it. */
function givenUp(fence: OrderTerms | string = FENCE): Case {
  const rig = new ProtocolRig();
  rig.fence = fence;
  const order = rig.placedOrder(ENTRY);
  rig.answer('place', unknown());
  rig.protocol.cancel(order);
  rig.grantPermit();
  rig.answer('cancel', NOT_FOUND);
  rig.answerOrderNotFound();
  return { rig, order };
}

/** The same, with its fence in flight. */
function fenced(): Case {
  const { rig, order } = givenUp();
  rig.grantPermit();
  expect(rig.pendingRequest('place')).toEqual(expect.objectContaining({ terms: FENCE }));
  return { rig, order };
}

function answered(outcome: Outcome<Placement>): Case {
  const { rig, order } = fenced();
  rig.answer('place', outcome);
  return { rig, order };
}

/** A later run on what is durable. */
function reborn({ rig, order }: Case, fence: OrderTerms | string): Case {
  const records = rig.records.map(encodeJournalRecord).map(decodeJournalRecord);
  const next = ProtocolRig.after(records, rig.stamp, (run) => (run.fence = fence));
  next.grantPermit();
  const own = next.ledger.byClientOrderId(order.clientOrderId);
  if (own === undefined) throw new Error('the order is forgotten');
  return { rig: next, order: own };
}

/** Replies to the lookups of the fence after its acknowledged cancel, until the order ends. */
function cancelFence({ rig, order }: Case): void {
  rig.passUntil('cancel');
  rig.answer('cancel', yes(null));
  const gone = yes(reportOf(FENCE, { status: 'canceled' }));
  for (let queries = 0; queries < 3 && !order.ended; queries += 1) rig.answerOrderQuery(gone);
}

const fencesOf = (rig: ProtocolRig) =>
  rig.records.filter((record): record is JournalRecordOf<'fence'> => record.type === 'fence');
const outcomesOf = (rig: ProtocolRig) =>
  rig.records.flatMap((record) => (record.type === 'fence-outcome' ? [record.outcome] : []));
const refusalsOf = (rig: ProtocolRig) =>
  rig.records.flatMap((record) =>
    record.type === 'note' && record.text.startsWith('no fence') ? [record.text] : [],
  );

describe('fence of an order that never landed', () => {
  it('the fence leaves under the same id, after it and the instruction are in the journal', () => {
    const { rig, order } = fenced();
    expect(rig.effects.indexOf('journal instruction')).toBeGreaterThan(0);
    const fenceAt = rig.effects.indexOf('journal fence');
    expect(fenceAt).toBeGreaterThan(rig.effects.indexOf('journal instruction'));
    expect(rig.effects.lastIndexOf('send place')).toBeGreaterThan(fenceAt);
    expect(rig.pendingRequest('place')?.clientOrderId).toBe(order.clientOrderId);
    expect(fencesOf(rig)).toMatchObject([{ attempt: 1, terms: FENCE }]);
  });

  it('an accepted fence is canceled, and the order ends canceled with nothing filled', () => {
    const { rig, order } = answered(placement());
    expect(order).toMatchObject({ state: 'accepted', isFence: true, terms: FENCE });
    cancelFence({ rig, order });
    expect(order).toMatchObject({ state: 'canceled', filledQuantity: 0 });
    expect(rig.ends).toEqual([expect.objectContaining({ end: 'canceled' })]);
    expect(rig.halts).toEqual([]);
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: 0,
      orderCount: 0,
      unresolvedIntents: 0,
    });
  });

  it('a fence whose reply is lost is found by a lookup, as the fence and not as a second writer', () => {
    const { rig, order } = answered(unknown());
    expect(order.state).toBe('quarantined');
    rig.answerOrderQuery(yes(reportOf(FENCE)));
    expect(order).toMatchObject({ state: 'accepted', isFence: true });
    expect(outcomesOf(rig)).toEqual(['unknown', 'yes']);
    cancelFence({ rig, order });
    expect(order).toMatchObject({ state: 'canceled', filledQuantity: 0 });
    expect(rig.halts).toEqual([]);
    expect(rig.sends('place'), 'the original and one fence').toBe(2);
  });

  it('a fence may be found before its reply arrives, which then changes nothing', () => {
    const { rig, order } = fenced();
    rig.answerOrderQuery(yes(reportOf(FENCE)));
    expect(order).toMatchObject({ state: 'accepted', isFence: true });
    rig.answer('place', placement());
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
  });

  it('a fence refused with 409 leaves the order to lookups, which find the original', () => {
    const { rig, order } = answered(CONFLICT);
    expect(order).toMatchObject({ state: 'quarantined', conflictSeen: true });
    rig.answerOrderQuery(yes(reportOf(order.intent.terms, { status: 'filled', filled: '1' })));
    expect(order).toMatchObject({ state: 'filled', isFence: false, filledQuantity: d('1') });
    expect(rig.positions.quantity('BTCUSDT', 'USDT')).toBe(d('1'));
  });

  it('a fence refused with 409 leaves the order to the burned proof where nothing shows it', () => {
    const { rig, order } = answered(CONFLICT);
    for (let queries = 0; queries < 30 && !order.ended; queries += 1) rig.answerOrderNotFound();
    expect(order.state).toBe('burned');
    const { monotonic } = rig.stamp;
    expect(monotonic - (order.conflictAt ?? monotonic)).toBeGreaterThanOrEqual(READ_VISIBILITY_MS);
    expect(order.conflictQueries).toBeGreaterThanOrEqual(BURNED_READS);
    expect(rig.sends('place'), 'no other fence').toBe(2);
  });

  it.each([
    ['was not sent', unsent],
    ['was not answered', unknown()],
    ['met an error of the venue', unknown(500)],
    ['was refused for the moment', no('rate-limited', 429)],
    ['was refused', no('insufficient-balance')],
  ])(
    'a fence that %s proves nothing and is sent again later with the same terms',
    (_what, outcome) => {
      const { rig, order } = answered(outcome);
      expect(order.state).toBe('quarantined');
      const from = rig.stamp.monotonic;
      rig.fence = { ...FENCE, price: d('29000') };
      for (let queries = 0; queries < 10 && rig.pendingRequest('place') === undefined; queries += 1)
        rig.answerOrderNotFound();
      expect(rig.pendingRequest('place')).toEqual(expect.objectContaining({ terms: FENCE }));
      expect(rig.stamp.monotonic - from).toBeGreaterThanOrEqual(FENCE_BACKOFF_MS[0] ?? 0);
      expect(fencesOf(rig).map(({ attempt }) => attempt)).toEqual([1, 2]);
      rig.answer('place', placement());
      cancelFence({ rig, order });
      expect(order.state).toBe('canceled');
    },
  );

  it('a lookup begun before the fence left does not send another', () => {
    const { rig, order } = givenUp();
    const permit = rig.permits.shift();
    rig.passUntil('find-order');
    rig.requestTracker.onPermitGranted(permit?.id ?? 0);
    expect(rig.sends('place'), 'the fence is on the wire, beside an older lookup').toBe(2);
    rig.answer('place', unknown());
    rig.pass(FENCE_BACKOFF_MS[0] ?? 0);
    const queries = rig.sends('find-order');
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('read-order-history', yes([]));
    rig.grantPermit();
    expect(rig.sends('place')).toBe(2);
    rig.answerOrderNotFound();
    rig.grantPermit();
    expect(rig.sends('find-order')).toBeGreaterThan(queries);
    expect(rig.sends('place'), 'by a lookup of its own').toBe(3);
    expect(order.fenceAttempts).toBe(2);
  });

  it('exposure counts the fence beside the original until one of the two is known', () => {
    const { rig, order } = fenced();
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('1.002'),
      unresolvedIntents: 1,
    });
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('0.002'),
      unresolvedIntents: 0,
    });
  });

  it('a fill of the fence is an ordinary fill', () => {
    const { rig, order } = answered(placement());
    rig.answerOrderQuery(
      yes(reportOf(FENCE, { status: 'filled', filled: '0.002', average: '30000' })),
    );
    expect(order).toMatchObject({ state: 'filled', filledQuantity: d('0.002') });
    expect(rig.fills).toEqual([{ quantity: d('0.002'), price: d('30000') }]);
  });

  it('a fence that the mode forbids does not leave, and each reason is journaled once', () => {
    const { rig, order } = givenUp('the kill switch is on');
    for (let queries = 0; queries < 4; queries += 1) rig.answerOrderNotFound();
    expect(refusalsOf(rig)).toEqual(['no fence is possible now: the kill switch is on']);
    rig.fence = 'mode HALTED';
    rig.answerOrderNotFound();
    rig.answerOrderNotFound();
    expect(refusalsOf(rig).slice(1)).toEqual(['no fence is possible now: mode HALTED']);
    expect(order.state).toBe('quarantined');
    expect(rig.sends('place'), 'the original alone').toBe(1);
    rig.fence = FENCE;
    rig.answerOrderNotFound();
    rig.grantPermit();
    expect(rig.pendingRequest('place')).toEqual(expect.objectContaining({ terms: FENCE }));
  });

  it('a fence that is forbidden before its permit does not leave', () => {
    const { rig, order } = givenUp();
    rig.fence = 'mode HALTED';
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
    expect(fencesOf(rig)).toEqual([]);
    expect(order).toMatchObject({ state: 'quarantined', fenceInFlight: false });
  });

  it('a fence does not leave when the original lands late before it', () => {
    const { rig, order } = givenUp();
    rig.protocol.onListed(order, reportOf(order.intent.terms), rig.stamp.monotonic);
    expect(order).toMatchObject({ state: 'accepted', isFence: false });
    rig.grantPermit();
    expect(rig.sends('place'), 'the original alone').toBe(1);
    expect(rig.sends('cancel'), 'the landed order is withdrawn').toBe(2);
  });

  it('a fence waits for another change of the symbol in flight', () => {
    const { rig, order } = givenUp();
    const lock = 'BTCUSDT/USDT';
    const other = {};
    expect(rig.symbolLocks.tryStartRequest(lock, other, true)).toBe(true);
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
    rig.symbolLocks.finishRequest(lock);
    for (let queries = 0; queries < 3 && rig.pendingRequest('place') === undefined; queries += 1)
      rig.answerOrderNotFound();
    expect(rig.pendingRequest('place')?.clientOrderId).toBe(order.clientOrderId);
  });
});

describe('restart after a fence', () => {
  const OTHER = { ...FENCE, price: d<'price'>('29000') };

  it('an unanswered fence is looked up first, and sent with the same terms', () => {
    const { rig, order } = reborn(fenced(), OTHER);
    expect(rig.sends('place'), 'nothing before a lookup').toBe(0);
    rig.answerOrderNotFound();
    rig.grantPermit();
    expect(rig.pendingRequest('place')).toEqual(expect.objectContaining({ terms: FENCE }));
    expect(fencesOf(rig).map(({ attempt }) => attempt)).toEqual([1, 2]);
    rig.answer('place', placement());
    cancelFence({ rig, order });
    expect(order).toMatchObject({ state: 'canceled', filledQuantity: 0 });
  });

  it('an unanswered fence that the venue has is found and recognised', () => {
    const { rig, order } = reborn(fenced(), OTHER);
    rig.answerOrderQuery(yes(reportOf(FENCE)));
    expect(order).toMatchObject({ state: 'accepted', isFence: true });
    expect(rig.halts).toEqual([]);
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
  });

  it('an accepted fence is canceled', () => {
    const { rig, order } = reborn(answered(placement()), OTHER);
    expect(order).toMatchObject({ state: 'accepted', isFence: true, active: false });
    cancelFence({ rig, order });
    expect(order.state).toBe('canceled');
    expect(rig.sends('place')).toBe(0);
  });

  it('a fence refused with 409 is not sent again', () => {
    const { rig, order } = reborn(answered(CONFLICT), OTHER);
    expect(order.conflictSeen).toBe(true);
    for (let queries = 0; queries < 30 && !order.ended; queries += 1) rig.answerOrderNotFound();
    expect(order.state).toBe('burned');
    expect(rig.sends('place')).toBe(0);
  });
});
