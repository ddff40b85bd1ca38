import { describe, expect, it } from 'vitest';
import {
  protectiveOrderOf,
  OperationRig,
  rowOf,
} from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  unknown,
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { eventLog } from '../../../test/support/builders/event-log.js';
import type { PositionReport } from '../../core/account.js';
import type { DecisionCause } from '../../core/intent.js';
import { restoreCause } from './managed-protective-order.js';

const STOP = d<'price'>('59000');
const positions = (...rows: readonly PositionReport[]) => yes(rows);

/** A requested stop whose first read is in flight. */
function requested(price = STOP): OperationRig {
  const rig = new OperationRig();
  rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: price });
  rig.pass(0);
  return rig;
}

/** A stop that was sent, because positions show none. */
function sent(): OperationRig {
  const rig = requested();
  rig.answer('read-positions', positions(rowOf()));
  rig.grantPermit();
  return rig;
}

const show = (rig: OperationRig, ...rows: readonly PositionReport[]): void => {
  rig.passUntil('read-positions');
  rig.answer('read-positions', positions(...rows));
  rig.grantPermit();
};
const stateOf = (rig: OperationRig) => rig.protecting.states('BTCUSDT', 'USDT').stopLoss;
const LIVE = protectiveOrderOf('s1', '59000');
const SHOWN = rowOf({ stopLoss: ['59000', 's1'] });
/** Positions and the order show the stop. */
const prove = (rig: OperationRig): void => {
  show(rig, SHOWN);
  rig.answer('find-order', yes(LIVE));
};

describe('stop of a position', () => {
  it('a stop is journaled, looked up, journaled again and only then sent, under an id of ours', () => {
    const rig = sent();
    expect(rig.effects).toEqual([
      'journal operation',
      'slot read-positions',
      'send read-positions',
      'slot set-leg',
      'journal operation-attempt',
      'send set-leg',
    ]);
    const request = rig.pendingRequest('set-leg');
    expect(request).toMatchObject({ positionId: 'p1', slot: 'stopLoss', price: STOP });
    expect(rig.protecting.owns(request?.clientOrderId ?? '')).toBe(true);
    expect(stateOf(rig)).toBe('under-way');
  });

  it('a stop is live when positions and its order both show it, and not before (D13)', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    show(rig, rowOf());
    rig.answer('find-order', yes(LIVE));
    expect(stateOf(rig)).toBe('under-way');
    prove(rig);
    expect(stateOf(rig)).toBe('live');
    expect(rig.operationEnds).toEqual([
      { end: 'live', evidence: 'order s1 is live and positions show it' },
    ]);
    expect(rig.sends('set-leg')).toBe(1);
  });

  it('a stop that is already there is not sent', () => {
    const rig = requested();
    rig.answer('read-positions', positions(SHOWN));
    rig.grantPermit();
    rig.answer('find-order', yes(LIVE));
    expect(stateOf(rig)).toBe('live');
    expect(rig.operation('protect').attempts).toBe(0);
  });

  it('a stop requested at every poll is sent once', () => {
    const rig = sent();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    expect(rig.operations.all).toHaveLength(1);
  });

  it('a stop that positions no longer show is requested again under another id (D4)', () => {
    const rig = sent();
    const first = rig.pendingRequest('set-leg')?.clientOrderId;
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.onPositionRead('BTCUSDT', 'USDT', rowOf());
    expect(stateOf(rig)).toBe('none');
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('a stop is proved by its own id where positions show its price without its order', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    show(rig, { ...rowOf(), stopLoss: { price: STOP } });
    rig.answer('find-order', yes(LIVE));
    expect(stateOf(rig)).toBe('live');
    rig.protecting.onPositionRead('BTCUSDT', 'USDT', { ...rowOf(), stopLoss: { price: STOP } });
    expect(stateOf(rig)).toBe('live');
  });

  it('no stop is sent beside one that positions show without its order', () => {
    const rig = requested();
    rig.answer('read-positions', yes([{ ...rowOf(), stopLoss: { price: STOP } }]));
    rig.grantPermit();
    rig.pass(60_000);
    expect(rig.sends('set-leg')).toBe(0);
    expect(stateOf(rig)).toBe('under-way');
  });

  it('a list read before the proof does not contradict it', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.onPositionRead('BTCUSDT', 'USDT', rowOf(), rig.stamp.monotonic - 1_000);
    expect(stateOf(rig)).toBe('live');
  });

  it('a stop whose order in the row was canceled is set, since the row is stale (D13)', () => {
    const rig = requested();
    rig.answer('read-positions', positions(SHOWN));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s1', '59000', { status: 'canceled' })));
    rig.grantPermit();
    expect(rig.pendingRequest('set-leg')).toBeDefined();
  });

  it('a stop that covers only a part of the position is canceled and set again (D7)', () => {
    const rig = requested();
    rig.answer('read-positions', positions(SHOWN));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s1', '59000', { quantity: '0.5' })));
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 's1' });
    rig.answer('cancel', yes(null));
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')).toBeDefined();
  });

  it('a stop never replaces a tighter one (D12)', () => {
    const rig = requested();
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['59500', 's9'] })));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s9', '59500')));
    expect(rig.operationEnds[0]).toMatchObject({ end: 'live', evidence: /tighter/ });
    expect(rig.operation('protect').attempts).toBe(0);
  });

  it('the stop of a closed position ends', () => {
    const rig = requested();
    rig.open = false;
    rig.answer('read-positions', positions());
    expect(stateOf(rig)).toBe('gone');
  });

  it('an empty list for a moment does not end the stop (G1)', () => {
    const rig = requested();
    rig.answer('read-positions', positions());
    expect(stateOf(rig)).toBe('under-way');
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')).toBeDefined();
  });

  it('a stop is not sent while nothing may leave', () => {
    const rig = requested();
    rig.holdOperations = 'halted';
    rig.answer('read-positions', positions(rowOf()));
    rig.grantPermit();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'halted' }]);
    expect(rig.sends('set-leg')).toBe(0);
  });
});

