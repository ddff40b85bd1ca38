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
  unsent,
  yes,
} from '../../../test/harness/protocol-rig.js';
import type { Outcome, Placement } from '../../core/request.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;
const MARKET = { quantity: '1' } as const;

const filled = (order: OwnOrder) =>
  yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' }));

describe('placing', () => {
  it('journals the intent, then the attempt, and only then sends', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    expect(rig.effects).toEqual(['journal intent', 'slot place', 'journal attempt', 'send place']);
  });

  it('asks for its slot before an entry when it reduces', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    rig.protocol.submit(rig.order({ ...MARKET, exit: true, leg: 1 }));
    expect(rig.priorities).toEqual(['place', 'protect']);
  });

  it('books a market order that is found filled', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
    rig.look(filled(order));
    expect(rig.ends).toEqual([{ end: 'filled', reason: undefined }]);
    expect(rig.fills).toEqual([{ quantity: d('1'), price: d('60000') }]);
    expect(rig.ledger.orders).toBe(0);
    expect(rig.accepted).toBe(1);
  });

  it.each([
    {
      what: 'its validity ran out',
      prepare: (rig: ProtocolRig) => (rig.stamp.venueTime += 60_001),
    },
    { what: 'halted', prepare: (rig: ProtocolRig) => (rig.hold = 'halted') },
  ])('drops what is not to leave any more when its slot comes: $what', ({ what, prepare }) => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    prepare(rig);
    rig.grant();
    expect(rig.ends).toEqual([{ end: 'dropped', reason: what }]);
    expect(rig.sends('place')).toBe(0);
    expect(rig.effects).toEqual(['journal intent', 'slot place', 'journal dropped']);
  });

  it('sends at the very end of its validity', () => {
    const rig = new ProtocolRig();
    rig.protocol.submit(rig.order(MARKET));
    rig.stamp.venueTime += 60_000;
    rig.grant();
    expect(rig.sends('place')).toBe(1);
  });

  it('rejects on a proved no, and doubts the position when a reduction met none', () => {
    const rig = new ProtocolRig();
    rig.placed({ ...MARKET, exit: true });
    rig.answer('place', no('reduce-only-without-position'));
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'reduce-only-without-position' }]);
    expect(rig.doubts).toBe(1);
  });
});

describe('an attempt that was refused for the moment', () => {
  it.each([
    { outcome: no('locked', 423), named: '423' },
    { outcome: no('rate-limited', 429), named: '429' },
    { outcome: unsent, named: 'not sent' },
  ])('($named) goes again after a pause with the same id and bytes', ({ outcome }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
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
  });

  it('by a lock is given up after five tries when it opens, and asks for the position each time', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    for (let tries = 1; tries <= 5; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', no('locked', 423));
    }
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'locked' }]);
    expect(rig.doubts).toBe(5);
  });

  it('by a lock goes on for as long as it is valid when it reduces', () => {
    const rig = new ProtocolRig();
    rig.placed({ ...MARKET, exit: true });
    while (rig.ends.length === 0) {
      rig.passUntil('place');
      rig.answer('place', no('locked', 423));
      rig.pass(4_000);
    }
    expect(rig.sends('place')).toBeGreaterThan(10);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'its validity ran out' }]);
  });

  it('is not sent again when the world says no meanwhile: every attempt was a no', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    rig.answer('place', no('rate-limited', 429));
    rig.hold = 'halted';
    rig.pass(1_000);
    expect(rig.ends).toEqual([{ end: 'rejected', reason: 'halted' }]);
    expect(rig.sends('place')).toBe(1);
  });
});

