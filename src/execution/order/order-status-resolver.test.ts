import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import type { OrderReport } from '../../core/order.js';
import type { Outcome, Priority } from '../../core/request.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;
const MARKET = { quantity: '1' } as const;

/** An order whose only attempt has no reply. */
function unproved(of: Parameters<ProtocolRig['placedOrder']>[0] = LIMIT, validMs?: number) {
  const rig = new ProtocolRig();
  const order = rig.placedOrder(of, validMs);
  rig.answer('place', unknown());
  return { rig, order };
}
/** An order that the venue has. */
function accepted(of: Parameters<ProtocolRig['placedOrder']>[0] = LIMIT) {
  const rig = new ProtocolRig();
  const order = rig.placedOrder(of);
  rig.answer('place', placement());
  return { rig, order };
}
/** How the lookups so far name the order. */
const references = (rig: ProtocolRig) =>
  rig.left.flatMap((request) => (request.kind === 'find-order' ? [request.order] : []));
/** Each wait is longer than the one before, and none is longer than 10 s. */
function expectGrowing(waits: readonly number[]): void {
  expect(waits).toEqual([...new Set(waits)].sort((a, b) => a - b));
  expect(Math.max(...waits)).toBeLessThanOrEqual(10_000);
}
const partly = (
  order: OwnOrder,
  filled: string,
  average = '60000',
  updatedAt?: number,
): Outcome<OrderReport> => {
  const changed = updatedAt === undefined ? {} : { updatedAt };
  return yes(reportOf(order.terms, { status: 'partially-filled', filled, average, ...changed }));
};

describe('journaled evidence of a lookup', () => {
  it.each([
    { outcome: unknown(), reason: 'no answer' },
    { outcome: no('rate-limited', 429), reason: 'rate-limited' },
  ])('evidence of an unproved order is journaled once: $reason', ({ outcome, reason }) => {
    const { rig } = unproved();
    rig.answerOrderQuery(outcome);
    rig.answerOrderQuery(outcome);
    expect(rig.notes('info')).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    { what: 'no row of it', history: yes([]), shown: 'no row of it' },
    { what: 'no answer', history: unknown(), shown: 'no answer' },
    { what: 'a refusal', history: no('rate-limited', 429), shown: 'rate-limited' },
  ])(
    'evidence of an unproved order names the lookup, and history with $what',
    ({ history, shown }) => {
      const { rig } = unproved();
      rig.answerOrderQuery(NOT_FOUND);
      rig.grantPermit();
      rig.answer('read-order-history', history);
      expect(rig.notes('info')).toEqual([
        expect.stringMatching(new RegExp(`client id: not found.*history: .*${shown}`)),
      ]);
    },
  );

  it('an order that only history shows has its evidence journaled', () => {
    const { rig, order } = unproved();
    const { clientOrderId } = order;
    rig.answerOrderNotFound([{ ...reportOf(order.terms), clientOrderId }]);
    expect(rig.notes('info')).toEqual([
      expect.stringMatching(/client id: not found.*history: has its row/),
    ]);
    expect(order.state).toBe('accepted');
  });

  it('evidence is journaled again when it changed in between', () => {
    const { rig } = unproved();
    for (const outcome of [unknown(), no('rate-limited', 429), unknown()])
      rig.answerOrderQuery(outcome);
    expect(rig.notes('info')).toHaveLength(3);
  });

  it('a miss of an order that the venue has is not journaled', () => {
    const { rig } = accepted();
    const journaled = rig.records.length;
    for (const outcome of [unknown(), NOT_FOUND, no('rate-limited', 429)])
      rig.answerOrderQuery(outcome);
    expect(rig.records).toHaveLength(journaled);
  });

  it('a withdrawn order that is not found is quarantined, with notes on why and on its fence', () => {
    const { rig, order } = unproved();
    rig.protocol.cancel(order);
    const warned = rig.notes('warn').length;
    rig.answerOrderNotFound();
    expect(order.state).toBe('quarantined');
    expect(rig.ends, 'its exposure stays reserved').toEqual([]);
    expect(rig.sends('place')).toBe(1);
    expect(rig.notes('info')).toEqual([expect.stringMatching(/not found.*no row of it/)]);
    expect(rig.notes('warn').slice(warned)).toEqual([
      expect.stringContaining('no longer wanted'),
      expect.stringContaining('no fence in this test'),
    ]);
  });
});