describe('reply to a stop', () => {
  it.each([
    { outcome: no('locked', 423) },
    { outcome: no('rate-limited', 429) },
    { outcome: no('position-not-open') },
    { outcome: unsent },
  ])('a temporary refusal leads to the same request again: $outcome', ({ outcome }) => {
    const rig = sent();
    const first = rig.left.at(-1);
    rig.answer('set-leg', outcome);
    show(rig, rowOf());
    expect(rig.left.at(-1)).toEqual(first);
    rig.answer('set-leg', yes(null));
    prove(rig);
    expect(stateOf(rig)).toBe('live');
  });

  it('a permanent refusal ends the stop', () => {
    const rig = sent();
    rig.answer('set-leg', no('protection-refused'));
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: 'protection-refused' }]);
    expect(stateOf(rig)).toBe('refused');
  });

  it('after a lost reply a stop that landed is found and not sent again (D2)', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    prove(rig);
    expect(stateOf(rig)).toBe('live');
    expect(rig.sends('set-leg')).toBe(1);
  });

  it('after a lost reply a stop that is not found is sent again with the same id and bytes', () => {
    const rig = sent();
    const first = rig.left.at(-1);
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    expect(rig.left.at(-1)).toEqual(first);
  });

  it('a refusal after a lost reply proves nothing: a stop that landed is found', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('set-leg', no('protection-refused'));
    expect(stateOf(rig)).toBe('under-way');
    prove(rig);
    expect(stateOf(rig)).toBe('live');
  });

  it('a refusal after a lost reply ends the stop when none is found', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('set-leg', no('protection-refused'));
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: 'protection-refused' }]);
  });

  it('a 409 proves the stop, whatever the lookup by its id shows', () => {
    const rig = sent();
    rig.answer('set-leg', CONFLICT);
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    expect(rig.sends('set-leg')).toBe(1);
    prove(rig);
    expect(stateOf(rig)).toBe('live');
  });

  it('a 409 for an ended stop leads to another id (D4)', () => {
    const rig = sent();
    const first = rig.pendingRequest('set-leg')?.clientOrderId;
    rig.answer('set-leg', CONFLICT);
    show(rig, rowOf());
    rig.answer('find-order', yes(protectiveOrderOf('s0', '59000', { status: 'system-canceled' })));
    rig.grantPermit();
    expect(rig.pendingRequest('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('a refusal under another id ends the stop, since nothing under it is unproved', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('set-leg', CONFLICT);
    show(rig, rowOf());
    rig.answer('find-order', yes(protectiveOrderOf('s0', '59000', { status: 'system-canceled' })));
    rig.grantPermit();
    rig.answer('set-leg', no('protection-refused'));
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: 'protection-refused' }]);
  });

  it('a 409 without an order for longer than reads may lag leads to another id', () => {
    const rig = sent();
    const first = rig.pendingRequest('set-leg')?.clientOrderId;
    rig.answer('set-leg', CONFLICT);
    const since = rig.stamp.monotonic;
    while (rig.pendingRequest('set-leg') === undefined) {
      show(rig, rowOf());
      rig.answer('find-order', NOT_FOUND);
      rig.grantPermit();
    }
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.pendingRequest('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('a stop is given up after twelve requests', () => {
    const rig = sent();
    while (rig.operationEnds.length === 0) {
      rig.answer('set-leg', no('locked', 423));
      show(rig, rowOf());
    }
    expect(rig.sends('set-leg')).toBe(12);
    expect(stateOf(rig)).toBe('refused');
  });
});