describe('an attempt without a clear answer', () => {
  it('is looked for by client id before anything else', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown());
    expect(order.state).toBe('verifying');
    expect(rig.passUntil('find-order')).toBe(300);
    expect(rig.waiting('find-order')?.order).toEqual({ clientOrderId: order.clientOrderId });
    expect(rig.sends('place')).toBe(1);
  });

  it('is adopted when it is found, without a second POST', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown(500));
    rig.look(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.sends('place')).toBe(1);
    expect(rig.accepted).toBe(1);
  });

  it('goes again with the same id and bytes only after an explicit 404', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', unknown());
    for (const strange of [unknown(), unknown(500), unknown(429), no('params-error')]) {
      rig.look(strange);
      expect(rig.sends('place')).toBe(1);
    }
    rig.miss();
    rig.grant();
    expect(rig.sends('place')).toBe(2);
    expect(JSON.stringify(rig.left.at(-1))).toBe(JSON.stringify(rig.left[0]));
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
  });

  it('does not go again when order history has it, though the lookup by client id says 404', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown());
    const report = reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' });
    rig.miss([{ ...report, clientOrderId: order.clientOrderId }]);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.fills).toHaveLength(1);
    rig.pass(60_000);
    expect(rig.sends('place')).toBe(1);
  });

  it('neither goes again nor is given up while order history cannot be read', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET, 5_000);
    rig.answer('place', unknown());
    for (const unread of [unknown(500), no('rate-limited', 429)]) {
      rig.look(NOT_FOUND);
      rig.grant();
      rig.stamp.venueTime += 6_000;
      rig.answer('read-order-history', unread);
      expect(order.state).toBe('verifying');
      expect(rig.sends('place')).toBe(1);
    }
    rig.miss();
    rig.grant();
    expect(order.state).toBe('quarantined');
  });

  it('waits longer each time, so that the same bytes do not go round and round', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET);
    const waits: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', unknown());
      waits.push(rig.miss());
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
  ])('is not ended by a no to the second: $named is looked into', ({ second }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.miss();
    rig.passUntil('place');
    rig.answer('place', second);
    expect(order.state).toBe('verifying');
    expect(order.ended).toBe(false);
    rig.look(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
  });

  it('and a refusal for good after it is not sent a third time, but watched', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown());
    rig.miss();
    rig.passUntil('place');
    rig.answer('place', no('insufficient-balance'));
    rig.miss();
    expect(order.state).toBe('quarantined');
    for (let looks = 0; looks < 20; looks += 1) rig.miss();
    expect(rig.sends('place')).toBe(2);
  });

  it('is adopted from a list of open orders while the next attempt waits, which is then not sent', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', unknown());
    rig.passUntil('find-order');
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('read-order-history', yes([]));
    expect(order.state).toBe('retrying');
    rig.protocol.listed(order, reportOf(order.terms), rig.stamp.monotonic);
    expect(order.state).toBe('accepted');
    rig.grant();
    expect(rig.sends('place')).toBe(1);
  });
});

