import { describe, expect, it } from 'vitest';
import { d } from '../../../test/harness/risk-case.js';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { storyOf } from '../../../test/harness/story.js';
import type { OrderReport } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;
const MARKET = { quantity: '1' } as const;

/** One whose only attempt was not answered. */
function unproved(of: Parameters<ProtocolRig['placed']>[0] = LIMIT, validMs?: number) {
  const rig = new ProtocolRig();
  const order = rig.placed(of, validMs);
  rig.answer('place', unknown());
  return { rig, order, story: storyOf(rig) };
}
/** One that the venue has. */
function accepted(of: Parameters<ProtocolRig['placed']>[0] = LIMIT) {
  const rig = new ProtocolRig();
  const order = rig.placed(of);
  rig.answer('place', placement());
  return { rig, order };
}
const notes = (story: readonly string[]): readonly string[] =>
  story
    .filter((line) => /^\d+ (info|warn|error): /.test(line))
    .map((line) => line.split(' ').slice(1).join(' '));
const partly = (
  order: OwnOrder,
  filled: string,
  average = '60000',
  updatedAt?: number,
): Outcome<OrderReport> => {
  const changed = updatedAt === undefined ? {} : { updatedAt };
  return yes(reportOf(order.terms, { status: 'partially-filled', filled, average, ...changed }));
};

describe('what a look that proves nothing tells the journal', () => {
  it.each([
    { outcome: unknown(), says: 'lookup by client id: no clear answer (no answer)' },
    { outcome: no('rate-limited', 429), says: 'lookup by client id: rate-limited' },
  ])('of an unproved order: $says, once', ({ outcome, says }) => {
    const { rig, story } = unproved();
    rig.look(outcome);
    rig.look(outcome);
    expect(notes(story)).toEqual([`info: ${says}`]);
  });

  it.each([
    {
      what: 'no row of it',
      history: yes([]),
      says: 'lookup by client id: not found; order history: no row of it',
    },
    {
      what: 'no answer',
      history: unknown(),
      says: 'lookup by client id: not found; order history: no clear answer (no answer)',
    },
    {
      what: 'a refusal',
      history: no('rate-limited', 429),
      says: 'lookup by client id: not found; order history: rate-limited',
    },
  ])('of an unproved order, with $what in history', ({ history, says }) => {
    const { rig, story } = unproved();
    rig.look(NOT_FOUND);
    rig.grant();
    rig.answer('read-order-history', history);
    expect(notes(story)).toEqual([`info: ${says}`]);
  });

  it('of an order that only its history has', () => {
    const { rig, order, story } = unproved();
    const { clientOrderId } = order;
    rig.miss([{ ...reportOf(order.terms), clientOrderId }]);
    expect(notes(story)).toEqual([
      'info: lookup by client id: not found; order history: has its row',
    ]);
    expect(order.state).toBe('accepted');
  });

  it('again, when it has changed in between', () => {
    const { rig, story } = unproved();
    for (const outcome of [unknown(), no('rate-limited', 429), unknown()]) rig.look(outcome);
    expect(notes(story)).toHaveLength(3);
  });

  it('of an order that the venue has: nothing', () => {
    const { rig } = accepted();
    const story = storyOf(rig);
    for (const outcome of [unknown(), NOT_FOUND, no('rate-limited', 429)]) rig.look(outcome);
    expect(notes(story)).toEqual([]);
  });

  it('of an order that nobody wants any more', () => {
    const { rig, order, story } = unproved();
    rig.protocol.cancel(order);
    rig.miss();
    expect(notes(story)).toEqual([
      'info: lookup by client id: not found; order history: no row of it',
      'warn: quarantined: not found, and no longer wanted',
      'warn: no fence is possible now: no fence in this test',
    ]);
  });
});