describe('another price for a stop', () => {
  /** A stop at 58,000 that is to move to 59,000. */
  function moving(): OperationRig {
    const rig = requested();
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['58000', 's1'] })));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s1', '58000')));
    rig.grantPermit();
    return rig;
  }
  const showOld = (rig: OperationRig): void => {
    show(rig, rowOf({ stopLoss: ['58000', 's1'] }));
    rig.answer('find-order', yes(protectiveOrderOf('s1', '58000')));
    rig.grantPermit();
  };

  it('the order that positions show is edited', () => {
    const rig = moving();
    expect(rig.pendingRequest('move-leg')).toMatchObject({
      positionId: 'p1',
      orderId: 's1',
      price: STOP,
    });
    rig.answer('move-leg', yes(null));
    prove(rig);
    expect(stateOf(rig)).toBe('live');
  });

  it('an edit with a stale order id leads to another lookup (D5)', () => {
    const rig = moving();
    rig.answer('move-leg', no('order-not-open'));
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')).toBeDefined();
  });

  it('an edit whose reply is lost is repeated while the old price shows', () => {
    const rig = moving();
    rig.answer('move-leg', unknown());
    showOld(rig);
    expect(rig.pendingRequest('move-leg')).toMatchObject({ price: STOP, orderId: 's1' });
    expect(rig.sends('cancel')).toBe(0);
  });

  /** Two edits left, one of them without a reply. */
  function doubted(): OperationRig {
    const rig = moving();
    rig.answer('move-leg', unknown());
    showOld(rig);
    rig.answer('move-leg', yes(null));
    prove(rig);
    return rig;
  }

  it('an edit after one that may still land cancels the order first (C2)', () => {
    const rig = doubted();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 's1' });
    rig.answer('cancel', yes(null));
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')).toMatchObject({ price: d('59500') });
  });

  it('an edit after one that has shown edits again', () => {
    const rig = moving();
    rig.answer('move-leg', unknown());
    prove(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grantPermit();
    expect(rig.pendingRequest('move-leg')).toMatchObject({ price: d('59500') });
  });

  it('an edit after edits that all have replies edits again, however many there were', () => {
    const rig = moving();
    rig.answer('move-leg', no('locked', 423));
    showOld(rig);
    rig.answer('move-leg', unsent);
    showOld(rig);
    rig.answer('move-leg', yes(null));
    prove(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grantPermit();
    expect(rig.pendingRequest('move-leg')).toMatchObject({ price: d('59500') });
  });

  it('a later run knows of an edit that may still land', () => {
    const before = doubted();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')).toBeDefined();
  });

  it('a new price waits for the operation in progress, and only the newest one counts', () => {
    const rig = moving();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59200') });
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.answer('move-leg', yes(null));
    prove(rig);
    prove(rig);
    rig.grantPermit();
    expect(rig.pendingRequest('move-leg')).toMatchObject({ price: d('59500') });
    expect(rig.operations.all).toHaveLength(2);
  });
});