describe('a 409', () => {
  it('on the first attempt is no failure: the order is found and adopted', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', CONFLICT);
    expect(order.state).toBe('verifying');
    rig.look(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.sends('place')).toBe(1);
  });

  /** One lookup that misses, and the read of history that follows it. */
  function lookMisses(rig: ProtocolRig): void {
    rig.look(NOT_FOUND);
    rig.grant();
    expect(rig.waiting('read-order-history')).toBeDefined();
  }

  /** Misses, with an empty history, until the reads had time; the last history is not answered yet. */
  function missUntilVisible(rig: ProtocolRig): number {
    const [since, ended] = [rig.stamp.monotonic, rig.ends.length];
    lookMisses(rig);
    let looks = 1;
    for (; looks < 5 || rig.stamp.monotonic - since < 30_000; looks += 1) {
      rig.answer('read-order-history', yes([]));
      expect(rig.ends, 'not burned before the reads had time').toHaveLength(ended);
      lookMisses(rig);
    }
    return looks;
  }

  it('is found by its row of history at once, though lookups by client id miss for ever', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', CONFLICT);
    const since = rig.stamp.monotonic;
    lookMisses(rig);
    const report = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    rig.answer('read-order-history', yes([{ ...report, clientOrderId: order.clientOrderId }]));
    expect(order.state).toBe('filled');
    expect(rig.stamp.monotonic - since).toBeLessThan(1_000);
  });

  it('with a 404 is burned only after the reads had time, five lookups, lists and history', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
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

  it('counts the time from the 409, not from an earlier miss', () => {
    const rig = new ProtocolRig();
    rig.placed(MARKET, 600_000);
    for (let tries = 0; tries < 6; tries += 1) {
      rig.passUntil('place');
      rig.answer('place', unknown());
      rig.miss();
    }
    rig.passUntil('place');
    rig.answer('place', CONFLICT);
    missUntilVisible(rig);
    rig.answer('read-order-history', yes([]));
    expect(rig.ends[0]?.end).toBe('burned');
  });

  it('is never burned while the lists are not read, or show what it could be', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.absent = false;
    rig.answer('place', CONFLICT);
    for (let looks = 0; looks < 30; looks += 1) {
      lookMisses(rig);
      rig.answer('read-order-history', yes([]));
    }
    expect(order.ended).toBe(false);
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
  });

  it.each([
    { named: 'its client id', own: true },
    { named: 'an order of its terms that tells no client id', own: false },
  ])('is not burned when the history has $named', ({ own }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', CONFLICT);
    missUntilVisible(rig);
    const report = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    const { clientOrderId } = order;
    rig.answer('read-order-history', yes([own ? { ...report, clientOrderId } : report]));
    expect(order.state).toBe(own ? 'filled' : 'verifying');
  });

  it('is quarantined when it cannot be decided while it is valid, and still found after', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET, 60_000);
    rig.answer('place', CONFLICT);
    const row = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v9' });
    const waits = Array.from({ length: 60 }, () => rig.miss([row]));
    expect(order.state).toBe('quarantined');
    expect(waits.at(-1)).toBe(60_000);
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest, 'its room stays reserved').toBe(d('1'));
    rig.miss([{ ...row, clientOrderId: order.clientOrderId }]);
    expect(order.state).toBe('filled');
  });

  it('is not kept from being burned by the history of other orders', () => {
    const rig = new ProtocolRig();
    const earlier = rig.placed(MARKET);
    rig.answer('place', placement('v0'));
    rig.look(yes(reportOf(earlier.terms, { status: 'filled', filled: '1', orderId: 'v0' })));
    const order = rig.placed({ ...MARKET, ordinal: 1 });
    rig.answer('place', CONFLICT);
    missUntilVisible(rig);
    const known = reportOf(order.terms, { status: 'filled', filled: '1', orderId: 'v0' });
    const foreign = { ...known, orderId: 'v8', clientOrderId: 'by-hand' };
    const other = { ...known, orderId: 'v7', quantity: d<'quantity'>('2') };
    rig.answer('read-order-history', yes([known, foreign, other]));
    expect(order.state).toBe('burned');
  });
});

describe('an order that is no longer wanted and may have left', () => {
  function quarantined(rig: ProtocolRig): OwnOrder {
    const order = rig.placed(LIMIT, 5_000);
    rig.answer('place', unknown());
    rig.stamp.venueTime += 6_000;
    rig.miss();
    rig.grant();
    return order;
  }

  it('is never sent again, keeps its exposure reserved, and is looked for less and less often', () => {
    const rig = new ProtocolRig();
    const order = quarantined(rig);
    expect(order.state).toBe('quarantined');
    const waits = Array.from({ length: 40 }, () => rig.miss());
    expect(Math.max(...waits.slice(0, 10))).toBeLessThanOrEqual(10_000);
    expect(waits.at(-1)).toBe(60_000);
    expect(rig.sends('place')).toBe(1);
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({ longest: d('1'), unknown: 1 });
    expect(rig.ledger.unproved).toBe(1);
  });

  it('is found by its row of history when it fills late and no lookup ever knows it', () => {
    const rig = new ProtocolRig();
    const order = quarantined(rig);
    rig.miss();
    const report = reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' });
    rig.miss([{ ...report, clientOrderId: order.clientOrderId }]);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
  });

  it('is canceled when it lands late, and what filled is booked', () => {
    const rig = new ProtocolRig();
    const order = quarantined(rig);
    rig.pass(3_600_000);
    rig.look(
      yes(reportOf(order.terms, { status: 'partially-filled', filled: '0.4', average: '60000' })),
    );
    expect(order.state).toBe('accepted');
    rig.grant();
    expect(rig.waiting('cancel')?.order).toEqual({ orderId: 'v1' });
    rig.answer('cancel', yes(null));
    const partial = yes(
      reportOf(order.terms, { status: 'canceled', filled: '0.4', average: '60000' }),
    );
    rig.look(partial);
    rig.look(partial);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(rig.fills).toEqual([{ quantity: d('0.4'), price: d('60000') }]);
    expect(rig.ledger.of('BTCUSDT', 'USDT')).toMatchObject({ longest: d('0.4'), unknown: 0 });
  });
});

