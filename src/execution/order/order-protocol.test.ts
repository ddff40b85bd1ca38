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
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import type { Outcome, Placement } from '../../core/request.js';
import { LIST_FRESHNESS_MS } from '../constants.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;
const MARKET = { quantity: '1' } as const;

const filled = (order: OwnOrder) =>
  yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' }));

describe('submission', () => {
  it('the intent and then the attempt are journaled before the request leaves', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    expect(rig.effects).toEqual(['journal intent', 'slot place', 'journal attempt', 'send place']);
  });

  it('a reduction asks for its permit ahead of entries', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    rig.protocol.submit(rig.order({ ...MARKET, exit: true, leg: 1 }));
    expect(rig.priorities).toEqual(['place', 'protect']);
  });

  it('a market order that a lookup finds filled is recorded as filled', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
    rig.answerOrderQuery(filled(order));
    expect(rig.ends).toEqual([{ end: 'filled', reason: undefined }]);
    expect(rig.fills).toEqual([{ quantity: d('1'), price: d('60000') }]);
    expect(rig.ledger.orderCount).toBe(0);
    expect(rig.accepted).toBe(1);
  });

  it.each([
    {
      what: 'its validity ran out',
      prepare: (rig: ProtocolRig) => (rig.stamp.venueTime += 60_001),
    },
    { what: 'halted', prepare: (rig: ProtocolRig) => (rig.holdReason = 'halted') },
  ])('an order that must not leave is dropped at its permit: $what', ({ what, prepare }) => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    prepare(rig);
    rig.grantPermit();
    expect(rig.ends).toEqual([{ end: 'dropped', reason: what }]);
    expect(rig.sends('place')).toBe(0);
    expect(rig.effects).toEqual(['journal intent', 'slot place', 'journal dropped']);
  });

  it('an order may leave until the last millisecond of its validity', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    rig.stamp.venueTime += 60_000;
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
  });

  it('a rejection ends the order, and one for a missing position marks the position unverified', () => {
    const rig = new ProtocolRig();
    rig.placedOrder({ ...MARKET, exit: true });
    rig.answer('place', no('reduce-only-without-position'));
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'reduce-only-without-position' }]);
    expect(rig.unverifiedPositions).toBe(1);
  });
});

describe('temporarily refused attempt', () => {
  it.each([
    { outcome: no('locked', 423), named: '423' },
    { outcome: no('rate-limited', 429), named: '429' },
    { outcome: unsent, named: 'not sent' },
  ])(
    'an attempt that is refused temporarily ($named) is repeated after a pause with the same id and bytes',
    ({ outcome }) => {
      const rig = new ProtocolRig();
      const order = rig.placedOrder(MARKET);
      rig.answer('place', outcome);
      expect(order.state).toBe('retrying');
      expect(rig.passUntil('place')).toBe(250);
      rig.answer('place', outcome);
      expect(rig.passUntil('place')).toBe(500);
      rig.answer('place', placement());
      expect(order.state).toBe('accepted');
      expect(new Set(rig.left.map((request) => JSON.stringify(request))).size).toBe(1);
      expect(rig.sends('place')).toBe(3);
      expect(rig.effects.filter((effect) => effect === 'journal attempt')).toHaveLength(3);
    },
  );

  it('an entry refused by a lock is given up after five tries, and each marks the position unverified', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    for (let tries = 1; tries <= 5; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', no('locked', 423));
    }
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'locked' }]);
    expect(rig.unverifiedPositions).toBe(5);
  });

  it('a reduction refused by a lock is retried while it is valid', () => {
    const rig = new ProtocolRig();
    rig.placedOrder({ ...MARKET, exit: true });
    while (rig.ends.length === 0) {
      rig.passUntil('place');
      rig.answer('place', no('locked', 423));
      rig.pass(4_000);
    }
    expect(rig.sends('place')).toBeGreaterThan(10);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'its validity ran out' }]);
  });

  it('an order is not sent again when it is held meanwhile, since every attempt was refused', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    rig.answer('place', no('rate-limited', 429));
    rig.holdReason = 'halted';
    rig.pass(1_000);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'halted' }]);
    expect(rig.sends('place')).toBe(1);
  });
});