describe('last decided price', () => {
  const decided = (rig: OperationRig) =>
    rig.protecting.decidedPrice('BTCUSDT', 'USDT', 'stopLoss')?.price;
  const request = (rig: OperationRig, price: string, cause?: DecisionCause): void => {
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d(price) }, cause);
  };
  const proved = (rig: OperationRig): OperationRig => {
    rig.answer('set-leg', yes(null));
    prove(rig);
    return rig;
  };
  const RESTORING = restoreCause('BTCUSDT', 1);

  it('no price was decided at first', () => {
    expect(decided(new OperationRig())).toBeUndefined();
  });

  it('the decided price is the one in progress, or the one that waits for it', () => {
    const rig = sent();
    expect(decided(rig)).toBe(STOP);
    request(rig, '59200');
    expect(decided(rig)).toBe(d('59200'));
  });

  it('the decided price carries the time of its request', () => {
    const rig = new OperationRig();
    const { venueTime } = rig.stamp;
    request(rig, '59000');
    rig.pass(500);
    request(rig, '59200');
    const at = rig.protecting.decidedPrice('BTCUSDT', 'USDT', 'stopLoss')?.requestedAt;
    expect(at).toBe(venueTime + 500);
  });

  it('the decided price stays when positions no longer show it', () => {
    const rig = proved(sent());
    rig.protecting.onPositionRead('BTCUSDT', 'USDT', rowOf());
    expect(stateOf(rig)).toBe('none');
    expect(decided(rig)).toBe(STOP);
  });

  it('the decided price is the live one before, once its successor is refused', () => {
    const rig = proved(sent());
    request(rig, '59500');
    expect(decided(rig)).toBe(d('59500'));
    show(rig, SHOWN);
    rig.answer('find-order', yes(LIVE));
    rig.grantPermit();
    rig.answer('move-leg', no('protection-refused'));
    expect(rig.lastEnd).toBe('refused');
    expect(decided(rig)).toBe(STOP);
  });

  it('a restored stop is no decided price', () => {
    const rig = new OperationRig();
    request(rig, '59000', RESTORING);
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf()));
    rig.grantPermit();
    expect(decided(rig)).toBeUndefined();
    request(rig, '59300', RESTORING);
    expect(decided(rig)).toBeUndefined();
    request(rig, '59000', RESTORING);
    proved(rig);
    expect(decided(rig)).toBeUndefined();
  });

  it('a price is decided also while a lost stop is being restored', () => {
    const rig = new OperationRig();
    request(rig, '58000', RESTORING);
    request(rig, '59000', { kind: 'timer', venueTime: 2, key: 'trail' });
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['58000', 's0'] })));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s0', '58000')));
    rig.grantPermit();
    expect(rig.operation('protect').plan.price).toBe(STOP);
    expect(rig.operation('protect').cause).toMatchObject({ key: 'trail' });
    expect(decided(rig)).toBe(STOP);
  });

  it('a later run knows the decided price, and not a restored one', () => {
    const before = proved(sent());
    const { requestedAt } = before.operation('protect');
    before.pass(1_000);
    request(before, '58500', RESTORING);
    const rig = OperationRig.revived(before.records, before.stamp);
    expect(rig.protecting.decidedPrice('BTCUSDT', 'USDT', 'stopLoss')).toEqual({
      price: STOP,
      requestedAt: requestedAt,
    });
  });
});

describe('both protective orders', () => {
  it('each is a request of its own, one in flight at a time, and one refusal leaves the other (D3)', () => {
    const rig = new OperationRig();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP, takeProfit: d('62000') });
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf()));
    rig.answer('read-positions', positions(rowOf()));
    rig.grantPermit();
    expect(rig.sends('set-leg')).toBe(1);
    rig.answer('set-leg', yes(null));
    rig.grantPermit();
    expect(rig.pendingRequest('set-leg')).toMatchObject({ slot: 'takeProfit' });
    rig.answer('set-leg', no('invalid-take-profit'));
    prove(rig);
    expect(rig.protecting.states('BTCUSDT', 'USDT')).toEqual({
      stopLoss: 'live',
      takeProfit: 'refused',
    });
  });
});