describe('a report that is not of what we sent', () => {
  it.each([
    { named: 'symbol', change: { symbol: 'ETHUSDT' } },
    { named: 'currency', change: { currency: 'INR' as const } },
    { named: 'side', change: { side: 'sell' as const } },
    { named: 'type', change: { type: 'market' as const } },
    { named: 'quantity', change: { quantity: d<'quantity'>('2') } },
    { named: 'price', change: { price: d<'price'>('59999') } },
    { named: 'filled', change: { filledQuantity: d<'quantity'>('1.1') } },
  ])('halts and is not adopted: another $named', ({ change }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', CONFLICT);
    rig.look(yes({ ...reportOf(order.terms), ...change }));
    expect(rig.halts).toHaveLength(1);
    expect(order.state).toBe('verifying');
    expect(rig.fills).toEqual([]);
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
  });

  it('is ours still, once acknowledged, when somebody amends its price or quantity by hand', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    const amended = { quantity: d<'quantity'>('3'), price: d<'price'>('50000') };
    const hers = { ...reportOf(order.terms), ...amended };
    rig.look(yes(hers));
    expect(rig.halts).toEqual([]);
    expect(order.terms).toMatchObject(amended);
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('3'));
    rig.look(yes({ ...hers, status: 'filled', filledQuantity: d('3'), averagePrice: d('50000') }));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(rig.fills).toEqual([{ quantity: d('3'), price: d('50000') }]);
  });

  it.each([
    { named: 'another side', change: { side: 'sell' as const } },
    { named: 'another id of the venue', change: { orderId: 'v2', quantity: d<'quantity'>('3') } },
  ])('halts, also once acknowledged, when it has $named', ({ change }) => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    rig.look(yes({ ...reportOf(order.terms), ...change }));
    expect(rig.halts).toHaveLength(1);
  });

  it('is of ours where fields are absent', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', CONFLICT);
    const { symbol: _symbol, side: _side, price: _price, ...rest } = reportOf(order.terms);
    rig.look(yes(rest));
    expect(order.state).toBe('accepted');
  });
});

describe('answers that do not come from the venue', () => {
  it('halt after five 404 without an envelope, and end nothing', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown(404));
    for (let looks = 0; looks < 3; looks += 1) rig.look(unknown(404));
    expect(rig.halts).toEqual([]);
    for (let looks = 0; looks < 4; looks += 1) rig.look(unknown(404));
    expect(rig.halts).toHaveLength(1);
    expect(order.state).toBe('verifying');
    expect(rig.sends('place')).toBe(1);
  });

  it.each([401, 403])('prove nothing when they refuse the key with %i', (status) => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', unknown(status));
    for (let looks = 0; looks < 8; looks += 1) rig.look(unknown(status));
    expect(order.state).toBe('verifying');
    expect(rig.sends('place')).toBe(1);
    expect(rig.halts).toEqual([]);
  });
});

describe('partial fills', () => {
  it('are booked as they come, each at its own price', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    const partly = (amount: string, average: string) =>
      yes(reportOf(order.terms, { status: 'partially-filled', filled: amount, average }));
    rig.look(partly('0.25', '60000'));
    rig.look(partly('0.25', '60000'));
    rig.look(partly('0.75', '59990'));
    rig.look(partly('0.5', '60000'));
    rig.look(yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '59980' })));
    expect(rig.fills).toEqual([
      { quantity: d('0.25'), price: d('60000') },
      { quantity: d('0.5'), price: d('59985') },
      { quantity: d('0.25'), price: d('59950') },
    ]);
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
  });

  it('at averages that contradict each other never make a price that nobody can have paid', () => {
    const rig = new ProtocolRig();
    const order = rig.placed({ quantity: '1', price: '100' });
    rig.answer('place', placement());
    rig.look(
      yes(reportOf(order.terms, { status: 'partially-filled', filled: '0.9', average: '100' })),
    );
    rig.look(yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '50' })));
    expect(rig.fills.at(-1)).toEqual({ quantity: d('0.1'), price: d('50') });
  });

  it('that a status word runs ahead of are waited for', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(MARKET);
    rig.answer('place', placement());
    rig.look(yes(reportOf(order.terms, { status: 'filled', filled: '0' })));
    expect(order.ended).toBe(false);
    rig.look(filled(order));
    expect(rig.fills).toEqual([{ quantity: d('1'), price: d('60000') }]);
  });
});