describe('order history', () => {
  it('is read from a minute before the order was decided on, at the rank of a proof', () => {
    const { rig, order, story } = unproved();
    rig.look(NOT_FOUND);
    rig.grant();
    expect(rig.waiting('read-order-history')).toEqual({
      kind: 'read-order-history',
      currency: 'USDT',
      limit: 100,
      from: order.intent.decidedAt - 60_000,
    });
    expect(story.at(-1)).toBe('300 send read-order-history as verify');
  });

  it('is asked for what has changed since the engine last judged it too', () => {
    const { rig } = unproved();
    rig.unjudgedSince = 7;
    rig.look(NOT_FOUND);
    rig.grant();
    expect(rig.waiting('read-order-history')).toMatchObject({ changedSince: 7 });
  });

  it('is one look with the lookup before it: what is hurried waits', () => {
    const { rig } = unproved();
    rig.look(NOT_FOUND);
    rig.grant();
    const asked = rig.sends('find-order');
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sends('find-order')).toBe(asked);
    rig.answer('read-order-history', unknown());
    expect(rig.passUntil('find-order'), 'then it follows at once').toBe(0);
  });

  it('that comes when a list has shown the order is no news of its absence', () => {
    const { rig, order } = unproved();
    rig.look(NOT_FOUND);
    rig.grant();
    rig.protocol.listed(order, reportOf(order.terms), rig.stamp.monotonic);
    rig.answer('read-order-history', yes([]));
    expect(order).toMatchObject({ state: 'accepted', missingSince: undefined });
    expect(rig.sends('place')).toBe(1);
  });

  it('that comes after the end of the order has no say', () => {
    const { rig, order } = unproved();
    rig.look(NOT_FOUND);
    rig.grant();
    rig.protocol.tell(order, reportOf(order.terms, { status: 'filled', filled: '1' }));
    const story = storyOf(rig);
    rig.answer('read-order-history', yes([]));
    rig.pass(60_000);
    expect(story).toEqual([]);
  });
});

describe('looks', () => {
  const times = (story: readonly string[]): readonly string[] =>
    story.filter((line) => line.includes('find-order'));

  it.each([
    {
      what: 'a market order: most are filled by then',
      of: MARKET,
      at: [100, 400, 1_000, 2_200, 4_700, 9_700, 19_700, 29_700],
    },
    {
      what: 'a limit order: the lists tell of it',
      of: LIMIT,
      at: [100, 2_600, 7_600, 17_600, 27_600],
    },
  ])('come after pauses that grow, by our id and by the venue’s in turn: $what', ({ of, at }) => {
    const { rig, order } = accepted(of);
    const story = storyOf(rig);
    for (const _ of at) rig.look(yes(reportOf(order.terms)));
    expect(times(story)).toEqual(
      at.map((ms, nth) => `${ms} send find-order ${nth % 2 === 0 ? 'by our id' : 'v1'} as verify`),
    );
  });

  it('begin anew with each news', () => {
    const { rig, order } = accepted(MARKET);
    const story = storyOf(rig);
    for (const amount of ['0', '0', '0.1', '0.1', '0.2'])
      rig.look(amount === '0' ? yes(reportOf(order.terms)) : partly(order, amount));
    rig.passUntil('find-order');
    expect(times(story).map((line) => Number(line.split(' ')[0]))).toEqual([
      100, 400, 1_000, 1_100, 1_400, 1_500,
    ]);
  });

  it('of an unproved order go by our id alone', () => {
    const { rig, story } = unproved();
    for (let looks = 0; looks < 5; looks += 1) rig.look(unknown());
    expect(times(story)).toEqual([
      '300 send find-order by our id as verify',
      '900 send find-order by our id as verify',
      '2100 send find-order by our id as verify',
      '4600 send find-order by our id as verify',
      '9600 send find-order by our id as verify',
    ]);
  });

  it('of an unproved order that is not wanted any more are no cancels in rank', () => {
    const { rig, order, story } = unproved();
    rig.protocol.cancel(order);
    rig.passUntil('find-order');
    expect(times(story)).toEqual(['300 send find-order by our id as verify']);
  });

  it('that were under way when a list told of the order do not go on at once', () => {
    const { rig, order } = unproved();
    rig.passUntil('find-order');
    rig.protocol.listed(order, reportOf(order.terms), rig.stamp.monotonic);
    rig.answer('find-order', yes(reportOf(order.terms)));
    expect(rig.passUntil('find-order')).toBeGreaterThan(0);
  });

  it('of an order that is not found where it was before come after pauses that grow', () => {
    const { rig, order } = accepted(MARKET);
    const story = storyOf(rig);
    rig.look(yes(reportOf(order.terms)));
    for (let looks = 0; looks < 4; looks += 1) rig.look(NOT_FOUND);
    expect(times(story).map((line) => Number(line.split(' ')[0]))).toEqual([
      100, 400, 1_600, 4_100, 9_100,
    ]);
  });

  it('are not hurried for what waits for its slot or its answer', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(LIMIT));
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sends('find-order')).toBe(0);
    rig.grant();
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sends('find-order')).toBe(0);
  });

  it('do not make older what is known of the order', () => {
    const { rig, order } = unproved();
    rig.look(NOT_FOUND);
    rig.grant();
    const lookedAt = rig.stamp.monotonic;
    rig.answer('read-order-history', yes([]));
    expect(order.lookedAt).toBe(lookedAt);
    rig.protocol.listed(order, reportOf(order.terms), lookedAt - 10_000);
    expect(order).toMatchObject({ lookedAt });
  });
});

