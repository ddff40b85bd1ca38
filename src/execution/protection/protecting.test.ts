import { describe, expect, it } from 'vitest';
import { legOf, OperationRig, rowOf } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import {
  CONFLICT,
  no,
  NOT_FOUND,
  unknown,
  unsent,
  yes,
} from '../../../test/harness/protocol-rig.js';
import { storyOf } from '../../../test/harness/story.js';
import type { PositionReport } from '../../core/account.js';
import type { Cause } from '../../core/intent.js';
import { restoring } from './protection-leg.js';

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

  it('is proved by its own id where positions show its price without its order', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    show(rig, { ...rowOf(), stopLoss: { price: STOP } });
    rig.answer('find-order', yes(LIVE));
    expect(standing(rig)).toBe('live');
    rig.protecting.seen('BTCUSDT', 'USDT', { ...rowOf(), stopLoss: { price: STOP } });
    expect(standing(rig)).toBe('live');
  });

  it('is not sent beside one that positions show without its order', () => {
    const rig = wanting();
    rig.answer('read-positions', yes([{ ...rowOf(), stopLoss: { price: STOP } }]));
    rig.grant();
    rig.pass(60_000);
    expect(rig.sends('set-leg')).toBe(0);
    expect(standing(rig)).toBe('under-way');
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

  it('that refuses it under another id ends it: what was lost under the one before is in no doubt', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('set-leg', CONFLICT);
    show(rig, rowOf());
    rig.answer('find-order', yes(legOf('s0', '59000', { status: 'system-canceled' })));
    rig.grant();
    rig.answer('set-leg', no('protection-refused'));
    expect(rig.operationEnds).toEqual([{ end: 'refused', evidence: 'protection-refused' }]);
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

  it('after edits that were all answered edits again, however many there were', () => {
    const rig = moving();
    rig.answer('move-leg', no('locked', 423));
    showOld(rig);
    rig.answer('move-leg', unsent);
    showOld(rig);
    rig.answer('move-leg', yes(null));
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

describe('what somebody decided on last', () => {
  const decided = (rig: OperationRig) =>
    rig.protecting.decided('BTCUSDT', 'USDT', 'stopLoss')?.price;
  const wish = (rig: OperationRig, price: string, cause?: Cause): void => {
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d(price) }, cause);
  };
  const proved = (rig: OperationRig): OperationRig => {
    rig.answer('set-leg', yes(null));
    prove(rig);
    return rig;
  };
  const RESTORING = restoring('BTCUSDT', 1);

  it('is nothing where nobody did', () => {
    expect(decided(new OperationRig())).toBeUndefined();
  });

  it('is what is under way, or waits for it', () => {
    const rig = sent();
    expect(decided(rig)).toBe(STOP);
    wish(rig, '59200');
    expect(decided(rig)).toBe(d('59200'));
  });

  it('is told with the time at which it was wanted', () => {
    const rig = new OperationRig();
    const { venueTime } = rig.stamp;
    wish(rig, '59000');
    rig.pass(500);
    wish(rig, '59200');
    const at = rig.protecting.decided('BTCUSDT', 'USDT', 'stopLoss')?.wantedAt;
    expect(at).toBe(venueTime + 500);
  });

  it('stays when positions show it no more', () => {
    const rig = proved(sent());
    rig.protecting.seen('BTCUSDT', 'USDT', rowOf());
    expect(standing(rig)).toBe('none');
    expect(decided(rig)).toBe(STOP);
  });

  it('is what was live before, once its successor is refused', () => {
    const rig = proved(sent());
    wish(rig, '59500');
    expect(decided(rig)).toBe(d('59500'));
    show(rig, SHOWN);
    rig.answer('find-order', yes(LIVE));
    rig.grant();
    rig.answer('move-leg', no('protection-refused'));
    expect(rig.lastEnd).toBe('refused');
    expect(decided(rig)).toBe(STOP);
  });

  it('is not what is set again because it was lost', () => {
    const rig = new OperationRig();
    wish(rig, '59000', RESTORING);
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf()));
    rig.grant();
    expect(decided(rig)).toBeUndefined();
    wish(rig, '59300', RESTORING);
    expect(decided(rig)).toBeUndefined();
    wish(rig, '59000', RESTORING);
    proved(rig);
    expect(decided(rig)).toBeUndefined();
  });

  it('is decided on also while a lost one is set again', () => {
    const rig = new OperationRig();
    wish(rig, '58000', RESTORING);
    wish(rig, '59000', { kind: 'timer', venueTime: 2, key: 'trail' });
    rig.pass(0);
    rig.answer('read-positions', positions(rowOf({ stopLoss: ['58000', 's0'] })));
    rig.grant();
    rig.answer('find-order', yes(legOf('s0', '58000')));
    rig.grant();
    expect(rig.operation('protect').plan.price).toBe(STOP);
    expect(rig.operation('protect').cause).toMatchObject({ key: 'trail' });
    expect(decided(rig)).toBe(STOP);
  });

  it('is known to another life, and a lost one that was set again is not', () => {
    const before = proved(sent());
    const { wantedAt } = before.operation('protect');
    before.pass(1_000);
    wish(before, '58500', RESTORING);
    const rig = OperationRig.revived(before.records, before.stamp);
    expect(rig.protecting.decided('BTCUSDT', 'USDT', 'stopLoss')).toEqual({
      price: STOP,
      wantedAt,
    });
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

describe('what a reader of the journal learns of a stop', () => {
  const PLAN =
    '{"plan":{"kind":"protect","symbol":"BTCUSDT","currency":"USDT","slot":"stopLoss","price":"59000"}}';
  const ended = (end: string, evidence: string): string =>
    `operation-ended ${JSON.stringify({ end, evidence })}`;
  /** From the wish on, without times and ids. */
  function told(follow: (rig: OperationRig) => void, cause?: Cause): readonly string[] {
    const rig = new OperationRig();
    const story = storyOf(rig);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP }, cause);
    rig.pass(0);
    follow(rig);
    return story.map((line) =>
      line.replace(/^\d+ /, '').replace(/"clientOrderId":"[^"]+"/, '"clientOrderId":"…"'),
    );
  }
  const LOOK = 'send read-positions as protect';
  const SET = [
    'operation-attempt {"attempt":1,"step":{"kind":"set-leg","positionId":"p1","clientOrderId":"…","generation":1}}',
    'send set-leg stopLoss 59000 on p1 as protect',
  ];

  it('that is set and shows', () => {
    expect(
      told((rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grant();
        rig.answer('set-leg', yes(null));
        prove(rig);
      }),
    ).toEqual([
      `operation ${PLAN}`,
      LOOK,
      ...SET,
      'operation-outcome {"attempt":1,"outcome":"yes"}',
      LOOK,
      'send find-order s1 as protect',
      ended('live', 'order s1 is live and positions show it'),
    ]);
  });

  it('that somebody asked for', () => {
    const [first] = told(() => undefined, { kind: 'operator', commandId: 'c1' });
    expect(first).toContain('"cause":{"kind":"operator","commandId":"c1"}');
  });

  it('that is moved', () => {
    expect(
      told((rig) => {
        rig.answer('read-positions', positions(rowOf({ stopLoss: ['58000', 's1'] })));
        rig.grant();
        rig.answer('find-order', yes(legOf('s1', '58000')));
        rig.grant();
      }).slice(2),
    ).toEqual([
      'send find-order s1 as protect',
      'operation-attempt {"attempt":1,"step":{"kind":"move-leg","positionId":"p1","orderId":"s1","from":"58000"}}',
      'send move-leg stopLoss s1 to 59000 as protect',
    ]);
  });

  it('that is canceled first, because it is for a part', () => {
    expect(
      told((rig) => {
        rig.answer('read-positions', positions(SHOWN));
        rig.grant();
        rig.answer('find-order', yes(legOf('s1', '59000', { quantity: '0.5' })));
        rig.grant();
        rig.answer('cancel', unknown());
      }).slice(3),
    ).toEqual([
      'operation-attempt {"attempt":1,"step":{"kind":"cancel-leg","orderId":"s1"}}',
      'send cancel s1 as cancel',
      'operation-outcome {"attempt":1,"outcome":"unknown","sent":true,"cause":"no answer"}',
    ]);
  });

  it.each<{ what: string; follow: (rig: OperationRig) => void; last: string }>([
    {
      what: 'of a position that is gone',
      follow: (rig) => {
        rig.open = false;
        rig.answer('read-positions', positions());
      },
      last: ended('gone', 'positions show none, and none is believed'),
    },
    {
      what: 'that is refused',
      follow: (rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grant();
        rig.answer('set-leg', no('protection-refused'));
      },
      last: ended('refused', 'protection-refused'),
    },
    {
      what: 'that is held back after an attempt',
      follow: (rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grant();
        rig.answer('set-leg', no('locked', 423));
        rig.holdOperations = 'halted';
        show(rig, rowOf());
      },
      last: ended('refused', 'halted'),
    },
    {
      what: 'that needs too many attempts',
      follow: (rig) => {
        rig.answer('read-positions', positions(rowOf()));
        rig.grant();
        for (let attempts = 1; attempts <= 12; attempts += 1) {
          rig.answer('set-leg', no('locked', 423));
          show(rig, rowOf());
        }
      },
      last: ended('refused', 'not there after 12 attempts'),
    },
  ])('$what', ({ follow, last }) => {
    expect(told(follow).at(-1)).toBe(last);
  });

  it('that an earlier life never sent', () => {
    const before = wanting();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.resume();
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence: 'it was never sent' }]);
  });
});