describe('canceling', () => {
  function resting(rig: ProtocolRig, orderId = 'v1'): OwnOrder {
    const order = rig.placed(LIMIT);
    rig.answer('place', placement(orderId));
    rig.look(yes(reportOf(order.terms, { orderId })));
    return order;
  }
  const at = (order: OwnOrder, status: 'created' | 'partially-filled' | 'canceled', amount = '0') =>
    yes(reportOf(order.terms, { status, filled: amount, average: '60000' }));

  it('what was never sent drops it at once, and its slot sends nothing', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    rig.protocol.submit(order);
    rig.protocol.cancel(order);
    expect(rig.ends.map(({ end }) => end)).toEqual(['dropped']);
    rig.grant();
    expect(rig.left).toEqual([]);
  });

  it('what was refused for the moment ends it without another attempt', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', no('locked', 423));
    rig.protocol.cancel(order);
    expect(rig.ends.map(({ end }) => end)).toEqual(['rejected']);
    rig.pass(10_000);
    expect(rig.sends('place')).toBe(1);
    expect(rig.sends('cancel')).toBe(0);
  });

  it('ends on two reads begun after the answer that agree on what was filled', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.passUntil('find-order');
    rig.protocol.cancel(order);
    rig.grant();
    rig.pass(50);
    rig.answer('cancel', yes(null));
    const updatedAt = rig.stamp.venueTime;
    const part = (filled: string) =>
      yes(
        reportOf(order.terms, { status: 'partially-filled', filled, average: '60000', updatedAt }),
      );
    rig.answer('find-order', part('0.5'));
    rig.look(part('0.5'));
    expect(order.ended, 'one read after it').toBe(false);
    rig.look(part('0.6'));
    expect(order.ended, 'a read that disagrees').toBe(false);
    rig.look(part('0.6'));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(order.filledQuantity).toBe(d('0.6'));
  });

  it('does not take an order for canceled whose reads do not show it yet', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.protocol.cancel(order);
    rig.passUntil('cancel');
    rig.answer('cancel', yes(null));
    const since = rig.stamp.monotonic;
    while (rig.waiting('cancel') === undefined) rig.look(at(order, 'created'));
    expect(rig.stamp.monotonic - since, 'it is asked for again').toBeGreaterThanOrEqual(30_000);
    rig.answer('cancel', no('order-not-open'));
    while (!order.ended) rig.look(at(order, 'created'));
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(60_000);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('that comes too late books the fill', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.protocol.cancel(order);
    rig.passUntil('cancel');
    rig.answer('cancel', no('order-not-open'));
    rig.look(at(order, 'partially-filled', '0.4'));
    rig.look(at(order, 'partially-filled', '0.4'));
    expect(order.ended, 'the fill may not be visible yet').toBe(false);
    rig.look(filled(order));
    expect(rig.ends.map(({ end }) => end)).toEqual(['filled']);
    expect(order.filledQuantity).toBe(d('1'));
  });

  it('is repeated until it is answered', () => {
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

  it('of what is on its way goes out at once, and again when it is there', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.protocol.cancel(order);
    rig.grant();
    expect(rig.waiting('cancel')?.order).toEqual({ clientOrderId: order.clientOrderId });
    rig.answer('cancel', NOT_FOUND);
    expect(order.state, 'a 404 to a cancel ends nothing').toBe('sent');
    rig.answer('place', placement());
    rig.grant();
    expect(rig.waiting('cancel')?.order).toEqual({ orderId: 'v1' });
    rig.answer('cancel', yes(null));
    rig.look(at(order, 'canceled'));
    rig.look(at(order, 'canceled'));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('of an unclear attempt that is not found keeps it reserved, and cancels it when it lands', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', unknown());
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', NOT_FOUND);
    rig.miss();
    expect(order.state).toBe('quarantined');
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
    rig.look(at(order, 'created'));
    rig.grant();
    expect(rig.sends('cancel')).toBe(2);
    expect(rig.sends('place')).toBe(1);
  });

  it('by somebody else ends on two reads as well', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    rig.look(at(order, 'canceled', '0.3'));
    expect(order.ended).toBe(false);
    rig.look(at(order, 'canceled', '0.3'));
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
    expect(rig.fills).toEqual([{ quantity: d('0.3'), price: d('60000') }]);
  });

  it('by somebody else that leaves PARTIAL_FILLED for ever ends by the list of open orders', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    const sticky = at(order, 'partially-filled', '0.3');
    rig.look(sticky);
    // Two reads that lag may tell of a part, and its list no longer of what has filled whole.
    for (let polls = 0; polls <= 15; polls += 1) {
      rig.pass(2_000);
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', sticky);
      expect(order.ended).toBe(false);
      rig.protocol.unlisted(order, true, rig.stamp.monotonic);
    }
    const lastPoll = rig.stamp.monotonic;
    while (!order.ended) rig.look(sticky);
    expect(rig.stamp.monotonic - lastPoll, 'by looks of its own').toBeLessThan(1_000);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('is not concluded from a list that shows the order again', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    const partial = at(order, 'partially-filled', '0.3');
    for (const lacking of [true, true, false, true, true, false, true, true]) {
      rig.pass(3_000);
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', partial);
      rig.protocol.unlisted(order, lacking, rig.stamp.monotonic);
    }
    rig.look(partial);
    rig.look(partial);
    expect(order.ended).toBe(false);
  });
});