describe('a report', () => {
  it.each([{ state: 'waiting' }, { state: 'sent' }])(
    'of an order that is $state is not taken in: the answer to its attempt comes first',
    ({ state }) => {
      const rig = new ProtocolRig();
      const order = rig.order(LIMIT);
      rig.protocol.submit(order);
      if (state === 'sent') rig.grant();
      rig.protocol.tell(order, reportOf(order.terms));
      expect(order).toMatchObject({ state, orderId: undefined });
      expect(rig.accepted).toBe(0);
    },
  );

  it('of an order that has ended changes nothing', () => {
    const { rig, order } = accepted();
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
    rig.protocol.tell(order, reportOf(order.terms, { status: 'filled', filled: '1' }));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(rig.fills).toEqual([]);
  });

  it('tells the position of an order that was found, and no other than the first', () => {
    const { rig, order } = unproved();
    rig.look(yes({ ...reportOf(order.terms), positionId: 'p7' }));
    expect(order.positionId).toBe('p7');
    rig.look(yes({ ...reportOf(order.terms), positionId: 'p8' }));
    expect(order.positionId).toBe('p7');
  });

  it('with other terms halts, and says which field', () => {
    const { rig, order } = unproved();
    rig.look(yes({ ...reportOf(order.terms), quantity: d('2') }));
    expect(rig.halts).toEqual([
      expect.stringMatching(
        new RegExp(
          `^order ${order.clientOrderId} at the venue is not the one we sent: another quantity\\. ` +
            `Either another bot runs with this account name .*--adopt ${order.clientOrderId}`,
        ),
      ),
    ]);
    expect(order.unproved).toBe(true);
  });

  it('with other terms that a person knows of ends ours: its id is used up', () => {
    const { rig, order } = unproved();
    rig.adopted.add(order.clientOrderId);
    rig.look(yes({ ...reportOf(order.terms), quantity: d('2') }));
    expect(rig.halts).toEqual([]);
    expect(rig.ends).toEqual([
      { end: 'burned', reason: 'the venue has another order under its id: another quantity' },
    ]);
    expect(rig.fills).toEqual([]);
  });

  it('with terms that somebody gave it since is journaled', () => {
    const { rig, order } = accepted();
    const story = storyOf(rig);
    rig.look(yes({ ...reportOf(order.terms), price: d('59000') }));
    expect(notes(story)).toEqual([
      'warn: somebody amended it: it goes on with the terms at the venue',
    ]);
  });

  it('of a part at an average that the part before cannot have had counts at that average', () => {
    const { rig, order } = accepted();
    rig.look(partly(order, '0.5', '60000'));
    rig.look(partly(order, '1', '30000'));
    expect(rig.fills.map(({ price }) => price)).toEqual([d('60000'), d('30000')]);
  });

  it.each([
    { status: 'filled', filled: '1', end: 'filled' },
    { status: 'filled', filled: '0.6', end: 'filled' },
    { status: 'partially-filled', filled: '1', end: 'filled' },
    { status: 'canceled', filled: '0.6', end: 'canceled' },
    { status: 'canceled', filled: '1', end: 'filled' },
  ] as const)('$status with $filled of 1 ends it as $end', ({ status, filled, end }) => {
    const { rig, order } = accepted();
    rig.protocol.tell(order, reportOf(order.terms, { status, filled, average: '60000' }));
    expect(rig.ends.map((each) => each.end)).toEqual([end]);
  });

  it('of an open order, from a venue in this process, ends nothing', () => {
    const { rig, order } = accepted();
    rig.protocol.tell(order, reportOf(order.terms));
    expect(order.state).toBe('accepted');
  });

  it('that does not come from the venue halts with its number and a hint', () => {
    const { rig } = accepted();
    for (let looks = 0; looks < 5; looks += 1) rig.look(unknown(404));
    expect(rig.halts).toEqual(["5 lookups met a 404 that is not the venue's: is base_url right?"]);
  });
});