describe('attempt without a clear reply', () => {
  it('an unclear attempt is looked up by client id before anything else', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    expect(order.state).toBe('verifying');
    expect(rig.passUntil('find-order')).toBe(300);
    expect(rig.pendingRequest('find-order')?.order).toEqual({ clientOrderId: order.clientOrderId });
    expect(rig.sends('place')).toBe(1);
  });

  it('an unclear attempt that is found is adopted without a second POST', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown(500));
    rig.answerOrderQuery(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.sends('place')).toBe(1);
    expect(rig.accepted).toBe(1);
  });

  it('an unclear attempt is repeated with the same id and bytes only after an explicit 404', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', unknown());
    for (const strange of [unknown(), unknown(500), unknown(429), no('params-error')]) {
      rig.answerOrderQuery(strange);
      expect(rig.sends('place')).toBe(1);
    }
    rig.answerOrderNotFound();
    rig.grantPermit();
    expect(rig.sends('place')).toBe(2);
    expect(JSON.stringify(rig.left.at(-1))).toBe(JSON.stringify(rig.left[0]));
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
  });

  it('an order in order history is not sent again, even if the lookup by client id says 404', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    const report = reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' });
    rig.answerOrderNotFound([{ ...report, clientOrderId: order.clientOrderId }]);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.fills).toHaveLength(1);
    rig.pass(60_000);
    expect(rig.sends('place')).toBe(1);
  });

  it('an order is neither sent again nor given up while order history cannot be read', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET, 5_000);
    rig.answer('place', unknown());
    for (const unread of [unknown(500), no('rate-limited', 429)]) {
      rig.answerOrderQuery(NOT_FOUND);
      rig.grantPermit();
      rig.stamp.venueTime += 6_000;
      rig.answer('read-order-history', unread);
      expect(order.state).toBe('verifying');
      expect(rig.sends('place')).toBe(1);
    }
    rig.answerOrderNotFound();
    rig.grantPermit();
    expect(order.state).toBe('quarantined');
  });

  it('each unclear attempt waits longer, so that the same bytes do not go in circles', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET);
    const waits: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', unknown());
      waits.push(rig.answerOrderNotFound());
    }
    expect(waits).toEqual([300, 600, 1_200, 2_500, 5_000, 10_000, 10_000]);
  });

  it.each<{ named: string; second: Outcome<Placement> }>([
    { named: 'insufficient balance', second: no('insufficient-balance') },
    { named: 'no position to reduce', second: no('reduce-only-without-position') },
    { named: '423', second: no('locked', 423) },
    { named: '429', second: no('rate-limited', 429) },
    { named: '409', second: CONFLICT },
    { named: 'not sent', second: unsent },
  ])(
    'a refusal of the second attempt does not end the order: $named leads to a lookup',
    ({ second }) => {
      const rig = new ProtocolRig();
      const order = rig.placedOrder(MARKET);
      rig.answer('place', unknown());
      rig.answerOrderNotFound();
      rig.passUntil('place');
      rig.answer('place', second);
      expect(order.state).toBe('verifying');
      expect(order.ended).toBe(false);
      rig.answerOrderQuery(filled(order));
      expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    },
  );

  it('a permanent refusal of the second attempt prevents a third, and the order stays watched', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown());
    rig.answerOrderNotFound();
    rig.passUntil('place');
    rig.answer('place', no('insufficient-balance'));
    rig.answerOrderNotFound();
    expect(order.state).toBe('quarantined');
    for (let queries = 0; queries < 20; queries += 1) rig.answerOrderNotFound();
    expect(rig.sends('place')).toBe(2);
  });

  it('an order in the list of open orders is adopted, and its waiting attempt is not sent', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', unknown());
    rig.passUntil('find-order');
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('read-order-history', yes([]));
    expect(order.state).toBe('retrying');
    rig.protocol.onListed(order, reportOf(order.terms), rig.stamp.monotonic);
    expect(order.state).toBe('accepted');
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
  });
});