describe('order history', () => {
  it('history is read from one minute before the decision, at the priority of a proof', () => {
    const { rig, order } = unproved();
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    expect(rig.pendingRequest('read-order-history')).toEqual({
      kind: 'read-order-history',
      currency: 'USDT',
      limit: 100,
      from: order.intent.decidedAt - 60_000,
    });
    expect(rig.priorityOf('read-order-history')).toBe('verify');
    expect(rig.sends('read-order-history')).toBe(1);
  });

  it('history is also read for changes since the engine last checked it', () => {
    const { rig } = unproved();
    rig.unjudgedSince = 7;
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    expect(rig.pendingRequest('read-order-history')).toMatchObject({ changedSince: 7 });
  });

  it('history and the lookup before it count as one lookup: an immediate one waits', () => {
    const { rig } = unproved();
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    const asked = rig.sends('find-order');
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sends('find-order')).toBe(asked);
    rig.answer('read-order-history', unknown());
    expect(rig.passUntil('find-order'), 'then it follows at once').toBe(0);
  });

  it('history that arrives after a list has shown the order is no evidence of its absence', () => {
    const { rig, order } = unproved();
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    rig.protocol.onListed(order, reportOf(order.terms), rig.stamp.monotonic);
    rig.answer('read-order-history', yes([]));
    expect(order).toMatchObject({ state: 'accepted', notFoundSince: undefined });
    expect(rig.sends('place')).toBe(1);
  });

  it('history that arrives after the end of the order changes nothing', () => {
    const { rig, order } = unproved();
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    rig.protocol.applyAuthoritativeReport(
      order,
      reportOf(order.terms, { status: 'filled', filled: '1' }),
    );
    const [journaled, sent] = [rig.records.length, rig.left.length];
    rig.answer('read-order-history', yes([]));
    rig.pass(60_000);
    rig.grantPermit();
    expect(rig.records).toHaveLength(journaled);
    expect(rig.left).toHaveLength(sent);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
  });
});