describe('crash with a stop in progress', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', sends: 0, end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', sends: 1, end: undefined },
  ])('after $when the next run continues as the journal has it', ({ upTo, sends, end }) => {
    const before = sent();
    const cut = before.records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(before.records.slice(0, cut), before.stamp);
    rig.protecting.resume();
    rig.pass(0);
    expect(rig.lastEnd).toBe(end);
    if (sends === 0) return;
    rig.answer('read-positions', positions(rowOf()));
    rig.grantPermit();
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    expect(rig.left.at(-1)).toEqual(before.left.at(-1));
  });

  it('the next run finds the result of the last attempt', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.resume();
    rig.pass(0);
    prove(rig);
    expect(rig.lastEnd).toBe('live');
    expect(rig.sends('set-leg')).toBe(0);
  });
});

describe('journal of a stop', () => {
  it('the journal has a stop that is set and shown', () => {
    const rig = new OperationRig();
    const log = eventLog(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf()));
    rig.grantPermit();
    const { clientOrderId } = rig.pendingRequest('set-leg') ?? {};
    rig.answer('set-leg', yes(null));
    prove(rig);
    expect(log).toEqual([
      '0 operation {"plan":{"kind":"protect","symbol":"BTCUSDT","currency":"USDT","slot":"stopLoss","price":"59000"}}',
      '0 send read-positions as protect',
      `0 operation-attempt {"attempt":1,"step":{"kind":"set-leg","positionId":"p1","clientOrderId":"${clientOrderId}","generation":1}}`,
      '0 send set-leg stopLoss 59000 on p1 as protect',
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      '100 send read-positions as protect',
      '100 send find-order s1 as protect',
      '100 operation-ended {"end":"live","evidence":"order s1 is live and positions show it"}',
    ]);
  });

  it('the journal has the command behind a stop', () => {
    const rig = new OperationRig();
    const cause: DecisionCause = { kind: 'operator', commandId: 'c1' };
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP }, cause);
    expect(rig.records).toMatchObject([{ type: 'operation', cause }]);
  });

  it('a stop at another price is moved once, and the journal has its order and old price first', () => {
    const rig = requested();
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['58000', 's1'] })));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s1', '58000')));
    rig.grantPermit();
    expect(rig.effects.slice(-2)).toEqual(['journal operation-attempt', 'send move-leg']);
    expect(rig.records.at(-1)).toMatchObject({
      attempt: 1,
      step: { kind: 'move-leg', positionId: 'p1', orderId: 's1', from: d('58000') },
    });
    expect(rig.left.filter(({ kind }) => kind === 'move-leg')).toMatchObject([
      { positionId: 'p1', slot: 'stopLoss', orderId: 's1', price: STOP },
    ]);
    expect(rig.priorityOf('move-leg')).toBe('protect');
    expect(rig.sends('set-leg')).toBe(0);
  });

  it('a stop for a part of the position is canceled once, and the journal has its order first', () => {
    const rig = requested();
    rig.answer('read-positions', positions(SHOWN));
    rig.grantPermit();
    rig.answer('find-order', yes(protectiveOrderOf('s1', '59000', { quantity: '0.5' })));
    rig.grantPermit();
    expect(rig.effects.slice(-2)).toEqual(['journal operation-attempt', 'send cancel']);
    expect(rig.records.at(-1)).toMatchObject({ step: { kind: 'cancel-leg', orderId: 's1' } });
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 's1' });
    expect(rig.priorityOf('cancel')).toBe('cancel');
    rig.answer('cancel', unknown());
    expect(rig.records.at(-1)).toMatchObject({ type: 'operation-outcome', outcome: 'unknown' });
    expect([rig.sends('cancel'), rig.sends('set-leg')]).toEqual([1, 0]);
    expect(stateOf(rig)).toBe('under-way');
  });

  it.each<{
    what: string;
    follow: (rig: OperationRig) => void;
    end: string;
    reason: string;
    sets: number;
  }>([
    {
      what: 'of a closed position',
      follow: (rig) => {
        rig.open = false;
        rig.answer('read-positions', positions());
      },
      end: 'gone',
      reason: 'positions show none',
      sets: 0,
    },
    {
      what: 'that is refused',
      follow: (rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grantPermit();
        rig.answer('set-leg', no('protection-refused'));
      },
      end: 'refused',
      reason: 'protection-refused',
      sets: 1,
    },
    {
      what: 'that is held after an attempt',
      follow: (rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grantPermit();
        rig.answer('set-leg', no('locked', 423));
        rig.holdOperations = 'halted';
        show(rig, rowOf());
      },
      end: 'refused',
      reason: 'halted',
      sets: 1,
    },
    {
      what: 'that needs too many attempts',
      follow: (rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grantPermit();
        for (let attempts = 1; attempts <= 12; attempts += 1) {
          rig.answer('set-leg', no('locked', 423));
          show(rig, rowOf());
        }
      },
      end: 'refused',
      reason: '12 attempts',
      sets: 12,
    },
  ])('a stop $what ends, and the journal has the reason', ({ follow, end, reason, sets }) => {
    const rig = requested();
    follow(rig);
    const evidence: unknown = expect.stringContaining(reason);
    expect(rig.records.at(-1)).toMatchObject({ type: 'operation-ended', end, evidence });
    expect(rig.operationEnds).toEqual([{ end, evidence }]);
    expect(rig.sends('set-leg')).toBe(sets);
  });

  it('the journal has a stop that the previous run never sent', () => {
    const before = requested();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.resume();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'it was never sent' }]);
  });
});