describe('the end of a canceled order', () => {
  /** Canceled, acknowledged, and every look so far answered. */
  function canceled(report: (order: OwnOrder) => Outcome<OrderReport>) {
    const { rig, order } = accepted();
    rig.look(report(order));
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', yes(null));
    return { rig, order, since: rig.stamp.monotonic };
  }

  it.each([
    { named: 'at the moment of the cancel', changedMs: 0, ends: true },
    { named: 'two seconds before, which are the slack of clocks', changedMs: -2_000, ends: true },
    { named: 'two seconds after it', changedMs: 2_000, ends: true },
    { named: 'after that: it trades on', changedMs: 2_001, ends: false },
    { named: 'before that: it may not know of the last fill', changedMs: -2_001, ends: false },
    { named: 'at no time that is told', changedMs: undefined, ends: false },
  ])('is proved by two equal reads of a part that changed $named: $ends', ({ changedMs, ends }) => {
    const { rig, order, since } = canceled((each) => partly(each, '0.5'));
    const updatedAt = changedMs === undefined ? undefined : rig.stamp.venueTime + changedMs;
    rig.look(partly(order, '0.5', '60000', updatedAt));
    expect(rig.stamp.monotonic, 'at once').toBe(since);
    rig.look(partly(order, '0.5', '60000', updatedAt));
    expect(rig.ends.map(({ end }) => end)).toEqual(ends ? ['canceled'] : []);
  });

  it('is proved by two reads that do not tell when it changed, ten seconds after the answer', () => {
    const { rig, order, since } = canceled((each) => partly(each, '0.5'));
    while (!order.ended) rig.look(partly(order, '0.5'));
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(10_000);
    expect(rig.sends('cancel')).toBe(1);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('counts what a read that lagged did not know of yet', () => {
    const { rig, order } = canceled((each) => partly(each, '0.4'));
    const sentAt = rig.stamp.venueTime;
    for (let looks = 0; looks < 3; looks += 1)
      rig.look(partly(order, '0.4', '60000', sentAt - 52_000));
    expect(order.ended).toBe(false);
    for (let looks = 0; looks < 2; looks += 1) rig.look(partly(order, '0.6', '60000', sentAt));
    expect(order.ended).toBe(true);
    expect(order.filledQuantity).toBe(d('0.6'));
  });

  it.each([
    { named: 'open', status: 'created', filled: '0' },
    { named: 'partly filled', status: 'partially-filled', filled: '0.5' },
  ] as const)('that 30 s later still shows it $named is asked for again', ({ status, filled }) => {
    const { rig, order, since } = canceled((each) => yes(reportOf(each.terms)));
    const story = storyOf(rig);
    const updatedAt = rig.stamp.venueTime - 60_000;
    const still = yes(reportOf(order.terms, { status, filled, average: '60000', updatedAt }));
    while (rig.waiting('cancel') === undefined) rig.look(still);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(notes(story)).toContain(
      'warn: canceled again: its cancel was acknowledged, and it is still there',
    );
    rig.answer('cancel', no('order-not-open'));
    const known = rig.stamp.monotonic;
    while (!order.ended) rig.look(still);
    expect(rig.stamp.monotonic - known).toBeGreaterThanOrEqual(30_000);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('is believed of an acknowledged cancel when lists have lacked it for 30 s', () => {
    const { rig, order } = canceled((each) => yes(reportOf(each.terms)));
    for (let read = 0; read < 3; read += 1)
      rig.protocol.unlisted(order, true, rig.stamp.monotonic - 30_000);
    for (let looks = 0; looks < 2; looks += 1) {
      rig.protocol.hurry('BTCUSDT', 'USDT');
      rig.look(yes(reportOf(order.terms)));
    }
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });
});

describe('a 409 that cannot be decided', () => {
  /** A row of history that could be it keeps it from being burned. */
  function undecided(validMs: number) {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET, validMs);
    rig.answer('place', CONFLICT);
    const since = rig.stamp.monotonic;
    const row = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    while (order.state === 'verifying') rig.miss([row]);
    expect(order.state).toBe('quarantined');
    return rig.stamp.monotonic - since;
  }

  it('keeps it wanted until reads had their time, though it is too late long before', () => {
    expect(undecided(1_000)).toBeGreaterThanOrEqual(30_000);
    expect(undecided(1_000)).toBeLessThan(45_000);
  });

  it('keeps it wanted while it is valid, though reads had their time long before', () => {
    expect(undecided(100_000)).toBeGreaterThan(100_000);
  });

  it('is burned beside a like order that was made long before', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET, 600_000);
    rig.answer('place', CONFLICT);
    const createdAt = order.intent.decidedAt - 60_001;
    const row = { ...reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' }) };
    while (!order.ended && order.looks < 20) rig.miss([{ ...row, createdAt }]);
    expect(order.state).toBe('burned');
  });

  it('is burned by five misses, however long answers did not come, and says on what evidence', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET, 600_000);
    rig.answer('place', CONFLICT);
    while (rig.stamp.monotonic < (order.conflictAt ?? 0) + 60_000) rig.look(unknown());
    for (let misses = 1; misses <= 5; misses += 1) {
      expect(order.ended, `after ${misses - 1} misses`).toBe(false);
      rig.miss();
    }
    expect(rig.ends).toEqual([
      {
        end: 'burned',
        reason:
          'the venue calls the id taken, and 5 lookups over more than 30 s, ' +
          'open orders, positions and order history have no such order',
      },
    ]);
  });
});

