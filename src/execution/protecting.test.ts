import { describe, expect, it } from 'vitest';
import { legOf, OperationRig, rowOf } from '../../test/harness/operation-rig.js';
import { d } from '../../test/harness/risk-case.js';
import { CONFLICT, no, NOT_FOUND, unknown, unsent, yes } from '../../test/harness/protocol-rig.js';
import type { PositionReport } from '../core/account.js';

const STOP = d<'price'>('59000');
const positions = (...rows: readonly PositionReport[]) => yes(rows);

/** A stop that is wanted, with its first look under way. */
function wanting(price = STOP): OperationRig {
  const rig = new OperationRig();
  rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: price });
  rig.pass(0);
  return rig;
}

/** …that was sent, because positions show none. */
function sent(): OperationRig {
  const rig = wanting();
  rig.answer('read-positions', positions(rowOf()));
  rig.grant();
  return rig;
}

const show = (rig: OperationRig, ...rows: readonly PositionReport[]): void => {
  rig.passUntil('read-positions');
  rig.answer('read-positions', positions(...rows));
  rig.grant();
};
const standing = (rig: OperationRig) => rig.protecting.standing('BTCUSDT', 'USDT').stopLoss;
const LIVE = legOf('s1', '59000');
const SHOWN = rowOf({ stopLoss: ['59000', 's1'] });
/** Positions and the leg's own order show it. */
const prove = (rig: OperationRig): void => {
  show(rig, SHOWN);
  rig.answer('find-order', yes(LIVE));
};

describe('a stop that a position shall have', () => {
  it('is journaled, looked for, journaled again and only then sent, under an id of ours', () => {
    const rig = sent();
    expect(rig.effects).toEqual([
      'journal operation',
      'slot read-positions',
      'send read-positions',
      'slot set-leg',
      'journal operation-attempt',
      'send set-leg',
    ]);
    const request = rig.waiting('set-leg');
    expect(request).toMatchObject({ positionId: 'p1', slot: 'stopLoss', price: STOP });
    expect(rig.protecting.owns(request?.clientOrderId ?? '')).toBe(true);
    expect(standing(rig)).toBe('under-way');
  });

  it('is live when positions and its order both show it, and not before (D13)', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    show(rig, rowOf());
    rig.answer('find-order', yes(LIVE));
    expect(standing(rig)).toBe('under-way');
    prove(rig);
    expect(standing(rig)).toBe('live');
    expect(rig.operationEnds).toEqual([
      { end: 'live', evidence: 'order s1 is live and positions show it' },
    ]);
    expect(rig.sends('set-leg')).toBe(1);
  });

  it('that stands already is not sent', () => {
    const rig = wanting();
    rig.answer('read-positions', positions(SHOWN));
    rig.grant();
    rig.answer('find-order', yes(LIVE));
    expect(standing(rig)).toBe('live');
    expect(rig.operation('protect').attempts).toBe(0);
  });

  it('is asked for at every poll and sent once', () => {
    const rig = sent();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    expect(rig.operations.all).toHaveLength(1);
  });

  it('that positions show no more is wanted anew under another id (D4)', () => {
    const rig = sent();
    const first = rig.waiting('set-leg')?.clientOrderId;
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.seen('BTCUSDT', 'USDT', rowOf());
    expect(standing(rig)).toBe('none');
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    show(rig, rowOf());
    expect(rig.waiting('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('is not thrown in doubt by a list that was read before its proof', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.seen('BTCUSDT', 'USDT', rowOf(), rig.stamp.monotonic - 1_000);
    expect(standing(rig)).toBe('live');
  });

  it('whose order in the row was canceled is set, for the row is stale (D13)', () => {
    const rig = wanting();
    rig.answer('read-positions', positions(SHOWN));
    rig.grant();
    rig.answer('find-order', yes(legOf('s1', '59000', { status: 'canceled' })));
    rig.grant();
    expect(rig.waiting('set-leg')).toBeDefined();
  });

  it('that covers only a part of the position is canceled and set again (D7)', () => {
    const rig = wanting();
    rig.answer('read-positions', positions(SHOWN));
    rig.grant();
    rig.answer('find-order', yes(legOf('s1', '59000', { quantity: '0.5' })));
    rig.grant();
    expect(rig.waiting('cancel')?.order).toEqual({ orderId: 's1' });
    rig.answer('cancel', yes(null));
    show(rig, rowOf());
    expect(rig.waiting('set-leg')).toBeDefined();
  });

  it('never replaces one that is tighter (D12)', () => {
    const rig = wanting();
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['59500', 's9'] })));
    rig.grant();
    rig.answer('find-order', yes(legOf('s9', '59500')));
    expect(rig.operationEnds[0]).toMatchObject({ end: 'live', evidence: /tighter/ });
    expect(rig.operation('protect').attempts).toBe(0);
  });

  it('of a position that is gone ends', () => {
    const rig = wanting();
    rig.open = false;
    rig.answer('read-positions', positions());
    expect(standing(rig)).toBe('gone');
  });

  it('is not believed gone by a blip of positions (G1)', () => {
    const rig = wanting();
    rig.answer('read-positions', positions());
    expect(standing(rig)).toBe('under-way');
    show(rig, rowOf());
    expect(rig.waiting('set-leg')).toBeDefined();
  });

  it('is held back when nothing may leave', () => {
    const rig = wanting();
    rig.holdOperations = 'halted';
    rig.answer('read-positions', positions(rowOf()));
    rig.grant();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'halted' }]);
    expect(rig.sends('set-leg')).toBe(0);
  });
});