describe('409', () => {
  it('a 409 on the first attempt is no failure: the order is found and adopted', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', CONFLICT);
    expect(order.state).toBe('verifying');
    rig.answerOrderQuery(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.sends('place')).toBe(1);
  });

  /** One lookup that misses, and the read of history that follows it. */
  function lookMisses(rig: ProtocolRig): void {
    rig.answerOrderQuery(NOT_FOUND);
    rig.grantPermit();
    expect(rig.pendingRequest('read-order-history')).toBeDefined();
  }

  /** Misses, with an empty history, until the reads had time; the last history has no reply yet. */
  function missUntilVisible(rig: ProtocolRig): number {
    const [since, ended] = [rig.stamp.monotonic, rig.ends.length];
    lookMisses(rig);
    let queries = 1;
    for (; queries < 5 || rig.stamp.monotonic - since < 30_000; queries += 1) {
      rig.answer('read-order-history', yes([]));
      expect(rig.ends, 'not burned before the reads had time').toHaveLength(ended);
      lookMisses(rig);
    }
    return queries;
  }

  it('an order whose lookups by client id always miss is found by its row of history', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', CONFLICT);
    const since = rig.stamp.monotonic;
    lookMisses(rig);
    const report = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    rig.answer('read-order-history', yes([{ ...report, clientOrderId: order.clientOrderId }]));
    expect(order.state).toBe('filled');
    expect(rig.stamp.monotonic - since).toBeLessThan(1_000);
  });

  it('a 409 with a 404 is burned only after time for reads, five lookups, lists and history', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', CONFLICT);
    const since = rig.stamp.monotonic;
    expect(missUntilVisible(rig)).toBeGreaterThanOrEqual(5);
    expect(rig.absentSince).toBe(since + 30_000);
    expect(order.ended).toBe(false);
    rig.answer('read-order-history', yes([]));
    expect(rig.ends[0]?.end).toBe('burned');
    expect(rig.ends[0]?.reason).toContain('order history');
    expect(rig.left.length, 'requests spent').toBeLessThanOrEqual(20);
  });

  it('the time counts from the 409 and not from an earlier miss', () => {
    const rig = new ProtocolRig();
    rig.placedOrder(MARKET, 600_000);
    for (let tries = 0; tries < 6; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', unknown());
      rig.answerOrderNotFound();
    }
    rig.passUntil('place');
    rig.answer('place', CONFLICT);
    missUntilVisible(rig);
    rig.answer('read-order-history', yes([]));
    expect(rig.ends[0]?.end).toBe('burned');
  });

  it('an id is not burned while the lists are unread or show an order that it could be', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.absent = false;
    rig.answer('place', CONFLICT);
    for (let queries = 0; queries < 30; queries += 1) {
      lookMisses(rig);
      rig.answer('read-order-history', yes([]));
    }
    expect(order.ended).toBe(false);
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
  });

  it.each([
    { named: 'its client id', own: true },
    { named: 'an order with its terms and no client id', own: false },
  ])('an id is not burned when history has $named', ({ own }) => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', CONFLICT);
    missUntilVisible(rig);
    const report = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    const { clientOrderId } = order;
    rig.answer('read-order-history', yes([own ? { ...report, clientOrderId } : report]));
    expect(order.state).toBe(own ? 'filled' : 'verifying');
  });

  it('an order that cannot be decided while valid is quarantined, and can still be found', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET, 60_000);
    rig.answer('place', CONFLICT);
    const row = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    const waits = Array.from({ length: 60 }, () => rig.answerOrderNotFound([row]));
    expect(order.state).toBe('quarantined');
    expect(waits.at(-1)).toBe(60_000);
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition, 'its room stays reserved').toBe(d('1'));
    rig.answerOrderNotFound([{ ...row, clientOrderId: order.clientOrderId }]);
    expect(order.state).toBe('filled');
  });

  it('history rows of other orders do not keep an id from being burned', () => {
    const rig = new ProtocolRig();
    const earlier = rig.placedOrder(MARKET);
    rig.answer('place', placement('v0'));
    rig.answerOrderQuery(
      yes(reportOf(earlier.terms, { status: 'filled', filled: '1', orderId: 'v0' })),
    );
    const order = rig.placedOrder({ ...MARKET, ordinal: 1 });
    rig.answer('place', CONFLICT);
    missUntilVisible(rig);
    const known = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v0' });
    const foreign = { ...known, orderId: 'v8', clientOrderId: 'by-hand' };
    const other = { ...known, orderId: 'v7', quantity: d<'quantity'>('2') };
    rig.answer('read-order-history', yes([known, foreign, other]));
    expect(order.state).toBe('burned');
  });
});

describe('withdrawn order that may have left', () => {
  function quarantined(rig: ProtocolRig): OwnOrder {
    const order = rig.placedOrder(LIMIT, 5_000);
    rig.answer('place', unknown());
    rig.stamp.venueTime += 6_000;
    rig.answerOrderNotFound();
    rig.grantPermit();
    return order;
  }

  it('the order is never sent again, keeps its exposure reserved, and is looked up ever less often', () => {
    const rig = new ProtocolRig();
    const order = quarantined(rig);
    expect(order.state).toBe('quarantined');
    const waits = Array.from({ length: 40 }, () => rig.answerOrderNotFound());
    expect(Math.max(...waits.slice(0, 10))).toBeLessThanOrEqual(10_000);
    expect(waits.at(-1)).toBe(60_000);
    expect(rig.sends('place')).toBe(1);
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('1'),
      unresolvedIntents: 1,
    });
    expect(rig.ledger.unprovedCount).toBe(1);
  });

  it('an order that fills late and is never found by lookups is found by its row of history', () => {
    const rig = new ProtocolRig();
    const order = quarantined(rig);
    rig.answerOrderNotFound();
    const report = reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' });
    rig.answerOrderNotFound([{ ...report, clientOrderId: order.clientOrderId }]);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
  });

  it('an order that lands late is canceled, and its fills are recorded', () => {
    const rig = new ProtocolRig();
    const order = quarantined(rig);
    rig.pass(3_600_000);
    rig.answerOrderQuery(
      yes(reportOf(order.terms, { status: 'partially-filled', filled: '0.4', average: '60000' })),
    );
    expect(order.state).toBe('accepted');
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 'v1' });
    rig.answer('cancel', yes(null));
    const partial = yes(
      reportOf(order.terms, { status: 'canceled', filled: '0.4', average: '60000' }),
    );
    rig.answerOrderQuery(partial);
    rig.answerOrderQuery(partial);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(rig.fills).toEqual([{ quantity: d('0.4'), price: d('60000') }]);
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({
      maxPosition: d('0.4'),
      unresolvedIntents: 0,
    });
  });
});