describe('lookup schedule', () => {
  it.each([
    { what: 'a market order: most are filled by then', of: MARKET, early: [4, 8] },
    { what: 'a limit order, which lists show', of: LIMIT, early: [1, 2] },
  ])(
    'an accepted order is looked up soon, then ever later, at most 10 s apart: $what',
    ({ of, early: [fewest = 0, most = 0] }) => {
      const { rig, order } = accepted(of);
      const began = rig.stamp.monotonic;
      const waits: number[] = [];
      let early = 0;
      for (let queries = 0; queries < 8; queries += 1) {
        waits.push(rig.answerOrderQuery(yes(reportOf(order.terms))));
        if (rig.stamp.monotonic - began <= 5_000) early += 1;
      }
      expect(waits[0], 'soon').toBeLessThanOrEqual(100);
      expect(early, 'within 5 s').toBeGreaterThanOrEqual(fewest);
      expect(early, 'within 5 s').toBeLessThanOrEqual(most);
      expectGrowing(waits.slice(0, waits.indexOf(10_000) + 1));
      expect(waits.at(-1)).toBe(10_000);
      expect(rig.priorityOf('find-order')).toBe('verify');
    },
  );

  it("lookups of an accepted order go by our id and the venue's in turn", () => {
    const { rig, order } = accepted(MARKET);
    for (let queries = 0; queries < 4; queries += 1)
      rig.answerOrderQuery(yes(reportOf(order.terms)));
    const [ours, theirs] = [{ clientOrderId: order.clientOrderId }, { orderId: 'v1' }];
    expect(references(rig)).toEqual([ours, theirs, ours, theirs]);
  });

  it('the intervals start again with each new fact', () => {
    const { rig, order } = accepted(MARKET);
    const waits = ['0', '0', '0.1', '0.1', '0.2'].map((amount) =>
      rig.answerOrderQuery(amount === '0' ? yes(reportOf(order.terms)) : partly(order, amount)),
    );
    waits.push(rig.passUntil('find-order'));
    const [first] = waits;
    expectGrowing(waits.slice(0, 3));
    expect(waits[3], 'after 0.1').toBe(first);
    expectGrowing(waits.slice(3, 5));
    expect(waits[5], 'after 0.2').toBe(first);
  });

  it('lookups of an unproved order go by our id alone, ever later', () => {
    const { rig, order } = unproved();
    const waits: number[] = [];
    for (let queries = 0; queries < 5; queries += 1) waits.push(rig.answerOrderQuery(unknown()));
    expectGrowing(waits);
    const { clientOrderId } = order;
    expect(references(rig)).toEqual(waits.map(() => ({ clientOrderId })));
    expect(rig.priorityOf('find-order')).toBe('verify');
  });

  it('lookups of a withdrawn unproved order do not have the priority of cancels', () => {
    const { rig, order } = unproved();
    rig.protocol.cancel(order);
    rig.passUntil('find-order');
    expect(rig.sends('find-order')).toBe(1);
    expect(rig.priorityOf('find-order')).toBe('verify');
  });

  it('a lookup in flight when a list showed the order does not lead to another at once', () => {
    const { rig, order } = unproved();
    rig.passUntil('find-order');
    rig.protocol.onListed(order, reportOf(order.terms), rig.stamp.monotonic);
    rig.answer('find-order', yes(reportOf(order.terms)));
    expect(rig.passUntil('find-order')).toBeGreaterThan(0);
  });

  it('lookups of an order that is no longer found come at growing intervals', () => {
    const { rig, order } = accepted(MARKET);
    const waits = [rig.answerOrderQuery(yes(reportOf(order.terms)))];
    for (let queries = 0; queries < 4; queries += 1) waits.push(rig.answerOrderQuery(NOT_FOUND));
    expectGrowing(waits);
    expect(order.state, 'a 404 ends nothing').toBe('accepted');
  });

  it('an order that waits for its permit or its reply is not looked up at once', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(LIMIT));
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sends('find-order')).toBe(0);
    rig.grantPermit();
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sends('find-order')).toBe(0);
  });

  it('an older read does not set back the time of the newest one', () => {
    const { rig, order } = unproved();
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    const lookedAt = rig.stamp.monotonic;
    rig.answer('read-order-history', yes([]));
    expect(order.lastReadAt).toBe(lookedAt);
    rig.protocol.onListed(order, reportOf(order.terms), lookedAt - 10_000);
    expect(order).toMatchObject({ lastReadAt: lookedAt });
  });
});