describe('an answer to a stop', () => {
  it.each([
    { outcome: no('locked', 423) },
    { outcome: no('rate-limited', 429) },
    { outcome: no('position-not-open') },
    { outcome: unsent },
  ])('that refuses it for the moment sends the same again: $outcome', ({ outcome }) => {
    const rig = sent();
    const first = rig.left.at(-1);
    rig.answer('set-leg', outcome);
    show(rig, rowOf());
    expect(rig.left.at(-1)).toEqual(first);
    rig.answer('set-leg', yes(null));
    prove(rig);
    expect(standing(rig)).toBe('live');
  });

  it('that refuses it ends it', () => {
    const rig = sent();
    rig.answer('set-leg', no('protection-refused'));
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: 'protection-refused' }]);
    expect(standing(rig)).toBe('refused');
  });

  it('that is lost is met by looking: what landed is not sent again (D2)', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    prove(rig);
    expect(standing(rig)).toBe('live');
    expect(rig.sends('set-leg')).toBe(1);
  });

  it('that is lost, with nothing there, sends the same id and bytes', () => {
    const rig = sent();
    const first = rig.left.at(-1);
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    expect(rig.left.at(-1)).toEqual(first);
  });

  it('that refuses it after a lost one proves nothing: what landed is found', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('set-leg', no('protection-refused'));
    expect(standing(rig)).toBe('under-way');
    prove(rig);
    expect(standing(rig)).toBe('live');
  });

  it('that refuses it after a lost one ends it when nothing is there', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('set-leg', no('protection-refused'));
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: 'protection-refused' }]);
  });

  it('409: the leg is there, whatever the lookup by its id says', () => {
    const rig = sent();
    rig.answer('set-leg', CONFLICT);
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    expect(rig.sends('set-leg')).toBe(1);
    prove(rig);
    expect(standing(rig)).toBe('live');
  });

  it('409, of a leg that has ended, asks for another id (D4)', () => {
    const rig = sent();
    const first = rig.waiting('set-leg')?.clientOrderId;
    rig.answer('set-leg', CONFLICT);
    show(rig, rowOf());
    rig.answer('find-order', yes(legOf('s0', '59000', { status: 'system-canceled' })));
    rig.grant();
    expect(rig.waiting('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('409, and no order for longer than reads may lag, asks for another id', () => {
    const rig = sent();
    const first = rig.waiting('set-leg')?.clientOrderId;
    rig.answer('set-leg', CONFLICT);
    const since = rig.stamp.monotonic;
    while (rig.waiting('set-leg') === undefined) {
      show(rig, rowOf());
      rig.answer('find-order', NOT_FOUND);
      rig.grant();
    }
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.waiting('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('is given up after twelve requests', () => {
    const rig = sent();
    while (rig.operationEnds.length === 0) {
      rig.answer('set-leg', no('locked', 423));
      show(rig, rowOf());
    }
    expect(rig.sends('set-leg')).toBe(12);
    expect(standing(rig)).toBe('refused');
  });
});

describe('another price for a stop', () => {
  /** A stop at 58,000 that shall be at 59,000. */
  function moving(): OperationRig {
    const rig = wanting();
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['58000', 's1'] })));
    rig.grant();
    rig.answer('find-order', yes(legOf('s1', '58000')));
    rig.grant();
    return rig;
  }
  const showOld = (rig: OperationRig): void => {
    show(rig, rowOf({ stopLoss: ['58000', 's1'] }));
    rig.answer('find-order', yes(legOf('s1', '58000')));
    rig.grant();
  };

  it('edits the order that positions show', () => {
    const rig = moving();
    expect(rig.waiting('move-leg')).toMatchObject({ positionId: 'p1', orderId: 's1', price: STOP });
    rig.answer('move-leg', yes(null));
    prove(rig);
    expect(standing(rig)).toBe('live');
  });

  it('whose order id is stale is looked for again (D5)', () => {
    const rig = moving();
    rig.answer('move-leg', no('order-not-open'));
    show(rig, rowOf());
    expect(rig.waiting('set-leg')).toBeDefined();
  });

  it('whose answer is lost is the same edit again while the old price shows', () => {
    const rig = moving();
    rig.answer('move-leg', unknown());
    showOld(rig);
    expect(rig.waiting('move-leg')).toMatchObject({ price: STOP, orderId: 's1' });
    expect(rig.sends('cancel')).toBe(0);
  });

  /** Two edits left, one of them without an answer. */
  function doubted(): OperationRig {
    const rig = moving();
    rig.answer('move-leg', unknown());
    showOld(rig);
    rig.answer('move-leg', yes(null));
    prove(rig);
    return rig;
  }

  it('after one that may still land cancels the order first: a canceled one meets no edit (C2)', () => {
    const rig = doubted();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grant();
    expect(rig.waiting('cancel')?.order).toEqual({ orderId: 's1' });
    rig.answer('cancel', yes(null));
    show(rig, rowOf());
    expect(rig.waiting('set-leg')).toMatchObject({ price: d('59500') });
  });

  it('after one that showed edits again', () => {
    const rig = moving();
    rig.answer('move-leg', unknown());
    prove(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grant();
    expect(rig.waiting('move-leg')).toMatchObject({ price: d('59500') });
  });

  it('that may still land is remembered by another life', () => {
    const before = doubted();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    prove(rig);
    rig.grant();
    expect(rig.waiting('cancel')).toBeDefined();
  });

  it('waits for the wish under way, and the newest one counts', () => {
    const rig = moving();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59200') });
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.answer('move-leg', yes(null));
    prove(rig);
    prove(rig);
    rig.grant();
    expect(rig.waiting('move-leg')).toMatchObject({ price: d('59500') });
    expect(rig.operations.all).toHaveLength(2);
  });
});