describe('report of another order', () => {
  it.each([
    { named: 'symbol', change: { symbol: 'ETHUSDT' } },
    { named: 'currency', change: { currency: 'INR' as const } },
    { named: 'side', change: { side: 'sell' as const } },
    { named: 'type', change: { type: 'market' as const } },
    { named: 'quantity', change: { quantity: d<'quantity'>('2') } },
    { named: 'price', change: { price: d<'price'>('59999') } },
    { named: 'filled', change: { filledQuantity: d<'quantity'>('1.1') } },
  ])('a report with another $named halts, and is not adopted', ({ change }) => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', CONFLICT);
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), ...change }));
    expect(rig.halts).toHaveLength(1);
    expect(order.state).toBe('verifying');
    expect(rig.fills).toEqual([]);
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
  });

  it('an acknowledged order stays ours when its price or quantity is amended outside this bot', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    const amended = { quantity: d<'quantity'>('3'), price: d<'price'>('50000') };
    const hers = { ...reportOf(order.terms), ...amended };
    rig.answerOrderQuery(yes(hers));
    expect(rig.halts).toEqual([]);
    expect(order.terms).toMatchObject(amended);
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('3'));
    rig.answerOrderQuery(
      yes({ ...hers, status: 'filled', filledQuantity: d('3'), averagePrice: d('50000') }),
    );
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.fills).toEqual([{ quantity: d('3'), price: d('50000') }]);
  });

  it.each([
    { named: 'another side', change: { side: 'sell' as const } },
    { named: 'another id of the venue', change: { orderId: 'v2', quantity: d<'quantity'>('3') } },
  ])('a report with $named halts, even after the acknowledgement', ({ change }) => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    rig.answerOrderQuery(yes({ ...reportOf(order.terms), ...change }));
    expect(rig.halts).toHaveLength(1);
  });

  it('absent fields contradict nothing', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', CONFLICT);
    const { symbol: _symbol, side: _side, price: _price, ...rest } = reportOf(order.terms);
    rig.answerOrderQuery(yes(rest));
    expect(order.state).toBe('accepted');
  });
});

describe('replies that do not come from the venue', () => {
  it('five 404s without an envelope halt, and end nothing', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown(404));
    for (let queries = 0; queries < 3; queries += 1) rig.answerOrderQuery(unknown(404));
    expect(rig.halts).toEqual([]);
    for (let queries = 0; queries < 4; queries += 1) rig.answerOrderQuery(unknown(404));
    expect(rig.halts).toHaveLength(1);
    expect(order.state).toBe('verifying');
    expect(rig.sends('place')).toBe(1);
  });

  it.each([401, 403])('prove nothing when they refuse the key with %i', (status) => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', unknown(status));
    for (let queries = 0; queries < 8; queries += 1) rig.answerOrderQuery(unknown(status));
    expect(order.state).toBe('verifying');
    expect(rig.sends('place')).toBe(1);
    expect(rig.halts).toEqual([]);
  });
});

describe('partial fills', () => {
  it('each partial fill is recorded at its own price', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    const partly = (amount: string, average: string) =>
      yes(reportOf(order.terms, { status: 'partially-filled', filled: amount, average }));
    rig.answerOrderQuery(partly('0.25', '60000'));
    rig.answerOrderQuery(partly('0.25', '60000'));
    rig.answerOrderQuery(partly('0.75', '59990'));
    rig.answerOrderQuery(partly('0.5', '60000'));
    rig.answerOrderQuery(
      yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '59980' })),
    );
    expect(rig.fills).toEqual([
      { quantity: d('0.25'), price: d('60000') },
      { quantity: d('0.5'), price: d('59985') },
      { quantity: d('0.25'), price: d('59950') },
    ]);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
  });

  it('averages that contradict each other never yield a price of 0 or below', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder({ quantity: '1', price: '100' });
    rig.answer('place', placement());
    rig.answerOrderQuery(
      yes(reportOf(order.terms, { status: 'partially-filled', filled: '0.9', average: '100' })),
    );
    rig.answerOrderQuery(
      yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '50' })),
    );
    expect(rig.fills.at(-1)).toEqual({ quantity: d('0.1'), price: d('50') });
  });

  it('fills that follow a terminal status are waited for', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(MARKET);
    rig.answer('place', placement());
    rig.answerOrderQuery(yes(reportOf(order.terms, { status: 'filled', filled: '0' })));
    expect(order.ended).toBe(false);
    rig.answerOrderQuery(filled(order));
    expect(rig.fills).toEqual([{ quantity: d('1'), price: d('60000') }]);
  });
});