describe('an order that rests', () => {
  const resting = (rig: ProtocolRig): OwnOrder => {
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    rig.look(yes(reportOf(order.terms)));
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
      rig.protocol.listed(order, open, rig.stamp.monotonic);
      rig.protocol.unlisted(order, false, rig.stamp.monotonic);
      rig.pass(2_000);
      while (rig.waiting('find-order') !== undefined) rig.answer('find-order', yes(open));
    }
    return rig.sends('find-order') - before;
  };

  it('is looked at before what may wait once a list tells of more', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 1);
    rig.protocol.listed(order, partOf(order, '0.3'), rig.stamp.monotonic);
    rig.fireNext();
    expect(rig.priorities.at(-1)).toBe('verify');
  });

  it('is looked up once a minute while the lists show it with nothing new', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    expect(listedFor(rig, order, 150), 'in five minutes').toBeLessThanOrEqual(6);
    rig.passUntil('find-order');
    expect(rig.priorities.at(-1), 'once the lists are silent').toBe('verify');
  });

  it('gives way to what is to be placed when its look is due nevertheless', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 60);
    expect(rig.priorities.slice(2)).toContain('poll');
  });

  it.each([
    { what: 'a list tells of a part that filled', filled: '0.3', lacking: false },
    { what: 'a list lacks it', filled: '0', lacking: true },
  ])('is looked up at once when $what', ({ filled: part, lacking }) => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 4);
    const now = rig.stamp.monotonic;
    if (!lacking) rig.protocol.listed(order, partOf(order, part), now);
    rig.protocol.unlisted(order, lacking, now);
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('is looked up at once when the position of its symbol has changed', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 4);
    rig.protocol.hurry(order.terms.symbol, order.terms.currency);
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('is looked up at once after a gap in the polls, unless a list has shown it since', () => {
    const rig = new ProtocolRig();
    const [shown, unseen] = [resting(rig), rig.placed({ ...LIMIT, symbol: 'ETHUSDT' })];
    rig.answer('place', placement('v2'));
    rig.look(yes(reportOf(unseen.terms, { orderId: 'v2' })));
    listedFor(rig, shown, 20);
    const before = rig.sends('find-order');
    rig.protocol.hurryUnlisted();
    expect(rig.passUntil('find-order')).toBe(0);
    rig.pass(0);
    expect(rig.left.slice(-(rig.sends('find-order') - before))).toMatchObject([
      { order: { orderId: 'v2' } },
    ]);
  });

  it('is not spared a look while its cancel is on the way', () => {
    const rig = new ProtocolRig();
    const order = resting(rig);
    listedFor(rig, order, 4);
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', { kind: 'unknown', cause: 'lost', sent: true });
    rig.protocol.listed(order, partOf(order, '0'), rig.stamp.monotonic);
    expect(rig.passUntil('find-order')).toBeLessThanOrEqual(2_500);
  });
});