describe('an order that left the list of open orders', () => {
  it('and is unproved is looked for as if it had not been on any', () => {
    const { rig, order } = unproved();
    rig.protocol.unlisted(order, true, rig.stamp.monotonic);
    expect(rig.passUntil('find-order')).toBe(300);
  });

  it('is not over by the time in which it was on it', () => {
    const { rig, order } = accepted();
    const part = partly(order, '0.3');
    rig.look(part);
    rig.look(part);
    const { monotonic } = rig.stamp;
    rig.protocol.unlisted(order, false, monotonic - 60_000);
    for (let read = 0; read < 3; read += 1) rig.protocol.unlisted(order, true, monotonic);
    for (let looks = 0; looks < 2; looks += 1) {
      rig.protocol.hurry('BTCUSDT', 'USDT');
      rig.look(part);
    }
    expect(order.ended).toBe(false);
  });

  it.each([
    { reads: 2, overMs: 30_000, ends: false },
    { reads: 3, overMs: 29_999, ends: false },
    { reads: 3, overMs: 30_000, ends: true },
  ])('with a part filled, by $reads lists over $overMs ms: $ends', ({ reads, overMs, ends }) => {
    const { rig, order } = accepted();
    const part = partly(order, '0.3');
    rig.look(part);
    rig.look(part);
    const listedAt = rig.stamp.monotonic;
    for (let read = 0; read < reads; read += 1)
      rig.protocol.unlisted(order, true, read === 0 ? listedAt - overMs : listedAt);
    for (let looks = 0; looks < 2 && !order.ended; looks += 1) {
      rig.protocol.hurry('BTCUSDT', 'USDT');
      rig.look(part);
    }
    expect(rig.stamp.monotonic).toBe(listedAt);
    expect(order.ended).toBe(ends);
  });
});

describe('an order that rests as a list of open orders shows it', () => {
  function listed() {
    const { rig, order } = accepted();
    rig.look(yes(reportOf(order.terms)));
    rig.protocol.listed(order, reportOf(order.terms), rig.stamp.monotonic);
    return { rig, order, story: storyOf(rig) };
  }
  /** Of the next look, which is asked for at once. */
  function rankOfLook(rig: ProtocolRig, story: readonly string[]): string | undefined {
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.passUntil('find-order');
    return story.findLast((line) => line.includes('find-order'))?.split(' as ')[1];
  }

  it.each([
    { afterMs: 9_999, rank: 'poll' },
    { afterMs: 10_000, rank: 'verify' },
  ])('$afterMs ms ago is looked at as $rank', ({ afterMs, rank }) => {
    const { rig, story } = listed();
    rig.pass(afterMs);
    expect(rankOfLook(rig, story)).toBe(rank);
  });

  it('whose cancel was acknowledged does not rest', () => {
    const { rig, order, story } = listed();
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', yes(null));
    expect(rankOfLook(rig, story)).toBe('verify');
  });

  it('and of which one read said that it is over does not rest', () => {
    const { rig, order, story } = listed();
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.look(yes(reportOf(order.terms, { status: 'canceled' })));
    rig.protocol.listed(order, reportOf(order.terms), rig.stamp.monotonic);
    expect(rankOfLook(rig, story)).toBe('verify');
  });

  it('and which the next list lacks does not rest', () => {
    const { rig, order, story } = listed();
    rig.protocol.unlisted(order, true, rig.stamp.monotonic);
    expect(rankOfLook(rig, story)).toBe('verify');
  });

  it('before it was answered is looked at soon all the same', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.protocol.listed(order, reportOf(order.terms), rig.stamp.monotonic);
    const story = storyOf(rig);
    rig.answer('place', placement());
    rig.passUntil('find-order');
    expect(story.at(-1)).toBe('100 send find-order by our id as verify');
  });
});