describe('cancel', () => {
  function resting(rig: ProtocolRig, orderId = 'v1'): OwnOrder {
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement(orderId));
    rig.answerOrderQuery(yes(reportOf(order.terms, { orderId })));
    return order;
  }
  const at = (order: OwnOrder, status: 'created' | 'partially-filled' | 'canceled', amount = '0') =>
    yes(reportOf(order.terms, { status, filled: amount, average: '60000' }));

  it('an order that was never sent is dropped at once, and its permit sends nothing', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    rig.protocol.submit(order);
    rig.protocol.cancel(order);
    expect(rig.ends.map(({ end }) => end)).toEqual(['dropped']);
    rig.grantPermit();
    expect(rig.left).toEqual([]);
  });

  it('an order that was temporarily refused ends without another attempt', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', no('locked', 423));
    rig.protocol.cancel(order);
    expect(rig.ends.map(({ end }) => end)).toEqual(['rejected']);
    rig.pass(10_000);
    expect(rig.sends('place')).toBe(1);
    expect(rig.sends('cancel')).toBe(0);
  });

  it('a canceled order ends on two reads begun after the reply that agree on the filled quantity', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.passUntil('find-order');
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.pass(50);
    rig.answer('cancel', yes(null));
    const updatedAt = rig.stamp.venueTime;
    const part = (filled: string) =>
      yes(
        reportOf(order.terms, { status: 'partially-filled', filled, average: '60000', updatedAt }),
      );
    rig.answer('find-order', part('0.5'));
    rig.answerOrderQuery(part('0.5'));
    expect(order.ended, 'one read after it').toBe(false);
    rig.answerOrderQuery(part('0.6'));
    expect(order.ended, 'a read that disagrees').toBe(false);
    rig.answerOrderQuery(part('0.6'));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(order.filledQuantity).toBe(d('0.6'));
  });

  it('an order whose reads do not show the cancel yet has not ended', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.protocol.cancel(order);
    rig.passUntil('cancel');
    rig.answer('cancel', yes(null));
    const since = rig.stamp.monotonic;
    while (rig.pendingRequest('cancel') === undefined) rig.answerOrderQuery(at(order, 'created'));
    expect(rig.stamp.monotonic - since, 'it is asked for again').toBeGreaterThanOrEqual(30_000);
    rig.answer('cancel', no('order-not-open'));
    while (!order.ended) rig.answerOrderQuery(at(order, 'created'));
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(60_000);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('a cancel that comes too late leads to the recorded fill', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.protocol.cancel(order);
    rig.passUntil('cancel');
    rig.answer('cancel', no('order-not-open'));
    rig.answerOrderQuery(at(order, 'partially-filled', '0.4'));
    rig.answerOrderQuery(at(order, 'partially-filled', '0.4'));
    expect(order.ended, 'the fill may not be visible yet').toBe(false);
    rig.answerOrderQuery(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(order.filledQuantity).toBe(d('1'));
  });

  it('a cancel is repeated until it has a reply', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.protocol.cancel(order);
    rig.protocol.cancel(order);
    for (const outcome of [unknown(), no('rate-limited', 429), NOT_FOUND]) {
      rig.passUntil('cancel');
      rig.answer('cancel', outcome);
    }
    rig.passUntil('cancel');
    expect(rig.sends('cancel')).toBe(4);
  });

  it('the cancel of an order in flight leaves at once, and again when the order is found', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.protocol.cancel(order);
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')?.order).toEqual({ clientOrderId: order.clientOrderId });
    rig.answer('cancel', NOT_FOUND);
    expect(order.state, 'a 404 to a cancel ends nothing').toBe('sent');
    rig.answer('place', placement());
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 'v1' });
    rig.answer('cancel', yes(null));
    rig.answerOrderQuery(at(order, 'canceled'));
    rig.answerOrderQuery(at(order, 'canceled'));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('a canceled order that is not found stays reserved, and is canceled when it lands', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', unknown());
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', NOT_FOUND);
    rig.answerOrderNotFound();
    expect(order.state).toBe('quarantined');
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
    rig.answerOrderQuery(at(order, 'created'));
    rig.grantPermit();
    expect(rig.sends('cancel')).toBe(2);
    expect(rig.sends('place')).toBe(1);
  });

  it('an external cancel ends the order on two reads as well', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.answerOrderQuery(at(order, 'canceled', '0.3'));
    expect(order.ended).toBe(false);
    rig.answerOrderQuery(at(order, 'canceled', '0.3'));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(rig.fills).toEqual([{ quantity: d('0.3'), price: d('60000') }]);
  });

  it('an external cancel that leaves PARTIAL_FILLED for ever ends by the list of open orders', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    const sticky = at(order, 'partially-filled', '0.3');
    rig.answerOrderQuery(sticky);
    // Two lagging reads may show a partial fill, while the list lacks the order after its full
    // fill.
    for (let polls = 0; polls <= 15; polls += 1) {
      rig.pass(2_000);
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', sticky);
      expect(order.ended).toBe(false);
      rig.protocol.onOpenOrders(order, true, rig.stamp.monotonic);
    }
    const lastPoll = rig.stamp.monotonic;
    while (!order.ended) rig.answerOrderQuery(sticky);
    expect(rig.stamp.monotonic - lastPoll, 'by looks of its own').toBeLessThan(1_000);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('a list that shows the order again contradicts its end', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    const partial = at(order, 'partially-filled', '0.3');
    for (const lacking of [true, true, false, true, true, false, true, true]) {
      rig.pass(3_000);
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', partial);
      rig.protocol.onOpenOrders(order, lacking, rig.stamp.monotonic);
    }
    rig.answerOrderQuery(partial);
    rig.answerOrderQuery(partial);
    expect(order.ended).toBe(false);
  });
});