describe('a row of the venue that may not tell whose it is', () => {
  it.each([
    { what: 'our client id', of: {}, id: true, could: true },
    { what: 'another client id', of: {}, id: 'other', could: false },
    { what: 'no client id and the same terms', of: {}, id: false, could: true },
    { what: 'no client id and another quantity', of: { quantity: '2' }, id: false, could: false },
    { what: 'the id of another order of ours', of: {}, id: false, taken: true, could: false },
  ])('could be ours with $what: $could', ({ of, id, taken, could }) => {
    const rig = new ProtocolRig();
    if (taken === true) {
      rig.placed({ ...LIMIT, leg: 1 });
      rig.answer('place', placement('v9'));
    }
    const order = rig.placed(LIMIT);
    const report = reportOf(rig.order({ ...LIMIT, ...of, leg: 2 }).terms, { orderId: 'v9' });
    const clientOrderId = id === true ? order.clientOrderId : id;
    const row = { ...report, ...(clientOrderId !== false && { clientOrderId }) };
    expect(rig.protocol.couldBe(order, row)).toBe(could);
  });
});

describe('looking', () => {
  it('goes by the venue id every other time, once it is known', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    rig.look(NOT_FOUND);
    rig.passUntil('find-order');
    expect(rig.waiting('find-order')?.order).toEqual({ orderId: 'v1' });
    expect(order.state, 'a 404 does not end what was accepted').toBe('accepted');
    rig.look(NOT_FOUND);
    rig.passUntil('find-order');
    expect(rig.waiting('find-order')?.order).toEqual({ clientOrderId: order.clientOrderId });
  });

  it('goes by the venue id first, once a lookup by client id has missed what the venue has', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    rig.look(NOT_FOUND);
    const partly = { status: 'partially-filled', average: '60000' } as const;
    for (const amount of ['0.1', '0.2', '0.3']) {
      rig.passUntil('find-order');
      expect(rig.waiting('find-order')?.order).toEqual({ orderId: 'v1' });
      rig.answer('find-order', yes(reportOf(order.terms, { ...partly, filled: amount })));
    }
  });

  it('hurries what the venue has or may have, one look at a time', () => {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    rig.answer('place', placement());
    for (let looks = 0; looks < 8; looks += 1) rig.look(yes(reportOf(order.terms)));
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.pass(0);
    expect(rig.waiting('find-order')).toBeDefined();
    rig.protocol.hurry('BTCUSDT', 'USDT');
    rig.pass(1_000);
    expect(rig.sent).toHaveLength(1);
    rig.answer('find-order', yes(reportOf(order.terms)));
    rig.pass(0);
    expect(rig.sent, 'what was hurried meanwhile follows').toHaveLength(1);
  });
});

/** One that an earlier life sent, in a life that may not send yet. */
function sentBefore(of: Parameters<ProtocolRig['order']>[0]) {
  const rig = new ProtocolRig();
  rig.protocol.pause();
  const order = rig.order(of);
  order.state = 'sent';
  rig.ledger.add(order);
  rig.protocol.resume(order);
  return { rig, order };
}

/** The same, where the first look does not find it. */
function missedWhilePaused(of: Parameters<ProtocolRig['order']>[0]) {
  const { rig, order } = sentBefore(of);
  rig.miss();
  return { rig, order };
}