describe('report', () => {
  it.each([{ state: 'waiting' }, { state: 'sent' }])(
    'a report of an order that is $state is ignored: the reply to its attempt comes first',
    ({ state }) => {
      const rig = new ProtocolRig();
      const order = rig.order(LIMIT);
      rig.protocol.submit(order);
      if (state === 'sent') rig.grantPermit();
      rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms));
      expect(order).toMatchObject({ state, orderId: undefined });
      expect(rig.accepted).toBe(0);
    },
  );

  it('a report of an ended order changes nothing', () => {
    const { rig, order } = accepted();
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
    rig.protocol.applyAuthoritativeReport(
      order,
      reportOf(order.terms, { status: 'filled', filled: '1' }),
    );
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(rig.fills).toEqual([]);
  });

  it('the first report of a found order sets its position id', () => {
    const { rig, order } = unproved();
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), positionId: 'p7' }));
    expect(order.positionId).toBe('p7');
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), positionId: 'p8' }));
    expect(order.positionId).toBe('p7');
  });

  it('a report with other terms halts and names the field', () => {
    const { rig, order } = unproved();
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), quantity: d('2') }));
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

  it('a report with other terms that the operator adopted ends ours as burned', () => {
    const { rig, order } = unproved();
    rig.adopted.add(order.clientOrderId);
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), quantity: d('2') }));
    expect(rig.halts).toEqual([]);
    expect(rig.ends).toEqual([
      { end: 'burned', reason: 'the venue has another order under its id: another quantity' },
    ]);
    expect(rig.fills).toEqual([]);
  });

  it('an external amendment is journaled', () => {
    const { rig, order } = accepted();
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), price: d('59000') }));
    expect(rig.notes('warn')).toEqual([expect.stringContaining('amended outside this bot')]);
    expect(order.terms.price).toBe(d('59000'));
  });

  it('a fill at an average that contradicts the one before counts at the new average', () => {
    const { rig, order } = accepted();
    rig.answerOrderQuery(partly(order, '0.5', '60000'));
    rig.answerOrderQuery(partly(order, '1', '30000'));
    expect(rig.fills.map(({ price }) => price)).toEqual([d('60000'), d('30000')]);
  });

  it.each([
    { status: 'filled', filled: '1', end: 'filled' },
    { status: 'filled', filled: '0.6', end: 'filled' },
    { status: 'partially-filled', filled: '1', end: 'filled' },
    { status: 'canceled', filled: '0.6', end: 'canceled' },
    { status: 'canceled', filled: '1', end: 'filled' },
  ] as const)(
    'a report of $status with $filled of 1 ends the order $end',
    ({ status, filled, end }) => {
      const { rig, order } = accepted();
      rig.protocol.applyAuthoritativeReport(
        order,
        reportOf(order.terms, { status, filled, average: '60000' }),
      );
      expect(rig.ends.map((each) => each.end)).toEqual([end]);
    },
  );

  it('a report of an open order from a venue in this process ends nothing', () => {
    const { rig, order } = accepted();
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms));
    expect(order.state).toBe('accepted');
  });

  it('replies that do not come from the venue halt with their number and a hint', () => {
    const { rig } = accepted();
    for (let queries = 0; queries < 5; queries += 1) rig.answerOrderQuery(unknown(404));
    expect(rig.halts).toEqual(["5 lookups met a 404 that is not the venue's: is base_url right?"]);
  });
});