describe('resting order', () => {
  const resting = (rig: ProtocolRig): OwnOrder => {
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    rig.answerOrderQuery(yes(reportOf(order.terms)));
    return order;
  };
  const partOf = (order: OwnOrder, part: string) =>
    reportOf(order.terms, {
      status: part === '0' ? 'created' : 'partially-filled',
      filled: part,
      average: '60000',
    });
  const listedFor = (rig: ProtocolRig, order: OwnOrder, polls: number): number => {
    const before = rig.sends('find-order');
    const open = partOf(order, '0');
    for (let poll = 0; poll < polls; poll += 1) {
      rig.protocol.onListed(order, open, rig.stamp.monotonic);
      rig.protocol.onOpenOrders(order, false, rig.stamp.monotonic);
      rig.pass(2_000);
      while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', yes(open));
    }
    return rig.sends('find-order') - before;
  };

  it('a resting order is looked up with priority once a list shows a new fill', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 1);
    rig.protocol.onListed(order, partOf(order, '0.3'), rig.stamp.monotonic);
    rig.fireNext();
    expect(rig.priorities.at(-1)).toBe('verify');
  });

  it('a resting order is looked up once a minute while the lists show nothing new', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    expect(listedFor(rig, order, 150), 'in five minutes').toBeLessThanOrEqual(6);
    rig.passUntil('find-order');
    expect(rig.priorities.at(-1), 'once the lists are silent').toBe('verify');
  });

  it('a due lookup of a resting order yields to orders that are to be placed', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 60);
    expect(rig.priorities.slice(2)).toContain('poll');
  });

  it('a lookup that waits behind all others goes ahead, once, when the lists lose its order', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    while (rig.permits.length === 0) {
      rig.protocol.onListed(order, partOf(order, '0'), rig.stamp.monotonic);
      rig.fireNext();
    }
    expect(rig.priorities.at(-1)).toBe('poll');
    const before = rig.sends('find-order');
    rig.pass(LIST_FRESHNESS_MS);
    rig.protocol.onOpenOrders(order, true, rig.stamp.monotonic);
    expect(rig.priorities.at(-1)).toBe('verify');
    rig.grantPermit();
    expect(rig.sends('find-order') - before).toBe(1);
    rig.answer('find-order', filled(order));
    expect(order.filledQuantity).toBe(order.terms.quantity);
  });

  it.each([
    { what: 'a list shows a partial fill', filled: '0.3', lacking: false },
    { what: 'a list lacks it', filled: '0', lacking: true },
  ])('a resting order is looked up at once when $what', ({ filled: part, lacking }) => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 4);
    const now = rig.stamp.monotonic;
    if (!lacking) rig.protocol.onListed(order, partOf(order, part), now);
    rig.protocol.onOpenOrders(order, lacking, now);
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('a resting order is looked up at once when the position of its symbol has changed', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 4);
    rig.protocol.queryNow(order.terms.symbol, order.terms.currency);
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('a resting order is looked up at once after a gap in the polls, unless a list has shown it since', () => {
    const rig = new ProtocolRig();
    const [shown, unseen] = [resting(rig), rig.placedOrder({ ...LIMIT, symbol: 'ETHUSDT' })];
    rig.answer('place', placement('v2'));
    rig.answerOrderQuery(yes(reportOf(unseen.terms, { orderId: 'v2' })));
    listedFor(rig, shown, 20);
    const before = rig.sends('find-order');
    rig.protocol.queryUnlisted();
    expect(rig.passUntil('find-order')).toBe(0);
    rig.pass(0);
    expect(rig.left.slice(-(rig.sends('find-order') - before))).toMatchObject([
      { order: { orderId: 'v2' } },
    ]);
  });

  it('an order whose cancel is in flight is always looked up', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 4);
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', { kind: 'unknown', cause: 'lost', sent: true });
    rig.protocol.onListed(order, partOf(order, '0'), rig.stamp.monotonic);
    expect(rig.passUntil('find-order')).toBeLessThanOrEqual(2_500);
  });
});