describe('reads of a protective order', () => {
  it('reads that fail come at growing intervals, and prove no position closed', () => {
    const rig = requested();
    rig.open = false;
    const waits: number[] = [];
    for (let queries = 0; queries < 5; queries += 1) {
      rig.answer('read-positions', unknown());
      waits.push(rig.passUntil('read-positions'));
    }
    expect(waits).toEqual([300, 600, 1_200, 2_500, 5_000]);
    expect(stateOf(rig)).toBe('under-way');
  });

  it.each([
    { outcome: yes(null), ms: 100, what: 'an acknowledgement' },
    { outcome: no('locked', 423), ms: 250, what: 'a temporary refusal' },
    { outcome: unknown(), ms: 300, what: 'no reply' },
    { outcome: CONFLICT, ms: 300, what: 'a 409' },
  ])('the next read comes $ms ms after $what', ({ outcome, ms }) => {
    const rig = sent();
    rig.answer('set-leg', outcome);
    expect(rig.passUntil('read-positions')).toBe(ms);
  });

  it('the interval of reads grows with each temporary refusal', () => {
    const rig = sent();
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      rig.answer('set-leg', no('rate-limited', 429));
      waits.push(rig.passUntil('read-positions'));
      rig.answer('read-positions', positions(rowOf()));
      rig.grantPermit();
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000]);
  });

  it('the row of the symbol is read, whatever else is open', () => {
    const rig = requested();
    const other = { ...rowOf(), symbol: 'ETHUSDT', positionId: 'p9' };
    rig.answer('read-positions', positions(other, rowOf()));
    rig.grantPermit();
    expect(rig.pendingRequest('set-leg')?.positionId).toBe('p1');
  });

  it('our own order is looked up only once it may exist', () => {
    const rig = sent();
    expect(rig.sends('find-order')).toBe(0);
    const { clientOrderId } = rig.pendingRequest('set-leg') ?? {};
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    expect(rig.pendingRequest('find-order')?.order).toEqual({ clientOrderId });
  });

  it('reads without a clear reply are no evidence', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    for (const outcome of [unknown(), no('rate-limited', 429)]) {
      show(rig, rowOf());
      rig.answer('find-order', outcome);
    }
    rig.grantPermit();
    expect(rig.sends('set-leg')).toBe(1);
    expect(stateOf(rig)).toBe('under-way');
  });

  it('reads stop when the operation has ended', () => {
    const rig = sent();
    rig.answer('set-leg', no('protection-refused'));
    const asked = rig.priorities.length;
    rig.pass(60_000);
    expect(rig.priorities).toHaveLength(asked);
  });
});