describe('two legs', () => {
  it('are a request each, one on the wire at a time, and one refusal does not touch the other (D3)', () => {
    const rig = new OperationRig();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP, takeProfit: d('62000') });
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf()));
    rig.answer('read-positions', positions(rowOf()));
    rig.grant();
    expect(rig.sends('set-leg')).toBe(1);
    rig.answer('set-leg', yes(null));
    rig.grant();
    expect(rig.waiting('set-leg')).toMatchObject({ slot: 'takeProfit' });
    rig.answer('set-leg', no('invalid-take-profit'));
    prove(rig);
    expect(rig.protecting.standing('BTCUSDT', 'USDT')).toEqual({
      stopLoss: 'live',
      takeProfit: 'refused',
    });
  });
});

describe('a life that dies with a stop under way', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', sends: 0, end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', sends: 1, end: undefined },
  ])('after $when goes on as the journal says', ({ upTo, sends, end }) => {
    const before = sent();
    const cut = before.records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(before.records.slice(0, cut), before.stamp);
    rig.protecting.resume();
    rig.pass(0);
    expect(rig.lastEnd).toBe(end);
    if (sends === 0) return;
    rig.answer('read-positions', positions(rowOf()));
    rig.grant();
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    expect(rig.left.at(-1)).toEqual(before.left.at(-1));
  });

  it('finds what its last attempt made', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.resume();
    rig.pass(0);
    prove(rig);
    expect(rig.lastEnd).toBe('live');
    expect(rig.sends('set-leg')).toBe(0);
  });
});