describe('row without a certain owner', () => {
  it.each([
    { what: 'our client id', of: {}, id: true, could: true },
    { what: 'another client id', of: {}, id: 'other', could: false },
    { what: 'no client id and the same terms', of: {}, id: false, could: true },
    { what: 'no client id and another quantity', of: { quantity: '2' }, id: false, could: false },
    { what: 'the id of another order of ours', of: {}, id: false, taken: true, could: false },
  ])('a row with $what could be ours: $could', ({ of, id, taken, could }) => {
    const rig = new ProtocolRig();
    if (taken === true) {
      rig.placedOrder({ ...LIMIT, leg: 1 });
      rig.answer('place', placement('v9'));
    }
    const order = rig.placedOrder(LIMIT);
    const report = reportOf(rig.order({ ...LIMIT, ...of, leg: 2 }).terms, { orderId: 'v9' });
    const clientOrderId = id === true ? order.clientOrderId : id;
    const row = { ...report, ...(clientOrderId !== false && { clientOrderId }) };
    expect(rig.protocol.mayBeOrder(order, row)).toBe(could);
  });
});

describe('lookups', () => {
  it("every other lookup goes by the venue's id, once that is known", () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    rig.answerOrderQuery(NOT_FOUND);
    rig.passUntil('find-order');
    expect(rig.pendingRequest('find-order')?.order).toEqual({ orderId: 'v1' });
    expect(order.state, 'a 404 does not end what was accepted').toBe('accepted');
    rig.answerOrderQuery(NOT_FOUND);
    rig.passUntil('find-order');
    expect(rig.pendingRequest('find-order')?.order).toEqual({ clientOrderId: order.clientOrderId });
  });

  it("the first lookup goes by the venue's id after a lookup by client id has missed an existing order", () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    rig.answerOrderQuery(NOT_FOUND);
    const partly = { status: 'partially-filled', average: '60000' } as const;
    for (const amount of ['0.1', '0.2', '0.3']) {
      rig.passUntil('find-order');
      expect(rig.pendingRequest('find-order')?.order).toEqual({ orderId: 'v1' });
      rig.answer('find-order', yes(reportOf(order.terms, { ...partly, filled: amount })));
    }
  });

  it('an immediate lookup concerns orders that the venue has or may have, one lookup at a time', () => {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.answer('place', placement());
    for (let queries = 0; queries < 8; queries += 1)
      rig.answerOrderQuery(yes(reportOf(order.terms)));
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.pass(0);
    expect(rig.pendingRequest('find-order')).toBeDefined();
    rig.protocol.queryNow('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sent).toHaveLength(1);
    rig.answer('find-order', yes(reportOf(order.terms)));
    rig.pass(0);
    expect(rig.sent, 'what was hurried meanwhile follows').toHaveLength(1);
  });
});

/** An order that a previous run sent, in a run that may not send yet. */
function sentBefore(of: Parameters<ProtocolRig['order']>[0]) {
  const rig = new ProtocolRig();
  rig.protocol.pauseSubmission();
  const order = rig.order(of);
  order.state = 'sent';
  rig.ledger.add(order);
  rig.protocol.resume(order);
  return { rig, order };
}

/** The same, where the first lookup does not find it. */
function missedWhilePaused(of: Parameters<ProtocolRig['order']>[0]) {
  const { rig, order } = sentBefore(of);
  rig.answerOrderNotFound();
  return { rig, order };
}