describe('looks at a leg', () => {
  it('come after pauses that grow while nothing can be read, and hold nothing to be gone', () => {
    const rig = wanting();
    rig.open = false;
    const waits: number[] = [];
    for (let looks = 0; looks < 5; looks += 1) {
      rig.answer('read-positions', unknown());
      waits.push(rig.passUntil('read-positions'));
    }
    expect(waits).toEqual([300, 600, 1_200, 2_500, 5_000]);
    expect(standing(rig)).toBe('under-way');
  });

  it.each([
    { outcome: yes(null), ms: 100, what: 'a yes' },
    { outcome: no('locked', 423), ms: 250, what: 'a no for the moment' },
    { outcome: unknown(), ms: 300, what: 'no answer' },
    { outcome: CONFLICT, ms: 300, what: 'a 409' },
  ])('come $ms ms after $what', ({ outcome, ms }) => {
    const rig = sent();
    rig.answer('set-leg', outcome);
    expect(rig.passUntil('read-positions')).toBe(ms);
  });

  it('come after pauses that grow with each no for the moment', () => {
    const rig = sent();
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      rig.answer('set-leg', no('rate-limited', 429));
      waits.push(rig.passUntil('read-positions'));
      rig.answer('read-positions', positions(rowOf()));
      rig.grant();
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000]);
  });

  it('read the row of the symbol, whatever else is open', () => {
    const rig = wanting();
    const other = { ...rowOf(), symbol: 'ETHUSDT', positionId: 'p9' };
    rig.answer('read-positions', positions(other, rowOf()));
    rig.grant();
    expect(rig.waiting('set-leg')?.positionId).toBe('p1');
  });

  it('look for our own order only once it may be there', () => {
    const rig = sent();
    expect(rig.sends('find-order')).toBe(0);
    const { clientOrderId } = rig.waiting('set-leg') ?? {};
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    expect(rig.waiting('find-order')?.order).toEqual({ clientOrderId });
  });

  it('that are not answered clearly are no evidence', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    for (const outcome of [unknown(), no('rate-limited', 429)]) {
      show(rig, rowOf());
      rig.answer('find-order', outcome);
    }
    rig.grant();
    expect(rig.sends('set-leg')).toBe(1);
    expect(standing(rig)).toBe('under-way');
  });

  it('stop when the wish has ended', () => {
    const rig = sent();
    rig.answer('set-leg', no('protection-refused'));
    const asked = rig.priorities.length;
    rig.pass(60_000);
    expect(rig.priorities).toHaveLength(asked);
  });
});