describe('refusal of a protective order', () => {
  it.each<{ code: Parameters<typeof no>[0]; again: boolean }>([
    { code: 'locked', again: true },
    { code: 'rate-limited', again: true },
    { code: 'position-not-open', again: true },
    { code: 'position-not-found', again: true },
    { code: 'position-not-in-sync', again: true },
    { code: 'order-not-found', again: true },
    { code: 'order-not-open', again: true },
    { code: 'protection-order-missing', again: true },
    { code: 'protection-refused', again: false },
    { code: 'invalid-stop-loss', again: false },
    { code: 'price-step', again: false },
  ])('a refusal by $code leads to another attempt: $again', ({ code, again }) => {
    const rig = sent();
    rig.answer('set-leg', no(code));
    expect(stateOf(rig)).toBe(again ? 'under-way' : 'refused');
  });

  it('a temporary refusal after an unclear attempt gives up nothing', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('set-leg', no('locked', 423));
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    expect(rig.sends('set-leg'), 'the same again').toBe(3);
    expect(stateOf(rig)).toBe('under-way');
  });

  it('a failed connection after an unclear attempt proves nothing', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grantPermit();
    rig.answer('set-leg', unsent);
    expect(rig.operation('protect').state).toBe('verifying');
  });
});

describe('requests for protective orders', () => {
  it('requests of one symbol, currency or slot leave the others alone', () => {
    const rig = sent();
    expect(rig.protecting.states('ETHUSDT', 'USDT')).toEqual({
      stopLoss: 'none',
      takeProfit: 'none',
    });
    expect(rig.protecting.states('BTCUSDT', 'INR').stopLoss).toBe('none');
    expect(rig.protecting.states('BTCUSDT', 'USDT').takeProfit).toBe('none');
  });

  it('a request for the price in progress leaves nothing to do after it', () => {
    const rig = sent();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.pass(1_000);
    expect(rig.operations.all).toHaveLength(1);
  });

  it('a waiting request ends with the position', () => {
    const rig = requested();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.open = false;
    rig.answer('read-positions', positions());
    rig.pass(1_000);
    expect(rig.operations.all).toHaveLength(1);
    expect(stateOf(rig)).toBe('gone');
  });

  it('a waiting request starts once, after a refusal of the one before', () => {
    const rig = sent();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.answer('set-leg', no('protection-refused'));
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')?.price).toBe(d('59500'));
    rig.answer('set-leg', no('protection-refused'));
    rig.pass(1_000);
    expect(rig.operations.all).toHaveLength(2);
  });

  it('a refused price that is requested again is tried again', () => {
    const rig = sent();
    rig.answer('set-leg', no('protection-refused'));
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    expect(stateOf(rig)).toBe('under-way');
  });

  it.each([
    { what: 'shows the proved order', row: SHOWN, left: 'live' },
    { what: 'shows another order', row: rowOf({ stopLoss: ['59000', 's2'] }), left: 'none' },
    { what: 'shows none', row: undefined, left: 'none' },
  ])('a live stop is $left when a later list $what', ({ row, left }) => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.onPositionRead('BTCUSDT', 'USDT', row, rig.stamp.monotonic + 1);
    expect(stateOf(rig)).toBe(left);
  });

  it('a list begun at the millisecond of the proof does not contradict it', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.onPositionRead('BTCUSDT', 'USDT', rowOf(), rig.stamp.monotonic);
    expect(stateOf(rig)).toBe('live');
  });
});

describe('symbol lock', () => {
  it('a stop passes a lock that a change of margin reserves, and not one in flight', () => {
    const rig = requested();
    const [margin, entry] = [{}, {}];
    rig.symbolLocks.tryReserve('BTCUSDT/USDT', margin);
    rig.symbolLocks.tryStartRequest('BTCUSDT/USDT', entry, false);
    rig.answer('read-positions', positions(rowOf()));
    rig.grantPermit();
    expect(rig.sends('set-leg')).toBe(0);
    rig.symbolLocks.finishRequest('BTCUSDT/USDT');
    rig.grantPermit();
    expect(rig.sends('set-leg')).toBe(1);
  });
});