describe('order of a previous run', () => {
  it.each([
    { what: 'a market order at once', of: MARKET, withinMs: 0 },
    { what: 'a limit order that lists show a little later', of: LIMIT, withinMs: 2_500 },
  ])('an order that the venue has is looked up: $what', ({ of, withinMs }) => {
    const first = new ProtocolRig();
    first.placedOrder(of);
    first.answer('place', placement());
    const rig = ProtocolRig.after(first.records, first.stamp);
    expect(rig.passUntil('find-order')).toBe(withinMs);
  });

  it('a sent attempt without a reply is looked up, and the journal has the reason', () => {
    const first = new ProtocolRig();
    first.placedOrder(MARKET);
    const rig = ProtocolRig.after(first.records, first.stamp);
    expect(rig.passUntil('find-order')).toBeLessThan(1_000);
    expect(rig.records.filter(({ type }) => type === 'note')).toMatchObject([
      { text: 'outcome unknown: no answer was journaled' },
    ]);
  });

  it('an order waits while submission is paused, and leaves when it resumes', () => {
    const rig = new ProtocolRig();
    rig.protocol.pauseSubmission();
    const order = rig.order(MARKET);
    rig.ledger.add(order);
    rig.protocol.resume(order);
    rig.pass(10_000);
    rig.grantPermit();
    expect(rig.effects, 'not even a permit is requested').toEqual([]);
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
  });

  it('an order that was canceled while it waited does not leave', () => {
    const rig = new ProtocolRig();
    rig.protocol.pauseSubmission();
    const order = rig.order(MARKET);
    rig.ledger.add(order);
    rig.protocol.resume(order);
    rig.protocol.cancel(order);
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.left).toEqual([]);
  });

  it('a withdrawn order that rests is canceled in any state of an earlier cancel', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    Object.assign(order, { state: 'accepted', orderId: 'v1', active: false });
    rig.ledger.add(order);
    rig.protocol.resume(order);
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 'v1' });
  });

  it('a withdrawn unproved order is looked up at once, and nothing is canceled', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    Object.assign(order, { state: 'quarantined', active: false });
    rig.ledger.add(order);
    rig.protocol.resume(order);
    expect(rig.passUntil('find-order')).toBe(0);
    expect(rig.sends('cancel')).toBe(0);
  });

  it('an order not found while paused stays unproved, and is sent when submission resumes', () => {
    const { rig, order } = missedWhilePaused(MARKET);
    expect(order.state).toBe('verifying');
    expect(rig.sends('place')).toBe(0);
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
  });

  it('lookups continue while paused, since an earlier attempt may land late', () => {
    const { rig, order } = missedWhilePaused(MARKET);
    const took = [rig.answerOrderNotFound(), rig.answerOrderNotFound()];
    expect(took, 'seldom: a start needs its requests').toEqual([2_500, 2_500]);
    rig.answerOrderQuery(
      yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' })),
    );
    expect(order.state).toBe('filled');
    rig.protocol.resumeSubmission();
    rig.pass(10_000);
    expect(rig.sends('place')).toBe(0);
  });

  it('an order is looked up at once while paused, where evidence suggests that it may exist', () => {
    const { rig } = missedWhilePaused(MARKET);
    rig.protocol.queryUnlisted();
    rig.pass(1_000);
    expect(rig.sends('find-order'), 'it was just looked for').toBe(1);
    rig.protocol.queryPaused();
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('an order without a lookup so far is looked up at once, where evidence suggests that it may exist', () => {
    const { rig } = sentBefore(MARKET);
    rig.protocol.queryUnlisted();
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('an order that is found while paused is polled as any other', () => {
    const { rig, order } = missedWhilePaused(LIMIT);
    rig.answerOrderQuery(yes(reportOf(order.terms)));
    expect(order.state).toBe('accepted');
    rig.protocol.queryUnlisted();
    expect(rig.passUntil('find-order'), 'at once').toBe(0);
  });

  it('an order is sent once, by the reply to the lookup in flight when submission resumes', () => {
    const { rig } = missedWhilePaused(MARKET);
    rig.passUntil('find-order');
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.sends('place'), 'the answer may be that it is there').toBe(0);
    rig.answerOrderNotFound();
    rig.pass(10_000);
    rig.grantPermit();
    expect(rig.sends('place')).toBe(1);
  });

  it('an order that was withdrawn while paused is not sent', () => {
    const { rig, order } = missedWhilePaused(MARKET);
    rig.protocol.cancel(order);
    rig.protocol.resumeSubmission();
    rig.grantPermit();
    expect(rig.sends('place')).toBe(0);
    rig.answerOrderNotFound();
    expect(order.state).toBe('quarantined');
  });
});