describe('a refusal of a leg', () => {
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
  ])('by $code is met by another try: $again', ({ code, again }) => {
    const rig = sent();
    rig.answer('set-leg', no(code));
    expect(standing(rig)).toBe(again ? 'under-way' : 'refused');
  });

  it('for the moment, after an unclear attempt, gives up nothing', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('set-leg', no('locked', 423));
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    expect(rig.sends('set-leg'), 'the same again').toBe(3);
    expect(standing(rig)).toBe('under-way');
  });

  it('to connect, after an unclear attempt, proves nothing', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    show(rig, rowOf());
    rig.answer('find-order', NOT_FOUND);
    rig.grant();
    rig.answer('set-leg', unsent);
    expect(rig.operation('protect').state).toBe('verifying');
  });
});

describe('wishes for a leg', () => {
  it('of one symbol, currency or slot do not touch another', () => {
    const rig = sent();
    expect(rig.protecting.standing('ETHUSDT', 'USDT')).toEqual({
      stopLoss: 'none',
      takeProfit: 'none',
    });
    expect(rig.protecting.standing('BTCUSDT', 'INR').stopLoss).toBe('none');
    expect(rig.protecting.standing('BTCUSDT', 'USDT').takeProfit).toBe('none');
  });

  it('go back to the price under way: nothing is left to do after it', () => {
    const rig = sent();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.pass(1_000);
    expect(rig.operations.all).toHaveLength(1);
  });

  it('that wait are over with the position', () => {
    const rig = wanting();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.open = false;
    rig.answer('read-positions', positions());
    rig.pass(1_000);
    expect(rig.operations.all).toHaveLength(1);
    expect(standing(rig)).toBe('gone');
  });

  it('that wait go on after a refusal of the one before, and only once', () => {
    const rig = sent();
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59500') });
    rig.answer('set-leg', no('protection-refused'));
    show(rig, rowOf());
    expect(rig.waiting('set-leg')?.price).toBe(d('59500'));
    rig.answer('set-leg', no('protection-refused'));
    rig.pass(1_000);
    expect(rig.operations.all).toHaveLength(2);
  });

  it('that were refused are tried again when they are asked for again', () => {
    const rig = sent();
    rig.answer('set-leg', no('protection-refused'));
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    expect(standing(rig)).toBe('under-way');
  });

  it.each([
    { what: 'shows the proved order', row: SHOWN, left: 'live' },
    { what: 'shows another order', row: rowOf({ stopLoss: ['59000', 's2'] }), left: 'none' },
    { what: 'shows none', row: undefined, left: 'none' },
  ])('that are live are in doubt by a later list: it $what', ({ row, left }) => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.seen('BTCUSDT', 'USDT', row, rig.stamp.monotonic + 1);
    expect(standing(rig)).toBe(left);
  });

  it('that are live are not in doubt by a list begun at the ms of their proof', () => {
    const rig = sent();
    rig.answer('set-leg', yes(null));
    prove(rig);
    rig.protecting.seen('BTCUSDT', 'USDT', rowOf(), rig.stamp.monotonic);
    expect(standing(rig)).toBe('live');
  });
});