describe('end of a canceled order', () => {
  /** Canceled and acknowledged, with a reply to every lookup so far. */
  function canceled(report: (order: OwnOrder) => Outcome<OrderReport>) {
    const { rig, order } = accepted();
    rig.answerOrderQuery(report(order));
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', yes(null));
    return { rig, order, since: rig.stamp.monotonic };
  }

  it.each([
    { named: 'at the moment of the cancel', changedMs: 0, ends: true },
    { named: 'two seconds before, which are the slack of clocks', changedMs: -2_000, ends: true },
    { named: 'two seconds after it', changedMs: 2_000, ends: true },
    { named: 'after that: it trades on', changedMs: 2_001, ends: false },
    { named: 'before that: it may not know of the last fill', changedMs: -2_001, ends: false },
    { named: 'without a time of change', changedMs: undefined, ends: false },
  ])(
    'two equal reads of a part that changed $named prove the end: $ends',
    ({ changedMs, ends }) => {
      const { rig, order, since } = canceled((each) => partly(each, '0.5'));
      const updatedAt = changedMs === undefined ? undefined : rig.stamp.venueTime + changedMs;
      rig.answerOrderQuery(partly(order, '0.5', '60000', updatedAt));
      expect(rig.stamp.monotonic, 'at once').toBe(since);
      rig.answerOrderQuery(partly(order, '0.5', '60000', updatedAt));
      expect(rig.ends.map(({ end }) => end)).toEqual(ends ? ['canceled'] : []);
    },
  );

  it('two reads without a time of change prove the end ten seconds after the reply', () => {
    const { rig, order, since } = canceled((each) => partly(each, '0.5'));
    while (!order.ended) rig.answerOrderQuery(partly(order, '0.5'));
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(10_000);
    expect(rig.sends('cancel')).toBe(1);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('a fill that a lagging read did not show is recorded', () => {
    const { rig, order } = canceled((each) => partly(each, '0.4'));
    const sentAt = rig.stamp.venueTime;
    for (let queries = 0; queries < 3; queries += 1)
      rig.answerOrderQuery(partly(order, '0.4', '60000', sentAt - 52_000));
    expect(order.ended).toBe(false);
    for (let queries = 0; queries < 2; queries += 1)
      rig.answerOrderQuery(partly(order, '0.6', '60000', sentAt));
    expect(order.ended).toBe(true);
    expect(order.filledQuantity).toBe(d('0.6'));
  });

  it.each([
    { named: 'open', status: 'created', filled: '0' },
    { named: 'partly filled', status: 'partially-filled', filled: '0.5' },
  ] as const)(
    'a cancel is repeated when 30 s later a read still shows the order $named',
    ({ status, filled }) => {
      const { rig, order, since } = canceled((each) => yes(reportOf(each.terms)));
      const updatedAt = rig.stamp.venueTime - 60_000;
      const still = yes(reportOf(order.terms, { status, filled, average: '60000', updatedAt }));
      while (rig.pendingRequest('cancel') === undefined) rig.answerOrderQuery(still);
      expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
      expect(rig.notes('warn')).toEqual([expect.stringContaining('canceled again')]);
      rig.answer('cancel', no('order-not-open'));
      const known = rig.stamp.monotonic;
      while (!order.ended) rig.answerOrderQuery(still);
      expect(rig.stamp.monotonic - known).toBeGreaterThanOrEqual(30_000);
      expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    },
  );

  it('an acknowledged cancel is proved when lists have lacked the order for 30 s', () => {
    const { rig, order } = canceled((each) => yes(reportOf(each.terms)));
    for (let read = 0; read < 3; read += 1)
      rig.protocol.onOpenOrders(order, true, rig.stamp.monotonic - 30_000);
    for (let queries = 0; queries < 2; queries += 1) {
      rig.protocol.queryNow('BTCUSDT', 'USDT');
      rig.answerOrderQuery(yes(reportOf(order.terms)));
    }
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });
});

describe('undecidable 409', () => {
  /** A row of history that could be the order keeps its id from being burned. */
  function undecided(validMs: number) {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET, validMs);
    rig.answer('place', CONFLICT);
    const since = rig.stamp.monotonic;
    const row = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    while (order.state === 'verifying') rig.answerOrderNotFound([row]);
    expect(order.state).toBe('quarantined');
    return rig.stamp.monotonic - since;
  }

  it('the order stays active until reads had their time, though it is too late long before', () => {
    expect(undecided(1_000)).toBeGreaterThanOrEqual(30_000);
    expect(undecided(1_000)).toBeLessThan(45_000);
  });

  it('the order stays active while it is valid, though reads had their time long before', () => {
    expect(undecided(100_000)).toBeGreaterThan(100_000);
  });

  it('the id is burned beside a similar order that was made long before', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET, 600_000);
    rig.answer('place', CONFLICT);
    const createdAt = order.intent.decidedAt - 60_001;
    const row = { ...reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' }) };
    while (!order.ended && order.queries < 20) rig.answerOrderNotFound([{ ...row, createdAt }]);
    expect(order.state).toBe('burned');
  });

  it('the id is burned by five misses, however long no reply came, and the evidence is journaled', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET, 600_000);
    rig.answer('place', CONFLICT);
    while (rig.stamp.monotonic < (order.conflictAt ?? 0) + 60_000) rig.answerOrderQuery(unknown());
    for (let misses = 1; misses <= 5; misses += 1) {
      expect(order.ended, `after ${misses - 1} misses`).toBe(false);
      rig.answerOrderNotFound();
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

describe('order missing from the list of open orders', () => {
  it('an unproved order is looked up as if no list had shown it', () => {
    const { rig, order } = unproved();
    rig.protocol.onOpenOrders(order, true, rig.stamp.monotonic);
    expect(rig.passUntil('find-order')).toBe(300);
  });

  it('time on the list does not count as time missing from it', () => {
    const { rig, order } = accepted();
    const part = partly(order, '0.3');
    rig.answerOrderQuery(part);
    rig.answerOrderQuery(part);
    const { monotonic } = rig.stamp;
    rig.protocol.onOpenOrders(order, false, monotonic - 60_000);
    for (let read = 0; read < 3; read += 1) rig.protocol.onOpenOrders(order, true, monotonic);
    for (let queries = 0; queries < 2; queries += 1) {
      rig.protocol.queryNow('BTCUSDT', 'USDT');
      rig.answerOrderQuery(part);
    }
    expect(order.ended).toBe(false);
  });

  it.each([
    { reads: 2, overMs: 30_000, ends: false },
    { reads: 3, overMs: 29_999, ends: false },
    { reads: 3, overMs: 30_000, ends: true },
  ])(
    'a partly filled order missing from $reads lists over $overMs ms ends: $ends',
    ({ reads, overMs, ends }) => {
      const { rig, order } = accepted();
      const part = partly(order, '0.3');
      rig.answerOrderQuery(part);
      rig.answerOrderQuery(part);
      const listedAt = rig.stamp.monotonic;
      for (let read = 0; read < reads; read += 1)
        rig.protocol.onOpenOrders(order, true, read === 0 ? listedAt - overMs : listedAt);
      for (let queries = 0; queries < 2 && !order.ended; queries += 1) {
        rig.protocol.queryNow('BTCUSDT', 'USDT');
        rig.answerOrderQuery(part);
      }
      expect(rig.stamp.monotonic).toBe(listedAt);
      expect(order.ended).toBe(ends);
    },
  );
});

describe('order that rests as a list of open orders shows it', () => {
  function listed() {
    const { rig, order } = accepted();
    rig.answerOrderQuery(yes(reportOf(order.terms)));
    rig.protocol.onListed(order, reportOf(order.terms), rig.stamp.monotonic);
    return { rig, order };
  }
  /** Priority of the next lookup, which is requested at once. */
  function nextPriority(rig: ProtocolRig): Priority | undefined {
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.passUntil('find-order');
    return rig.priorityOf('find-order');
  }

  it.each([
    { afterMs: 9_999, rank: 'poll' },
    { afterMs: 10_000, rank: 'verify' },
  ])('an order listed $afterMs ms ago is looked up at priority $rank', ({ afterMs, rank }) => {
    const { rig } = listed();
    rig.pass(afterMs);
    expect(nextPriority(rig)).toBe(rank);
  });

  it('an order whose cancel was acknowledged does not count as resting', () => {
    const { rig, order } = listed();
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', yes(null));
    expect(nextPriority(rig)).toBe('verify');
  });

  it('an order with one terminal read does not count as resting', () => {
    const { rig, order } = listed();
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.answerOrderQuery(yes(reportOf(order.terms, { status: 'canceled' })));
    rig.protocol.onListed(order, reportOf(order.terms), rig.stamp.monotonic);
    expect(nextPriority(rig)).toBe('verify');
  });

  it('an order that the next list lacks does not count as resting', () => {
    const { rig, order } = listed();
    rig.protocol.onOpenOrders(order, true, rig.stamp.monotonic);
    expect(nextPriority(rig)).toBe('verify');
  });

  it('an order that was listed before its reply is looked up soon all the same', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.protocol.onListed(order, reportOf(order.terms), rig.stamp.monotonic);
    rig.answer('place', placement());
    expect(rig.passUntil('find-order'), 'soon').toBeLessThan(1_000);
    expect(references(rig)).toEqual([{ clientOrderId: order.clientOrderId }]);
    expect(rig.priorityOf('find-order')).toBe('verify');
  });
});