describe('an order of an earlier life', () => {
  it.each([
    { what: 'a market order at once', of: MARKET, withinMs: 0 },
    { what: 'a limit order that lists will tell of a little later', of: LIMIT, withinMs: 2_500 },
  ])('that the venue has is looked up: $what', ({ of, withinMs }) => {
    const first = new ProtocolRig();
    first.placed(of);
    first.answer('place', placement());
    const rig = ProtocolRig.after(first.records, first.stamp);
    expect(rig.passUntil('find-order')).toBe(withinMs);
  });

  it('whose attempt was sent and never answered is looked for, and its journal says why', () => {
    const first = new ProtocolRig();
    first.placed(MARKET);
    const rig = ProtocolRig.after(first.records, first.stamp);
    expect(rig.passUntil('find-order')).toBeLessThan(1_000);
    expect(rig.records.filter(({ type }) => type === 'note')).toMatchObject([
      { text: 'outcome unknown: no answer was journaled' },
    ]);
  });

  it('waits while the protocol is paused, and goes when it goes on', () => {
    const rig = new ProtocolRig();
    rig.protocol.pause();
    const order = rig.order(MARKET);
    rig.ledger.add(order);
    rig.protocol.resume(order);
    rig.pass(10_000);
    rig.grant();
    expect(rig.effects, 'not even a slot is asked for').toEqual([]);
    rig.protocol.goOn();
    rig.grant();
    expect(rig.sends('place')).toBe(1);
  });

  it('that was canceled while it waited does not go', () => {
    const rig = new ProtocolRig();
    rig.protocol.pause();
    const order = rig.order(MARKET);
    rig.ledger.add(order);
    rig.protocol.resume(order);
    rig.protocol.cancel(order);
    rig.protocol.goOn();
    rig.grant();
    expect(rig.left).toEqual([]);
  });

  it('that rests and is no longer wanted is canceled, whatever became of the cancel before', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    Object.assign(order, { state: 'accepted', orderId: 'v1', wanted: false });
    rig.ledger.add(order);
    rig.protocol.resume(order);
    rig.grant();
    expect(rig.waiting('cancel')?.order).toEqual({ orderId: 'v1' });
  });

  it('that is given up and not proved is looked for at once, and nothing of it is canceled', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    Object.assign(order, { state: 'quarantined', wanted: false });
    rig.ledger.add(order);
    rig.protocol.resume(order);
    expect(rig.passUntil('find-order')).toBe(0);
    expect(rig.sends('cancel')).toBe(0);
  });

  it('that is not found while the protocol is paused stays unproved, and goes when it goes on', () => {
    const { rig, order } = missedWhilePaused(MARKET);
    expect(order.state).toBe('verifying');
    expect(rig.sends('place')).toBe(0);
    rig.protocol.goOn();
    rig.grant();
    expect(rig.sends('place')).toBe(1);
    rig.answer('place', placement());
    expect(order.state).toBe('accepted');
  });

  it('is looked for on while the protocol is paused: what left before may land late', () => {
    const { rig, order } = missedWhilePaused(MARKET);
    const took = [rig.miss(), rig.miss()];
    expect(took, 'seldom: a start needs its requests').toEqual([2_500, 2_500]);
    rig.look(yes(reportOf(order.terms, { status: 'filled', filled: '1', average: '60000' })));
    expect(order.state).toBe('filled');
    rig.protocol.goOn();
    rig.pass(10_000);
    expect(rig.sends('place')).toBe(0);
  });

  it('is looked for at once while the protocol is paused, where something tells that it may be there', () => {
    const { rig } = missedWhilePaused(MARKET);
    rig.protocol.hurryUnlisted();
    rig.pass(1_000);
    expect(rig.sends('find-order'), 'it was just looked for').toBe(1);
    rig.protocol.hurryHeld();
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('that nobody has looked for yet is looked for at once, where something tells that it may be there', () => {
    const { rig } = sentBefore(MARKET);
    rig.protocol.hurryUnlisted();
    expect(rig.passUntil('find-order')).toBe(0);
  });

  it('and is found while the protocol is paused is looked at like any', () => {
    const { rig, order } = missedWhilePaused(LIMIT);
    rig.look(yes(reportOf(order.terms)));
    expect(order.state).toBe('accepted');
    rig.protocol.hurryUnlisted();
    expect(rig.passUntil('find-order'), 'at once').toBe(0);
  });

  it('goes once, by the answer to a look that is under way when the protocol goes on', () => {
    const { rig } = missedWhilePaused(MARKET);
    rig.passUntil('find-order');
    rig.protocol.goOn();
    rig.grant();
    expect(rig.sends('place'), 'the answer may be that it is there').toBe(0);
    rig.miss();
    rig.pass(10_000);
    rig.grant();
    expect(rig.sends('place')).toBe(1);
  });

  it('and is not wanted any more when the protocol goes on does not go', () => {
    const { rig, order } = missedWhilePaused(MARKET);
    rig.protocol.cancel(order);
    rig.protocol.goOn();
    rig.grant();
    expect(rig.sends('place')).toBe(0);
    rig.miss();
    expect(order.state).toBe('quarantined');
  });
});