describe('the lane of a symbol', () => {
  it('that a change of margin holds is passed by a stop, and one that is busy is not', () => {
    const rig = wanting();
    const [margin, entry] = [{}, {}];
    rig.lanes.hold('BTCUSDT/USDT', margin);
    rig.lanes.enter('BTCUSDT/USDT', entry, false);
    rig.answer('read-positions', positions(rowOf()));
    rig.grant();
    expect(rig.sends('set-leg')).toBe(0);
    rig.lanes.leave('BTCUSDT/USDT');
    rig.grant();
    expect(rig.sends('set-leg')).toBe(1);
  });
});

describe('an id of a leg', () => {
  it('is another one for another position', () => {
    const rig = sent();
    const first = rig.waiting('set-leg')?.clientOrderId;
    rig.answer('set-leg', no('locked', 423));
    show(rig, { ...rowOf(), positionId: 'p2' });
    expect(rig.waiting('set-leg')).toMatchObject({ positionId: 'p2' });
    expect(rig.waiting('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('that an earlier life used is known, and not used again', () => {
    const before = sent();
    const { clientOrderId = '' } = before.waiting('set-leg') ?? {};
    before.answer('set-leg', no('protection-refused'));
    const rig = OperationRig.revived(before.records, before.stamp);
    expect(rig.protecting.owns(clientOrderId)).toBe(true);
    expect(rig.protecting.owns('another')).toBe(false);
    rig.protecting.protect('BTCUSDT', 'USDT', { stopLoss: STOP });
    show(rig, rowOf());
    expect(rig.waiting('set-leg')?.clientOrderId).not.toBe(clientOrderId);
  });
});

describe('the id under which a leg is set', () => {
  const idOf = (of: { slot?: 'stopLoss' | 'takeProfit'; price?: string } = {}) => {
    const rig = new OperationRig();
    const { slot = 'stopLoss', price = '59000' } = of;
    rig.protecting.protect('BTCUSDT', 'USDT', { [slot]: d(price) });
    show(rig, rowOf());
    return rig.waiting('set-leg')?.clientOrderId;
  };

  it('is made of what is wanted alone, so that another life sends the same', () => {
    expect(idOf()).toBe(idOf());
    expect(new Set([idOf(), idOf({ price: '59001' }), idOf({ slot: 'takeProfit' })]).size).toBe(3);
  });
});

describe('a leg that an earlier life was setting', () => {
  it('met a 409, and is not called used up before reads of this life had their time', () => {
    const before = sent();
    before.answer('set-leg', CONFLICT);
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.resume();
    const since = rig.stamp.monotonic;
    while (rig.waiting('set-leg') === undefined) {
      show(rig, rowOf());
      if (rig.waiting('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      rig.grant();
    }
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
  });

  it('is resumed beside slots of which nobody wants anything', () => {
    const before = sent();
    const rig = OperationRig.revived(before.records, before.stamp);
    rig.protecting.standing('BTCUSDT', 'USDT');
    rig.protecting.standing('ETHUSDT', 'USDT');
    rig.protecting.resume();
    rig.pass(0);
    expect(rig.sends('read-positions')).toBe(1);
  });
});

describe('a leg that is found by our id and that no position shows', () => {
  it('is canceled after 30 s, so that it is not one of two', () => {
    const rig = sent();
    rig.answer('set-leg', unknown());
    const since = rig.stamp.monotonic;
    while (rig.waiting('cancel') === undefined) {
      show(rig, rowOf());
      rig.answer('find-order', yes(LIVE));
      rig.grant();
    }
    expect(rig.waiting('cancel')?.order).toEqual({ orderId: 's1' });
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(45_000);
    expect(rig.sends('set-leg')).toBe(1);
  });
});

describe('an acknowledged leg that nothing shows', () => {
  it.each([
    { life: 'this', revive: false },
    { life: 'the next', revive: true },
  ])('is set under another id after 30 s of $life life', ({ revive }) => {
    const before = sent();
    const first = before.waiting('set-leg')?.clientOrderId;
    before.answer('set-leg', yes(null));
    const rig = revive ? OperationRig.revived(before.records, before.stamp) : before;
    if (revive) rig.protecting.resume();
    const since = rig.stamp.monotonic;
    while (rig.waiting('set-leg') === undefined) {
      show(rig, rowOf());
      if (rig.waiting('find-order') !== undefined) rig.answer('find-order', NOT_FOUND);
      rig.grant();
    }
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.stamp.monotonic - since).toBeLessThan(45_000);
    expect(rig.waiting('set-leg')?.clientOrderId).not.toBe(first);
  });

  it('is not given up while it may be there, though its attempts are used up', () => {
    const rig = sent();
    for (let attempts = 1; attempts < 12; attempts += 1) {
      rig.answer('set-leg', no('locked', 423));
      show(rig, rowOf());
    }
    rig.answer('set-leg', yes(null));
    for (let looks = 0; looks < 3; looks += 1) {
      show(rig, rowOf({ stopLoss: ['59000', 's1'] }));
      rig.answer('find-order', yes(legOf('s1', '59000', { quantity: '0.5' })));
      rig.grant();
    }
    expect(standing(rig)).toBe('under-way');
    expect(rig.sends('cancel')).toBe(0);
    prove(rig);
    expect(standing(rig)).toBe('live');
  });
});