describe('id of a protective order', () => {
  it('another position gets another id', () => {
    const rig = sent();
    const first = rig.pendingRequest('set-leg')?.clientOrderId;
    rig.answer('set-leg', no('locked', 423));
    show(rig, { ...rowOf(), positionId: 'p2' });
    expect(rig.pendingRequest('set-leg')).toMatchObject({ positionId: 'p2' });
    expect(rig.pendingRequest('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('an id that a previous run used is known, and not used again', () => {
    const before = sent();
    const { clientOrderId = '' } = before.pendingRequest('set-leg') ?? {};
    before.answer('set-leg', no('protection-refused'));
    const rig = OperationRig.revived(before.records, before.stamp);
    expect(rig.protecting.owns(clientOrderId)).toBe(true);
    expect(rig.protecting.owns('another')).toBe(false);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    show(rig, rowOf());
    expect(rig.pendingRequest('set-leg')?.clientOrderId).not.toBe(clientOrderId);
  });
});

describe('client order id of a protective order', () => {
  const idOf = (of: { slot?: 'stopLoss' | 'takeProfit'; price?: string } = {}) => {
    const rig = new OperationRig();
    const { slot = 'stopLoss', price = '59000' } = of;
    rig.protecting.protect('BTCUSDT', 'USDT', { [slot]: d(price) });
    show(rig, rowOf());
    return rig.pendingRequest('set-leg')?.clientOrderId;
  };

  it('the id depends on the request alone, so that a later run sends the same', () => {
    expect(idOf()).toBe(idOf());
    expect(new Set([idOf(), idOf({ price: '59001' }), idOf({ slot: 'takeProfit' })]).size).toBe(3);
  });
});

describe('protective order that a previous run was setting', () => {
  it('a 409 of the previous run is called burned only after reads of this run had their time', () => {
    const before = sent();
    before.answer('set-leg', CONFLICT);
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.resume();
    const since = rig.stamp.monotonic;
    while (rig.pendingRequest('set-leg') === undefined) {
      show(rig, rowOf());
      if (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      rig.grantPermit();
    }
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
  });

  it('its operation is resumed beside slots without a request', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.states('BTCUSDT', 'USDT');
    rig.protecting.states('ETHUSDT', 'USDT');
    rig.protecting.resume();
    rig.pass(0);
    expect(rig.sends('read-positions')).toBe(1);
  });
});

describe('protective order that is found by our id and that no position shows', () => {
  it('the order is canceled after 30 s, so that it cannot become a second one', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    const since = rig.stamp.monotonic;
    while (rig.pendingRequest('cancel') === undefined) {
      show(rig, rowOf());
      rig.answer('find-order', yes(LIVE));
      rig.grantPermit();
    }
    expect(rig.pendingRequest('cancel')?.order).toEqual({ orderId: 's1' });
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(45_000);
    expect(rig.sends('set-leg')).toBe(1);
  });
});

describe('acknowledged protective order that nothing shows', () => {
  it.each([
    { run: 'this', revive: false },
    { run: 'the next', revive: true },
  ])('the order is set under another id after 30 s of $run run', ({ revive }) => {
    const before = sent();
    const first = before.pendingRequest('set-leg')?.clientOrderId;
    before.answer('set-leg', yes(null));
    const rig = revive ? OperationRig.revived(before.records, before.stamp) : before;
    if (revive) rig.protecting.resume();
    const since = rig.stamp.monotonic;
    while (rig.pendingRequest('set-leg') === undefined) {
      show(rig, rowOf());
      if (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      rig.grantPermit();
    }
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(45_000);
    expect(rig.pendingRequest('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('an order that may exist is not given up, though its attempts are used up', () => {
    const rig = sent();
    for (let attempts = 1; attempts < 12; attempts += 1) {
      rig.answer('set-leg', no('locked', 423));
      show(rig, rowOf());
    }
    rig.answer('set-leg', yes(null));
    for (let queries = 0; queries < 3; queries += 1) {
      show(rig, rowOf({ stopLoss: ['59000', 's1'] }));
      rig.answer('find-order', yes(protectiveOrderOf('s1', '59000', { quantity: '0.5' })));
      rig.grantPermit();
    }
    expect(stateOf(rig)).toBe('under-way');
    expect(rig.sends('cancel')).toBe(0);
    prove(rig);
    expect(stateOf(rig)).toBe('live');
  });
});
